//===- Fp8Ops.cpp -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type inference and verifiers of the ops.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fp8;

#define GET_OP_CLASSES
#include "Fp8/IR/Fp8Ops.cpp.inc"

bool fp8::isFp8Type(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

double fp8::getMaxFinite(FloatType type) {
  return llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
}

/// Checks that `scales` has the shape that `granularity` gives for a tensor of
/// `shape`; `what` and `label` name both in the message.
static LogicalResult verifyScaleShape(Operation *op, StringRef what,
                                      GranularityAttr granularity,
                                      ArrayRef<int64_t> shape,
                                      RankedTensorType scales) {
  if (!granularity.isTensor() && shape.size() < 2)
    return op->emitOpError("expects rank 2 or more for granularity ")
           << granularity << ", but got rank " << shape.size();
  SmallVector<int64_t> expected = granularity.scaleShape(shape);
  if (succeeded(verifyCompatibleShape(expected, scales.getShape())))
    return success();
  return op->emitOpError("expects ")
         << what << " of shape "
         << RankedTensorType::get(expected, scales.getElementType())
         << " for granularity " << granularity << ", but got " << scales;
}

//===----------------------------------------------------------------------===//
// AmaxOp
//===----------------------------------------------------------------------===//

LogicalResult AmaxOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferredTypes) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  GranularityAttr granularity = adaptor.getGranularityAttr();
  if (!granularity)
    granularity = GranularityAttr::get(context, GranularityKind::Tensor);
  // amax_c1
  if (!granularity.isTensor() && input.getRank() < 2)
    return emitOptionalError(location,
                             "expects rank 2 or more for granularity ",
                             granularity, ", but got ", input);
  inferredTypes.push_back(RankedTensorType::get(
      granularity.scaleShape(input.getShape()), Float32Type::get(context)));
  return success();
}

LogicalResult AmaxOp::verify() {
  // amax_c2
  return verifyScaleShape(*this, "a result", getGranularity(),
                          getInput().getType().getShape(), getType());
}

//===----------------------------------------------------------------------===//
// ScaleOp
//===----------------------------------------------------------------------===//

LogicalResult ScaleOp::verify() {
  // scale_c1
  if (!isFp8Type(getTypeAttr().getValue()))
    return emitOpError("expects an fp8 type to scale for, but got ")
           << getTypeAttr().getValue();
  // scale_c2
  if (isa<Float8E8M0FNUType>(getDescale().getType().getElementType()) &&
      getPolicy().getPow2() == Pow2::Off)
    return emitOpError("expects a policy with 'pow2 = down' for descales of "
                       "type 'f8E8M0FNU', but got ")
           << getPolicy();
  return success();
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  // cast_c1
  if (failed(verifyScaleShape(*this, "a scale", getGranularity(),
                              getInput().getType().getShape(),
                              getScale().getType())))
    return failure();
  auto producer = getScale().getDefiningOp<ScaleOp>();
  if (!producer)
    return success();
  // cast_c2
  if (getScale() == producer.getDescale())
    return emitOpError(
        "expects the scale of an fp8.scale, but got its descale");
  // cast_c3
  Type elementType = getType().getElementType();
  if (producer.getTypeAttr().getValue() != elementType)
    return emitOpError("expects a scale for ")
           << elementType << ", but got one for "
           << producer.getTypeAttr().getValue();
  return success();
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

LogicalResult
TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              Adaptor adaptor,
                              SmallVectorImpl<Type> &inferredTypes) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  // transpose_c1; a failure without a message would be exit code 1 and silence.
  if (type.getRank() < 2)
    return emitOptionalError(location, "expects rank 2 or more, but got ",
                             type);
  // Batch dimensions stay.
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 2], shape.back());
  inferredTypes.push_back(type.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// MatmulOp and ScaledMMOp
//===----------------------------------------------------------------------===//

/// The shape of op(x): the two last sizes swapped if it is read transposed.
static SmallVector<int64_t> opShape(RankedTensorType type, bool transposed) {
  SmallVector<int64_t> shape(type.getShape());
  if (transposed)
    std::swap(shape[shape.size() - 2], shape.back());
  return shape;
}

/// A size as it is written in a type.
static std::string sizeText(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

/// The checks that both matmul ops share: ranks, batch sizes, contracting
/// sizes, the result's shape, accumulator and bias. `name` starts the labels.
template <typename OpTy> static LogicalResult verifyMatmulShapes(OpTy op) {
  RankedTensorType a = op.getA().getType(), b = op.getB().getType();
  RankedTensorType result = op.getType();
  // matmul_c1, scaled_mm_c1
  if (a.getRank() < 2 || b.getRank() != a.getRank() ||
      result.getRank() != a.getRank())
    return op.emitOpError("expects a, b and the result of one rank, 2 or more, "
                          "but got ranks ")
           << a.getRank() << ", " << b.getRank() << " and " << result.getRank();
  SmallVector<int64_t> aShape = opShape(a, op.getTransA());
  SmallVector<int64_t> bShape = opShape(b, op.getTransB());
  int64_t aK = aShape.pop_back_val();
  int64_t n = bShape.pop_back_val();
  int64_t m = aShape.pop_back_val();
  int64_t bK = bShape.pop_back_val();
  // matmul_c2, scaled_mm_c2
  if (failed(verifyCompatibleShape(aK, bK)))
    return op.emitOpError(
               "expects equal contracting dimensions, but op(A) has ")
           << sizeText(aK) << " columns and op(B) has " << sizeText(bK)
           << " rows";
  // matmul_c3, scaled_mm_c3
  if (failed(verifyCompatibleShape(aShape, bShape)))
    return op.emitOpError("expects equal batch dimensions, but got ")
           << a << " and " << b;
  // matmul_c4, scaled_mm_c4
  SmallVector<int64_t> expected(aShape);
  expected.append({m, n});
  if (failed(verifyCompatibleShape(expected, result.getShape())))
    return op.emitOpError("expects a result of shape ")
           << RankedTensorType::get(expected, result.getElementType())
           << ", but got " << result;
  // matmul_c5, scaled_mm_c5
  if (Value acc = op.getAcc())
    if (failed(verifyCompatibleShape(acc.getType(), result)))
      return op.emitOpError("expects an accumulator of the result's shape ")
             << result << ", but got " << acc.getType();
  // matmul_c6, scaled_mm_c6
  if (Value bias = op.getBias()) {
    auto type = cast<RankedTensorType>(bias.getType());
    if (type.getRank() != 1 ||
        failed(verifyCompatibleShape(type.getDimSize(0), n)))
      return op.emitOpError("expects a bias along the ")
             << sizeText(n) << " columns of the result, but got " << type;
  }
  return success();
}

LogicalResult MatmulOp::verify() {
  if (failed(verifyMatmulShapes(*this)))
    return failure();
  // matmul_c7
  Type a = getA().getType().getElementType();
  Type b = getB().getType().getElementType();
  if (a != b)
    return emitOpError("expects operands of one element type, but got ")
           << a << " and " << b;
  // matmul_c8
  Type result = getType().getElementType();
  if (a.isF64() != result.isF64())
    return emitOpError("expects an f64 result for f64 operands and no other, "
                       "but got ")
           << a << " operands and an " << result << " result";
  // matmul_c9
  if (getRole() == Role::Forward && getGradient())
    return emitOpError("expects no gradient operand in role 'forward', but got "
                       "'")
           << stringifyOperandSide(*getGradient()) << "'";
  // matmul_c10
  if (getRole() != Role::Forward && !getGradient())
    return emitOpError("expects 'gradient a' or 'gradient b' in role '")
           << stringifyRole(getRole()) << "', but got none";
  return success();
}

/// Checks the descale of one operand: its direction, type and shape.
static LogicalResult verifyDescale(ScaledMMOp op, StringRef name, Value narrow,
                                   bool transposed, Value descale,
                                   GranularityAttr granularity) {
  auto type = cast<RankedTensorType>(descale.getType());
  auto narrowType = cast<RankedTensorType>(narrow.getType());
  // scaled_mm_c7
  if (failed(verifyScaleShape(op, name, granularity,
                              opShape(narrowType, transposed), type)))
    return failure();
  auto producer = descale.getDefiningOp<ScaleOp>();
  if (!producer)
    return success();
  // scaled_mm_c8
  if (descale == producer.getScale())
    return op.emitOpError("expects the descale of an fp8.scale as ")
           << name << ", but got its scale";
  // scaled_mm_c9
  if (producer.getTypeAttr().getValue() != narrowType.getElementType())
    return op.emitOpError("expects ")
           << name << " for " << narrowType.getElementType()
           << ", but got one for " << producer.getTypeAttr().getValue();
  return success();
}

LogicalResult ScaledMMOp::verify() {
  if (failed(verifyMatmulShapes(*this)))
    return failure();
  // scaled_mm_c10
  if (getGranularityA().getKind() == GranularityKind::Colwise)
    return emitOpError("expects a granularity of op(A) that can leave the sum "
                       "over k, but got ")
           << getGranularityA();
  // scaled_mm_c11
  if (getGranularityB().getKind() == GranularityKind::Rowwise)
    return emitOpError("expects a granularity of op(B) that can leave the sum "
                       "over k, but got ")
           << getGranularityB();
  // scaled_mm_c12
  if (getType().getElementType().isF64())
    return emitOpError("expects a bf16, f16 or f32 result, but got ")
           << getType();
  if (failed(verifyDescale(*this, "descale_a", getA(), getTransA(),
                           getDescaleA(), getGranularityA())))
    return failure();
  return verifyDescale(*this, "descale_b", getB(), getTransB(), getDescaleB(),
                       getGranularityB());
}
