//===- Compile.h ------------------------------------------------------*- C++
//-*-===//
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

#include "Fp8/Driver/Step.h"

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

/// One linear layer: the matmuls that came from one place of the program.
struct Linear {
  std::string name;
  /// M x K x N of the forward matmul.
  std::string sizes;
  Location location;
  /// Its matmuls, forward and backward, and how many of them are in fp8.
  unsigned matmuls = 0, converted = 0;
};

/// The linears of `function` as long as their matmuls are wide.
SmallVector<Linear> findLinears(func::FuncOp function);

/// Counts in `function`, quantized, which matmuls of `linears` are in fp8.
void countConverted(func::FuncOp function, MutableArrayRef<Linear> linears);

/// A value that the backward pass needs of the forward pass.
struct KeptValue {
  /// In words: `x in f8E4M3FN`.
  std::string description;
  int64_t bytes;
};

struct CompileResult {
  /// With the names that C calls them by.
  SmallVector<FunctionInfo> functions;
  SmallVector<Linear> linears;
  /// With a backward pass: what it needs of the forward pass, and the bytes
  /// that the wide program would keep.
  SmallVector<KeptValue> kept;
  int64_t wideKeptBytes = 0;
};

/// Compiles `model`, whose module is lowered on the way, and writes library and
/// header, both or none. Emits errors to the context.
FailureOr<CompileResult> compileModel(Model &model,
                                      const CompileOptions &options);

} // namespace mlir::fp8

#endif // FP8_DRIVER_COMPILE_H
