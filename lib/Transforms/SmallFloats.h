//===- SmallFloats.h --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer code for the FP8 types and bf16: decoding to f32, rounding from f32
// and from wider types, each on a scalar or a vector of any shape.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_TRANSFORMS_SMALLFLOATS_H
#define FP8_LIB_TRANSFORMS_SMALLFLOATS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace mlir::fp8 {

/// The encoding of one of the types that this code expands.
struct SmallFloat {
  FloatType type;
  /// Bits of storage, and how many of them hold the mantissa.
  unsigned width, mantissa;
  /// The exponent field of 1.0.
  unsigned bias;
  /// The least magnitude whose code is not a finite number: NaN in f8E4M3FN,
  /// f8E8M0FNU and the FNUZ types, infinity in f8E5M2 and bf16.
  uint32_t firstNonFinite;
  /// Whether the code of -0 is the only NaN.
  bool isFnuz;

  bool isBF16() const { return type.isBF16(); }
  bool isE8M0() const { return isa<Float8E8M0FNUType>(type); }
  /// Whether the top bit is a sign and every code has its negation.
  bool hasSignBit() const { return !isFnuz && !isE8M0(); }
};

/// The encoding of `type`, or of the elements of a vector `type`; nothing for
/// any other type, tensors among them.
std::optional<SmallFloat> getSmallFloat(Type type);

/// `type` with its elements replaced: `element` itself, or a vector of it.
Type withElementType(Type type, Type element);

/// The value of `input` in f32, exactly.
Value decodeToF32(ImplicitLocOpBuilder &b, Value input, const SmallFloat &from);

/// `input`, an f32, rounded once to nearest even; does not saturate.
Value encodeFromF32(ImplicitLocOpBuilder &b, Value input, const SmallFloat &to);

/// `input`, an f32 that `to` holds exactly.
Value encodeExactly(ImplicitLocOpBuilder &b, Value input, const SmallFloat &to);

/// `rounded`, which is rounded to nearest, turned into the sum of `rounded` and
/// `error` rounded to odd: a sum that `rounded` does not hold becomes its
/// neighbour with an odd last bit. A second rounding, to a type of at least two
/// bits fewer, is then the same as one rounding of the sum.
Value roundToOdd(ImplicitLocOpBuilder &b, Value rounded, Value error);

/// `input`, a float wider than f32, in f32 and rounded to odd.
Value roundToOddF32(ImplicitLocOpBuilder &b, Value input);

/// `input`, an integer of at most 64 bits, as a float whose rounding to `to` is
/// the rounding of the integer.
Value convertInteger(ImplicitLocOpBuilder &b, Value input, bool isSigned,
                     const SmallFloat &to);

/// `lhs * rhs + addend` as an f64 whose rounding to a small float is the
/// rounding of the exact value.
Value multiplyAddF64(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                     Value addend);

/// The bits of `input` as an integer of its width.
Value toBits(ImplicitLocOpBuilder &b, Value input);

/// `input` with the sign of its numbers, zeros and NaNs flipped; in a FNUZ type
/// zero and NaN stay.
Value negateBits(ImplicitLocOpBuilder &b, Value input,
                 const SmallFloat &format);

/// The absolute value of `input`; in a FNUZ type NaN stays.
Value absoluteBits(ImplicitLocOpBuilder &b, Value input,
                   const SmallFloat &format);

/// The magnitude of `magnitude` with the sign of `sign`, in a type with a sign
/// bit.
Value copySignBits(ImplicitLocOpBuilder &b, Value magnitude, Value sign,
                   const SmallFloat &format);

/// Whether `input` is neither zero, subnormal, infinite nor NaN, as an i1.
Value isNormal(ImplicitLocOpBuilder &b, Value input, const SmallFloat &format);

} // namespace mlir::fp8

#endif // FP8_LIB_TRANSFORMS_SMALLFLOATS_H
