//===- Formats.h - Decoding and rounding, by formula ------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element type to f32 and f32 to the wide types, exact, in branch-free
// integer code that compilers vectorize. Each instruction set compiles
// its own, in its own namespace, FP8RT_ISA: with a shared name the linker would
// keep one of them, and the portable path could get AVX-512 code.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_FORMATS_H
#define FP8RT_CPU_FORMATS_H

#include "fp8rt/fp8rt.h"

#include <string.h>

#ifndef FP8RT_ISA
#error "FP8RT_ISA names the namespace of the instruction set"
#endif

namespace fp8rt::cpu::FP8RT_ISA {

/// What the greatest codes of a small format mean.
enum class Specials {
  /// Infinity and NaNs, as in IEEE 754.
  Ieee,
  /// NaN where all bits but the sign are set, and no infinity.
  Fn,
  /// NaN in place of -0, and neither infinity nor -0.
  Fnuz
};

template <int32_t Type> struct Format;

template <class Code, int Significand, int Bias, Specials Kind>
struct SmallFormat {
  using Storage = Code;
  static constexpr int significand = Significand;
  static constexpr int bias = Bias;
  static constexpr Specials specials = Kind;
};

template <>
struct Format<FP8RT_F8E4M3FN> : SmallFormat<uint8_t, 3, 7, Specials::Fn> {};
template <>
struct Format<FP8RT_F8E5M2> : SmallFormat<uint8_t, 2, 15, Specials::Ieee> {};
template <>
struct Format<FP8RT_F8E4M3FNUZ> : SmallFormat<uint8_t, 3, 8, Specials::Fnuz> {};
template <>
struct Format<FP8RT_F8E5M2FNUZ> : SmallFormat<uint8_t, 2, 16, Specials::Fnuz> {
};
template <>
struct Format<FP8RT_F16> : SmallFormat<uint16_t, 10, 15, Specials::Ieee> {};
template <> struct Format<FP8RT_BF16> {
  using Storage = uint16_t;
};
template <> struct Format<FP8RT_F32> {
  using Storage = float;
};
template <> struct Format<FP8RT_F64> {
  using Storage = double;
};

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

constexpr uint32_t kInfinityBits = 0x7f800000;
constexpr uint32_t kNanBits = 0x7fc00000;

/// 2^exponent, in the range of normal numbers.
inline float powerOfTwo(int exponent) {
  return floatOf(static_cast<uint32_t>(127 + exponent) << 23);
}

/// A format with less of everything than f32, so that all codes are exact.
template <class F> float decodeSmall(uint32_t code) {
  constexpr int width = 8 * sizeof(typename F::Storage);
  constexpr uint32_t signBit = 1u << (width - 1);
  const uint32_t magnitude = code & (signBit - 1);
  const uint32_t sign = (code & signBit) << (32 - width);

  const uint32_t normal =
      (magnitude << (23 - F::significand)) + ((127u - F::bias) << 23);
  const uint32_t subnormal =
      bitsOf(static_cast<float>(static_cast<int32_t>(magnitude)) *
             powerOfTwo(1 - F::bias - F::significand));
  uint32_t bits = magnitude < (1u << F::significand) ? subnormal : normal;

  if constexpr (F::specials == Specials::Ieee) {
    constexpr uint32_t infinity = signBit - (1u << F::significand);
    const uint32_t special = magnitude > infinity ? kNanBits : kInfinityBits;
    bits = magnitude >= infinity ? special : bits;
  }
  if constexpr (F::specials == Specials::Fn)
    bits = magnitude == signBit - 1 ? kNanBits : bits;
  bits |= sign;
  if constexpr (F::specials == Specials::Fnuz)
    bits = code == signBit ? kNanBits : bits;
  return floatOf(bits);
}

/// The value of a code as f32; f64 is rounded to `T`, f32 or f64.
template <int32_t Type, class T> T decode(typename Format<Type>::Storage code) {
  if constexpr (Type == FP8RT_F64 || Type == FP8RT_F32)
    return static_cast<T>(code);
  else if constexpr (Type == FP8RT_BF16)
    return floatOf(static_cast<uint32_t>(code) << 16);
  else
    return decodeSmall<Format<Type>>(code);
}

inline uint16_t roundToBf16(float value) {
  const uint32_t bits = bitsOf(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>(
      (bits & 0x7fffffff) > kInfinityBits ? kNanBits >> 16 : rounded);
}

inline uint16_t roundToF16(float value) {
  const uint32_t bits = bitsOf(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t sign = (bits >> 16) & 0x8000;
  // Moves the exponent over; a carry out of the significand goes into it.
  const uint32_t normal =
      (magnitude + 0xfff + ((magnitude >> 13) & 1) - (112u << 23)) >> 13;
  // The last bit of 0.5 + x is that of the subnormals, so the sum rounds.
  const uint32_t subnormal = bitsOf(floatOf(magnitude) + 0.5f) - bitsOf(0.5f);
  uint32_t code = magnitude < (113u << 23) ? subnormal : normal;
  code = magnitude >= 0x477ff000 ? 0x7c00 : code;
  code |= sign;
  return static_cast<uint16_t>(magnitude > kInfinityBits ? 0x7e00 : code);
}

/// Rounds a sum to a wide type, to nearest even. Every NaN becomes the positive
/// quiet one: which NaN a sum gives depends on the order of its operands in the
/// instructions that a compiler picks.
template <int32_t Type, class T>
typename Format<Type>::Storage encode(T value) {
  if constexpr (Type == FP8RT_BF16)
    return roundToBf16(value);
  else if constexpr (Type == FP8RT_F16)
    return roundToF16(value);
  else
    return value == value ? value : static_cast<T>(floatOf(kNanBits));
}

/// Reads `count` elements. `source` need not be aligned.
template <int32_t Type, class T>
void loadRow(const unsigned char *source, int64_t count, T *target) {
  using Storage = typename Format<Type>::Storage;
  for (int64_t i = 0; i < count; ++i) {
    Storage code;
    memcpy(&code, source + i * sizeof(Storage), sizeof(Storage));
    target[i] = decode<Type, T>(code);
  }
}

/// Writes `count` elements. `target` need not be aligned.
template <int32_t Type, class T>
void storeRow(const T *source, int64_t count, unsigned char *target) {
  using Storage = typename Format<Type>::Storage;
  for (int64_t i = 0; i < count; ++i) {
    const Storage code = encode<Type, T>(source[i]);
    memcpy(target + i * sizeof(Storage), &code, sizeof(Storage));
  }
}

} // namespace fp8rt::cpu::FP8RT_ISA

#endif // FP8RT_CPU_FORMATS_H
