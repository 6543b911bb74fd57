//===- InitAll.h ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of everything, for tools and for other compilers.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_INITALL_H
#define FP8_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::fp8 {

/// Adds the dialects of the project, and all that its passes and pipelines need
/// of upstream's: external models, extensions and translations to LLVM IR. What
/// a module is written in (func, linalg, ...) is the caller's to add. Adding a
/// thing that is there already, as after mlir::registerAllDialects, is fine.
void registerAllDialects(DialectRegistry &registry);

/// Registers every pass and pipeline of the project by its command-line name.
void registerAllPasses();

} // namespace mlir::fp8

#endif // FP8_INITALL_H
