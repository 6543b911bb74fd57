//===- Fp8Folds.cpp ---------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds and canonicalizations. Constants fold to the bytes that every backend
// computes; the rules are in docs/Numerics.md.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::fp8;

/// Larger constants stay ops: folding them would only move work to the
/// compiler.
static constexpr int64_t kMaxFoldedElements = 1024;

/// `value` rounded to f32; exact for every type but f64.
static llvm::APFloat toF32(llvm::APFloat value) {
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// The elements as floats if `attr` is a dense constant that is small enough.
static DenseFPElementsAttr asSmallConstant(Attribute attr) {
  auto elements = dyn_cast_if_present<DenseFPElementsAttr>(attr);
  bool small = elements && (elements.isSplat() ||
                            elements.getNumElements() <= kMaxFoldedElements);
  return small ? elements : nullptr;
}

//===----------------------------------------------------------------------===//
// AmaxOp
//===----------------------------------------------------------------------===//

OpFoldResult AmaxOp::fold(FoldAdaptor adaptor) {
  auto input = asSmallConstant(adaptor.getInput());
  if (!input || !getGranularity().isTensor())
    return {};
  auto amax = llvm::APFloat::getZero(llvm::APFloat::IEEEsingle());
  auto include = [&](const llvm::APFloat &value) {
    amax = llvm::maximum(amax, llvm::abs(toF32(value)));
  };
  if (input.isSplat() && input.getNumElements() > 0)
    include(input.getSplatValue<llvm::APFloat>());
  else
    llvm::for_each(input.getValues<llvm::APFloat>(), include);
  return DenseElementsAttr::get(getType(), amax);
}

namespace {
/// The largest value does not depend on the order: amax(transpose(x)) is
/// amax(x), with rows and columns changing places.
struct AmaxOfTranspose : OpRewritePattern<AmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AmaxOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getInput().getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "input is not an fp8.transpose");
    if (!op.getGranularity().isTensor())
      return rewriter.notifyMatchFailure(op, "the result would be transposed");
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(transpose.getInput()); });
    return success();
  }
};
} // namespace

void AmaxOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<AmaxOfTranspose>(context);
}

//===----------------------------------------------------------------------===//
// ScaleOp
//===----------------------------------------------------------------------===//

/// The scale for one amax.
static float scaleOf(float amax, double maxFinite, PolicyAttr policy) {
  double floored = amax < policy.getEps() ? policy.getEps() : amax;
  auto scale = static_cast<float>(maxFinite / floored);
  if (policy.getPow2() == Pow2::Off || !std::isfinite(scale))
    return scale;
  uint32_t bits;
  std::memcpy(&bits, &scale, sizeof(bits));
  bits &= 0xff800000u;
  std::memcpy(&scale, &bits, sizeof(bits));
  return scale;
}

LogicalResult ScaleOp::fold(FoldAdaptor adaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  auto amax = asSmallConstant(adaptor.getAmax());
  if (!amax)
    return failure();
  double maxFinite = getMaxFinite(cast<FloatType>(getTypeAttr().getValue()));
  RankedTensorType descaleType = getDescale().getType();
  const auto &semantics =
      cast<FloatType>(descaleType.getElementType()).getFloatSemantics();
  SmallVector<llvm::APFloat> scales, descales;
  auto add = [&](const llvm::APFloat &value) {
    float scale = scaleOf(value.convertToFloat(), maxFinite, getPolicy());
    scales.emplace_back(scale);
    // Exact for an f8E8M0FNU, whose scales are powers of two.
    bool losesInfo;
    descales.emplace_back(1.0f / scale);
    descales.back().convert(semantics, llvm::APFloat::rmNearestTiesToEven,
                            &losesInfo);
  };
  // One value stands for all of a splat.
  if (amax.isSplat() && amax.getNumElements() > 0)
    add(amax.getSplatValue<llvm::APFloat>());
  else
    llvm::for_each(amax.getValues<llvm::APFloat>(), add);
  results.push_back(DenseElementsAttr::get(getScale().getType(), scales));
  results.push_back(DenseElementsAttr::get(descaleType, descales));
  return success();
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

/// rne(clamp(f32(value) * scale, -max, max)).
static llvm::APFloat castOne(const llvm::APFloat &value,
                             const llvm::APFloat &scale,
                             const llvm::fltSemantics &semantics) {
  llvm::APFloat product = toF32(value);
  product.multiply(scale, llvm::APFloat::rmNearestTiesToEven);
  if (product.isNaN())
    return llvm::APFloat::getNaN(semantics);
  llvm::APFloat bound = toF32(llvm::APFloat::getLargest(semantics));
  if (llvm::abs(product) > bound)
    return llvm::APFloat::getLargest(semantics, product.isNegative());
  bool losesInfo;
  product.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return product;
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  auto input = asSmallConstant(adaptor.getInput());
  auto scale = asSmallConstant(adaptor.getScale());
  if (!input || !scale || !getGranularity().isTensor())
    return {};
  const auto &semantics =
      cast<FloatType>(getType().getElementType()).getFloatSemantics();
  auto factor = scale.getSplatValue<llvm::APFloat>();
  if (input.isSplat() && input.getNumElements() > 0)
    return DenseElementsAttr::get(
        getType(),
        castOne(input.getSplatValue<llvm::APFloat>(), factor, semantics));
  auto values = llvm::map_to_vector(input.getValues<llvm::APFloat>(),
                                    [&](const llvm::APFloat &value) {
                                      return castOne(value, factor, semantics);
                                    });
  return DenseElementsAttr::get(getType(), values);
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  // transpose(transpose(x)) -> x
  if (auto producer = getInput().getDefiningOp<TransposeOp>())
    if (producer.getInput().getType() == getType())
      return producer.getInput();
  return {};
}
