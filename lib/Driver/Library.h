//===- Library.h ------------------------------------------------------*- C++
//-*-===//
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

/// What C calls a model's function: no C program has another function called
/// main, so there it is called as the library. The symbol `main` stays as an
/// alias.
std::string getCName(StringRef library, StringRef function);

/// The header of a library of `functions`, which have the names that C calls
/// them by. `title` is its first line, `guard` makes its include guard.
std::string makeHeader(StringRef title, StringRef guard,
                       ArrayRef<StepFunction> functions);

/// The name of a function of a module, and what C calls it.
using Renaming = std::pair<std::string, std::string>;

/// Writes `module`, in the LLVM dialect, to a library, and `header` beside it,
/// both or none.
LogicalResult writeLibrary(ModuleOp module, const CompileOptions &options,
                           ArrayRef<Renaming> names, StringRef header);

} // namespace mlir::fp8

#endif // FP8_LIB_DRIVER_LIBRARY_H
