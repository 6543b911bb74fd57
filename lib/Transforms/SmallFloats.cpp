//===- SmallFloats.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer code for the FP8 types and bf16.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fp8;

/// Bits of f32's encoding.
static constexpr unsigned kF32Mantissa = 23;
static constexpr unsigned kF32Bias = 127;
static constexpr uint32_t kF32Magnitude = 0x7FFFFFFF;
static constexpr uint32_t kF32Infinity = 0x7F800000;
static constexpr uint32_t kF32NaN = 0x7FC00000;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<SmallFloat> fp8::getSmallFloat(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  auto element = dyn_cast<FloatType>(type);
  if (isa_and_present<Float8E4M3FNType>(element))
    return SmallFloat{element, 8, 3, 7, 0x7F, false};
  if (isa_and_present<Float8E5M2Type>(element))
    return SmallFloat{element, 8, 2, 15, 0x7C, false};
  if (isa_and_present<Float8E4M3FNUZType>(element))
    return SmallFloat{element, 8, 3, 8, 0x80, true};
  if (isa_and_present<Float8E5M2FNUZType>(element))
    return SmallFloat{element, 8, 2, 16, 0x80, true};
  if (isa_and_present<Float8E8M0FNUType>(element))
    return SmallFloat{element, 8, 0, 127, 0xFF, false};
  if (isa_and_present<BFloat16Type>(element))
    return SmallFloat{element, 16, 7, 127, 0x7F80, false};
  return std::nullopt;
}

Type fp8::withElementType(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.cloneWith(std::nullopt, element);
  return element;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {
/// An integer value, scalar or vector, whose operators build arith ops. A plain
/// number stands for a constant of the type of the other side.
class Bits {
public:
  Bits(ImplicitLocOpBuilder &b, Value value) : b(&b), value(value) {}

  operator Value() const { return value; }

  Bits operator+(Value rhs) const { return make<arith::AddIOp>(rhs); }
  Bits operator-(Value rhs) const { return make<arith::SubIOp>(rhs); }
  Bits operator|(Value rhs) const { return make<arith::OrIOp>(rhs); }
  Bits operator^(Value rhs) const { return make<arith::XOrIOp>(rhs); }
  Bits operator+(uint64_t rhs) const { return *this + constant(rhs); }
  Bits operator-(uint64_t rhs) const { return *this - constant(rhs); }
  Bits operator|(uint64_t rhs) const { return *this | constant(rhs); }
  Bits operator^(uint64_t rhs) const { return *this ^ constant(rhs); }
  Bits operator&(uint64_t rhs) const {
    return make<arith::AndIOp>(constant(rhs));
  }
  Bits operator<<(uint64_t rhs) const {
    return make<arith::ShLIOp>(constant(rhs));
  }
  /// Shifts in zeros.
  Bits operator>>(uint64_t rhs) const {
    return make<arith::ShRUIOp>(constant(rhs));
  }
  Bits min(uint64_t rhs) const { return make<arith::MinUIOp>(constant(rhs)); }

  /// Comparisons are unsigned.
  Value operator==(uint64_t rhs) const {
    return compare(arith::CmpIPredicate::eq, rhs);
  }
  Value operator!=(uint64_t rhs) const {
    return compare(arith::CmpIPredicate::ne, rhs);
  }
  Value operator<(uint64_t rhs) const {
    return compare(arith::CmpIPredicate::ult, rhs);
  }
  Value operator>(uint64_t rhs) const {
    return compare(arith::CmpIPredicate::ugt, rhs);
  }
  Value isNegative() const { return compare(arith::CmpIPredicate::slt, 0); }

  /// This value where `condition` does not hold, `other` where it does.
  Bits replaceIf(Value condition, Value other) const {
    return {*b, arith::SelectOp::create(*b, condition, other, value)};
  }
  Bits replaceIf(Value condition, uint64_t other) const {
    return replaceIf(condition, constant(other));
  }

  Bits resize(unsigned width) const {
    Type type = withElementType(value.getType(), b->getIntegerType(width));
    unsigned current = getWidth();
    if (width > current)
      return {*b, arith::ExtUIOp::create(*b, type, value)};
    if (width < current)
      return {*b, arith::TruncIOp::create(*b, type, value)};
    return *this;
  }
  Bits signExtend(unsigned width) const {
    Type type = withElementType(value.getType(), b->getIntegerType(width));
    return {*b, arith::ExtSIOp::create(*b, type, value)};
  }

  /// These bits as a float.
  Value as(Type element) const {
    return arith::BitcastOp::create(
        *b, withElementType(value.getType(), element), value);
  }
  Value asF32() const { return as(b->getF32Type()); }

  Value constant(uint64_t number) const {
    APInt bits(getWidth(), number, /*isSigned=*/false, /*implicitTrunc=*/true);
    Type element = getElementTypeOrSelf(value);
    TypedAttr attribute = b->getIntegerAttr(element, bits);
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      attribute = SplatElementsAttr::get(vector, bits);
    return arith::ConstantOp::create(*b, attribute);
  }

private:
  template <typename OpTy> Bits make(Value rhs) const {
    return {*b, OpTy::create(*b, value, rhs)};
  }
  Value compare(arith::CmpIPredicate predicate, uint64_t rhs) const {
    return arith::CmpIOp::create(*b, predicate, value, constant(rhs));
  }
  unsigned getWidth() const {
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  }

  ImplicitLocOpBuilder *b;
  Value value;
};
} // namespace

Value fp8::toBits(ImplicitLocOpBuilder &b, Value input) {
  Type type = input.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return arith::BitcastOp::create(
      b, withElementType(type, b.getIntegerType(width)), input);
}

static Bits getBits(ImplicitLocOpBuilder &b, Value input) {
  return {b, toBits(b, input)};
}

/// `number`, which must be exact, in the type of `like`.
static Value createFloat(ImplicitLocOpBuilder &b, Value like, double number) {
  auto element = cast<FloatType>(getElementTypeOrSelf(like));
  TypedAttr attribute = b.getFloatAttr(element, number);
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    attribute = SplatElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(b, attribute);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// What to add to an exponent of `format`, in place in f32.
static uint64_t getRebase(const SmallFloat &format) {
  return uint64_t(kF32Bias - format.bias) << kF32Mantissa;
}

/// The f32 bits of the least normal number of `format`.
static uint64_t getLeastNormal(const SmallFloat &format) {
  return uint64_t(kF32Bias + 1 - format.bias) << kF32Mantissa;
}

/// Codes 0 and 255 both set the top bit of the mantissa: 2^-127 is subnormal in
/// f32, and 255 would be infinity.
static Value decodeE8M0(ImplicitLocOpBuilder &b, Value input) {
  Bits code = getBits(b, input);
  Bits bits = code.resize(32) << kF32Mantissa;
  return bits.replaceIf(code + 1 < 2, bits | 0x00400000).asF32();
}

Value fp8::decodeToF32(ImplicitLocOpBuilder &b, Value input,
                       const SmallFloat &from) {
  if (from.isBF16())
    return (getBits(b, input).resize(32) << 16).asF32();
  if (from.isE8M0())
    return decodeE8M0(b, input);

  // Move the fields in place, and the exponent by the difference of the biases.
  // (A product by a power of two would be shorter, but its input is a subnormal
  // f32: slow on some CPUs, and zero in a process that flushes subnormals.)
  Bits code = getBits(b, input).signExtend(32);
  Bits magnitude = code & 0x7F;
  Bits shifted = magnitude << (kF32Mantissa - from.mantissa);
  Bits bits = shifted + getRebase(from);
  // A subnormal has no implicit one: add it, with its exponent, and subtract.
  Bits one(b, shifted.constant(getLeastNormal(from)));
  Value withOne = (shifted + one).asF32();
  Value subnormal = arith::SubFOp::create(b, withOne, one.asF32());
  bits = bits.replaceIf(magnitude < uint64_t(1) << from.mantissa,
                        getBits(b, subnormal));

  Bits sign = code & ~uint64_t(kF32Magnitude);
  if (from.isFnuz)
    return (bits | sign).replaceIf(code == ~uint64_t(0x7F), kF32NaN).asF32();
  if (from.firstNonFinite == 0x7F)
    return (bits.replaceIf(magnitude == 0x7F, kF32NaN) | sign).asF32();
  // Infinity and NaNs: the greatest exponent, and the mantissa as it is.
  Value nonFinite = shifted | kF32Infinity;
  return (bits.replaceIf(magnitude > from.firstNonFinite - 1, nonFinite) | sign)
      .asF32();
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Rounds to bf16: adds just under a half, or a half if the last bit is odd.
static Value encodeBF16(ImplicitLocOpBuilder &b, Value input,
                        const SmallFloat &to) {
  Bits bits = getBits(b, input);
  Bits kept = bits >> 16;
  Bits rounded = (bits + (kept & 1) + 0x7FFF) >> 16;
  // The carry would turn a NaN into infinity or zero.
  Value isNaN = (bits & kF32Magnitude) > kF32Infinity;
  return rounded.replaceIf(isNaN, kept | 0x0040).resize(16).as(to.type);
}

/// Rounds to a power of two. Ties go up, as the one bit of the significand is
/// odd. Negative numbers and NaNs, whose bits are above infinity's, come out at
/// 255 as infinity does, the only NaN.
static Value encodeE8M0(ImplicitLocOpBuilder &b, Value input,
                        const SmallFloat &to) {
  // Turns -0 into 0.
  Value positive = arith::AddFOp::create(b, input, createFloat(b, input, 0.0));
  Bits bits = getBits(b, positive);
  Bits rounded = (bits.min(kF32Infinity) + 0x00400000) >> kF32Mantissa;
  // Code 0 ends at 1.5 * 2^-127, and those are subnormal in f32.
  return rounded.replaceIf(bits < 0x00600000, 0).resize(8).as(to.type);
}

/// The code of a magnitude, not yet limited to the range of `to`.
static Bits roundMagnitude(ImplicitLocOpBuilder &b, Bits magnitude,
                           const SmallFloat &to) {
  // Normal: rebase the exponent and add just under a half, or a half if the
  // last bit is odd; a carry moves on into the exponent, as it should.
  unsigned shift = kF32Mantissa - to.mantissa;
  uint64_t underHalf = (uint64_t(1) << (shift - 1)) - 1;
  Bits odd = (magnitude >> shift) & 1;
  Bits normal = (magnitude + odd + (underHalf - getRebase(to))) >> shift;

  // Subnormal: the f32 addition rounds, as the last bit of the sum is worth the
  // least subnormal.
  uint64_t magic = uint64_t(kF32Bias + 24 - to.bias - to.mantissa)
                   << kF32Mantissa;
  Value sum = arith::AddFOp::create(b, magnitude.asF32(),
                                    Bits(b, magnitude.constant(magic)).asF32());
  Bits subnormal = getBits(b, sum) - magic;
  return normal.replaceIf(magnitude < getLeastNormal(to), subnormal);
}

Value fp8::encodeFromF32(ImplicitLocOpBuilder &b, Value input,
                         const SmallFloat &to) {
  if (to.isBF16())
    return encodeBF16(b, input, to);
  if (to.isE8M0())
    return encodeE8M0(b, input, to);

  Bits bits = getBits(b, input);
  Bits magnitude = bits & kF32Magnitude;
  // Codes ascend with their values, so whatever rounds beyond the range (f32's
  // infinity and NaNs, too) ends at the first code that is not finite.
  Bits code = roundMagnitude(b, magnitude, to).min(to.firstNonFinite);
  if (to.firstNonFinite == 0x7C)
    code = code.replaceIf(magnitude > kF32Infinity, 0x7E);
  Bits withSign = code | ((bits >> 24) & 0x80);
  if (to.isFnuz)
    // There is no -0: its code is NaN.
    withSign = withSign.replaceIf(code == 0, code);
  return withSign.resize(8).as(to.type);
}

Value fp8::encodeExactly(ImplicitLocOpBuilder &b, Value input,
                         const SmallFloat &to) {
  if (to.isBF16())
    return (getBits(b, input) >> 16).resize(16).as(to.type);
  return encodeFromF32(b, input, to);
}

Value fp8::roundToOdd(ImplicitLocOpBuilder &b, Value rounded, Value error) {
  Value zero = createFloat(b, error, 0.0);
  // False for a NaN, which an infinite or NaN sum has as its error.
  Value isInexact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, error, zero);
  Value isAbove =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, error, zero);

  // Bits ascend with the magnitude.
  Bits bits = getBits(b, rounded);
  Value isAway = arith::XOrIOp::create(b, isAbove, bits.isNegative());
  Bits neighbour = (bits - 1).replaceIf(isAway, bits + 1);
  Value moves = arith::AndIOp::create(b, isInexact, (bits & 1) == 0);
  return bits.replaceIf(moves, neighbour).as(getElementTypeOrSelf(rounded));
}

Value fp8::roundToOddF32(ImplicitLocOpBuilder &b, Value input) {
  Type f32 = withElementType(input.getType(), b.getF32Type());
  Value rounded = arith::TruncFOp::create(b, f32, input);
  Value back = arith::ExtFOp::create(b, input.getType(), rounded);
  return roundToOdd(b, rounded, arith::SubFOp::create(b, input, back));
}

//===----------------------------------------------------------------------===//
// Integers and sums
//===----------------------------------------------------------------------===//

static Value convertIntegerTo(ImplicitLocOpBuilder &b, Value input,
                              bool isSigned, Type element) {
  Type type = withElementType(input.getType(), element);
  if (isSigned)
    return arith::SIToFPOp::create(b, type, input);
  return arith::UIToFPOp::create(b, type, input);
}

Value fp8::convertInteger(ImplicitLocOpBuilder &b, Value input, bool isSigned,
                          const SmallFloat &to) {
  unsigned width = getElementTypeOrSelf(input).getIntOrFloatBitWidth();
  // The other FP8 types end before the integers that f32 does not hold begin.
  bool hasRangeOfF32 = to.isBF16() || to.isE8M0();
  if (!hasRangeOfF32 || width <= 24)
    return convertIntegerTo(b, input, isSigned, b.getF32Type());
  if (width <= 53)
    return convertIntegerTo(b, input, isSigned, b.getF64Type());

  // Round a magnitude of 2^53 or more to odd at bit 11, so that f64 holds it.
  Bits bits(b, input);
  if (width < 64)
    bits = isSigned ? bits.signExtend(64) : bits.resize(64);
  Bits dropped = bits & 0x7FF;
  Bits kept = bits & ~uint64_t(0x7FF);
  Bits odd = kept.replaceIf(dropped != 0, kept | 0x800);
  uint64_t limit = uint64_t(1) << 53;
  Value isLarge = isSigned ? bits + limit > 2 * limit : bits > limit;
  return convertIntegerTo(b, bits.replaceIf(isLarge, odd), isSigned,
                          b.getF64Type());
}

Value fp8::multiplyAddF64(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                          Value addend) {
  Type f64 = withElementType(lhs.getType(), b.getF64Type());
  lhs = arith::ExtFOp::create(b, f64, lhs);
  rhs = arith::ExtFOp::create(b, f64, rhs);
  addend = arith::ExtFOp::create(b, f64, addend);
  // The product of two significands of at most 8 bits is exact.
  Value product = arith::MulFOp::create(b, lhs, rhs);
  Value sum = arith::AddFOp::create(b, product, addend);

  // What the addition dropped, which is zero if the sum is exact (Dekker's
  // Fast2Sum). It is only a guess if a greater addend swallows the product; but
  // then the addend, a small float, is the result on either side of the sum.
  Value addendPart = arith::SubFOp::create(b, sum, product);
  Value error = arith::SubFOp::create(b, addend, addendPart);
  return roundToOdd(b, sum, error);
}

//===----------------------------------------------------------------------===//
// Signs and classes
//===----------------------------------------------------------------------===//

/// The bit that is the sign.
static uint64_t getSignBit(const SmallFloat &format) {
  return uint64_t(1) << (format.width - 1);
}

Value fp8::negateBits(ImplicitLocOpBuilder &b, Value input,
                      const SmallFloat &format) {
  Bits bits = getBits(b, input);
  uint64_t sign = getSignBit(format);
  Bits negated = bits ^ sign;
  if (format.isFnuz)
    negated = negated.replaceIf((bits & (sign - 1)) == 0, bits);
  return negated.as(format.type);
}

Value fp8::absoluteBits(ImplicitLocOpBuilder &b, Value input,
                        const SmallFloat &format) {
  Bits bits = getBits(b, input);
  uint64_t sign = getSignBit(format);
  Bits magnitude = bits & (sign - 1);
  if (format.isFnuz)
    magnitude = magnitude.replaceIf(bits == sign, bits);
  return magnitude.as(format.type);
}

Value fp8::copySignBits(ImplicitLocOpBuilder &b, Value magnitude, Value sign,
                        const SmallFloat &format) {
  uint64_t signBit = getSignBit(format);
  Bits kept = getBits(b, magnitude) & (signBit - 1);
  return (kept | (getBits(b, sign) & signBit)).as(format.type);
}

Value fp8::isNormal(ImplicitLocOpBuilder &b, Value input,
                    const SmallFloat &format) {
  Bits bits = getBits(b, input);
  Bits magnitude = format.isE8M0() ? bits : bits & (getSignBit(format) - 1);
  uint64_t first = format.isE8M0() ? 0 : uint64_t(1) << format.mantissa;
  return magnitude - first < format.firstNonFinite - first;
}
