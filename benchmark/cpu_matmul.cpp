//===- cpu_matmul.cpp - The CPU matmul next to OpenBLAS -------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times fp8rt_matmul, with the decoding of its operands in it, next to
// OpenBLAS' sgemm on operands that are f32 already. Both run on one thread, in
// turns in one run, so that both see the same clock; the figures are medians.
//
//===----------------------------------------------------------------------===//

#include "fp8rt/fp8rt.h"

#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <functional>
#include <random>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

namespace {
struct Case {
  const char *name;
  int32_t type;
  bool transB;
  int64_t m, n, k;
};

/// One problem for both: only the values of sgemm's operands are not the same.
struct Problem {
  explicit Problem(const Case &c);

  fp8rt_matmul_desc desc = {};
  std::vector<unsigned char> a, b, d;
  std::vector<float> wideA, wideB, wideD;
  float descaleA = 0.5f, descaleB = 0.25f;
};
} // namespace

Problem::Problem(const Case &c)
    : d(2 * c.m * c.n), wideA(c.m * c.k), wideB(c.k * c.n), wideD(c.m * c.n) {
  const bool narrow = c.type != FP8RT_BF16;
  const int64_t size = narrow ? 1 : 2;
  desc.struct_size = sizeof(desc);
  desc.type_a = desc.type_b = c.type;
  desc.type_d = FP8RT_BF16;
  desc.trans_b = c.transB;
  desc.scale_mode_a = desc.scale_mode_b =
      narrow ? FP8RT_SCALE_TENSOR : FP8RT_SCALE_NONE;
  desc.m = c.m, desc.n = c.n, desc.k = c.k, desc.batch = 1;
  desc.ld_a = c.k, desc.ld_b = c.transB ? c.k : c.n, desc.ld_d = c.n;

  std::mt19937 random(1);
  a.resize(c.m * c.k * size);
  b.resize(c.k * c.n * size);
  // Both bytes of a bf16 get the same value, which is then between 0.1 and 14
  // in magnitude; of the FP8 codes, these are the ones around 1, too.
  for (std::vector<unsigned char> *codes : {&a, &b})
    for (unsigned char &code : *codes)
      code = (random() & 0x80) | (0x3e + random() % 4);
  for (std::vector<float> *values : {&wideA, &wideB})
    for (float &value : *values)
      value = std::uniform_real_distribution<float>(-1, 1)(random);
}

static void runOurs(Problem &p) {
  fp8rt_matmul_args args = {};
  args.struct_size = sizeof(args);
  args.a = p.a.data();
  args.b = p.b.data();
  if (p.desc.scale_mode_a) {
    args.descale_a = &p.descaleA;
    args.descale_b = &p.descaleB;
  }
  args.d = p.d.data();
  if (fp8rt_matmul(nullptr, &p.desc, &args, nullptr) != FP8RT_OK) {
    fprintf(stderr, "fp8rt_matmul: %s\n", fp8rt_last_error());
    exit(1);
  }
}

static void runOpenBlas(Problem &p) {
  const fp8rt_matmul_desc &d = p.desc;
  cblas_sgemm(CblasRowMajor, CblasNoTrans,
              d.trans_b ? CblasTrans : CblasNoTrans, d.m, d.n, d.k, 1.0f,
              p.wideA.data(), d.ld_a, p.wideB.data(), d.ld_b, 0.0f,
              p.wideD.data(), d.ld_d);
}

static double secondsOf(const std::function<void()> &function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static double medianOf(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

static void measure(const Case &c) {
  Problem problem(c);
  const double flops = 2.0 * c.m * c.n * c.k;
  // About a second for both, and no fewer than five turns.
  runOpenBlas(problem);
  runOurs(problem);
  const double once = secondsOf([&] { runOurs(problem); });
  const int turns = std::max(5, static_cast<int>(0.5 / once));
  std::vector<double> ours, openBlas;
  for (int i = 0; i < turns; ++i) {
    ours.push_back(secondsOf([&] { runOurs(problem); }));
    openBlas.push_back(secondsOf([&] { runOpenBlas(problem); }));
  }
  const double our = medianOf(ours), other = medianOf(openBlas);
  printf("%-12s %-2s %5lld x %5lld x %5lld  %8.1f %8.1f  %5.2f\n", c.name,
         c.transB ? "NT" : "NN", static_cast<long long>(c.m),
         static_cast<long long>(c.n), static_cast<long long>(c.k),
         flops / our * 1e-9, flops / other * 1e-9, other / our);
}

int main() {
  openblas_set_num_threads(1);
  printf("fp8rt: %s; OpenBLAS: %s; one thread each\n", fp8rt_cpu_isa(),
         openblas_get_corename());
  printf("%-15s %21s  %8s %8s  %5s\n", "operands", "M x N x K", "GFLOP/s",
         "OpenBLAS", "ratio");
  const Case cases[] = {
      {"e4m3 -> bf16", FP8RT_F8E4M3FN, false, 512, 512, 512},
      {"e4m3 -> bf16", FP8RT_F8E4M3FN, true, 512, 512, 512},
      {"e5m2 -> bf16", FP8RT_F8E5M2, false, 512, 512, 512},
      {"bf16 -> bf16", FP8RT_BF16, false, 512, 512, 512},
      {"e4m3 -> bf16", FP8RT_F8E4M3FN, true, 2048, 2048, 1024},
      {"bf16 -> bf16", FP8RT_BF16, true, 2048, 2048, 1024},
      {"e4m3 -> bf16", FP8RT_F8E4M3FN, true, 16, 4096, 4096},
      {"bf16 -> bf16", FP8RT_BF16, true, 16, 4096, 4096},
      {"e4m3 -> bf16", FP8RT_F8E4M3FN, true, 4096, 16, 1024},
  };
  for (const Case &c : cases)
    measure(c);
  return 0;
}
