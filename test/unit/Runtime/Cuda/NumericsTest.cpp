//===- NumericsTest.cpp - Rounding of sums on a device --------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random inputs, against sums in f64: the error is a small part of the sum of
// magnitudes, c·Σ|a·b|. Each mode prints the c that was measured.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cmath>

using namespace fp8test;

static const int32_t E4M3 = FP8RT_F8E4M3FN;

namespace {
class CudaNumericsTest : public DeviceTest {};

struct Mode {
  const char *name;
  int32_t typeA, typeB, typeD;
  int32_t fast;
  int32_t scaleMode;
  /// What c may be at most, without the rounding of the result.
  double bound;
};
} // namespace

/// The greatest c of all elements; `rounding` is that of the result's type.
static double measure(const Matmul &m, double rounding) {
  const fp8rt_matmul_desc &d = m.desc;
  std::vector<double> a(static_cast<size_t>(d.m * d.k));
  std::vector<double> b(static_cast<size_t>(d.n * d.k));
  for (int64_t row = 0; row < d.m; ++row)
    for (int64_t k = 0; k < d.k; ++k)
      a[static_cast<size_t>(row * d.k + k)] = m.a.get(m.indexA(row, k));
  for (int64_t n = 0; n < d.n; ++n)
    for (int64_t k = 0; k < d.k; ++k)
      b[static_cast<size_t>(n * d.k + k)] = m.b.get(m.indexB(k, n));
  double worst = 0;
  for (int64_t row = 0; row < d.m; ++row)
    for (int64_t n = 0; n < d.n; ++n) {
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < d.k; ++k) {
        const double product = a[static_cast<size_t>(row * d.k + k)] *
                               b[static_cast<size_t>(n * d.k + k)];
        sum += product;
        magnitude += std::fabs(product);
      }
      double factor = 1;
      if (d.scale_mode_a) {
        const bool outer = d.scale_mode_a == FP8RT_SCALE_OUTER;
        factor = double(m.descaleA[outer ? size_t(row) : 0]) *
                 double(m.descaleB[outer ? size_t(n) : 0]);
      }
      const double right = sum * factor;
      const double error =
          std::fabs(m.result(row, n) - right) - rounding * std::fabs(right);
      // A NaN must not get lost in a comparison.
      if (!(error <= worst * magnitude * std::fabs(factor)))
        worst = error / (magnitude * std::fabs(factor));
    }
  return worst;
}

TEST_F(CudaNumericsTest, RandomInputs) {
  const double rounding[] = {0, 0, 0, 0x1p-11, 0x1p-8};
  const int32_t E5M2 = FP8RT_F8E5M2;
  const Mode modes[] = {
      {"e4m3 x e4m3", E4M3, E4M3, FP8RT_F32, 0, FP8RT_SCALE_TENSOR, 0x1p-12},
      {"e4m3 x e4m3, fast", E4M3, E4M3, FP8RT_F32, 1, FP8RT_SCALE_TENSOR,
       0x1p-9},
      {"e5m2 x e4m3", E5M2, E4M3, FP8RT_F32, 0, FP8RT_SCALE_TENSOR, 0x1p-12},
      {"e4m3 x e4m3 -> bf16", E4M3, E4M3, FP8RT_BF16, 0, FP8RT_SCALE_TENSOR,
       0x1p-12},
      {"e4m3 x e4m3, outer", E4M3, E4M3, FP8RT_F32, 0, FP8RT_SCALE_OUTER,
       0x1p-12},
      {"e4m3 x e4m3, outer, fast", E4M3, E4M3, FP8RT_F32, 1, FP8RT_SCALE_OUTER,
       0x1p-9},
      {"bf16 x bf16", FP8RT_BF16, FP8RT_BF16, FP8RT_F32, 0, 0, 0x1p-18},
      {"f16 x f16 -> f16", FP8RT_F16, FP8RT_F16, FP8RT_F16, 0, 0, 0x1p-18},
      {"f32 x f32", FP8RT_F32, FP8RT_F32, FP8RT_F32, 0, 0, 0x1p-18},
      {"f64 x f64", FP8RT_F64, FP8RT_F64, FP8RT_F64, 0, 0, 0x1p-48}};
  const int64_t k = isFake() ? 256 : 4096;
  for (const Mode &mode : modes) {
    Matmul m(mode.typeA, mode.typeB, mode.typeD, {48, 64, k, 1, false, true});
    m.randomize(7);
    if (mode.scaleMode)
      m.withRandomDescales(mode.scaleMode, mode.scaleMode, 8);
    m.desc.fast_accum = mode.fast;
    DeviceMatmul(context, m).run();
    const double c = measure(m, rounding[mode.typeD]);
    printf("           %-26s K %lld: c = %.3g (2^%.1f)\n", mode.name,
           static_cast<long long>(k), c, std::log2(c));
    EXPECT_LE(c, mode.bound) << mode.name;
  }
}

// C30: partial sums are promoted; without that 1% is lost.
TEST_F(CudaNumericsTest, C30ExactAccumulation) {
  Matmul m(E4M3, E4M3, FP8RT_F32, {16, 16, 8192, 1, false, true});
  for (int64_t k = 0; k < 8192; ++k)
    for (int64_t i = 0; i < 16; ++i) {
      m.a.set(m.indexA(i, k), k < 32 ? 448 : 2);
      m.b.set(m.indexB(k, i), k < 32 ? 448 : 4);
    }
  m.setDescales(FP8RT_SCALE_TENSOR, {1}, FP8RT_SCALE_TENSOR, {1});
  DeviceMatmul(context, m).run();
  for (double value : m.results())
    EXPECT_NEAR(value, 6487808, 6487808 * 5e-4);
  m.desc.fast_accum = 1;
  DeviceMatmul(context, m).run();
  printf("           fast accumulation gives %.0f\n", m.result(0, 0));
}

// C10: descales that are huge or tiny are used as they are.
TEST_F(CudaNumericsTest, C10DescalesOfEmptyTensors) {
  Matmul m(E4M3, E4M3, FP8RT_F32, {16, 16, 16, 1, false, true});
  m.fillA(0).fillB(448);
  m.setDescales(FP8RT_SCALE_TENSOR, {1 / 4.48e14f}, FP8RT_SCALE_TENSOR,
                {1 / 4.48e14f});
  DeviceMatmul(context, m).run();
  EXPECT_EQ(m.results(), std::vector<double>(256, 0));
  m.setDescales(FP8RT_SCALE_TENSOR, {NAN}, FP8RT_SCALE_TENSOR, {1});
  DeviceMatmul(context, m).run();
  EXPECT_TRUE(std::isnan(m.result(0, 0)));
}

// NaN codes in the operands reach the rows and columns that read them only.
TEST_F(CudaNumericsTest, NanStaysInItsRow) {
  Matmul m(E4M3, E4M3, FP8RT_BF16, {16, 16, 32, 1, false, true});
  m.fillA(1).fillB(1);
  m.a.set(m.indexA(3, 5), NAN);
  DeviceMatmul(context, m).run();
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t n = 0; n < 16; ++n)
      EXPECT_EQ(std::isnan(m.result(row, n)), row == 3) << row << " " << n;
}
