//===- Roles.h --------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which matmuls of a function are gradients of which others, from structure.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_ROLES_H
#define FP8_TRANSFORMS_ROLES_H

#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fp8 {

/// A way to see a matmul as the gradient of an earlier one: both read one
/// tensor (but for views and casts), and what the earlier one sums over is kept
/// here, and the reverse.
struct GradientMatch {
  MatmulOp forward;
  /// The operand of `forward` that it is the gradient of.
  OperandSide of;
  /// The operand of the gradient matmul that is not shared: the gradient that
  /// comes in, and what it is a view or a cast of.
  OperandSide gradient;
  Value root;
};

/// The matches of each matmul in the body of `function` that has any, in
/// program order; earlier forward matmuls first.
using GradientMatches =
    llvm::MapVector<Operation *, SmallVector<GradientMatch>>;
GradientMatches findGradientMatches(func::FuncOp function);

/// True if the last dimension of what operand `side` of `op` is a view or a
/// cast of is summed over.
bool contractsLastDim(MatmulOp op, OperandSide side);

/// The operand of `op` on that side.
Value getOperand(MatmulOp op, OperandSide side);
OperandSide getOther(OperandSide side);

/// The role of the gradient of that operand of a forward matmul.
Role getRoleOfGradient(const GradientMatch &match);

/// The forward matmul of each matmul that has a gradient operand, where it can
/// be found.
llvm::DenseMap<Operation *, MatmulOp> findForwardMatmuls(func::FuncOp function);

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_ROLES_H
