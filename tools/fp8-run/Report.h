//===- Report.h ----------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fp8-run tells about a step: its linears, and tables.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8RUN_REPORT_H
#define FP8_TOOLS_FP8RUN_REPORT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fp8run {

/// One linear layer: the matmuls that came from one place of the program.
struct Linear {
  std::string name;
  /// M x K x N of the forward matmul.
  std::string sizes;
  mlir::Location location;
  /// Its matmuls, forward and backward, and how many of them are in fp8.
  unsigned matmuls = 0, converted = 0;
};

/// The linears of `function` as long as their matmuls are wide.
llvm::SmallVector<Linear> findLinears(mlir::func::FuncOp function);

/// Counts in `function`, quantized, which matmuls of `linears` are in fp8.
void countConverted(mlir::func::FuncOp function,
                    llvm::MutableArrayRef<Linear> linears);

/// Prints rows as columns, the first one to the left and the others to the
/// right, two spaces between.
void printTable(llvm::raw_ostream &os,
                llvm::ArrayRef<llvm::SmallVector<std::string>> rows);

} // namespace fp8run

#endif // FP8_TOOLS_FP8RUN_REPORT_H
