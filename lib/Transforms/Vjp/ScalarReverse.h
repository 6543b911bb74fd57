//===- ScalarReverse.h ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse-mode differentiation of straight-line scalar code over arith and
// math, as it stands in the body of a linalg.generic.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_TRANSFORMS_VJP_SCALARREVERSE_H
#define FP8_LIB_TRANSFORMS_VJP_SCALARREVERSE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <functional>

namespace mlir::fp8 {

/// A value and the cotangent that comes in for it.
using Seed = std::pair<Value, Value>;

/// Differentiates the scalar ops `ops` (in order, with one result each) in a
/// float type of its own: what the derivative needs of the primal is computed
/// again in that type, without the roundings in between.
class ScalarReverse {
public:
  /// Gives the scalar that stands for a value that `ops` read and do not
  /// define, in its own type; null after an error was emitted.
  using ReadLeaf = std::function<Value(Value)>;

  /// `context` names the op that holds `ops` in errors.
  ScalarReverse(OpBuilder &builder, Location loc, FloatType type,
                ArrayRef<Operation *> ops, ReadLeaf readLeaf,
                StringRef context);

  /// The sum of the cotangents of the leaves `targets` from those of `seeds`,
  /// in the type; null if it is zero. On failure an error was emitted.
  FailureOr<Value> run(ArrayRef<Value> targets, ArrayRef<Seed> seeds);

private:
  // The primal, computed again.
  Value getPrimal(Value value);
  Value clonePrimal(Operation *op);
  Value toType(Value scalar);

  // One rule a family of ops; false if the op is of another family.
  bool propagateLinear(Operation *op, Value cotangent);
  bool propagateProduct(Operation *op, Value cotangent);
  bool propagateChoice(Operation *op, Value cotangent);
  bool propagatePower(Operation *op, Value cotangent);
  bool propagateBinaryMath(Operation *op, Value cotangent);
  bool propagateUnary(Operation *op, Value cotangent);
  void propagateExtremum(Operation *op, Value cotangent, bool isMax,
                         bool skipsNan);
  void propagateFPowI(Operation *op, Value cotangent);

  /// Adds `cotangent` to that of `value`.
  void add(Value value, Value cotangent);
  bool isActive(Value value) const { return active.contains(value); }

  // Arithmetic in the type.
  Value constant(double value);
  Value neg(Value a);
  Value add2(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value square(Value a) { return mul(a, a); }
  Value select(Value condition, Value a, Value b);

  OpBuilder &builder;
  Location loc;
  FloatType type;
  ArrayRef<Operation *> ops;
  ReadLeaf readLeaf;
  std::string context;
  llvm::DenseSet<Operation *> inside;
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> primals;
  llvm::DenseMap<Value, Value> cotangents;
  bool hasError = false;
};

/// True if `op` hands its operand on as it is, but for its type: extf, truncf,
/// and tensors of one element as JAX wraps scalars in.
bool isScalarIdentity(Operation *op);

/// The type in which to differentiate `ops` with float leaves and results of
/// `types`: f64 if one of them or a computing op is f64, else f32.
FloatType getDerivativeType(MLIRContext *context, ArrayRef<Type> types,
                            ArrayRef<Operation *> ops);

} // namespace mlir::fp8

#endif // FP8_LIB_TRANSFORMS_VJP_SCALARREVERSE_H
