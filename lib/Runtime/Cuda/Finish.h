//===- Finish.h - What follows the sums of a matmul -------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the library could not do of a matmul is done by a kernel on its sums:
// descales, accumulator, bias and the rounding to the type of the result, in
// the order and with the roundings of the CPU. The arithmetic is here once, for
// the kernel, which Kernels.cpp makes of it, and for the stand-in driver of the
// tests. No library is included: it is compiled for the device as well.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CUDA_FINISH_H
#define FP8RT_CUDA_FINISH_H

#include <stdint.h>

namespace fp8rt::cuda {

/// The parameter of the kernels fp8rt_finish_f32 and fp8rt_finish_f64, which
/// give `d = round(sum · (descale_a · descale_b) + acc + bias)`. Fields mean
/// what they mean in fp8rt_matmul_desc, whose numbers types and modes have.
/// Where `sum` is null it is +0.
struct Finish {
  const void *sum;
  const void *acc;
  const void *bias;
  const float *descaleA;
  const float *descaleB;
  void *d;
  int64_t m, n, batch;
  int64_t ldSum, strideSum;
  int64_t ldAcc, strideAcc;
  int64_t ldD, strideD;
  int64_t strideBias, strideDescaleA, strideDescaleB;
  int32_t typeAcc, typeBias, typeD;
  int32_t modeA, modeB;
  int32_t padding;
};

inline float bitsToFloat(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t floatToBits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float decodeF16(uint16_t code) {
  const uint32_t sign = static_cast<uint32_t>(code & 0x8000) << 16;
  const uint32_t magnitude = code & 0x7fff;
  if (magnitude >= 0x7c00)
    return bitsToFloat(sign | 0x7f800000 | (magnitude - 0x7c00) << 13);
  if (magnitude < 0x400) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return bitsToFloat(sign | ((magnitude << 13) + 0x38000000));
}

/// Rounds to nearest even.
inline uint16_t encodeF16(float value) {
  const uint32_t bits = floatToBits(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7e00;
  // 65520 and above round to infinity.
  if (magnitude >= 0x477ff000)
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude >= 0x38800000)
    return static_cast<uint16_t>(
        sign | (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13);
  // Adding 0.5 leaves the units of 2^-24 in the last bits, rounded.
  const uint32_t units = floatToBits(bitsToFloat(magnitude) + 0.5f);
  return static_cast<uint16_t>(sign | (units - floatToBits(0.5f)));
}

inline uint16_t encodeBf16(float value) {
  const uint32_t bits = floatToBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Element `index` of an operand of a wide type.
template <class T>
inline T loadWide(int32_t type, const void *data, int64_t index) {
  switch (type) {
  case 1:
    return static_cast<T>(static_cast<const double *>(data)[index]);
  case 2:
    return static_cast<const float *>(data)[index];
  case 3:
    return decodeF16(static_cast<const uint16_t *>(data)[index]);
  default:
    return bitsToFloat(
        static_cast<uint32_t>(static_cast<const uint16_t *>(data)[index])
        << 16);
  }
}

/// A result of f64 is for sums in f64, and the other way round.
template <class T>
inline void storeWide(int32_t type, void *data, int64_t index, T value) {
  switch (type) {
  case 1:
    static_cast<double *>(data)[index] = value;
    return;
  case 2:
    static_cast<float *>(data)[index] = static_cast<float>(value);
    return;
  case 3:
    static_cast<uint16_t *>(data)[index] = encodeF16(static_cast<float>(value));
    return;
  default:
    static_cast<uint16_t *>(data)[index] =
        encodeBf16(static_cast<float>(value));
  }
}

template <class T>
inline void finishElement(const Finish &f, int64_t batch, int64_t row,
                          int64_t column) {
  T value = 0;
  if (f.sum)
    value = static_cast<const T *>(
        f.sum)[batch * f.strideSum + row * f.ldSum + column];
  float factor = 1;
  if (f.modeA)
    factor = f.descaleA[batch * f.strideDescaleA + (f.modeA == 2 ? row : 0)];
  if (f.modeB)
    factor = factor *
             f.descaleB[batch * f.strideDescaleB + (f.modeB == 2 ? column : 0)];
  if (f.modeA || f.modeB)
    value = value * factor;
  if (f.typeAcc)
    value = value + loadWide<T>(f.typeAcc, f.acc,
                                batch * f.strideAcc + row * f.ldAcc + column);
  if (f.typeBias)
    value =
        value + loadWide<T>(f.typeBias, f.bias, batch * f.strideBias + column);
  storeWide<T>(f.typeD, f.d, batch * f.strideD + row * f.ldD + column, value);
}

//===----------------------------------------------------------------------===//
// Tuning
//===----------------------------------------------------------------------===//

/// The parameter of fp8rt_fill: `count` random elements, no two neighbours
/// alike, magnitudes around 1.
struct Fill {
  void *data;
  int64_t count;
  int32_t type;
  uint32_t seed;
};

/// The parameter of fp8rt_compare, which counts the elements of `x` with other
/// bits than in `y`, and those that differ by more than `absolute + relative ·
/// |y|`; NaNs always do.
struct Compare {
  const void *x;
  const void *y;
  int64_t count;
  /// Two counters.
  uint32_t *counts;
  float absolute, relative;
  int32_t type;
  int32_t padding;
};

/// The parameter of fp8rt_check: counts the bytes that are not `value`.
struct Check {
  const void *data;
  int64_t count;
  uint32_t *counts;
  int32_t value;
  int32_t padding;
};

inline uint32_t mixBits(uint64_t index, uint32_t seed) {
  uint64_t x = index * 0x9e3779b97f4a7c15 + seed;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return static_cast<uint32_t>(x >> 32);
}

inline void fillElement(const Fill &f, int64_t index) {
  const uint32_t random = mixBits(static_cast<uint64_t>(index), f.seed);
  // Six exponents, 2^-3 to 2^2, any sign and significand.
  const uint32_t exponent = (random >> 8) % 6;
  auto *codes = static_cast<unsigned char *>(f.data);
  if (f.type == 5)
    codes[index] =
        static_cast<unsigned char>((random & 0x87) | (exponent + 4) << 3);
  else if (f.type == 6)
    codes[index] =
        static_cast<unsigned char>((random & 0x83) | (exponent + 12) << 2);
  else if (f.type == 1)
    storeWide<double>(1, f.data, index,
                      static_cast<double>(static_cast<int32_t>(random)) *
                          0x1p-30);
  else
    storeWide<float>(f.type, f.data, index,
                     static_cast<float>(static_cast<int32_t>(random)) *
                         0x1p-30f);
}

/// 0 for equal bits, 1 for close values, 3 otherwise.
inline uint32_t compareElement(const Compare &c, int64_t index) {
  const double x = loadWide<double>(c.type, c.x, index);
  const double y = loadWide<double>(c.type, c.y, index);
  const bool sameZero = x != 0 || __builtin_signbit(x) == __builtin_signbit(y);
  if (x == y && sameZero)
    return 0;
  const double difference = x < y ? y - x : x - y;
  const double bound = c.absolute + c.relative * (y < 0 ? -y : y);
  return difference <= bound ? 1 : 3;
}

} // namespace fp8rt::cuda

#endif // FP8RT_CUDA_FINISH_H
