//===- SplitFlags.h ---------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags of a step in two functions, which tools share.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_COMMON_SPLITFLAGS_H
#define FP8_TOOLS_COMMON_SPLITFLAGS_H

#include "Fp8/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"

namespace fp8tools {

/// The flags for a step in two functions, and for one that an exporter
/// differentiated.
struct SplitFlags {
  explicit SplitFlags(llvm::cl::OptionCategory &category);

  /// Checks that a step in two functions has a backward pass: a derived one,
  /// or, with --tangents, the exporter's.
  mlir::LogicalResult check(bool backward) const;
  void apply(mlir::fp8::TrainOptions &options) const;

  llvm::cl::opt<bool> split;
  llvm::cl::opt<int64_t> maxBytes;
  llvm::cl::opt<bool> recomputeArguments;
  llvm::cl::list<unsigned> tangents, results;
};

} // namespace fp8tools

#endif // FP8_TOOLS_COMMON_SPLITFLAGS_H
