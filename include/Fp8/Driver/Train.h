//===- Train.h --------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a model to its step on tensors, and what is told about it.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_DRIVER_TRAIN_H
#define FP8_DRIVER_TRAIN_H

#include "Fp8/Driver/Step.h"
#include "Fp8/Transforms/Residuals.h"

namespace mlir::fp8 {

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

/// The step on tensors: what the stages made of a model.
struct TrainedStep {
  /// The module before matmuls were quantized; null if nobody asked for it.
  OwningOpRef<ModuleOp> wide;
  /// The types of the step's arguments, those of one function.
  SmallVector<RankedTensorType> arguments;
  /// With the names that the module has.
  SmallVector<FunctionInfo> functions;
  SmallVector<Linear> linears;
  /// With a backward pass: what it needs of the forward pass, whose values are
  /// gone once the module is lowered, and the bytes that the wide program would
  /// keep.
  SmallVector<Residual> kept;
  int64_t wideKeptBytes = 0;
  /// The signature of the function that was split in two, if it was.
  std::optional<JointSignature> split;
};

/// Runs one stage on the module of the model.
using StageRunner = function_ref<LogicalResult(const Stage &)>;

/// Has `run` run the stages of `getTrainStages` on `model`, whose module they
/// change, and looks at it in between. Emits errors to the context.
FailureOr<TrainedStep> trainModel(Model &model, const TrainOptions &options,
                                  bool backward, StageRunner run,
                                  bool keepWide = false);

} // namespace mlir::fp8

#endif // FP8_DRIVER_TRAIN_H
