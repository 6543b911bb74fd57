//===- Avx2.cpp - The matmul with AVX2 and FMA ----------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The path for processors with AVX2 and FMA: tiles of 6 rows by 2 vectors,
// which fill 15 of the 16 registers.
//
//===----------------------------------------------------------------------===//

#define FP8RT_ISA avx2
#include "Blocked.h"

#include <immintrin.h>

using namespace fp8rt::cpu;

namespace {
struct Avx2 {
  static constexpr int bytes = 32;
  static constexpr int rows = 6;
  static constexpr int vectors = 2;
  static constexpr bool hasFma = true;

  static __m256 fma(__m256 a, __m256 b, __m256 c) {
    return _mm256_fmadd_ps(a, b, c);
  }
};
} // namespace

const Path fp8rt::cpu::avx2Path = {"avx2", avx2::runMatmul<Avx2>};
