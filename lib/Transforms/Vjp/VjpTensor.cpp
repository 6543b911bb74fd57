//===- VjpTensor.cpp --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives of the ops of tensor: each moves elements, so its derivative
// moves them back. In the comments g is the cotangent of the result.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Interfaces.h"
#include "VjpUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fp8;

/// The type of `value` with another element type.
static RankedTensorType typeLike(Value value, Type elementType) {
  return cast<RankedTensorType>(value.getType()).clone(elementType);
}

static SmallVector<OpFoldResult> unitStrides(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return SmallVector<OpFoldResult>(type.getRank(), builder.getIndexAttr(1));
}

namespace {
/// What a rule gets: the cotangent of the only result, and the element type of
/// the answer.
struct Context {
  OpBuilder &builder;
  Location loc;
  unsigned index;
  Value g;
  Type elementType;

  /// g in the element type of the answer.
  Value converted() const {
    return convertElements(builder, loc, g, elementType);
  }
};
} // namespace

/// The slice of g that is like `value`. Where nothing is in it there may be no
/// offset that upstream's verifier takes: 0 is one past the end.
static Value createSlice(const Context &c, Value value,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes,
                         ArrayRef<OpFoldResult> strides) {
  RankedTensorType type = typeLike(value, getElementTypeOrSelf(c.g.getType()));
  if (llvm::is_contained(type.getShape(), 0))
    return tensor::EmptyOp::create(
        c.builder, c.loc, tensor::getMixedSizes(c.builder, c.loc, value),
        c.elementType);
  Value slice = tensor::ExtractSliceOp::create(c.builder, c.loc, type, c.g,
                                               offsets, sizes, strides);
  return convertElements(c.builder, c.loc, slice, c.elementType);
}

/// expand_shape: collapse g.
static FailureOr<Value> buildVjp(tensor::ExpandShapeOp op, const Context &c) {
  Value g = c.converted();
  return Value(tensor::CollapseShapeOp::create(
      c.builder, c.loc, typeLike(op.getSrc(), c.elementType), g,
      op.getReassociationIndices()));
}

/// collapse_shape: expand g.
static FailureOr<Value> buildVjp(tensor::CollapseShapeOp op, const Context &c) {
  Value g = c.converted();
  return Value(tensor::ExpandShapeOp::create(
      c.builder, c.loc, typeLike(op.getSrc(), c.elementType), g,
      op.getReassociationIndices(),
      tensor::getMixedSizes(c.builder, c.loc, op.getSrc())));
}

/// cast: cast g back.
static FailureOr<Value> buildVjp(tensor::CastOp op, const Context &c) {
  if (!isa<RankedTensorType>(op.getSource().getType()) ||
      !isa<RankedTensorType>(c.g.getType()))
    return op.emitOpError("expects ranked tensors in a differentiated "
                          "function, but got ")
           << op.getSource().getType() << " and " << c.g.getType();
  Value g = c.converted();
  return Value(tensor::CastOp::create(
      c.builder, c.loc, typeLike(op.getSource(), c.elementType), g));
}

/// extract_slice: g in a tensor of zeros.
static FailureOr<Value> buildVjp(tensor::ExtractSliceOp op, const Context &c) {
  Value g = c.converted();
  Value zeros = createZeros(c.builder, c.loc, op.getSource(), c.elementType);
  return Value(tensor::InsertSliceOp::create(
      c.builder, c.loc, g, zeros, op.getMixedOffsets(), op.getMixedSizes(),
      op.getMixedStrides()));
}

/// insert_slice: the slice of g for the source; g with zeros in its place for
/// the destination.
static FailureOr<Value> buildVjp(tensor::InsertSliceOp op, const Context &c) {
  if (c.index == 0)
    return createSlice(c, op.getSource(), op.getMixedOffsets(),
                       op.getMixedSizes(), op.getMixedStrides());
  Value g = c.converted();
  Value zeros = createZeros(c.builder, c.loc, op.getSource(), c.elementType);
  return Value(tensor::InsertSliceOp::create(
      c.builder, c.loc, zeros, g, op.getMixedOffsets(), op.getMixedSizes(),
      op.getMixedStrides()));
}

/// pad: the part of g that is not padding.
static FailureOr<Value> buildVjp(tensor::PadOp op, const Context &c) {
  return createSlice(c, op.getSource(), op.getMixedLowPad(),
                     tensor::getMixedSizes(c.builder, c.loc, op.getSource()),
                     unitStrides(c.builder, op.getSource()));
}

/// concat: the slice of g that the operand fills.
static FailureOr<Value> buildVjp(tensor::ConcatOp op, const Context &c) {
  uint64_t dim = op.getDim();
  Value operand = op.getInputs()[c.index];
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), c.builder.getIndexAttr(0));
  for (Value before : op.getInputs().take_front(c.index)) {
    OpFoldResult size = tensor::getMixedSize(c.builder, c.loc, before, dim);
    std::optional<int64_t> sum = getConstantIntValue(offsets[dim]);
    std::optional<int64_t> more = getConstantIntValue(size);
    if (sum && more) {
      offsets[dim] = c.builder.getIndexAttr(*sum + *more);
      continue;
    }
    offsets[dim] =
        arith::AddIOp::create(
            c.builder, c.loc,
            getValueOrCreateConstantIndexOp(c.builder, c.loc, offsets[dim]),
            getValueOrCreateConstantIndexOp(c.builder, c.loc, size))
            .getResult();
  }
  return createSlice(c, operand, offsets,
                     tensor::getMixedSizes(c.builder, c.loc, operand),
                     unitStrides(c.builder, operand));
}

/// splat: the sum of g.
static FailureOr<Value> buildVjp(tensor::SplatOp op, const Context &c) {
  Value sum = createReduction(c.builder, c.loc, c.g, {}, c.elementType);
  return Value(tensor::ExtractOp::create(c.builder, c.loc, sum, ValueRange()));
}

/// from_elements: one element of g.
static FailureOr<Value> buildVjp(tensor::FromElementsOp op, const Context &c) {
  SmallVector<Value> indices;
  int64_t rest = c.index;
  for (int64_t size : llvm::reverse(op.getType().getShape())) {
    indices.push_back(
        arith::ConstantIndexOp::create(c.builder, c.loc, rest % size));
    rest /= size;
  }
  std::reverse(indices.begin(), indices.end());
  Value scalar = tensor::ExtractOp::create(c.builder, c.loc, c.g, indices);
  return convertScalar(c.builder, c.loc, scalar, c.elementType);
}

/// extract: g at its place in a tensor of zeros.
static FailureOr<Value> buildVjp(tensor::ExtractOp op, const Context &c) {
  Value zeros = createZeros(c.builder, c.loc, op.getTensor(), c.elementType);
  Value g = c.converted();
  return Value(
      tensor::InsertOp::create(c.builder, c.loc, g, zeros, op.getIndices()));
}

/// insert: the element of g for the scalar; g with a zero in its place for the
/// destination.
static FailureOr<Value> buildVjp(tensor::InsertOp op, const Context &c) {
  if (c.index == 0) {
    Value scalar =
        tensor::ExtractOp::create(c.builder, c.loc, c.g, op.getIndices());
    return convertScalar(c.builder, c.loc, scalar, c.elementType);
  }
  Value g = c.converted();
  Value zero = arith::ConstantOp::create(c.builder, c.loc,
                                         c.builder.getZeroAttr(c.elementType));
  return Value(
      tensor::InsertOp::create(c.builder, c.loc, zero, g, op.getIndices()));
}

namespace {
template <typename OpTy>
struct TensorVjp : VjpOpInterface::ExternalModel<TensorVjp<OpTy>, OpTy> {
  FailureOr<Value> buildVjp(Operation *op, OpBuilder &builder, unsigned index,
                            ValueRange cotangents, Type elementType) const {
    return ::buildVjp(cast<OpTy>(op), Context{builder, op->getLoc(), index,
                                              cotangents.front(), elementType});
  }
};

/// A pad depends on the value that it pads with, too.
struct PadVjp : VjpOpInterface::ExternalModel<PadVjp, tensor::PadOp> {
  SmallVector<Value> getVjpInputs(Operation *op) const {
    SmallVector<Value> inputs = {cast<tensor::PadOp>(op).getSource()};
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      if (isFloatOrFloatTensor(value))
        inputs.push_back(value);
    return inputs;
  }

  FailureOr<Value> buildVjp(Operation *op, OpBuilder &builder, unsigned index,
                            ValueRange cotangents, Type elementType) const {
    if (index != 0)
      return op->emitOpError("expects a constant padding value in a "
                             "differentiated function, but it depends on a "
                             "differentiated one");
    return ::buildVjp(
        cast<tensor::PadOp>(op),
        Context{builder, op->getLoc(), index, cotangents.front(), elementType});
  }
};

template <typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<TensorVjp<Ops>>(*context), ...);
}
} // namespace

void fp8::registerTensorVjps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
           tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp,
           tensor::FromElementsOp, tensor::InsertOp, tensor::InsertSliceOp,
           tensor::SplatOp>(context);
    tensor::PadOp::attachInterface<PadVjp>(*context);
  });
}
