//===- Fp8ToLinalg.cpp ------------------------------------------*- C++ -*-===//
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

/// The loops over a tensor of `rank` that choose a scale: none for <tensor>.
static SmallVector<unsigned> getScaleLoops(GranularityAttr granularity,
                                           int64_t rank) {
  if (granularity.isTensor())
    return {};
  bool rowwise = granularity.getKind() == GranularityKind::Rowwise;
  SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  dims.erase(dims.end() - (rowwise ? 1 : 2));
  return dims;
}

/// The groups that make M x 1 and 1 x N of a vector: scales lie in tensors of
/// the data's rank, and loops over them have the others only.
static SmallVector<ReassociationIndices> getScaleGroups(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim : llvm::seq<int64_t>(0, rank - 2))
    groups.push_back({dim});
  groups.push_back({rank - 2, rank - 1});
  return groups;
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
    if (op.getGranularity().getKind() == GranularityKind::Block)
      return rewriter.notifyMatchFailure(op, "granularity is a block");
    Location loc = op.getLoc();
    MLIRContext *context = rewriter.getContext();
    int64_t rank = op.getInput().getType().getRank();
    SmallVector<unsigned> kept = getScaleLoops(op.getGranularity(), rank);
    SmallVector<OpFoldResult> sizes;
    SmallVector<utils::IteratorType> iterators =
        loops(rank, utils::IteratorType::reduction);
    for (unsigned dim : kept) {
      sizes.push_back(
          tensor::getMixedSize(rewriter, loc, adaptor.getInput(), dim));
      iterators[dim] = utils::IteratorType::parallel;
    }
    Value zero = constant(rewriter, loc, rewriter.getF32Type(), 0.0);
    Value init =
        tensor::EmptyOp::create(rewriter, loc, sizes, rewriter.getF32Type());
    init = linalg::FillOp::create(rewriter, loc, zero, init).getResult(0);
    AffineMap maps[] = {
        rewriter.getMultiDimIdentityMap(rank),
        AffineMap::getMultiDimMapWithTargets(rank, kept, context)};
    Value amax =
        linalg::GenericOp::create(
            rewriter, loc, init.getType(), adaptor.getInput(), init, maps,
            iterators,
            [](OpBuilder &b, Location loc, ValueRange args) {
              Value abs = math::AbsFOp::create(b, loc, toF32(b, loc, args[0]));
              Value max = arith::MaximumFOp::create(b, loc, args[1], abs);
              linalg::YieldOp::create(b, loc, max);
            })
            .getResult(0);
    if (!kept.empty())
      amax = tensor::ExpandShapeOp::create(rewriter, loc, op.getType(), amax,
                                           getScaleGroups(rank));
    rewriter.replaceOp(op, amax);
    return success();
  }
};
} // namespace

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

namespace {
struct ScaleToLinalg : OpConversionPattern<ScaleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getAmax().getType();
    Type descaleType = op.getDescale().getType().getElementType();
    double maxFinite =
        getMaxFinite(cast<FloatType>(op.getTypeAttr().getValue()));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, adaptor.getAmax());
    Value scales =
        tensor::EmptyOp::create(rewriter, loc, sizes, rewriter.getF32Type());
    Value descales = tensor::EmptyOp::create(rewriter, loc, sizes, descaleType);
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
      // An exponent alone; exact, as the scale is a power of two.
      if (!descaleType.isF32())
        descale = arith::TruncFOp::create(b, loc, descaleType, descale);
      linalg::YieldOp::create(b, loc, ValueRange{scale, descale});
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op.getResultTypes(), adaptor.getAmax(),
        ValueRange{scales, descales}, maps,
        loops(type.getRank(), utils::IteratorType::parallel), body);
    return success();
  }
};

struct CastToLinalg : OpConversionPattern<CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getGranularity().getKind() == GranularityKind::Block)
      return rewriter.notifyMatchFailure(op, "granularity is a block");
    Location loc = op.getLoc();
    int64_t rank = op.getType().getRank();
    SmallVector<unsigned> kept = getScaleLoops(op.getGranularity(), rank);
    Value scale = adaptor.getScale();
    if (!kept.empty())
      scale = tensor::CollapseShapeOp::create(rewriter, loc, scale,
                                              getScaleGroups(rank));
    auto narrow = cast<FloatType>(op.getType().getElementType());
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, adaptor.getInput()),
        narrow);
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    AffineMap maps[] = {
        identity,
        AffineMap::getMultiDimMapWithTargets(rank, kept, rewriter.getContext()),
        identity};
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
        op, op.getType(), ValueRange{adaptor.getInput(), scale}, empty, maps,
        loops(rank, utils::IteratorType::parallel), body);
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
  if (granularity && granularity.getKind() == GranularityKind::Block)
    return op->emitOpError("expects granularity <tensor>, <rowwise> or "
                           "<colwise>, the ones with a lowering, but got ")
           << granularity;
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
