//===- Library.h ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files that compiling a model writes.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_DRIVER_LIBRARY_H
#define FP8_LIB_DRIVER_LIBRARY_H

#include "Fp8/Driver/Compile.h"

namespace mlir::fp8 {

/// What C calls `function`, that of `model` or a part of it: no C program has
/// another function called main, so there it is called as the library. The
/// symbol `main` stays as an alias.
std::string getCName(const CompileOptions &options, const Model &model,
                     StringRef function);

/// The header of a library of `functions`, which have their C names. `guard`
/// makes its include guard.
std::string makeHeader(StringRef guard, const CompileOptions &options,
                       ArrayRef<FunctionInfo> functions);

/// Writes `model`, in the LLVM dialect, to a library, and `header` beside it,
/// both or none. `functions` get their C names.
LogicalResult writeLibrary(const Model &model, const CompileOptions &options,
                           ArrayRef<std::string> functions, StringRef header);

} // namespace mlir::fp8

#endif // FP8_LIB_DRIVER_LIBRARY_H
