//===- FoldEmptyTensors.cpp -------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-fold-empty-tensors: shape ops on tensors that hold nothing.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_FOLDEMPTYTENSORSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// Whether `value` is known to hold nothing.
static bool isEmpty(Value value) {
  return llvm::is_contained(cast<RankedTensorType>(value.getType()).getShape(),
                            0);
}

/// An empty tensor for the result of `op`; null if its sizes are not at hand.
static Value createEmptyResult(OpBuilder &b, Operation *op) {
  ReifiedRankedShapedTypeDims sizes;
  if (failed(reifyResultShapes(b, op, sizes)))
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Value> dynamic;
  for (auto [size, known] : llvm::zip_equal(sizes[0], type.getShape()))
    if (ShapedType::isDynamic(known))
      dynamic.push_back(getValueOrCreateConstantIndexOp(b, op->getLoc(), size));
  return tensor::EmptyOp::create(b, op->getLoc(), type, dynamic);
}

namespace {
/// A result without elements is an empty tensor.
template <typename OpTy> struct FoldEmptyResult : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    // A collapsed tensor has the elements of its source, whose type may say
    // more.
    bool isCollapse = isa<tensor::CollapseShapeOp>(op);
    if (!isEmpty(op.getResult()) && !(isCollapse && isEmpty(op->getOperand(0))))
      return rewriter.notifyMatchFailure(op, "may hold something");
    Value empty = createEmptyResult(rewriter, op);
    if (!empty)
      return rewriter.notifyMatchFailure(op, "sizes are not at hand");
    rewriter.replaceOp(op, empty);
    return success();
  }
};

/// Operands without elements add nothing to a concatenation.
struct DropEmptyOperands : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> kept(llvm::make_filter_range(
        op.getInputs(), [](Value input) { return !isEmpty(input); }));
    if (kept.empty() || kept.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(op, "no operand can be dropped");
    Value value = kept.front();
    if (kept.size() > 1)
      value = tensor::ConcatOp::create(rewriter, op.getLoc(), op.getType(),
                                       op.getDim(), kept);
    if (value.getType() != op.getType())
      value =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// A padded tensor without elements is all padding.
struct FillEmptyPad : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getSource()) || isEmpty(op.getResult()))
      return rewriter.notifyMatchFailure(op, "is not all padding");
    Value number = op.getConstantPaddingValue();
    if (!number)
      return rewriter.notifyMatchFailure(op, "pads with several values");
    Value empty = createEmptyResult(rewriter, op);
    if (!empty)
      return rewriter.notifyMatchFailure(op, "sizes are not at hand");
    // A constant may be in the body of the pad.
    if (number.getParentBlock() == &op.getRegion().front())
      number = rewriter.clone(*number.getDefiningOp())->getResult(0);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, number, empty);
    return success();
  }
};

struct FoldEmptyTensorsPass
    : fp8::impl::FoldEmptyTensorsPassBase<FoldEmptyTensorsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<FoldEmptyResult<tensor::CollapseShapeOp>,
             FoldEmptyResult<tensor::ConcatOp>, FoldEmptyResult<tensor::PadOp>,
             DropEmptyOperands, FillEmptyPad>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
