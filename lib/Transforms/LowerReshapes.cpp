//===- LowerReshapes.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-lower-reshapes: expanded buffers whose sizes are known at run time only.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_LOWERRESHAPESPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

namespace {
struct ExpandShapeToReinterpretCast : OpRewritePattern<memref::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    MemRefType type = op.getResultType();
    if (type.getNumDynamicDims() == 0)
      return rewriter.notifyMatchFailure(op, "sizes are static");
    Location loc = op.getLoc();
    auto source =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<OpFoldResult> strides(sizes.size());
    AffineExpr x, y;
    bindSymbols(rewriter.getContext(), x, y);
    // Within what was one dimension the last one has its stride.
    for (auto [group, stride] :
         llvm::zip_equal(op.getReassociationIndices(),
                         source.getConstifiedMixedStrides())) {
      strides[group.back()] = stride;
      for (size_t i = group.size(); i-- > 1;)
        strides[group[i - 1]] = affine::makeComposedFoldedAffineApply(
            rewriter, loc, x * y, {strides[group[i]], sizes[group[i]]});
    }
    // Strides are values here, so the type cannot keep its layout.
    auto cast = memref::ReinterpretCastOp::create(
        rewriter, loc, source.getBaseBuffer(),
        source.getConstifiedMixedOffset(), sizes, strides);
    rewriter.replaceOpWithNewOp<memref::CastOp>(op, type, cast);
    return success();
  }
};

struct LowerReshapesPass : fp8::impl::LowerReshapesPassBase<LowerReshapesPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandShapeToReinterpretCast>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
