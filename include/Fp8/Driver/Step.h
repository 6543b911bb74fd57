//===- Step.h ---------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of a step: one, or a forward and a backward function, and what
// goes from one to the other.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_DRIVER_STEP_H
#define FP8_DRIVER_STEP_H

#include "Fp8/Driver/Model.h"
#include "Fp8/Transforms/Residuals.h"

namespace mlir::fp8 {

/// What an argument or a result of a function is. The step's arguments and
/// results are those of the joint function.
enum class TensorKind {
  /// An argument of the step: of the model, or a tangent.
  Argument,
  /// An argument that is a result of the function before.
  Residual,
  /// A result of the step: of the model, or a gradient.
  Result,
  /// A result for the next function alone.
  Saved,
  /// A count that --stats prints.
  Statistic
};

struct TensorInfo {
  TensorKind kind;
  /// Of an argument or a result its number among those of the step; of a
  /// residual its number among the results of the function before.
  unsigned number;
  /// For a person: `x`, or `x in f8E4M3FN, transposed`.
  std::string name;
  RankedTensorType type;
};

/// A function on tensors; those of a step run one after the other.
struct FunctionInfo {
  std::string name;
  SmallVector<TensorInfo> arguments, results;
};

/// Which arguments of the function of `model`, before it is partitioned, are
/// tangents, and which results are those of the forward pass: as marks or else
/// options say.
FailureOr<JointSignature> getSignature(Model &model,
                                       const TrainOptions &options);

/// The function of `model` in `module`, or, with the `signature` that it had,
/// the two that `partition` made of it. Sets `fp8.name` on their arguments,
/// which messages of compiled functions call them by.
SmallVector<FunctionInfo>
getFunctions(const Model &model, ModuleOp module,
             const std::optional<JointSignature> &signature);

/// The tensor of `before`, an argument or behind them a result, that `tensor`,
/// an argument of the next function, is; -1 for a tangent.
int64_t getOrigin(const FunctionInfo &before, const TensorInfo &tensor);

} // namespace mlir::fp8

#endif // FP8_DRIVER_STEP_H
