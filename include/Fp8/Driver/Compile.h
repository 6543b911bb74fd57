//===- Compile.h ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a model to a shared library with a C header: what fp8-compile and the C
// API do. Using the library takes fp8rt and no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_DRIVER_COMPILE_H
#define FP8_DRIVER_COMPILE_H

#include "Fp8/Driver/Train.h"

namespace mlir::fp8 {

/// Adds the dialects, extensions and translations that compiling needs.
void registerCompilerDialects(DialectRegistry &registry);

struct CompileOptions {
  /// The target, the recipe, which matmuls are converted, and with `partition`
  /// two functions with residuals between them.
  TrainOptions train;
  /// Derives the backward pass, too.
  bool backward = false;
  /// The CUDA toolkit with bin/ptxas. Empty takes CUDA_HOME, or ptxas in PATH;
  /// without one PTX is embedded.
  std::string cudaPath;
  /// The processor of the host code, as LLVM names it, or `native`.
  std::string cpu = "native";
  /// The library to write. The header goes beside it, with suffix .h.
  std::string output;
};

/// Compiles `model`, whose module is lowered on the way, and writes library and
/// header, both or none. What is returned names functions as C calls them.
/// Emits errors to the context.
FailureOr<TrainedStep> compileModel(Model &model,
                                    const CompileOptions &options);

} // namespace mlir::fp8

#endif // FP8_DRIVER_COMPILE_H
