//===- Pipelines.h -------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes strung together: from a model to a training step on tensors, and
// from there to a target's code. A pipeline is a list of stages, each of which
// a tool can stop after.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_PIPELINES_PIPELINES_H
#define FP8_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::fp8 {

/// Options of `fp8-train` and `fp8-quantize`.
struct TrainOptions : PassPipelineOptions<TrainOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The device, a row of the target table: cpu, sm_90, "
                     "gfx942, ..."),
      llvm::cl::init("cpu")};
  Option<std::string> recipe{
      *this, "recipe",
      llvm::cl::desc("How scales are chosen: tensorwise; or none, which keeps "
                     "every matmul wide"),
      llvm::cl::init("tensorwise")};
};

/// A named part of a pipeline. Names are what `fp8-run --emit` takes.
struct Stage {
  StringLiteral name;
  std::function<void(OpPassManager &)> build;
};

/// raise, derive (with `backward`), quantize, layout: from a wide model to the
/// step on tensors. The last two are empty for the recipe `none`.
SmallVector<Stage> getTrainStages(const TrainOptions &options, bool backward);

/// linalg, blaslt, bufferize, runtime, llvm: from tensors to the LLVM dialect
/// for a CPU.
SmallVector<Stage> getLowerToCpuStages();

/// Appends all of `stages` to `pm`.
void buildStages(OpPassManager &pm, ArrayRef<Stage> stages);

/// Registers `fp8-train`, `fp8-quantize` and `fp8-lower-to-cpu`.
void registerPipelines();

} // namespace mlir::fp8

#endif // FP8_PIPELINES_PIPELINES_H
