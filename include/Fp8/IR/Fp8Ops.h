//===- Fp8Ops.h -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8OPS_H
#define FP8_IR_FP8OPS_H

#include "Fp8/IR/Fp8Attributes.h"
#include "Fp8/IR/Fp8Dialect.h"
#include "Fp8/IR/Fp8Interfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fp8 {

/// True for the four types that fp8 tensors hold.
bool isFp8Type(Type type);

/// The largest finite value of an fp8 type (or of any other float type).
double getMaxFinite(FloatType type);

/// Discardable attribute on an op: `"always"` or `"never"` converts a matmul
/// to fp8 whatever the filters say.
inline constexpr StringLiteral kConvertAttr = "fp8.convert";
/// Why a pass set `fp8.convert` to `"never"`.
inline constexpr StringLiteral kReasonAttr = "fp8.reason";
/// Attributes of function arguments: no gradient is asked for it; the compiled
/// function may write it; what name filters match.
inline constexpr StringLiteral kFrozenAttr = "fp8.frozen";
inline constexpr StringLiteral kDonatedAttr = "fp8.donated";
inline constexpr StringLiteral kNameAttr = "fp8.name";
/// And: it is the destination of a result.
inline constexpr StringLiteral kResultAttr = "fp8.result";
/// Of a joint function: an argument is the tangent of the result of that
/// number; a result is the gradient of the argument of that number.
inline constexpr StringLiteral kTangentAttr = "fp8.tangent";
inline constexpr StringLiteral kGradientAttr = "fp8.gradient";
/// Of a partitioned function: that it is the backward one; what an additional
/// result of the forward function is, in words; which result, or which
/// argument, of the forward function an argument of the backward function is.
inline constexpr StringLiteral kBackwardAttr = "fp8.backward";
inline constexpr StringLiteral kSavedAttr = "fp8.saved";
inline constexpr StringLiteral kResidualAttr = "fp8.residual";
inline constexpr StringLiteral kArgumentAttr = "fp8.argument";
/// Attribute of a result: it counts what a cast, described in words, did.
inline constexpr StringLiteral kStatisticAttr = "fp8.statistic";
/// Attribute of a function that was made for another one: NAME_workspace.
inline constexpr StringLiteral kCompanionAttr = "fp8.companion";
/// Attribute of a function that is one kernel of a device.
inline constexpr StringLiteral kKernelAttr = "fp8.kernel";
/// Attribute of an allocation: what it holds stays there for the next call. At
/// first it holds any bits.
inline constexpr StringLiteral kKeptAttr = "fp8.kept";

} // namespace mlir::fp8

#define GET_OP_CLASSES
#include "Fp8/IR/Fp8Ops.h.inc"

#endif // FP8_IR_FP8OPS_H
