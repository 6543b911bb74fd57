//===- Reference.cpp - Numbers the slow way -------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats as their definitions have them: a sign, an exponent, a significand.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string.h>

using namespace fp8test;

FormatInfo fp8test::formatOf(int32_t type) {
  switch (type) {
  case FP8RT_F32:
    return {32, 23, 127, true, false};
  case FP8RT_F16:
    return {16, 10, 15, true, false};
  case FP8RT_BF16:
    return {16, 7, 127, true, false};
  case FP8RT_F8E4M3FN:
    return {8, 3, 7, false, false};
  case FP8RT_F8E5M2:
    return {8, 2, 15, true, false};
  case FP8RT_F8E4M3FNUZ:
    return {8, 3, 8, false, true};
  case FP8RT_F8E5M2FNUZ:
    return {8, 2, 16, false, true};
  default:
    return {};
  }
}

size_t fp8test::sizeOf(int32_t type) {
  return type == FP8RT_F64 ? 8 : formatOf(type).bits / 8;
}

const char *fp8test::nameOf(int32_t type) {
  static const char *const names[] = {"none",     "f64",    "f32",  "f16",
                                      "bf16",     "e4m3fn", "e5m2", "e4m3fnuz",
                                      "e5m2fnuz", "e8m0fnu"};
  return names[type];
}

static double decodeCode(const FormatInfo &format, uint32_t code) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const int exponentBits = format.bits - 1 - format.significand;
  const bool negative = code >> (format.bits - 1);
  const int exponent =
      (code >> format.significand) & ((1u << exponentBits) - 1);
  const uint32_t fraction = code & ((1u << format.significand) - 1);
  const bool allOnes = exponent == (1 << exponentBits) - 1;
  if (format.ieee && allOnes && fraction)
    return nan;
  if (format.fnuz && negative && exponent == 0 && fraction == 0)
    return nan;
  if (!format.ieee && !format.fnuz && allOnes &&
      fraction == (1u << format.significand) - 1)
    return nan;

  double magnitude = 0;
  if (format.ieee && allOnes)
    magnitude = std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, 1 - format.bias - format.significand);
  else
    magnitude = std::ldexp(1 + std::ldexp(fraction, -format.significand),
                           exponent - format.bias);
  return negative ? -magnitude : magnitude;
}

double fp8test::decode(int32_t type, const void *bytes) {
  if (type == FP8RT_F64) {
    double value;
    memcpy(&value, bytes, sizeof(value));
    return value;
  }
  uint32_t code = 0;
  memcpy(&code, bytes, sizeOf(type));
  return decodeCode(formatOf(type), code);
}

/// The code of an IEEE format; a magnitude beyond the greatest is infinity.
static uint32_t encodeCode(const FormatInfo &format, double value) {
  const uint32_t infinity =
      (1u << (format.bits - 1)) - (1u << format.significand);
  if (std::isnan(value))
    return infinity + (1u << (format.significand - 1));
  const uint32_t sign = std::signbit(value) ? 1u << (format.bits - 1) : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | infinity;
  const int least = 1 - format.bias;
  const int exponent = std::max(std::ilogb(magnitude), least);
  // In units of the last bit; nearbyint rounds to nearest even.
  const double units =
      std::nearbyint(std::ldexp(magnitude, format.significand - exponent));
  const double code = std::ldexp(exponent - least, format.significand) + units;
  return sign | (code >= infinity ? infinity : static_cast<uint32_t>(code));
}

/// FP8 values are only made exactly: the code is looked for.
static uint32_t findCode(const FormatInfo &format, double value) {
  for (uint32_t code = 0; code < 256; ++code) {
    const double decoded = decodeCode(format, code);
    if (decoded == value && std::signbit(decoded) == std::signbit(value))
      return code;
    if (std::isnan(decoded) && std::isnan(value))
      return code;
  }
  // No such value: the test that asked for it will notice a NaN.
  return format.fnuz ? 0x80 : 0xff;
}

void fp8test::encode(int32_t type, double value, void *bytes) {
  if (type == FP8RT_F64) {
    const uint64_t nan = 0x7ff8000000000000;
    if (std::isnan(value))
      memcpy(bytes, &nan, sizeof(nan));
    else
      memcpy(bytes, &value, sizeof(value));
    return;
  }
  const FormatInfo format = formatOf(type);
  const uint32_t code =
      format.bits == 8 ? findCode(format, value) : encodeCode(format, value);
  memcpy(bytes, &code, sizeOf(type));
}
