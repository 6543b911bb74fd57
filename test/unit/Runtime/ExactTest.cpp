//===- ExactTest.cpp - Matmuls with exact results -------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small integers and powers of two: every sum is exact, so any difference is a
// bug. M, N and K differ, and so do the descales, so that nothing can stand in
// for anything else.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

using namespace fp8test;

using Values = std::vector<double>;

static const int32_t e4m3 = FP8RT_F8E4M3FN;
static const int32_t e5m2 = FP8RT_F8E5M2;

TEST(ExactTest, EveryElementOfTheResult) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {2, 3, 4});
  m.setA({1, 2, 3, 4, -1, 0, 2, 5});
  m.setB({1, 0, 2, 3, 1, 0, 0, 4, 1, 2, 2, -3});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), (Values{15, 22, -7, 9, 18, -15}));
}

TEST(ExactTest, DescalesOfTensors) {
  Matmul m(e4m3, e4m3, FP8RT_BF16, {1, 2, 2});
  m.setA({1, 2}).setB({3, 4, 5, 6});
  m.setDescales(FP8RT_SCALE_TENSOR, {0.5f}, FP8RT_SCALE_TENSOR, {8.0f});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), (Values{52, 64}));
}

TEST(ExactTest, OneDescaleOnly) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {1, 1, 1});
  m.setA({3}).setB({5});
  m.setDescales(FP8RT_SCALE_TENSOR, {2.0f}, FP8RT_SCALE_NONE, {});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 30);
  m.setDescales(FP8RT_SCALE_NONE, {}, FP8RT_SCALE_TENSOR, {4.0f});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 60);
  m.setDescales(FP8RT_SCALE_NONE, {}, FP8RT_SCALE_OUTER, {8.0f});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 120);
}

// C28: W = [[1, 1], [128, 128]], quantized by columns: scale 3.5.
TEST(ExactTest, C28DescalesOfColumns) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {1, 2, 2});
  m.setA({448, 448}).setB({3.5, 3.5, 448, 448});
  m.setDescales(FP8RT_SCALE_OUTER, {1.0f / 448}, FP8RT_SCALE_OUTER,
                {1.0f / 3.5f, 1.0f / 3.5f});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_NEAR(m.result(0, 0), 129, 129 * 1e-6);
  EXPECT_NEAR(m.result(0, 1), 129, 129 * 1e-6);
}

TEST(ExactTest, DescalesOfRowsAndColumnsAreNotSwapped) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {2, 2, 1});
  m.fillA(1).fillB(1);
  m.setDescales(FP8RT_SCALE_OUTER, {1, 2}, FP8RT_SCALE_OUTER, {4, 16});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), (Values{4, 16, 8, 32}));
}

TEST(ExactTest, OuterWithTensor) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {2, 2, 1});
  m.fillA(1).fillB(1);
  m.setDescales(FP8RT_SCALE_OUTER, {1, 2}, FP8RT_SCALE_TENSOR, {4});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), (Values{4, 4, 8, 8}));
  m.setDescales(FP8RT_SCALE_TENSOR, {4}, FP8RT_SCALE_OUTER, {1, 2});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), (Values{4, 8, 4, 8}));
}

TEST(ExactTest, C27BiasRunsAlongN) {
  Matmul square(e4m3, e4m3, FP8RT_BF16, {2, 2, 2});
  square.setA({1, 0, 0, 1}).fillB(1).setBias(FP8RT_BF16, {1, 2});
  ASSERT_EQ(square.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(square.results(), (Values{2, 3, 2, 3}));

  Matmul m(e4m3, e4m3, FP8RT_BF16, {2, 3, 2});
  m.setA({1, 0, 0, 1}).setB({1, 2, 3, 4, 5, 6});
  m.setBias(FP8RT_F32, {1, 2, 4});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), (Values{2, 4, 7, 5, 7, 10}));
}

TEST(ExactTest, AccumulatorIsAddedAfterTheDescales) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {2, 1, 1});
  m.setA({2, 4}).setB({3}).setAcc(FP8RT_F32, {100, 200});
  m.setBias(FP8RT_F16, {1000});
  m.setDescales(FP8RT_SCALE_TENSOR, {0.5f}, FP8RT_SCALE_TENSOR, {4});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), (Values{1112, 1224}));
}

TEST(ExactTest, AccumulatorIsTheResult) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {2, 3, 4, 2, false, false, 3});
  m.randomize(1);
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  m.accIsResult = true;
  m.desc.type_acc = FP8RT_F32;
  m.desc.ld_acc = m.desc.ld_d;
  m.desc.stride_acc = m.desc.stride_d;
  m.check();
}

// C22: B is row-major, which a CPU takes as it is.
TEST(ExactTest, C22RowMajorB) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {16, 24, 32});
  Matmul transposed(e4m3, e4m3, FP8RT_F32, {16, 24, 32, 1, false, true});
  for (Matmul *each : {&m, &transposed}) {
    each->fillA(1);
    for (int64_t k = 0; k < 32; ++k)
      for (int64_t n = 0; n < 24; ++n)
        each->b.set(each->indexB(k, n), (k + n) % 16);
    each->setDescales(FP8RT_SCALE_TENSOR, {1}, FP8RT_SCALE_TENSOR, {1});
    each->check();
  }
  EXPECT_EQ(m.results(), transposed.results());
}

TEST(ExactTest, C25E5M2TimesE5M2) {
  Matmul m(e5m2, e5m2, FP8RT_BF16, {16, 16, 16});
  m.fillA(1).fillB(1);
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), Values(256, 16));
}

TEST(ExactTest, C25BiasOnAResultOfF32) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {2, 2, 16});
  m.fillA(1).fillB(1).setBias(FP8RT_F32, {0.5, 0.5});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), Values(4, 16.5));
}

// The types are told apart: 0x44 is 3 in E4M3FN and 4 in E5M2.
TEST(ExactTest, OperandsOfDifferentTypes) {
  Matmul m(e5m2, e4m3, FP8RT_F32, {1, 1, 2});
  m.setA({512, 1}).setB({1.125, 2});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 578);
  Matmul swapped(e4m3, e5m2, FP8RT_F32, {1, 1, 2});
  swapped.setA({1.125, 2}).setB({512, 1});
  ASSERT_EQ(swapped.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(swapped.result(0, 0), 578);
}

TEST(ExactTest, NothingToSumIsZeroOrWhatIsAdded) {
  Matmul m(e4m3, e4m3, FP8RT_BF16, {2, 2, 0});
  m.d.set(0, 7);
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), Values(4, 0));
  m.setAcc(FP8RT_BF16, {1, 2, 3, 4}).setBias(FP8RT_BF16, {10, 20});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.results(), (Values{11, 22, 13, 24}));
}

TEST(ExactTest, EmptyResultsTouchNothing) {
  for (Shape shape : {Shape{0, 3, 4}, Shape{3, 0, 4}, Shape{2, 3, 4, 0}}) {
    Matmul m(e4m3, e4m3, FP8RT_F32, shape);
    const std::vector<unsigned char> before = m.d.bytes;
    ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
    EXPECT_EQ(m.d.bytes, before);
  }
}

TEST(ExactTest, F64KeepsWhatF32Cannot) {
  Matmul m(FP8RT_F64, FP8RT_F64, FP8RT_F64, {1, 1, 2});
  m.setA({1, 1}).setB({1 + 0x1p-50, 2});
  m.setAcc(FP8RT_F64, {0x1p-49}).setBias(FP8RT_F64, {0x1p-48});
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  EXPECT_EQ(m.result(0, 0), 3 + 0x1p-50 + 0x1p-49 + 0x1p-48);
}
