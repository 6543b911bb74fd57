//===- ExpandArith.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-expand-arith: arithmetic on FP8 and bf16 as integer code and f32 ops.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/ExpandArith.h"
#include "Fp8/Transforms/Passes.h"
#include "SmallFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_EXPANDARITHPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

//===----------------------------------------------------------------------===//
// What can be expanded
//===----------------------------------------------------------------------===//

/// Whether `type` is a float, or a vector of floats, that casts to and from
/// small floats go through: it has a lowering of its own.
static bool isWideFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return isa_and_present<Float16Type, Float32Type, Float64Type, Float80Type,
                         Float128Type>(element);
}

/// Whether truncf rounds to nearest even, which is the default.
static bool roundsToNearestEven(arith::TruncFOp op) {
  return op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) ==
         arith::RoundingMode::to_nearest_even;
}

/// Whether rounding an integer of the type `from` to `to` is exact or rounds
/// once.
static bool canConvertInteger(Type from, const SmallFloat &to) {
  bool hasRangeOfF32 = to.isBF16() || to.isE8M0();
  return !hasRangeOfF32 ||
         getElementTypeOrSelf(from).getIntOrFloatBitWidth() <= 64;
}

/// Whether a constant is negative though its type has no sign: the parser takes
/// such numbers. (In dense elements it has dropped the sign already.)
static bool isNegativeE8M0(TypedAttr constant) {
  auto number = dyn_cast<FloatAttr>(constant);
  return number && isa<Float8E8M0FNUType>(number.getType()) &&
         number.getValue().isNegative() && !number.getValue().isNaN();
}

/// Whether `op` is elementwise and is as good in f32: the f32 result, rounded,
/// is the result. The others have patterns of their own, or no expansion.
static bool canComputeInF32(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      !op->hasTrait<OpTrait::Elementwise>())
    return false;
  return !isa<arith::BitcastOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp,
              arith::ScalingExtFOp, arith::ScalingTruncFOp, arith::SIToFPOp,
              arith::UIToFPOp, math::FmaOp, math::IsNormalOp>(op);
}

/// A type of `op`, operand or result, that is a small float, or nothing.
static std::optional<SmallFloat> findSmallFloat(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (auto format = getSmallFloat(type))
      return format;
  for (Type type : op->getResultTypes())
    if (auto format = getSmallFloat(type))
      return format;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// `input` in f32 if it is a small float, otherwise as it is.
static Value decodeIfSmall(ImplicitLocOpBuilder &b, Value input) {
  if (auto format = getSmallFloat(input.getType()))
    return decodeToF32(b, input, *format);
  return input;
}

/// `input`, a wide float, rounded once to `to`.
static Value encode(ImplicitLocOpBuilder &b, Value input,
                    const SmallFloat &to) {
  unsigned width = getElementTypeOrSelf(input).getIntOrFloatBitWidth();
  if (width < 32)
    input = arith::ExtFOp::create(
        b, withElementType(input.getType(), b.getF32Type()), input);
  if (width > 32)
    input = roundToOddF32(b, input);
  return encodeFromF32(b, input, to);
}

namespace {
struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto from = getSmallFloat(op.getIn().getType());
    if (!from)
      return rewriter.notifyMatchFailure(op, "the operand is no small float");
    auto to = getSmallFloat(op.getType());
    if (!to && !isWideFloat(op.getType()))
      return rewriter.notifyMatchFailure(op, "the result type has no lowering");

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value wide = decodeToF32(b, op.getIn(), *from);
    // bf16 holds every FP8 number.
    if (to)
      wide = encodeExactly(b, wide, *to);
    unsigned width = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    if (!to && width > 32)
      wide = arith::ExtFOp::create(b, op.getType(), wide);
    if (!to && width < 32)
      wide = arith::TruncFOp::create(b, op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto to = getSmallFloat(op.getType());
    if (!to)
      return rewriter.notifyMatchFailure(op, "the result is no small float");
    auto from = getSmallFloat(op.getIn().getType());
    if (!from && !isWideFloat(op.getIn().getType()))
      return rewriter.notifyMatchFailure(op, "the operand type is unknown");
    if (!roundsToNearestEven(op))
      return rewriter.notifyMatchFailure(op, "does not round to nearest even");

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, encode(b, decodeIfSmall(b, op.getIn()), *to));
    return success();
  }
};

/// Takes fast-math flags off the casts that stay: with `contract`, a later fold
/// would remove the pair and with it a rounding.
template <typename CastOpTy>
struct StripCastFlags : OpRewritePattern<CastOpTy> {
  using OpRewritePattern<CastOpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getFastmathAttr())
      return rewriter.notifyMatchFailure(op, "has no flags");
    rewriter.modifyOpInPlace(op, [&] { op.removeFastmathAttr(); });
    return success();
  }
};

struct ExpandConstant : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto format = getSmallFloat(op.getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "is no small float");
    if (!isa<FloatAttr, DenseFPElementsAttr>(op.getValue()))
      return rewriter.notifyMatchFailure(op, "the elements are not at hand");
    if (isNegativeE8M0(op.getValue()))
      return rewriter.notifyMatchFailure(op, "the type has no such value");

    Type integer = rewriter.getIntegerType(format->width);
    TypedAttr bits;
    if (auto number = dyn_cast<FloatAttr>(op.getValue()))
      bits =
          rewriter.getIntegerAttr(integer, number.getValue().bitcastToAPInt());
    else
      bits = cast<DenseFPElementsAttr>(op.getValue()).bitcast(integer);
    Value constant = arith::ConstantOp::create(rewriter, op.getLoc(), bits);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), constant);
    return success();
  }
};

template <typename CastOpTy>
struct ExpandIntToFloat : OpRewritePattern<CastOpTy> {
  using OpRewritePattern<CastOpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOpTy op,
                                PatternRewriter &rewriter) const override {
    auto to = getSmallFloat(op.getType());
    if (!to)
      return rewriter.notifyMatchFailure(op, "the result is no small float");
    if (!canConvertInteger(op.getIn().getType(), *to))
      return rewriter.notifyMatchFailure(op, "the integer is too wide");

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    constexpr bool isSigned = std::is_same_v<CastOpTy, arith::SIToFPOp>;
    Value wide = convertInteger(b, op.getIn(), isSigned, *to);
    rewriter.replaceOp(op, encode(b, wide, *to));
    return success();
  }
};

struct ExpandNegF : OpRewritePattern<arith::NegFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::NegFOp op,
                                PatternRewriter &rewriter) const override {
    auto format = getSmallFloat(op.getType());
    if (!format || format->isE8M0())
      return rewriter.notifyMatchFailure(op, "is no small float with a sign");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, negateBits(b, op.getOperand(), *format));
    return success();
  }
};

struct ExpandAbsF : OpRewritePattern<math::AbsFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AbsFOp op,
                                PatternRewriter &rewriter) const override {
    auto format = getSmallFloat(op.getType());
    if (!format || format->isE8M0())
      return rewriter.notifyMatchFailure(op, "is no small float with a sign");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, absoluteBits(b, op.getOperand(), *format));
    return success();
  }
};

struct ExpandCopySign : OpRewritePattern<math::CopySignOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::CopySignOp op,
                                PatternRewriter &rewriter) const override {
    auto format = getSmallFloat(op.getType());
    if (!format || !format->hasSignBit())
      return rewriter.notifyMatchFailure(op, "has no sign bit of its own");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, copySignBits(b, op.getLhs(), op.getRhs(), *format));
    return success();
  }
};

struct ExpandIsNormal : OpRewritePattern<math::IsNormalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsNormalOp op,
                                PatternRewriter &rewriter) const override {
    auto format = getSmallFloat(op.getOperand().getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "is no small float");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, isNormal(b, op.getOperand(), *format));
    return success();
  }
};

struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    auto format = getSmallFloat(op.getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "is no small float");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value sum = multiplyAddF64(b, decodeIfSmall(b, op.getA()),
                               decodeIfSmall(b, op.getB()),
                               decodeIfSmall(b, op.getC()));
    rewriter.replaceOp(op, encode(b, sum, *format));
    return success();
  }
};

/// Every other elementwise op: decodes the operands, computes in f32, rounds.
struct ComputeInF32 : RewritePattern {
  explicit ComputeInF32(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/0, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!canComputeInF32(op))
      return rewriter.notifyMatchFailure(op, "is not to be computed in f32");
    if (!findSmallFloat(op))
      return rewriter.notifyMatchFailure(op, "has no small float");

    ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(decodeIfSmall(b, operand));

    Operation *wide = rewriter.clone(*op);
    wide->setOperands(operands);
    if (auto flags = dyn_cast<arith::ArithFastMathInterface>(wide))
      wide->setAttr(flags.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(op->getContext(),
                                                  arith::FastMathFlags::none));
    SmallVector<Value> results;
    for (OpResult result : wide->getResults()) {
      auto format = getSmallFloat(result.getType());
      if (format)
        result.setType(withElementType(result.getType(), b.getF32Type()));
      results.push_back(format ? encodeFromF32(b, result, *format)
                               : Value(result));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void fp8::populateExpandArithPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  // A cast is expanded if it can be, and only otherwise stripped.
  patterns.add<ExpandExtF, ExpandTruncF>(context, /*benefit=*/2);
  patterns.add<StripCastFlags<arith::ExtFOp>, StripCastFlags<arith::TruncFOp>,
               ExpandConstant, ExpandIntToFloat<arith::SIToFPOp>,
               ExpandIntToFloat<arith::UIToFPOp>, ExpandNegF, ExpandAbsF,
               ExpandCopySign, ExpandIsNormal, ExpandFma>(context);
  patterns.add<ComputeInF32>(context);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Emits the reason why `op` was not expanded.
static void reportLeftOver(Operation *op, const SmallFloat &format) {
  if (auto truncf = dyn_cast<arith::TruncFOp>(op))
    if (!roundsToNearestEven(truncf)) {
      op->emitOpError("expects rounding mode to_nearest_even, but got ")
          << arith::stringifyRoundingMode(*truncf.getRoundingmode());
      return;
    }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    op->emitOpError("expects f16, f32, f64, f80, f128 or a small float on each "
                    "side, but casts ")
        << getElementTypeOrSelf(op->getOperand(0)) << " to "
        << getElementTypeOrSelf(op->getResult(0));
    return;
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    op->emitOpError("expects an integer of at most 64 bits, but got ")
        << getElementTypeOrSelf(op->getOperand(0).getType());
    return;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (isNegativeE8M0(constant.getValue())) {
      op->emitOpError("expects a number of 0 or more, but got ")
          << constant.getValue();
      return;
    }
  op->emitOpError("expects an op that fp8-expand-arith expands, but it has no "
                  "expansion on ")
      << format.type;
}

namespace {
struct ExpandArithPass : fp8::impl::ExpandArithPassBase<ExpandArithPass> {
  using Base::Base;

  void runOnOperation() override {
    // One walk, as no pattern makes work for another. Neither the greedy driver
    // nor dialect conversion: both fold, and would fold a rounding away.
    RewritePatternSet patterns(&getContext());
    populateExpandArithPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));

    getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
              op->getDialect()) ||
          isa<arith::BitcastOp, arith::SelectOp>(op))
        return;
      if (auto format = findSmallFloat(op)) {
        reportLeftOver(op, *format);
        signalPassFailure();
      }
    });
  }
};
} // namespace
