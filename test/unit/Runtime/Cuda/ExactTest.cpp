//===- ExactTest.cpp - Matmuls with exact results on a device -------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small integers and powers of two: sums are exact in any order, so that the
// device must give the bits of the CPU. M, N, K, leading dimensions and
// descales all differ.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace fp8test;

static const int32_t E4M3 = FP8RT_F8E4M3FN;
static const int32_t E5M2 = FP8RT_F8E5M2;

namespace {
class CudaExactTest : public DeviceTest {
protected:
  /// What FP8 operands are on this device: B is transposed.
  static Matmul makeNarrow(int32_t typeA, int32_t typeB, int32_t typeD,
                           Shape shape) {
    shape.transB = true;
    return Matmul(typeA, typeB, typeD, shape);
  }

  /// Integers from -3 to 3, other ones in each row and column.
  static void fillIntegers(Matmul &m) {
    const fp8rt_matmul_desc &d = m.desc;
    for (int64_t i = 0; i < d.batch; ++i) {
      for (int64_t row = 0; row < d.m; ++row)
        for (int64_t k = 0; k < d.k; ++k)
          m.a.set(m.indexA(row, k, i),
                  static_cast<double>((row * 5 + k * 3 + i) % 7 - 3));
      for (int64_t k = 0; k < d.k; ++k)
        for (int64_t column = 0; column < d.n; ++column)
          m.b.set(m.indexB(k, column, i),
                  static_cast<double>((column * 3 + k * 2 + 2 * i) % 5 - 2));
    }
  }

  /// Powers of two for rows and columns.
  static void setOuterDescales(Matmul &m) {
    std::vector<float> a(static_cast<size_t>(m.desc.m));
    std::vector<float> b(static_cast<size_t>(m.desc.n));
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = i % 3 == 0 ? 0.5f : (i % 3 == 1 ? 1.0f : 4.0f);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = i % 2 == 0 ? 0.25f : 2.0f;
    m.setDescales(FP8RT_SCALE_OUTER, a, FP8RT_SCALE_OUTER, b);
  }

  static void setBias(Matmul &m, int32_t type) {
    m.withRandomBias(type, 1);
    for (int64_t i = 0; i < m.desc.batch; ++i)
      for (int64_t n = 0; n < m.desc.n; ++n)
        m.bias.set(i * m.desc.stride_bias + n,
                   static_cast<double>((n + i) % 9 - 4));
  }

  static void setAcc(Matmul &m, int32_t type) {
    m.withRandomAcc(type, 1);
    for (int64_t i = 0; i < m.desc.batch; ++i)
      for (int64_t row = 0; row < m.desc.m; ++row)
        for (int64_t n = 0; n < m.desc.n; ++n)
          m.acc.set(m.indexAcc(row, n, i),
                    static_cast<double>((row * 3 + n * 7 + i) % 33 - 16));
  }
};
} // namespace

static const std::vector<std::pair<int32_t, int32_t>> narrowPairs = {
    {E4M3, E4M3}, {E4M3, E5M2}, {E5M2, E4M3}};
static const int32_t resultTypes[] = {FP8RT_BF16, FP8RT_F16, FP8RT_F32};

static std::string describe(const Matmul &m) {
  const fp8rt_matmul_desc &d = m.desc;
  return std::string(nameOf(d.type_a)) + " x " + nameOf(d.type_b) + " -> " +
         nameOf(d.type_d) + ", acc " + std::to_string(d.type_acc) + ", bias " +
         std::to_string(d.type_bias) + ", modes " +
         std::to_string(d.scale_mode_a) + std::to_string(d.scale_mode_b) +
         ", trans " + std::to_string(d.trans_a) + std::to_string(d.trans_b) +
         ", fast " + std::to_string(d.fast_accum) + ", batch " +
         std::to_string(d.batch);
}

TEST_F(CudaExactTest, TypesAndAccumulation) {
  for (auto [a, b] : narrowPairs)
    for (int32_t type : resultTypes)
      for (int32_t fast : {0, 1}) {
        Matmul m = makeNarrow(a, b, type, {48, 80, 96});
        fillIntegers(m);
        m.desc.fast_accum = fast;
        m.setDescales(FP8RT_SCALE_TENSOR, {0.5f}, FP8RT_SCALE_TENSOR, {0.125f});
        SCOPED_TRACE(describe(m));
        expectExact(m);
      }
}

TEST_F(CudaExactTest, ScaleModes) {
  const std::vector<float> one = {4.0f}, other = {0.125f};
  for (int32_t type : resultTypes) {
    for (int mode = 0; mode < 4; ++mode) {
      Matmul m = makeNarrow(E4M3, E5M2, type, {32, 48, 64});
      fillIntegers(m);
      m.setDescales(mode & 1 ? FP8RT_SCALE_TENSOR : FP8RT_SCALE_NONE,
                    mode & 1 ? one : std::vector<float>(),
                    mode & 2 ? FP8RT_SCALE_TENSOR : FP8RT_SCALE_NONE,
                    mode & 2 ? other : std::vector<float>());
      SCOPED_TRACE(describe(m));
      expectExact(m);
    }
    Matmul outer = makeNarrow(E4M3, E4M3, type, {32, 48, 64});
    fillIntegers(outer);
    setOuterDescales(outer);
    SCOPED_TRACE(describe(outer));
    expectExact(outer);
  }
}

// What the library does not have is done after it.
TEST_F(CudaExactTest, MixedScaleModes) {
  Matmul m = makeNarrow(E4M3, E4M3, FP8RT_BF16, {32, 48, 64});
  fillIntegers(m);
  setOuterDescales(m);
  m.setDescales(FP8RT_SCALE_OUTER, m.descaleA, FP8RT_SCALE_TENSOR, {2.0f});
  expectExact(m);
  setOuterDescales(m);
  m.setDescales(FP8RT_SCALE_NONE, {}, FP8RT_SCALE_OUTER, m.descaleB);
  expectExact(m);
}

TEST_F(CudaExactTest, BiasesOfAllTypes) {
  for (int32_t type : resultTypes)
    for (int32_t biasType : {FP8RT_BF16, FP8RT_F16, FP8RT_F32}) {
      Matmul m = makeNarrow(E4M3, E4M3, type, {32, 48, 64});
      fillIntegers(m);
      setBias(m, biasType);
      m.setDescales(FP8RT_SCALE_TENSOR, {0.5f}, FP8RT_SCALE_TENSOR, {4.0f});
      SCOPED_TRACE(describe(m));
      expectExact(m);
    }
}

TEST_F(CudaExactTest, AccumulatorsOfAllTypes) {
  for (int32_t type : resultTypes)
    for (int32_t accType : {FP8RT_BF16, FP8RT_F16, FP8RT_F32, FP8RT_F64})
      for (bool bias : {false, true}) {
        Matmul m = makeNarrow(E4M3, E4M3, type, {32, 48, 64});
        fillIntegers(m);
        setAcc(m, accType);
        if (bias)
          setBias(m, FP8RT_F32);
        m.setDescales(FP8RT_SCALE_TENSOR, {0.5f}, FP8RT_SCALE_TENSOR, {4.0f});
        SCOPED_TRACE(describe(m));
        expectExact(m);
      }
}

TEST_F(CudaExactTest, AccumulatorIsTheResult) {
  for (int32_t type : resultTypes)
    for (bool bias : {false, true}) {
      Matmul m = makeNarrow(E4M3, E4M3, type, {32, 48, 64, 1, false, true, 16});
      fillIntegers(m);
      if (bias)
        setBias(m, FP8RT_F32);
      m.accIsResult = true;
      m.desc.type_acc = type;
      m.desc.ld_acc = m.desc.ld_d;
      m.desc.stride_acc = m.desc.stride_d;
      for (int64_t row = 0; row < m.desc.m; ++row)
        for (int64_t n = 0; n < m.desc.n; ++n)
          m.d.set(m.indexD(row, n), static_cast<double>((row + n) % 17 - 8));
      SCOPED_TRACE(describe(m));
      expectExact(m);
    }
}

// The kernel reads the accumulator after the library has written its sums.
TEST_F(CudaExactTest, AccumulatorIsTheResultOfTheKernel) {
  Matmul m = makeNarrow(E4M3, E4M3, FP8RT_F32, {32, 48, 64});
  fillIntegers(m);
  setOuterDescales(m);
  m.setDescales(FP8RT_SCALE_OUTER, m.descaleA, FP8RT_SCALE_TENSOR, {2.0f});
  m.accIsResult = true;
  m.desc.type_acc = FP8RT_F32;
  m.desc.ld_acc = m.desc.ld_d;
  for (int64_t row = 0; row < m.desc.m; ++row)
    for (int64_t n = 0; n < m.desc.n; ++n)
      m.d.set(m.indexD(row, n), static_cast<double>((row + n) % 17 - 8));
  expectExact(m);
}

TEST_F(CudaExactTest, PaddedRowsAndBatches) {
  for (int32_t type : resultTypes)
    for (int64_t batch : {1, 3}) {
      Matmul m = makeNarrow(E4M3, E4M3, type,
                            {32, 48, 64, batch, false, false,
                             /*pad=*/16});
      fillIntegers(m);
      setBias(m, type);
      setAcc(m, type);
      SCOPED_TRACE(describe(m));
      expectExact(m);
    }
}

TEST_F(CudaExactTest, BatchesShareAnOperand) {
  for (int which : {0, 1}) {
    Matmul m = makeNarrow(E4M3, E4M3, FP8RT_BF16, {32, 48, 64, 3});
    fillIntegers(m);
    (which ? m.desc.stride_a : m.desc.stride_b) = 0;
    expectExact(m);
  }
}

TEST_F(CudaExactTest, DescalesOfBatches) {
  Matmul m = makeNarrow(E4M3, E4M3, FP8RT_F32, {32, 48, 64, 3});
  fillIntegers(m);
  m.setDescales(FP8RT_SCALE_TENSOR, {1, 2, 4}, FP8RT_SCALE_TENSOR,
                {0.5f, 8, 0.25f});
  m.desc.stride_descale_a = m.desc.stride_descale_b = 1;
  expectExact(m);
}

TEST_F(CudaExactTest, OuterDescalesWithBiasAndAccumulator) {
  for (int32_t type : resultTypes)
    for (int which : {1, 2, 3}) {
      Matmul m = makeNarrow(E4M3, E4M3, type, {32, 48, 64});
      fillIntegers(m);
      setOuterDescales(m);
      if (which & 1)
        setBias(m, type);
      if (which & 2)
        setAcc(m, type);
      SCOPED_TRACE(describe(m));
      expectExact(m);
    }
}

TEST_F(CudaExactTest, OuterDescalesOfBatches) {
  Matmul m = makeNarrow(E4M3, E4M3, FP8RT_BF16, {16, 32, 64, 2});
  fillIntegers(m);
  std::vector<float> a(32), b(64);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = i % 5 == 0 ? 0.5f : 2.0f;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = i % 3 == 0 ? 0.25f : 4.0f;
  m.setDescales(FP8RT_SCALE_OUTER, a, FP8RT_SCALE_OUTER, b);
  m.desc.stride_descale_a = 16;
  m.desc.stride_descale_b = 32;
  expectExact(m);
}

// C18: rows of 16 of a padded operand, and operands of one row or column.
TEST_F(CudaExactTest, C18LayoutsOfSmallOperands) {
  Matmul padded(E4M3, E4M3, FP8RT_BF16, {16, 24, 16, 1, false, true, 16});
  fillIntegers(padded);
  expectExact(padded);
  for (bool transA : {false, true}) {
    Matmul row(E4M3, E4M3, FP8RT_BF16, {1, 32, 48, 1, transA, true});
    fillIntegers(row);
    SCOPED_TRACE(describe(row));
    expectExact(row);
  }
  for (bool transB : {false, true}) {
    Matmul column(E4M3, E4M3, FP8RT_F32, {32, 1, 48, 1, false, transB});
    fillIntegers(column);
    SCOPED_TRACE(describe(column));
    expectExact(column);
  }
}

// C23: M is whatever the number of tokens is.
TEST_F(CudaExactTest, C23OddRows) {
  for (int64_t m : {1, 3, 17, 33})
    for (int64_t n : {8, 16, 40, 96}) {
      Matmul odd = makeNarrow(E4M3, E4M3, FP8RT_BF16, {m, n, 32});
      fillIntegers(odd);
      odd.setDescales(FP8RT_SCALE_TENSOR, {0.5f}, FP8RT_SCALE_TENSOR, {2.0f});
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
      expectExact(odd);
    }
}

// cuBLASLt 13.1 has no algorithm for an odd number of columns of bf16 on sm_90:
// a reason, and nothing written; or, elsewhere, the right result.
TEST_F(CudaExactTest, C23OddColumns) {
  for (int64_t n : {1, 31, 97}) {
    Matmul odd = makeNarrow(E4M3, E4M3, FP8RT_BF16, {17, n, 32});
    fillIntegers(odd);
    odd.setDescales(FP8RT_SCALE_TENSOR, {0.5f}, FP8RT_SCALE_TENSOR, {2.0f});
    SCOPED_TRACE(std::to_string(n));
    const int32_t status = fp8rt_matmul_prepare(context, &odd.desc);
    if (status == FP8RT_OK) {
      expectExact(odd);
      continue;
    }
    EXPECT_EQ(status, FP8RT_UNSUPPORTED);
    EXPECT_NE(std::string(fp8rt_last_error()).find("N " + std::to_string(n)),
              std::string::npos);
  }
}

TEST_F(CudaExactTest, WideOperands) {
  for (int32_t type : {FP8RT_BF16, FP8RT_F16, FP8RT_F32})
    for (int32_t result : resultTypes)
      for (int form = 0; form < 4; ++form) {
        Matmul m(type, type, result,
                 {17, 40, 23, 2, bool(form & 1), bool(form & 2), 3});
        fillIntegers(m);
        SCOPED_TRACE(describe(m));
        expectExact(m);
        setBias(m, result);
        setAcc(m, result);
        SCOPED_TRACE("with bias and accumulator");
        expectExact(m);
      }
}

TEST_F(CudaExactTest, F64) {
  Matmul m(FP8RT_F64, FP8RT_F64, FP8RT_F64, {17, 40, 23, 2, true, false, 3});
  fillIntegers(m);
  m.a.set(m.indexA(0, 0), 1 + 0x1p-40);
  expectExact(m);
  setAcc(m, FP8RT_F64);
  expectExact(m);
  setBias(m, FP8RT_F64);
  expectExact(m);
  setBias(m, FP8RT_BF16);
  setAcc(m, FP8RT_F32);
  expectExact(m);
}

TEST_F(CudaExactTest, WideOperandsWithDescales) {
  Matmul m(FP8RT_BF16, FP8RT_BF16, FP8RT_BF16, {17, 24, 40});
  fillIntegers(m);
  setOuterDescales(m);
  expectExact(m);
}

TEST_F(CudaExactTest, NothingToSum) {
  for (int32_t type : resultTypes) {
    Matmul m = makeNarrow(E4M3, E4M3, type, {5, 7, 0});
    expectExact(m);
    setAcc(m, FP8RT_BF16);
    setBias(m, FP8RT_F32);
    expectExact(m);
  }
}

TEST_F(CudaExactTest, EmptyResultsNeedNoPlan) {
  for (Shape shape :
       {Shape{0, 16, 16}, Shape{16, 0, 16}, Shape{16, 16, 16, 0}}) {
    Matmul m = makeNarrow(E4M3, E4M3, FP8RT_F32, shape);
    const std::vector<unsigned char> before = m.d.bytes;
    DeviceMatmul device(context, m);
    EXPECT_FP8(device.enqueue());
    EXPECT_FP8(fp8rt_matmul_prepare(context, &m.desc));
    device.run();
    EXPECT_EQ(m.d.bytes, before);
  }
}

// C27: row-major D through a column-major library.
TEST_F(CudaExactTest, C27BiasRunsAlongN) {
  Matmul m = makeNarrow(E4M3, E4M3, FP8RT_BF16, {16, 16, 16});
  for (int64_t i = 0; i < 16; ++i)
    m.a.set(m.indexA(i, i), 1);
  m.fillB(1);
  setBias(m, FP8RT_BF16);
  expectExact(m);
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t n = 0; n < 16; ++n)
      EXPECT_EQ(m.result(row, n), 1 + n % 9 - 4);
}

// C28: the descales of the columns of W.
TEST_F(CudaExactTest, C28DescalesOfColumns) {
  Matmul m = makeNarrow(E4M3, E4M3, FP8RT_F32, {16, 16, 16});
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t k = 0; k < 2; ++k)
      m.a.set(m.indexA(row, k), 448);
  for (int64_t n = 0; n < 16; ++n) {
    m.b.set(m.indexB(0, n), 3.5);
    m.b.set(m.indexB(1, n), 448);
  }
  m.setDescales(FP8RT_SCALE_OUTER, std::vector<float>(16, 1.0f / 448),
                FP8RT_SCALE_OUTER, std::vector<float>(16, 1.0f / 3.5f));
  DeviceMatmul device(context, m);
  device.run();
  EXPECT_NEAR(m.result(0, 0), 129, 129 * 1e-6);
  EXPECT_NEAR(m.result(15, 15), 129, 129 * 1e-6);
}
