//===- Avx512.cpp - The matmul with AVX-512 -------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The path for processors with AVX-512: tiles of 6 rows by 4 vectors, which
// fill 29 of the 32 registers.
//
//===----------------------------------------------------------------------===//

#define FP8RT_ISA avx512
#include "Blocked.h"

#include <immintrin.h>

using namespace fp8rt::cpu;

namespace {
struct Avx512 {
  static constexpr int bytes = 64;
  static constexpr int rows = 6;
  static constexpr int vectors = 4;
  static constexpr bool hasFma = true;

  static __m512 fma(__m512 a, __m512 b, __m512 c) {
    return _mm512_fmadd_ps(a, b, c);
  }
};
} // namespace

const Path fp8rt::cpu::avx512Path = {"avx512", avx512::runMatmul<Avx512>};
