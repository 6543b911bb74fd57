//===- VjpUtils.h -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the derivatives share: conversions, zeros, sums, and a builder of
// linalg.generic ops whose operands are found while the body is written.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_TRANSFORMS_VJP_VJPUTILS_H
#define FP8_LIB_TRANSFORMS_VJP_VJPUTILS_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::fp8 {

void registerFp8Vjps(DialectRegistry &registry);
void registerLinalgVjps(DialectRegistry &registry);
void registerTensorVjps(DialectRegistry &registry);
void registerArithVjps(DialectRegistry &registry);

/// True for floats and tensors of floats.
bool isFloatOrFloatTensor(Value value);

/// The type in which cotangents of elements of `type` are summed up: f64 for
/// f64, f32 for everything else.
FloatType getAccumulatorType(Type type);

/// `scalar` converted to the float type `type`.
Value convertScalar(OpBuilder &builder, Location loc, Value scalar, Type type);

/// A tensor or a scalar with its elements converted to `elementType`.
Value convertElements(OpBuilder &builder, Location loc, Value value,
                      Type elementType);

/// Zeros of `elementType` and of the shape of `like`, a tensor or a scalar.
Value createZeros(OpBuilder &builder, Location loc, Value like,
                  Type elementType);

/// The sum of tensors or scalars of one shape, in their order: each is extended
/// to the accumulator type of `elementType`, and the sum is rounded once.
Value createSum(OpBuilder &builder, Location loc, ArrayRef<Value> terms,
                Type elementType);

/// The sum of a tensor's elements over all dimensions that `kept` does not
/// name, ascending, in the accumulator type, rounded once to `elementType`.
Value createReduction(OpBuilder &builder, Location loc, Value tensor,
                      ArrayRef<int64_t> kept, Type elementType);

/// Builds a linalg.generic. Its body is written first, and `read` adds the
/// operands that it turns out to need.
class DerivedGeneric {
public:
  DerivedGeneric(OpBuilder &builder, Location loc, unsigned numLoops);
  ~DerivedGeneric();
  DerivedGeneric(const DerivedGeneric &) = delete;
  DerivedGeneric &operator=(const DerivedGeneric &) = delete;

  /// The builder at the end of the body.
  OpBuilder &getBody() { return body; }

  /// An element of `operand` (a tensor, or a scalar with a map without
  /// results). The same operand through the same map is read once.
  Value read(Value operand, AffineMap map);

  /// True if an operand read so far, or a result with the map `output`, gives
  /// the size of loop `dim`.
  bool hasSize(unsigned dim, AffineMap output) const;

  /// The size of loop `dim`, from the first operand that has it; null if none.
  OpFoldResult getSize(unsigned dim);

  /// Makes the op: `value` is written through `output` to a tensor of `sizes`.
  /// Loops that `output` does not name are reductions: `value` is added up over
  /// them, starting at zero.
  Value finish(Value value, ArrayRef<OpFoldResult> sizes, AffineMap output);

private:
  OpBuilder &builder;
  Location loc;
  unsigned numLoops;
  Block *block;
  OpBuilder body;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
};

} // namespace mlir::fp8

#endif // FP8_LIB_TRANSFORMS_VJP_VJPUTILS_H
