//===- Fp8ToBlasLt.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-fp8-to-blaslt: matmuls become library calls.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Conversion/Passes.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_CONVERTFP8TOBLASLTPASS
#include "Fp8/Conversion/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// A new tensor for the result of `op`, whose sizes come from a and b.
template <typename OpTy> static Value createOut(OpBuilder &b, OpTy op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> a = tensor::getMixedSizes(b, loc, op.getA());
  SmallVector<OpFoldResult> sizes(a);
  int64_t rank = a.size();
  sizes[rank - 2] = a[op.getTransA() ? rank - 1 : rank - 2];
  sizes[rank - 1] = tensor::getMixedSize(b, loc, op.getB(),
                                         op.getTransB() ? rank - 2 : rank - 1);
  // The result's type says which sizes are static, whether or not those of the
  // operands are.
  SmallVector<Value> dynamicSizes;
  for (auto [size, known] : llvm::zip_equal(sizes, op.getType().getShape()))
    if (ShapedType::isDynamic(known))
      dynamicSizes.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
  return tensor::EmptyOp::create(b, loc, op.getType(), dynamicSizes);
}

namespace {
struct MatmulToBlasLt : OpConversionPattern<MatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tensorwise =
        GranularityAttr::get(op.getContext(), GranularityKind::Tensor);
    rewriter.replaceOpWithNewOp<blaslt::MatmulOp>(
        op, TypeRange(op.getType()), adaptor.getA(), adaptor.getB(), Value(),
        Value(), adaptor.getAcc(), adaptor.getBias(), /*workspace=*/Value(),
        createOut(rewriter, op), op.getTransA(), op.getTransB(),
        /*fast_accum=*/false, tensorwise, tensorwise, op.getNameAttr());
    return success();
  }
};

struct ScaledMMToBlasLt : OpConversionPattern<ScaledMMOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScaledMMOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<blaslt::MatmulOp>(
        op, TypeRange(op.getType()), adaptor.getA(), adaptor.getB(),
        adaptor.getDescaleA(), adaptor.getDescaleB(), adaptor.getAcc(),
        adaptor.getBias(), /*workspace=*/Value(), createOut(rewriter, op),
        op.getTransA(), op.getTransB(), op.getFastAccum(), op.getGranularityA(),
        op.getGranularityB(), op.getNameAttr());
    return success();
  }
};
} // namespace

void fp8::populateFp8ToBlasLtPatterns(RewritePatternSet &patterns) {
  patterns.add<MatmulToBlasLt, ScaledMMToBlasLt>(patterns.getContext());
}

/// Emits an error if no library call takes the descales of `op`.
static LogicalResult checkSupported(ScaledMMOp op) {
  for (GranularityAttr granularity :
       {op.getGranularityA(), op.getGranularityB()})
    if (granularity.getKind() == GranularityKind::Block)
      return op.emitOpError("expects granularity <tensor>, <rowwise> or "
                            "<colwise>, but got ")
             << granularity;
  for (Value descale : {op.getDescaleA(), op.getDescaleB()})
    if (!getElementTypeOrSelf(descale.getType()).isF32())
      return op.emitOpError("expects f32 descales, but got ")
             << descale.getType();
  return success();
}

namespace {
struct ConvertFp8ToBlasLtPass
    : fp8::impl::ConvertFp8ToBlasLtPassBase<ConvertFp8ToBlasLtPass> {
  using Base::Base;

  /// And how they become buffers, for a driver that registered passes alone.
  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    blaslt::registerBufferizableOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    WalkResult supported = getOperation()->walk(
        [](ScaledMMOp op) { return WalkResult(checkSupported(op)); });
    if (supported.wasInterrupted())
      return signalPassFailure();

    ConversionTarget target(getContext());
    target.addIllegalOp<MatmulOp, ScaledMMOp>();
    // The glue has its own conversion; everything else is the model's own.
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateFp8ToBlasLtPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
