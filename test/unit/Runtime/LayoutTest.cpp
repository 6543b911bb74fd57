//===- LayoutTest.cpp - Where the elements are ----------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transposition, leading dimensions, batches and the edges of blocks.
// Everything between the elements is NaN in the inputs, and has to stay as it
// was in the result.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

using namespace fp8test;

static const int32_t e4m3 = FP8RT_F8E4M3FN;

/// One of each size of element, as they move through different code.
static const int32_t sizedTypes[] = {FP8RT_F8E4M3FN, FP8RT_BF16, FP8RT_F32,
                                     FP8RT_F64};

static int32_t resultFor(int32_t type) {
  return type == FP8RT_F64 ? FP8RT_F64 : FP8RT_F32;
}

static void checkForms(int32_t type, Shape shape, unsigned seed) {
  for (int form = 0; form < 4; ++form) {
    SCOPED_TRACE(form);
    shape.transA = form & 1;
    shape.transB = form & 2;
    Matmul m(type, type, resultFor(type), shape);
    m.randomize(seed).check();
  }
}

TEST(LayoutTest, EveryFormOnTheSameNumbers) {
  std::vector<double> first;
  for (int form = 0; form < 4; ++form) {
    Matmul m(e4m3, e4m3, FP8RT_F32, {5, 7, 9, 1, (form & 1) != 0, form >= 2});
    m.randomize(3);
    ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
    if (form == 0)
      first = m.results();
    EXPECT_EQ(m.results(), first) << "form " << form;
  }
}

TEST(LayoutTest, SmallSizes) {
  for (int32_t type : sizedTypes)
    for (int64_t m : {1, 2, 3, 5, 6, 7, 13})
      for (int64_t n : {1, 4, 15, 17, 33, 65})
        checkForms(type, {m, n, 11}, static_cast<unsigned>(m * 100 + n));
}

TEST(LayoutTest, SmallDepths) {
  for (int32_t type : sizedTypes)
    for (int64_t k : {1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65})
      checkForms(type, {7, 19, k}, static_cast<unsigned>(k));
}

TEST(LayoutTest, PaddedRowsAndBatches) {
  for (int32_t type : sizedTypes)
    for (int64_t pad : {1, 5, 40})
      checkForms(type, {7, 18, 21, 3, false, false, pad}, 5);
}

// Beyond the blocks of the library in each direction, and no multiple of them.
TEST(LayoutTest, ManyBlocksOfK) {
  for (int32_t type : sizedTypes)
    checkForms(type, {7, 35, 1100, 1, false, false, 1}, 6);
}

TEST(LayoutTest, ManyBlocksOfM) {
  for (int32_t type : sizedTypes)
    checkForms(type, {901, 5, 19, 1, false, false, 1}, 7);
}

TEST(LayoutTest, ManyBlocksOfN) {
  for (int32_t type : sizedTypes)
    checkForms(type, {3, 1301, 19, 1, false, false, 1}, 8);
}

TEST(LayoutTest, BlocksInAllDirections) {
  Matmul m(e4m3, FP8RT_F8E5M2, FP8RT_BF16, {421, 541, 530, 1, false, true});
  m.randomize(9).withRandomBias(FP8RT_BF16, 10).withRandomAcc(FP8RT_F16, 11);
  m.withRandomDescales(FP8RT_SCALE_OUTER, FP8RT_SCALE_OUTER, 12).check();
}

TEST(LayoutTest, EveryOperandOfEachBatch) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {5, 6, 7, 3, false, false, 2});
  m.randomize(13).withRandomBias(FP8RT_F32, 14).withRandomAcc(FP8RT_F32, 15);
  m.withRandomDescales(FP8RT_SCALE_OUTER, FP8RT_SCALE_OUTER, 16).check();
  m.withRandomDescales(FP8RT_SCALE_TENSOR, FP8RT_SCALE_TENSOR, 17).check();
}

TEST(LayoutTest, StrideZeroReadsTheSameOperand) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {5, 6, 7, 3, true, false, 2});
  m.randomize(18).withRandomBias(FP8RT_F32, 19).withRandomAcc(FP8RT_F32, 20);
  m.withRandomDescales(FP8RT_SCALE_TENSOR, FP8RT_SCALE_OUTER, 21);
  const fp8rt_matmul_desc strided = m.desc;
  for (int64_t fp8rt_matmul_desc::*stride :
       {&fp8rt_matmul_desc::stride_a, &fp8rt_matmul_desc::stride_b,
        &fp8rt_matmul_desc::stride_acc, &fp8rt_matmul_desc::stride_bias,
        &fp8rt_matmul_desc::stride_descale_a,
        &fp8rt_matmul_desc::stride_descale_b}) {
    m.desc = strided;
    m.desc.*stride = 0;
    m.check();
  }
}

// Heads next to each other in one row: the batches of the result interleave.
TEST(LayoutTest, InterleavedBatches) {
  Matmul m(e4m3, e4m3, FP8RT_F32, {4, 3, 5, 2, false, false, 1});
  m.randomize(22);
  m.desc.ld_d = 6;
  m.desc.stride_d = 3;
  m.check();
}

TEST(LayoutTest, OperandsAtOddAddresses) {
  for (int32_t type : {FP8RT_BF16, FP8RT_F32}) {
    Matmul m(type, type, FP8RT_BF16, {5, 6, 7});
    m.randomize(23);
    const std::vector<unsigned char> wanted = m.expected();
    fp8rt_matmul_args args = m.args();
    std::vector<unsigned char> a(1), b(1), d(m.d.bytes.size() + 1);
    a.insert(a.end(), m.a.bytes.begin(), m.a.bytes.end());
    b.insert(b.end(), m.b.bytes.begin(), m.b.bytes.end());
    args.a = &a[1];
    args.b = &b[1];
    args.d = &d[1];
    ASSERT_EQ(fp8rt_matmul(nullptr, &m.desc, &args, nullptr), FP8RT_OK);
    EXPECT_TRUE(std::equal(&d[1], &d[1] + 5 * 6 * 2,
                           &wanted[m.d.offset * sizeOf(FP8RT_BF16)]));
  }
}
