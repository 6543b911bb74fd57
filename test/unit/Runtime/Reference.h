//===- Reference.h - Numbers the slow way -----------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of codes and the rounding to a type, from the definitions of the
// formats, with ldexp. Shares no code with the library.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TEST_UNIT_RUNTIME_REFERENCE_H
#define FP8_TEST_UNIT_RUNTIME_REFERENCE_H

#include "fp8rt/fp8rt.h"

#include <stddef.h>
#include <string.h>

namespace fp8test {

/// What makes a format of at most 32 bits.
struct FormatInfo {
  int bits;
  int significand;
  int bias;
  /// Whether the greatest exponent is for infinity and NaN.
  bool ieee;
  /// Whether -0 is the NaN and there is no infinity.
  bool fnuz;
};

/// Not for f64.
FormatInfo formatOf(int32_t type);
size_t sizeOf(int32_t type);
const char *nameOf(int32_t type);

/// The value of the code at `bytes`, exact in a double.
double decode(int32_t type, const void *bytes);

/// Rounds a value, exact in a double, to nearest even and writes its code.
/// NaN is the positive quiet one.
void encode(int32_t type, double value, void *bytes);

} // namespace fp8test

#endif // FP8_TEST_UNIT_RUNTIME_REFERENCE_H
