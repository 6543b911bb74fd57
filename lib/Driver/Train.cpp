//===- Train.cpp ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages on tensors, and what is told about the step between them.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Driver/Train.h"

using namespace mlir;
using namespace mlir::fp8;

/// What the backward pass keeps; nothing for a function without one.
static FailureOr<SmallVector<Residual>>
findKept(func::FuncOp function, const std::optional<JointSignature> &signature,
         const ResidualOptions &options) {
  if (signature)
    return findResiduals(function, *signature, options);
  return SmallVector<Residual>();
}

static ResidualOptions getResidualOptions(const TrainOptions &options) {
  ResidualOptions residuals;
  residuals.recomputeArguments = options.recomputeArguments;
  residuals.dynamicSize = options.dynamicSize;
  if (options.maxBytes >= 0)
    residuals.maxBytes = options.maxBytes;
  return residuals;
}

static LogicalResult runAll(ArrayRef<Stage> stages, StageRunner run) {
  return success(llvm::all_of(
      stages, [&](const Stage &stage) { return succeeded(run(stage)); }));
}

FailureOr<TrainedStep> fp8::trainModel(Model &model,
                                       const TrainOptions &options,
                                       bool backward, StageRunner run,
                                       bool keepWide) {
  SmallVector<Stage> stages = getTrainStages(options, backward);
  std::optional<Stage> partition;
  if (stages.back().name == "partition")
    partition = stages.pop_back_val();
  // Until matmuls are quantized the program is wide.
  size_t numWide =
      llvm::find_if(
          stages, [](const Stage &stage) { return stage.name == "quantize"; }) -
      stages.begin();
  if (failed(runAll(ArrayRef(stages).take_front(numWide), run)))
    return failure();

  TrainedStep step;
  func::FuncOp function = model.getFunction();
  if (keepWide)
    step.wide = model.module->clone();
  step.linears = findLinears(function);
  std::optional<JointSignature> signature = getJointSignature(function);
  if (partition) {
    auto found = getSignature(model, options);
    if (failed(found))
      return failure();
    signature = step.split = *found;
  }
  // A limit is not about the wide program.
  ResidualOptions unlimited;
  unlimited.dynamicSize = options.dynamicSize;
  auto wide = findKept(function, signature, unlimited);
  if (failed(wide) || failed(runAll(ArrayRef(stages).drop_front(numWide), run)))
    return failure();
  step.wideKeptBytes = getTotalBytes(*wide);
  countConverted(function, step.linears);
  auto kept = findKept(function, signature, getResidualOptions(options));
  if (failed(kept))
    return failure();
  step.kept = std::move(*kept);
  step.arguments =
      llvm::map_to_vector(function.getArgumentTypes(), [](Type type) {
        return cast<RankedTensorType>(type);
      });
  if (partition && failed(run(*partition)))
    return failure();
  step.functions = getFunctions(model, *model.module, step.split);
  return step;
}
