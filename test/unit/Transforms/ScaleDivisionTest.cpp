//===- ScaleDivisionTest.cpp ------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The divisions of fp8.scale as kernels do them (lib/Transforms/Gpu/
// ScaleDivision.cpp), for all significands, and whatever a device's approximate
// reciprocal is within one unit in the last place.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

static float toFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The steps that kernels take, with a reciprocal that is off by `error` units.
static float divide(float dividend, float x, int error) {
  uint32_t bits = toBits(x), fraction = bits & 0x007fffff;
  float significand = toFloat(fraction | 0x3f800000);
  int32_t power = static_cast<int32_t>(bits >> 23) - 127;
  float near = toFloat(toBits(1.0f / significand) + error);
  float rest = std::fmaf(-significand, near, 1.0f);
  float reciprocal = std::fmaf(rest, near, near);
  if (fraction == 0x007fffff)
    reciprocal = toFloat(0x3f000001);
  float quotient = dividend * reciprocal;
  rest = std::fmaf(-quotient, significand, dividend);
  quotient = std::fmaf(rest, reciprocal, quotient);
  int32_t half = power >> 1;
  quotient *= toFloat((127 - half) << 23);
  return quotient * toFloat((127 + half - power) << 23);
}

TEST(ScaleDivision, EverySignificand) {
  for (float dividend : {448.0f, 57344.0f, 240.0f, 1.0f}) {
    uint64_t wrong = 0;
    for (uint32_t fraction = 0; fraction < 1u << 23; ++fraction) {
      float x = toFloat(0x3f800000 | fraction);
      for (int error = -1; error <= 1; ++error)
        wrong += toBits(divide(dividend, x, error)) != toBits(dividend / x);
    }
    EXPECT_EQ(wrong, 0u) << dividend;
  }
}

TEST(ScaleDivision, EveryExponent) {
  for (float dividend : {448.0f, 57344.0f, 240.0f})
    for (uint32_t exponent = 28; exponent < 255; ++exponent)
      for (uint32_t i = 0; i < 4096; ++i) {
        float x = toFloat(exponent << 23 | (i * 2053 & 0x007fffff));
        ASSERT_EQ(toBits(divide(dividend, x, 1)), toBits(dividend / x)) << x;
      }
}

/// The rule is in f64: it gives the same, and the constant up to 1e-12.
TEST(ScaleDivision, SameAsF64) {
  float eps = 1e-12f;
  if (eps > 1e-12)
    eps = std::nextafterf(eps, 0.0f);
  for (float top : {448.0f, 57344.0f, 240.0f})
    for (uint32_t bits = 0; bits < 0x7f800000; bits += 97) {
      float amax = toFloat(bits);
      float want =
          static_cast<float>(static_cast<double>(top) / std::fmax(amax, 1e-12));
      float got =
          amax <= eps ? static_cast<float>(top / 1e-12) : divide(top, amax, -1);
      ASSERT_EQ(toBits(got), toBits(want)) << amax;
    }
}
