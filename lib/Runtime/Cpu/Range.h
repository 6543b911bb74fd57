//===- Range.h - Whether products of bf16 are exact -------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of two bf16 numbers has 16 significant bits, but its exponent may
// leave the range of f32. There, an fma and a product followed by a sum differ;
// everywhere else they are the same, and the fma is twice as fast. So each pair
// of blocks is looked at before it is multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_RANGE_H
#define FP8RT_CPU_RANGE_H

#include "Formats.h"

namespace fp8rt::cpu::FP8RT_ISA {

/// The magnitudes in a block, as bits, whose order is that of the magnitudes.
struct Range {
  /// One less than the least that is not zero: as a zero becomes the greatest
  /// number, it never is the least.
  uint32_t least = UINT32_MAX;
  /// Infinity and NaN count as great.
  uint32_t greatest = 0;

  void include(const float *values, int64_t count) {
    uint32_t low = least, high = greatest;
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t magnitude = bitsOf(values[i]) & 0x7fffffff;
      low = magnitude - 1 < low ? magnitude - 1 : low;
      high = magnitude > high ? magnitude : high;
    }
    least = low;
    greatest = high;
  }
  /// f64 has no fused path, and nobody asks.
  void include(const double *, int64_t) {}

  /// Of the leading bits of the least and of the greatest magnitude. Subnormals
  /// give -127, which is less than the exponent that fits their last bit.
  int leastExponent() const {
    return static_cast<int>((least + 1) >> 23) - 127;
  }
  int greatestExponent() const {
    return static_cast<int>(greatest >> 23) - 127;
  }
};

/// The last bit of a bf16 number is 2^-7 of its leading bit, or more; the last
/// bit of a finite f32 is at least 2^-149, and its leading one at most 2^127.
inline bool bf16ProductsAreExact(const Range &a, const Range &b) {
  return a.leastExponent() + b.leastExponent() - 14 >= -149 &&
         a.greatestExponent() + b.greatestExponent() + 1 <= 127;
}

} // namespace fp8rt::cpu::FP8RT_ISA

#endif // FP8RT_CPU_RANGE_H
