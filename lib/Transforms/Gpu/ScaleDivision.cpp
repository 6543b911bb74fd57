//===- ScaleDivision.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleDivision.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fp8;

std::optional<double> fp8::getFloatConstant(Value value) {
  FloatAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  return attribute.getValueAsDouble();
}

//===----------------------------------------------------------------------===//
// Which divisions
//===----------------------------------------------------------------------===//

/// Whether `dividend` over any f32 from 1e-30 up is a normal f32.
static bool isGoodDividend(std::optional<double> dividend) {
  return dividend && *dividend >= 1 && *dividend <= 65536 &&
         static_cast<float>(*dividend) == *dividend;
}

/// `f32(dividend / max(f64(amax), eps))`. In f32 a correctly rounded division
/// gives the same: 53 bits are at least 2 * 24 + 2, so that the second rounding
/// does no harm (S. Figueroa, "When is double rounding innocuous?", 1995), as
/// no quotient is subnormal: 4 over the largest f32 is not.
static std::optional<ScaleDivision> matchScale(arith::TruncFOp op) {
  if (!op.getType().isF32() || !op.getIn().getType().isF64())
    return std::nullopt;
  auto division = op.getIn().getDefiningOp<arith::DivFOp>();
  if (!division)
    return std::nullopt;
  auto floored = division.getRhs().getDefiningOp<arith::MaximumFOp>();
  std::optional<double> dividend = getFloatConstant(division.getLhs());
  if (!floored || !isGoodDividend(dividend) || *dividend < 4)
    return std::nullopt;
  std::optional<double> eps = getFloatConstant(floored.getRhs());
  auto wide = floored.getLhs().getDefiningOp<arith::ExtFOp>();
  if (!eps || !(*eps > 1e-30) || !wide || !wide.getIn().getType().isF32())
    return std::nullopt;
  return ScaleDivision{wide.getIn(), *dividend, *eps};
}

/// Whether `value` is a scale, or one that was rounded to a power of two.
static bool isScale(Value value) {
  if (auto choice = value.getDefiningOp<arith::SelectOp>())
    return isScale(choice.getTrueValue()) || isScale(choice.getFalseValue());
  auto cast = value.getDefiningOp<arith::TruncFOp>();
  return cast && matchScale(cast);
}

std::optional<ScaleDivision> fp8::matchScaleDivision(Operation *op) {
  if (auto cast = dyn_cast<arith::TruncFOp>(op))
    return matchScale(cast);
  auto division = dyn_cast<arith::DivFOp>(op);
  if (!division || !division.getType().isF32() || !isScale(division.getRhs()))
    return std::nullopt;
  std::optional<double> dividend = getFloatConstant(division.getLhs());
  if (!isGoodDividend(dividend))
    return std::nullopt;
  return ScaleDivision{division.getRhs(), *dividend, 0};
}

//===----------------------------------------------------------------------===//
// How
//===----------------------------------------------------------------------===//

namespace {
/// Ops on f32 and its bits.
struct Bits {
  KernelBuilder &b;

  Value number(float x) {
    return b.create<arith::ConstantOp>(b.getF32FloatAttr(x));
  }
  Value toFloat(Value bits) {
    return b.create<arith::BitcastOp>(b.getF32Type(), bits);
  }
  /// 2^power, for a power in the range of normal numbers.
  Value exp2(Value power) {
    return toFloat(
        b.create<arith::ShLIOp>(b.add(power, b.i32(127)), b.i32(23)));
  }
  Value mul(Value x, Value y) { return b.create<arith::MulFOp>(x, y); }
  /// x * y + z and z - x * y, rounded once.
  Value fma(Value x, Value y, Value z) {
    return b
        .create<LLVM::CallIntrinsicOp>(b.getF32Type(),
                                       b.getStringAttr("llvm.fma.f32"),
                                       ValueRange{x, y, z})
        .getResults();
  }
  Value fms(Value x, Value y, Value z) {
    return fma(b.create<arith::NegFOp>(x), y, z);
  }
  Value select(Value condition, Value x, Value y) {
    return b.create<arith::SelectOp>(condition, x, y);
  }
};
} // namespace

/// `dividend / x`, correctly rounded, for an x that is a positive normal number
/// and a quotient that is one; and for 0, infinity and NaN.
///
/// `div.rn.f32` would do. It has a branch, which nothing is moved across, so
/// that the kernel's loads would have to wait for it, or to be kept apart in
/// registers. This has none (P. Markstein, "Computation of elementary functions
/// on the IBM RISC System/6000 processor", 1990): a reciprocal that is rounded
/// correctly, a quotient, its remainder, one correction. The significand of all
/// ones is the only one whose reciprocal the Newton step may miss.
/// test/unit/Transforms/ScaleDivisionTest.cpp tries all.
static Value emitQuotient(KernelBuilder &b, float dividend, Value x) {
  Bits f{b};
  Value bits = b.create<arith::BitcastOp>(b.getI32Type(), x);
  Value fraction = b.create<arith::AndIOp>(bits, b.i32(0x007fffff));
  Value significand =
      f.toFloat(b.create<arith::OrIOp>(fraction, b.i32(0x3f800000)));
  Value power = b.sub(b.create<arith::ShRUIOp>(bits, b.i32(23)), b.i32(127));

  Value near = b.getVendor().approximateReciprocal(b, b.getLoc(), significand);
  Value error = f.fms(significand, near, f.number(1));
  Value reciprocal = f.fma(error, near, near);
  Value allOnes = b.isZero(b.sub(fraction, b.i32(0x007fffff)));
  reciprocal = f.select(allOnes, f.toFloat(b.i32(0x3f000001)), reciprocal);
  Value quotient = f.mul(f.number(dividend), reciprocal);
  Value rest = f.fms(quotient, significand, f.number(dividend));
  quotient = f.fma(rest, reciprocal, quotient);

  // In two steps: 2^-127 is no normal number. Both are exact.
  Value half = b.create<arith::ShRSIOp>(power, b.i32(1));
  Value zero = b.i32(0);
  quotient = f.mul(quotient, f.exp2(b.sub(zero, half)));
  quotient = f.mul(quotient, f.exp2(b.sub(half, power)));

  Value special = f.mul(b.getVendor().approximateReciprocal(b, b.getLoc(), x),
                        f.number(dividend));
  Value isNormal = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                           b.sub(bits, b.i32(0x00800000)),
                                           b.i32(0x7f000000));
  return f.select(isNormal, quotient, special);
}

Value fp8::emitScaleDivision(KernelBuilder &b, const ScaleDivision &division,
                             Value divisor) {
  Value quotient = emitQuotient(b, division.dividend, divisor);
  if (division.eps == 0)
    return quotient;
  // a <= eps holds for the same f32 as with the largest f32 up to eps.
  float eps = static_cast<float>(division.eps);
  if (eps > division.eps)
    eps = std::nextafter(eps, 0.0f);
  Bits f{b};
  Value isSmall = b.create<arith::CmpFOp>(arith::CmpFPredicate::OLE, divisor,
                                          f.number(eps));
  return f.select(isSmall, f.number(division.dividend / division.eps),
                  quotient);
}
