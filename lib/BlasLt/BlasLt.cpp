//===- BlasLt.cpp -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blaslt dialect: verifier, memory effects, bufferization.
//
//===----------------------------------------------------------------------===//

#include "Fp8/BlasLt/BlasLt.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::blaslt;

#include "Fp8/BlasLt/BlasLtDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Fp8/BlasLt/BlasLtOps.cpp.inc"

void BlasLtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Fp8/BlasLt/BlasLtOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// The sizes of op(x): the two last ones swapped if it is read transposed.
static SmallVector<int64_t> opShape(ShapedType type, bool transposed) {
  SmallVector<int64_t> shape(type.getShape());
  if (transposed)
    std::swap(shape[shape.size() - 2], shape.back());
  return shape;
}

/// Checks the shape of the descale called `name`.
static LogicalResult verifyDescale(MatmulOp op, StringRef name,
                                   fp8::GranularityAttr granularity,
                                   ArrayRef<int64_t> shape, Type descale) {
  // matmul_c11
  SmallVector<int64_t> expected = granularity.scaleShape(shape);
  if (succeeded(verifyCompatibleShape(expected,
                                      cast<ShapedType>(descale).getShape())))
    return success();
  return op.emitOpError("expects ")
         << name << " of shape "
         << RankedTensorType::get(expected, getElementTypeOrSelf(descale))
         << " for granularity " << granularity << ", but got " << descale;
}

LogicalResult MatmulOp::verify() {
  auto a = cast<ShapedType>(getA().getType());
  auto b = cast<ShapedType>(getB().getType());
  auto out = cast<ShapedType>(getOut().getType());
  // matmul_c1
  for (Value operand : getOperands())
    if (!isa<MemRefType, RankedTensorType>(operand.getType()) ||
        isa<MemRefType>(operand.getType()) != isa<MemRefType>(out))
      return emitOpError("expects ranked tensors or memrefs only, but got ")
             << operand.getType() << " beside " << out;
  // matmul_c2
  unsigned expected = isa<MemRefType>(out) ? 0 : 1;
  if (getNumResults() != expected ||
      (expected == 1 && getResult()[0].getType() != out))
    return emitOpError("expects ")
           << (expected ? "one result of the type of out " : "no result for ")
           << out << ", but got " << getResultTypes();
  // matmul_c3
  if (a.getRank() < 2 || b.getRank() != a.getRank() ||
      out.getRank() != a.getRank())
    return emitOpError("expects a, b and out of one rank, 2 or more, but got "
                       "ranks ")
           << a.getRank() << ", " << b.getRank() << " and " << out.getRank();
  SmallVector<int64_t> aShape = opShape(a, getTransA());
  SmallVector<int64_t> bShape = opShape(b, getTransB());
  // matmul_c4
  if (failed(verifyCompatibleShape(aShape.back(), bShape[bShape.size() - 2])))
    return emitOpError("expects equal contracting dimensions, but op(A) has ")
           << aShape.back() << " columns and op(B) has "
           << bShape[bShape.size() - 2] << " rows";
  // matmul_c12
  if (failed(verifyCompatibleShape(a.getShape().drop_back(2),
                                   b.getShape().drop_back(2))))
    return emitOpError("expects equal batch dimensions, but got ")
           << a << " and " << b;
  // matmul_c5
  aShape.back() = bShape.back();
  if (failed(verifyCompatibleShape(aShape, out.getShape())))
    return emitOpError("expects an out of shape ")
           << RankedTensorType::get(aShape, out.getElementType())
           << ", but got " << out;
  // matmul_c6
  bool narrow = fp8::isFp8Type(a.getElementType());
  if (narrow != static_cast<bool>(getDescaleA()))
    return emitOpError("expects descales for fp8 operands and none for wide "
                       "ones, but got ")
           << (narrow ? "none" : "descales") << " for " << a.getElementType();
  // matmul_c7
  if (narrow != fp8::isFp8Type(b.getElementType()) ||
      (!narrow && a.getElementType() != b.getElementType()))
    return emitOpError("expects two fp8 operands or two of one wide type, but "
                       "got ")
           << a.getElementType() << " and " << b.getElementType();
  // matmul_c8
  if (Value acc = getAcc())
    if (failed(verifyCompatibleShape(cast<ShapedType>(acc.getType()).getShape(),
                                     out.getShape())))
      return emitOpError("expects an accumulator of the shape of out ")
             << out << ", but got " << acc.getType();
  // matmul_c9
  if (Value bias = getBias()) {
    auto type = cast<ShapedType>(bias.getType());
    int64_t columns = out.getShape().back();
    if (type.getRank() != 1 ||
        failed(verifyCompatibleShape(type.getDimSize(0), columns)))
      return emitOpError("expects a bias along the columns of out ")
             << out << ", but got " << bias.getType();
  }
  if (!narrow)
    return success();
  // matmul_c10
  if (!getDescaleB())
    return emitOpError("expects two descales, but got one");
  if (failed(verifyDescale(*this, "descale_a", getGranularityA(),
                           opShape(a, getTransA()), getDescaleA().getType())))
    return failure();
  return verifyDescale(*this, "descale_b", getGranularityB(),
                       opShape(b, getTransB()), getDescaleB().getType());
}

void MatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!isa<MemRefType>(getOut().getType()))
    return;
  auto *resource = SideEffects::DefaultResource::get();
  auto writes = [&](OpOperand &operand) {
    return operand.get() == getWorkspace() || &operand == &getOutMutable();
  };
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (writes(operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand, resource);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand, resource);
  }
}

//===----------------------------------------------------------------------===//
// Bufferization
//===----------------------------------------------------------------------===//

namespace {
struct MatmulBufferization
    : bufferization::DstBufferizableOpInterfaceExternalModel<
          MatmulBufferization, MatmulOp> {
  /// What `out` holds before the call is never read; an accumulator is an
  /// operand of its own.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    return &operand != &cast<MatmulOp>(op).getOutMutable();
  }

  /// The sums are written while a and b are still read.
  bool bufferizesToElementwiseAccess(Operation *,
                                     const bufferization::AnalysisState &,
                                     ArrayRef<OpOperand *>) const {
    return false;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    MatmulOp::create(rewriter, op->getLoc(), TypeRange(), buffers,
                     op->getAttrs());
    // out is the last operand.
    bufferization::replaceOpWithBufferizedValues(rewriter, op, buffers.back());
    return success();
  }
};
} // namespace

void blaslt::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, BlasLtDialect *) {
    MatmulOp::attachInterface<MatmulBufferization>(*context);
  });
}
