//===- VjpArith.cpp ---------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives of arith and math ops that stand in a function by themselves, on
// scalars or elementwise on tensors.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Interfaces.h"
#include "ScalarReverse.h"
#include "VjpUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fp8;

/// The cotangent of operand `index` of an elementwise op on tensors, read
/// through identity maps, or on scalars.
static FailureOr<Value> buildElementwiseVjp(Operation *op, OpBuilder &builder,
                                            Value operand, Value cotangent,
                                            Type elementType) {
  Location loc = op->getLoc();
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  FloatType type = getDerivativeType(op->getContext(), types, op);
  auto tensorType = dyn_cast<RankedTensorType>(operand.getType());
  if (!tensorType && !isa<FloatType>(operand.getType()))
    return op->emitOpError("expects scalars or ranked tensors in a "
                           "differentiated function, but got ")
           << operand.getType();
  unsigned rank = tensorType ? tensorType.getRank() : 0;
  DerivedGeneric generic(builder, loc, rank);
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  auto read = [&](Value value) {
    return isa<RankedTensorType>(value.getType())
               ? generic.read(value, identity)
               : value;
  };
  OpBuilder &body = tensorType ? generic.getBody() : builder;
  Value seed = convertScalar(body, loc, read(cotangent), type);
  ScalarReverse reverse(body, loc, type, op, read, "function");
  FailureOr<Value> result = reverse.run(operand, Seed(op->getResult(0), seed));
  if (failed(result) || !*result)
    return result;
  Value scalar = convertScalar(body, loc, *result, elementType);
  if (!tensorType)
    return scalar;
  return generic.finish(scalar, tensor::getMixedSizes(builder, loc, cotangent),
                        identity);
}

namespace {
template <typename OpTy>
struct ElementwiseVjp
    : VjpOpInterface::ExternalModel<ElementwiseVjp<OpTy>, OpTy> {
  FailureOr<Value> buildVjp(Operation *op, OpBuilder &builder, unsigned index,
                            ValueRange cotangents, Type elementType) const {
    Value operand = cast<VjpOpInterface>(op).getVjpInputs()[index];
    // An operand that is read twice has an input, and a share, for each.
    SmallVector<Value> operands = fp8::detail::getFloatOperands(op);
    if (llvm::is_contained(ArrayRef(operands).take_front(index), operand))
      return Value();
    return buildElementwiseVjp(op, builder, operand, cotangents.front(),
                               elementType);
  }
};

template <typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<ElementwiseVjp<Ops>>(*context), ...);
}
} // namespace

void fp8::registerArithVjps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
           arith::NegFOp, arith::RemFOp, arith::ExtFOp, arith::TruncFOp,
           arith::SelectOp, arith::MaximumFOp, arith::MinimumFOp,
           arith::MaxNumFOp, arith::MinNumFOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attach<math::AbsFOp, math::AcosOp, math::AcoshOp, math::AsinOp,
           math::AsinhOp, math::Atan2Op, math::AtanOp, math::AtanhOp,
           math::CbrtOp, math::CeilOp, math::CopySignOp, math::CosOp,
           math::CoshOp, math::ErfOp, math::ErfcOp, math::Exp2Op, math::ExpM1Op,
           math::ExpOp, math::FPowIOp, math::FloorOp, math::FmaOp,
           math::Log10Op, math::Log1pOp, math::Log2Op, math::LogOp,
           math::PowFOp, math::RoundEvenOp, math::RoundOp, math::RsqrtOp,
           math::SinOp, math::SinhOp, math::SqrtOp, math::TanOp, math::TanhOp,
           math::TruncOp>(context);
  });
}
