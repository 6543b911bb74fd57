//===- NumericsTest.cpp - Codes, order of the sums, rounding --------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All codes of the FP8 types, the order in which products are added, and the
// rounding to each type of a result, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <cmath>
#include <limits>

using namespace fp8test;

static const auto e4m3 = FP8RT_F8E4M3FN;
static const float kInf = std::numeric_limits<float>::infinity();

static const int32_t fp8Types[] = {FP8RT_F8E4M3FN, FP8RT_F8E5M2,
                                   FP8RT_F8E4M3FNUZ, FP8RT_F8E5M2FNUZ};

// All codes by all codes, with NaNs, infinities and subnormals.
TEST(NumericsTest, AllCodesOfAllPairs) {
  for (int32_t typeA : fp8Types)
    for (int32_t typeB : fp8Types)
      for (int form = 0; form < 4; ++form) {
        Matmul m(typeA, typeB, FP8RT_F32,
                 {256, 256, 1, 1, (form & 1) != 0, form >= 2});
        for (int code = 0; code < 256; ++code)
          m.a.bytes[code] = m.b.bytes[code] = static_cast<unsigned char>(code);
        m.check();
      }
}

TEST(NumericsTest, AllCodesOf16Bits) {
  for (int32_t type : {FP8RT_F16, FP8RT_BF16}) {
    Matmul m(type, type, FP8RT_F32, {65536, 1, 1});
    for (uint32_t code = 0; code < 65536; ++code)
      memcpy(&m.a.bytes[2 * code], &code, 2);
    m.fillB(1).check();
  }
}

TEST(NumericsTest, TypesOfResultBiasAndAccumulator) {
  const int32_t wide[] = {FP8RT_F64, FP8RT_F32, FP8RT_F16, FP8RT_BF16};
  for (int32_t type : {e4m3, FP8RT_BF16, FP8RT_F16, FP8RT_F32, FP8RT_F64})
    for (int32_t result : {FP8RT_F32, FP8RT_F16, FP8RT_BF16})
      for (int32_t acc : wide)
        for (int32_t bias : wide) {
          const int32_t d = type == FP8RT_F64 ? FP8RT_F64 : result;
          Matmul m(type, type, d, {3, 17, 20});
          m.randomize(1).withRandomAcc(acc, 2).withRandomBias(bias, 3).check();
        }
}

// (2^24 + 1) - 2^24 is 0 in f32, (2^24 - 2^24) + 1 is 1.
TEST(NumericsTest, ProductsAreAddedInAscendingOrder) {
  for (int32_t type : {FP8RT_BF16, FP8RT_F32, FP8RT_F8E5M2}) {
    Matmul m(type, type, FP8RT_F32, {2, 2, 3});
    m.setA({4096, 1, 4096, 4096, 4096, 1});
    m.setB({4096, 4096, 1, -4096, -4096, 1});
    ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
    EXPECT_EQ(m.result(0, 0), 0) << nameOf(type);
    EXPECT_EQ(m.result(1, 1), 1) << nameOf(type);
  }
}

// Cancellation between the blocks of k, which must not start at zero again.
TEST(NumericsTest, BlocksOfKGoOnWithTheSum) {
  for (int32_t type : {e4m3, FP8RT_BF16, FP8RT_F32}) {
    Matmul m(type, type, FP8RT_F32, {2, 3, 1500});
    m.fillA(1).fillB(1);
    for (int64_t n = 0; n < 3; ++n)
      m.b.set(m.indexB(0, n), 0.001953125);
    ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
    EXPECT_EQ(m.result(1, 2), 1499.001953125);
    m.randomize(2, 12).check();
  }
}

// With an fma the rounding error of the product would come out.
TEST(NumericsTest, ProductsOfF32AreRounded) {
  const float x = 1 + 0x1p-12f;
  Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_F32, {1, 1, 2});
  m.setA({-(1 + 0x1p-11), x}).setB({1, x});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 0);
  Matmul wide(FP8RT_F64, FP8RT_F64, FP8RT_F64, {1, 1, 2});
  const double y = 1 + 0x1p-27;
  wide.setA({-(1 + 0x1p-26), y}).setB({1, y});
  ASSERT_EQ(wide.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(wide.result(0, 0), 0);
}

// bf16 has the exponents of f32: products may overflow or lose bits at the
// bottom, where an fma would not.
TEST(NumericsTest, ProductsOfBf16ThatLeaveTheRange) {
  Matmul m(FP8RT_BF16, FP8RT_BF16, FP8RT_F32, {1, 1, 2});
  m.setA({-0x1p100, 0x1p100}).setB({0x1p27, 0x1p28});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), kInf);

  // Three quarters of the least f32, twice, with a product to start from.
  m.setA({0x1p-75, 1.5 * 0x1p-75}).setB({0x1p-74, 0x1p-75});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 0x1p-148);
}

// The first product that leaves the range, however the exponents are shared
// out. The last bit of the second product is 2^-150, half of what f32 has.
TEST(NumericsTest, LeastProductOfBf16ThatIsNotExact) {
  for (int exponent : {-68, -20, -116}) {
    const double a = std::ldexp(1 + 0x1p-7, exponent);
    const double b = std::ldexp(1 + 0x1p-7, -136 - exponent);
    Matmul m(FP8RT_BF16, FP8RT_BF16, FP8RT_F32, {1, 1, 2});
    m.setA({2 * a, a}).setB({b, b});
    ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
    EXPECT_EQ(m.result(0, 0), 24961 * 0x1p-149) << exponent;
  }
}

// 2.25 * 2^127 is infinity, and -2^127 + 2.25 * 2^127 would not be.
TEST(NumericsTest, GreatestProductOfBf16ThatIsNotFinite) {
  for (int exponent : {63, 7, 120}) {
    const double a = std::ldexp(1, exponent);
    const double b = std::ldexp(1, 127 - exponent);
    Matmul m(FP8RT_BF16, FP8RT_BF16, FP8RT_F32, {1, 1, 2});
    m.setA({-a, 1.5 * a}).setB({b, 1.5 * b});
    ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
    EXPECT_EQ(m.result(0, 0), kInf) << exponent;
  }
}

TEST(NumericsTest, RangesOfBf16) {
  for (int exponents : {0, 20, 50, 60, 63, 66, 70, 76, 100})
    for (unsigned seed = 0; seed < 8; ++seed) {
      Matmul m(FP8RT_BF16, FP8RT_BF16, FP8RT_F32, {13, 70, 300});
      m.randomize(seed, exponents).check();
    }
}

// One element out of range in a block of tame ones, in A or in B.
TEST(NumericsTest, OneWildElementOfBf16) {
  for (int where = 0; where < 4; ++where)
    for (double wild : {0x1p127, 0x1p-133, 0.0, HUGE_VAL, std::nan("")}) {
      Matmul m(FP8RT_BF16, FP8RT_BF16, FP8RT_F32, {200, 80, 270});
      m.randomize(static_cast<unsigned>(where));
      if (where & 1)
        m.a.set(m.indexA(where & 2 ? 199 : 0, where & 2 ? 269 : 0), wild);
      else
        m.b.set(m.indexB(where & 2 ? 269 : 0, where & 2 ? 79 : 0), wild);
      m.check();
    }
}

TEST(NumericsTest, F16OverItsWholeRange) {
  Matmul m(FP8RT_F16, FP8RT_F16, FP8RT_F32, {13, 70, 300});
  m.randomize(4, 0).check();
}

// 0.1f * 0.1f rounds up; the sum times one descale, then the other, differs.
TEST(NumericsTest, DescalesAreMultipliedFirst) {
  int different = 0;
  for (unsigned seed = 0; seed < 16; ++seed) {
    Matmul m(e4m3, e4m3, FP8RT_F32, {3, 4, 5});
    m.randomize(seed);
    m.withRandomDescales(FP8RT_SCALE_TENSOR, FP8RT_SCALE_TENSOR, seed);
    m.check();
    Matmul plain(e4m3, e4m3, FP8RT_F32, {3, 4, 5});
    plain.randomize(seed).run();
    const float other = static_cast<float>(plain.result(0, 0)) * m.descaleA[0];
    different += m.result(0, 0) != other * m.descaleB[0];
  }
  EXPECT_GT(different, 0);
}

// (1 + 2^-24) + 2^-24 is 1 in f32; 1 + (2^-24 + 2^-24) is not.
TEST(NumericsTest, EachAdditionIsARounding) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {1, 1, 1});
  m.setA({1}).setB({1}).setAcc(FP8RT_F32, {0x1p-24});
  m.setBias(FP8RT_F32, {0x1p-24});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 1);
  // The accumulator comes first: (1 + 2^-24) - 1 is 0, (1 - 1) + 2^-24 is not.
  m.setBias(FP8RT_F32, {-1});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 0);
}

// An fma of the sum, the descale and the bias would not round the product.
TEST(NumericsTest, TheProductWithTheDescaleIsRounded) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {1, 1, 1});
  m.setA({3}).setB({1}).setBias(FP8RT_F32, {-1});
  m.setDescales(FP8RT_SCALE_TENSOR, {1.0f / 3}, FP8RT_SCALE_TENSOR, {1});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 0);
}

TEST(NumericsTest, NanInNanOut) {
  for (int32_t result : {FP8RT_F32, FP8RT_F16, FP8RT_BF16}) {
    Matmul m(e4m3, e4m3, result, {2, 2, 300});
    m.fillA(1).fillB(1);
    m.a.set(m.indexA(1, 299), NAN);
    ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
    EXPECT_EQ(m.result(0, 0), 300);
    EXPECT_TRUE(std::isnan(m.result(1, 1)));

    Matmul scaled(e4m3, e4m3, result, {1, 1, 1});
    scaled.setDescales(FP8RT_SCALE_TENSOR, {NAN}, FP8RT_SCALE_TENSOR, {1});
    ASSERT_EQ(scaled.run(), FP8RT_OK) << fp8rt_last_error();
    EXPECT_TRUE(std::isnan(scaled.result(0, 0)));
    scaled.setDescales(FP8RT_SCALE_TENSOR, {1}, FP8RT_SCALE_TENSOR, {NAN});
    ASSERT_EQ(scaled.run(), FP8RT_OK) << fp8rt_last_error();
    EXPECT_TRUE(std::isnan(scaled.result(0, 0)));
  }
}

// The infinities of E5M2, which a difference turns into a NaN.
TEST(NumericsTest, InfinitiesOfE5M2) {
  Matmul m(FP8RT_F8E5M2, FP8RT_F8E5M2, FP8RT_BF16, {1, 3, 2});
  m.setA({INFINITY, 1}).setB({1, 1, 0, 1, -INFINITY, 1});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), kInf);
  EXPECT_TRUE(std::isnan(m.result(0, 1)));
  EXPECT_TRUE(std::isnan(m.result(0, 2)));
}

/// Rounds by way of a matmul: 1 x 1 with the value as an operand of f32.
static void checkRounding(int32_t type, const std::vector<float> &values) {
  Matmul m(FP8RT_F32, FP8RT_F32, type,
           {1, static_cast<int64_t>(values.size()), 1});
  m.fillA(1);
  // As bits, so that NaNs stay what they are.
  memcpy(m.b.bytes.data(), values.data(), m.b.bytes.size());
  m.check();
}

TEST(NumericsTest, RoundingIsToNearestEven) {
  Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_BF16, {1, 4, 1});
  m.setA({1}).setB({1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1.01p-8, 0x1.ffp127});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(),
            (std::vector<double>{1, 1 + 0x1p-6, 1 + 0x1p-7, INFINITY}));

  Matmul half(FP8RT_F32, FP8RT_F32, FP8RT_F16, {1, 8, 1});
  half.setA({1}).setB({1 + 0x1p-11, 1 + 3 * 0x1p-11, 65519, 65520, 0x1p-25,
                       0x1.8p-24, 0x1.000002p-25, -70000});
  ASSERT_EQ(half.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(half.results(),
            (std::vector<double>{1, 1 + 0x1p-9, 65504, INFINITY, 0, 0x1p-23,
                                 0x1p-24, -INFINITY}));
}

// Each code of the type, the middle to the next, and the neighbours of both.
TEST(NumericsTest, RoundingAroundEveryCode) {
  for (int32_t type : {FP8RT_BF16, FP8RT_F16}) {
    std::vector<float> values;
    for (uint32_t code = 0; code < 65536; ++code) {
      const float value = static_cast<float>(decode(type, &code));
      const uint32_t nextCode = code + 1;
      const float next = static_cast<float>(decode(type, &nextCode));
      const float middle = value / 2 + next / 2;
      for (float each : {value, middle})
        for (float direction : {-kInf, kInf})
          values.push_back(std::nextafter(each, direction));
      values.push_back(middle);
    }
    checkRounding(type, values);
  }
}

TEST(NumericsTest, RoundingOfRandomBits) {
  std::vector<float> values;
  uint32_t bits = 1;
  for (int i = 0; i < 100000; ++i) {
    bits = bits * 1664525 + 1013904223;
    float value;
    memcpy(&value, &bits, sizeof(value));
    values.push_back(value);
  }
  // A NaN that rounds up to -0.
  const uint32_t allOnes = 0x7fffffff;
  memcpy(&values[0], &allOnes, sizeof(allOnes));
  for (int32_t type : {FP8RT_BF16, FP8RT_F16, FP8RT_F32})
    checkRounding(type, values);
}
