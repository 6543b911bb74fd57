//===- Table.h --------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables as fp8-run prints them.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8RUN_TABLE_H
#define FP8_TOOLS_FP8RUN_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace fp8run {

/// Prints rows as columns, the first one to the left and the others to the
/// right, two spaces between.
void printTable(llvm::raw_ostream &os,
                llvm::ArrayRef<llvm::SmallVector<std::string>> rows);

} // namespace fp8run

#endif // FP8_TOOLS_FP8RUN_TABLE_H
