//===- Fp8ToLinalg.cpp ---------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-fp8-to-linalg: the glue of a quantized linear layer as linalg.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Conversion/Passes.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_CONVERTFP8TOLINALGPASS
#include "Fp8/Conversion/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// `value`, of any float type, as f32.
static Value toF32(OpBuilder &b, Location loc, Value value) {
  Type f32 = b.getF32Type();
  if (value.getType() == f32)
    return value;
  if (value.getType().isF64())
    return arith::TruncFOp::create(b, loc, f32, value);
  return arith::ExtFOp::create(b, loc, f32, value);
}

static Value constant(OpBuilder &b, Location loc, FloatType type,
                      double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// Iterator types of `rank` loops of one kind.
static SmallVector<utils::IteratorType> loops(int64_t rank,
                                              utils::IteratorType kind) {
  return SmallVector<utils::IteratorType>(rank, kind);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct AmaxToLinalg : OpConversionPattern<AmaxOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AmaxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getGranularity().isTensor())
      return rewriter.notifyMatchFailure(op, "granularity is not <tensor>");
    Location loc = op.getLoc();
    int64_t rank = op.getInput().getType().getRank();
    Value zero = constant(rewriter, loc, rewriter.getF32Type(), 0.0);
    Value init = tensor::EmptyOp::create(rewriter, loc, ArrayRef<int64_t>(),
                                         rewriter.getF32Type());
    init = linalg::FillOp::create(rewriter, loc, zero, init).getResult(0);
    AffineMap maps[] = {rewriter.getMultiDimIdentityMap(rank),
                        AffineMap::get(rank, 0, rewriter.getContext())};
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op.getType(), adaptor.getInput(), init, maps,
        loops(rank, utils::IteratorType::reduction),
        [](OpBuilder &b, Location loc, ValueRange args) {
          Value abs = math::AbsFOp::create(b, loc, toF32(b, loc, args[0]));
          Value max = arith::MaximumFOp::create(b, loc, args[1], abs);
          linalg::YieldOp::create(b, loc, max);
        });
    return success();
  }
};

/// `scale` rounded down to a power of two if it is finite.
static Value roundDownToPow2(OpBuilder &b, Location loc, Value scale) {
  Type i32 = b.getI32Type();
  auto bits = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(i32, llvm::APInt(32, value)));
  };
  Value raw = arith::BitcastOp::create(b, loc, i32, scale);
  Value exponent = arith::AndIOp::create(b, loc, raw, bits(0x7f800000));
  Value finite = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                       exponent, bits(0x7f800000));
  Value masked = arith::AndIOp::create(b, loc, raw, bits(0xff800000));
  Value down = arith::BitcastOp::create(b, loc, scale.getType(), masked);
  return arith::SelectOp::create(b, loc, finite, down, scale);
}

struct ScaleToLinalg : OpConversionPattern<ScaleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getDescale().getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "descales are not f32");
    Location loc = op.getLoc();
    RankedTensorType type = op.getAmax().getType();
    double maxFinite =
        getMaxFinite(cast<FloatType>(op.getTypeAttr().getValue()));
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, adaptor.getAmax()),
        rewriter.getF32Type());
    SmallVector<AffineMap> maps(
        3, rewriter.getMultiDimIdentityMap(type.getRank()));
    PolicyAttr policy = op.getPolicy();
    auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
      FloatType f64 = b.getF64Type();
      Value one = constant(b, loc, b.getF32Type(), 1.0);
      Value amax = arith::ExtFOp::create(b, loc, f64, args[0]);
      Value floored = arith::MaximumFOp::create(
          b, loc, amax, constant(b, loc, f64, policy.getEps()));
      Value wide = arith::DivFOp::create(
          b, loc, constant(b, loc, f64, maxFinite), floored);
      Value scale = arith::TruncFOp::create(b, loc, b.getF32Type(), wide);
      if (policy.getPow2() == Pow2::Down)
        scale = roundDownToPow2(b, loc, scale);
      Value descale = arith::DivFOp::create(b, loc, one, scale);
      linalg::YieldOp::create(b, loc, ValueRange{scale, descale});
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op.getResultTypes(), adaptor.getAmax(), ValueRange{empty, empty},
        maps, loops(type.getRank(), utils::IteratorType::parallel), body);
    return success();
  }
};

struct CastToLinalg : OpConversionPattern<CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getGranularity().isTensor())
      return rewriter.notifyMatchFailure(op, "granularity is not <tensor>");
    Location loc = op.getLoc();
    int64_t rank = op.getType().getRank();
    auto narrow = cast<FloatType>(op.getType().getElementType());
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, adaptor.getInput()),
        narrow);
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    AffineMap maps[] = {
        identity, AffineMap::get(rank, 0, rewriter.getContext()), identity};
    auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
      FloatType f32 = b.getF32Type();
      double bound = getMaxFinite(narrow);
      Value product =
          arith::MulFOp::create(b, loc, toF32(b, loc, args[0]), args[1]);
      Value low = arith::MinimumFOp::create(b, loc, product,
                                            constant(b, loc, f32, bound));
      Value clamped =
          arith::MaximumFOp::create(b, loc, low, constant(b, loc, f32, -bound));
      Value rounded = arith::TruncFOp::create(b, loc, narrow, clamped);
      linalg::YieldOp::create(b, loc, rounded);
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op.getType(), ValueRange{adaptor.getInput(), adaptor.getScale()},
        empty, maps, loops(rank, utils::IteratorType::parallel), body);
    return success();
  }
};

struct TransposeToLinalg : OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
    SmallVector<int64_t> permutation =
        llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(permutation[rank - 2], permutation[rank - 1]);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, adaptor.getInput());
    applyPermutationToVector(sizes, permutation);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                          getElementTypeOrSelf(op.getType()));
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(op, adaptor.getInput(),
                                                     empty, permutation);
    return success();
  }
};
} // namespace

void fp8::populateFp8ToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<AmaxToLinalg, ScaleToLinalg, CastToLinalg, TransposeToLinalg>(
      patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Emits an error if `op` has no lowering.
static LogicalResult checkSupported(Operation *op) {
  GranularityAttr granularity;
  if (auto amax = dyn_cast<AmaxOp>(op))
    granularity = amax.getGranularity();
  else if (auto cast = dyn_cast<CastOp>(op))
    granularity = cast.getGranularity();
  if (granularity && !granularity.isTensor())
    return op->emitOpError("expects granularity <tensor>, the only one with a "
                           "lowering, but got ")
           << granularity;
  auto scale = dyn_cast<ScaleOp>(op);
  if (scale && !scale.getDescale().getType().getElementType().isF32())
    return op->emitOpError("expects f32 descales, the only ones with a "
                           "lowering, but got ")
           << scale.getDescale().getType();
  return success();
}

namespace {
struct ConvertFp8ToLinalgPass
    : fp8::impl::ConvertFp8ToLinalgPassBase<ConvertFp8ToLinalgPass> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult supported = getOperation()->walk(
        [](Operation *op) { return WalkResult(checkSupported(op)); });
    if (supported.wasInterrupted())
      return signalPassFailure();

    ConversionTarget target(getContext());
    target.addIllegalOp<AmaxOp, ScaleOp, CastOp, TransposeOp>();
    // Matmuls go to the library; everything else is the model's own.
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateFp8ToLinalgPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
