//===- Header.h ----------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C header of a compiled library.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8COMPILE_HEADER_H
#define FP8_TOOLS_FP8COMPILE_HEADER_H

#include "Step.h"

namespace fp8compile {

/// What C calls a model's function: no C program has another function called
/// main, so there it is called as the library. The symbol `main` stays as an
/// alias.
std::string getCName(llvm::StringRef library, llvm::StringRef function);

/// The header of a library of `functions`, which have the names that C calls
/// them by. `title` is its first line, `guard` makes its include guard.
std::string makeHeader(llvm::StringRef title, llvm::StringRef guard,
                       llvm::ArrayRef<fp8tools::StepFunction> functions);

} // namespace fp8compile

#endif // FP8_TOOLS_FP8COMPILE_HEADER_H
