//===- VjpFp8.cpp -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives of the ops of fp8.
//
// A matmul and a scaled matmul have the same one: two wide matmuls, one for
// each operand, with their roles. For fp8.scaled_mm they stand on what was cast
// (the straight-through rule), so quantizing and differentiating commute.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "VjpUtils.h"

using namespace mlir;
using namespace mlir::fp8;

//===----------------------------------------------------------------------===//
// matmul and scaled_mm
//===----------------------------------------------------------------------===//

namespace {
/// What the derivative needs to know of either matmul.
struct MatmulView {
  Operation *op;
  Value a, b, acc, bias;
  bool transA, transB;
  StringAttr name;

  SmallVector<Value> getInputs() const {
    SmallVector<Value> inputs = {a, b};
    if (acc)
      inputs.push_back(acc);
    if (bias)
      inputs.push_back(bias);
    return inputs;
  }
};

/// One operand of a gradient matmul.
struct MatmulOperand {
  Value value;
  bool transposed;
};
} // namespace

static MatmulView getView(MatmulOp op) {
  return {op,           op.getA(),      op.getB(),      op.getAcc(),
          op.getBias(), op.getTransA(), op.getTransB(), op.getNameAttr()};
}

/// The wide tensor that `narrow` was cast from; `narrow` itself if it was not
/// (then `checkCasts` refuses the op).
static Value getCastInput(Value narrow) {
  auto cast = narrow.getDefiningOp<CastOp>();
  return cast ? cast.getInput() : narrow;
}

static MatmulView getView(ScaledMMOp op) {
  return {op,
          getCastInput(op.getA()),
          getCastInput(op.getB()),
          op.getAcc(),
          op.getBias(),
          op.getTransA(),
          op.getTransB(),
          op.getNameAttr()};
}

static LogicalResult checkCasts(MatmulOp) { return success(); }

static LogicalResult checkCasts(ScaledMMOp op) {
  for (auto [name, operand] :
       {std::pair("a", Value(op.getA())), std::pair("b", Value(op.getB()))}) {
    if (operand.getDefiningOp<CastOp>())
      continue;
    InFlightDiagnostic error = op.emitOpError("expects operand ")
                               << name
                               << " of a differentiated fp8.scaled_mm to be "
                                  "the result of an fp8.cast, but got ";
    if (Operation *producer = operand.getDefiningOp())
      return error << "the result of an " << producer->getName();
    return error << "a block argument";
  }
  return success();
}

/// The fp8.matmul that gives the gradient of one operand of `primal`. Operands
/// of unequal element types are extended to the wider one.
static Value createGradientMatmul(OpBuilder &builder, const MatmulView &primal,
                                  MatmulOperand a, MatmulOperand b,
                                  OperandSide gradient, Role role,
                                  RankedTensorType resultType) {
  Location loc = primal.op->getLoc();
  Type typeA = getElementTypeOrSelf(a.value.getType());
  Type typeB = getElementTypeOrSelf(b.value.getType());
  if (typeA != typeB) {
    Type wide = typeA.isF64() || typeB.isF64() ? builder.getF64Type()
                                               : builder.getF32Type();
    a.value = convertElements(builder, loc, a.value, wide);
    b.value = convertElements(builder, loc, b.value, wide);
  }
  auto matmul = MatmulOp::create(
      builder, loc, resultType, a.value, b.value, /*acc=*/Value(),
      /*bias=*/Value(), a.transposed, b.transposed, role,
      OperandSideAttr::get(builder.getContext(), gradient), primal.name);
  for (StringRef name : {kConvertAttr, kReasonAttr})
    if (Attribute value = primal.op->getDiscardableAttr(name))
      matmul->setDiscardableAttr(name, value);
  return matmul;
}

/// y = op(A) · op(B) + acc + bias, with g the cotangent of y:
///   dA = g · op(B)ᵀ, or op(B) · gᵀ if A is read transposed;
///   dB = op(A)ᵀ · g, or gᵀ · op(A) if B is read transposed;
///   dacc = g;  dbias = the sum of g over all but the last dimension.
static Value buildMatmulVjp(OpBuilder &builder, const MatmulView &primal,
                            unsigned index, Value cotangent, Type elementType) {
  Location loc = primal.op->getLoc();
  Value input = primal.getInputs()[index];
  auto type = cast<RankedTensorType>(input.getType()).clone(elementType);
  MatmulOperand a = {primal.a, primal.transA}, b = {primal.b, primal.transB};
  if (index == 0) {
    if (primal.transA)
      return createGradientMatmul(builder, primal, b, {cotangent, true},
                                  OperandSide::B, Role::Dgrad, type);
    b.transposed = !b.transposed;
    return createGradientMatmul(builder, primal, {cotangent, false}, b,
                                OperandSide::A, Role::Dgrad, type);
  }
  if (index == 1) {
    if (primal.transB)
      return createGradientMatmul(builder, primal, {cotangent, true}, a,
                                  OperandSide::A, Role::Wgrad, type);
    a.transposed = !a.transposed;
    return createGradientMatmul(builder, primal, a, {cotangent, false},
                                OperandSide::B, Role::Wgrad, type);
  }
  if (primal.acc && index == 2)
    return convertElements(builder, loc, cotangent, elementType);
  int64_t rank = cast<RankedTensorType>(cotangent.getType()).getRank();
  return createReduction(builder, loc, cotangent, rank - 1, elementType);
}

namespace {
template <typename OpTy>
struct MatmulVjp : VjpOpInterface::ExternalModel<MatmulVjp<OpTy>, OpTy> {
  SmallVector<Value> getVjpInputs(Operation *op) const {
    return getView(cast<OpTy>(op)).getInputs();
  }

  FailureOr<Value> buildVjp(Operation *op, OpBuilder &builder, unsigned index,
                            ValueRange cotangents, Type elementType) const {
    // The gradient of one operand is a product with the other.
    if (index < 2 && failed(checkCasts(cast<OpTy>(op))))
      return failure();
    return buildMatmulVjp(builder, getView(cast<OpTy>(op)), index,
                          cotangents.front(), elementType);
  }
};

//===----------------------------------------------------------------------===//
// amax, scale, cast, transpose
//===----------------------------------------------------------------------===//

/// Scales are constants to the derivative.
template <typename OpTy>
struct ConstantVjp : VjpOpInterface::ExternalModel<ConstantVjp<OpTy>, OpTy> {
  SmallVector<Value> getVjpInputs(Operation *) const { return {}; }

  FailureOr<Value> buildVjp(Operation *, OpBuilder &, unsigned, ValueRange,
                            Type) const {
    return Value();
  }
};

/// fp8.scaled_mm looks through the cast; no other reader may ask for its
/// derivative, which would be zero almost everywhere.
struct CastVjp : VjpOpInterface::ExternalModel<CastVjp, CastOp> {
  SmallVector<Value> getVjpInputs(Operation *op) const {
    return {cast<CastOp>(op).getInput()};
  }

  FailureOr<Value> buildVjp(Operation *op, OpBuilder &, unsigned, ValueRange,
                            Type) const {
    return op->emitOpError("expects its result to be read by fp8.scaled_mm "
                           "only in a differentiated function, but another op "
                           "passes a cotangent to it");
  }
};

struct TransposeVjp : VjpOpInterface::ExternalModel<TransposeVjp, TransposeOp> {
  FailureOr<Value> buildVjp(Operation *op, OpBuilder &builder, unsigned,
                            ValueRange cotangents, Type elementType) const {
    Value result =
        TransposeOp::create(builder, op->getLoc(), cotangents.front());
    return convertElements(builder, op->getLoc(), result, elementType);
  }
};
} // namespace

void fp8::registerFp8Vjps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, Fp8Dialect *) {
    AmaxOp::attachInterface<ConstantVjp<AmaxOp>>(*context);
    ScaleOp::attachInterface<ConstantVjp<ScaleOp>>(*context);
    CastOp::attachInterface<CastVjp>(*context);
    TransposeOp::attachInterface<TransposeVjp>(*context);
    MatmulOp::attachInterface<MatmulVjp<MatmulOp>>(*context);
    ScaledMMOp::attachInterface<MatmulVjp<ScaledMMOp>>(*context);
  });
}
