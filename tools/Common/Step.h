//===- Step.h ------------------------------------------------------*- C++
//-*-===//
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

#ifndef FP8_TOOLS_COMMON_STEP_H
#define FP8_TOOLS_COMMON_STEP_H

#include "Fp8/Transforms/Residuals.h"
#include "Model.h"
#include "llvm/Support/CommandLine.h"

namespace fp8tools {

/// What an argument or a result of a function is. The step's arguments and
/// results are those of the joint function.
enum class PortKind {
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

struct Port {
  PortKind kind;
  /// Of an argument or a result its number among those of the step; of a
  /// residual its number among the results of the function before.
  unsigned number;
  /// For a person: `x`, or `x in f8E4M3FN, transposed`.
  std::string name;
  mlir::RankedTensorType type;
};

/// A function on tensors; those of a step run one after the other.
struct StepFunction {
  std::string name;
  llvm::SmallVector<Port> arguments, results;
};

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

/// Which arguments of the function of `model`, before it is partitioned, are
/// tangents, and which results are those of the forward pass: as marks or else
/// options say.
mlir::FailureOr<mlir::fp8::JointSignature>
getSignature(Model &model, const mlir::fp8::TrainOptions &options);

/// The function of `model` in `module`, or, with the `signature` that it had,
/// the two that `partition` made of it. Sets `fp8.name` on their arguments,
/// which messages of compiled functions call them by.
llvm::SmallVector<StepFunction>
getFunctions(const Model &model, mlir::ModuleOp module,
             const std::optional<mlir::fp8::JointSignature> &signature);

/// The tensor of `before`, an argument or behind them a result, that `port`, an
/// argument of the next function, is; -1 for a tangent.
int64_t getOrigin(const StepFunction &before, const Port &port);

} // namespace fp8tools

#endif // FP8_TOOLS_COMMON_STEP_H
