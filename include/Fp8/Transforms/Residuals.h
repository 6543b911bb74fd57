//===- Residuals.h ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a backward pass needs of the forward pass: the choice that fp8-partition
// makes, for tools that only want to report it.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_RESIDUALS_H
#define FP8_TRANSFORMS_RESIDUALS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"

namespace mlir::fp8 {

/// Which arguments of a joint function are tangents, and which of its results
/// are those of the forward pass. The other results are gradients.
struct JointSignature {
  SmallVector<unsigned> tangents, results;

  bool isTangent(unsigned argument) const {
    return llvm::is_contained(tangents, argument);
  }
  bool isGradient(unsigned result) const {
    return !llvm::is_contained(results, result);
  }
};

/// The signature that `fp8-derive-backward` marked; none without marks.
std::optional<JointSignature> getJointSignature(func::FuncOp function);

/// The same for a joint function that an exporter made, which has no marks: by
/// default the last argument is the tangent, and the first result that of the
/// forward pass. Emits an error where a number is out of range.
FailureOr<JointSignature> getJointSignature(func::FuncOp function,
                                            ArrayRef<unsigned> tangents,
                                            ArrayRef<unsigned> results);

/// Where the backward pass gets a residual from.
enum class ResidualKind {
  /// An argument of the function, which the caller has.
  Argument,
  /// A result of the function, which the caller has.
  Result,
  /// A result more of the forward function.
  Saved
};

struct Residual {
  Value value;
  ResidualKind kind;
  /// The argument's or the result's number; a saved one's among the saved ones.
  unsigned number;
  /// What has to be kept until the backward pass. A dynamic size counts as
  /// `ResidualOptions::dynamicSize`.
  int64_t bytes;
  /// The same in the wide program: the bytes of the tensor before it was cast
  /// to fp8, 0 for a scale.
  int64_t wideBytes;
  /// In words: `arg0 in f8E4M3FN, transposed`.
  std::string description;
};

struct ResidualOptions {
  /// Casts arguments again rather than saving their fp8 bytes.
  bool recomputeArguments = false;
  /// The most bytes to keep, arguments of the function aside.
  std::optional<int64_t> maxBytes;
  /// What a dynamic size is taken for.
  int64_t dynamicSize = 1024;
};

/// Chooses the residuals of the joint function `function`: results, then those
/// saved, then arguments, each in the order of the program. Emits an error
/// where there is no choice. Changes nothing.
FailureOr<SmallVector<Residual>>
findResiduals(func::FuncOp function, const JointSignature &signature,
              const ResidualOptions &options = {});

/// The sums over `residuals` of bytes and wide bytes.
int64_t getTotalBytes(ArrayRef<Residual> residuals);
int64_t getTotalWideBytes(ArrayRef<Residual> residuals);

/// The values that `op` reads, those that its regions capture among them.
SmallVector<Value> getReads(Operation *op);

/// What `value` is, in words for a report: "weight in f8E4M3FN, transposed".
std::string describeValue(Value value);

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_RESIDUALS_H
