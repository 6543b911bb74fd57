//===- Microkernel.h - Innermost loop of the matmul -------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds the products of a few rows of A and one panel of B to sums that stay in
// registers, k ascending, one product at a time: every lane is one element of
// the result, so the width of the vectors does not change the order.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_MICROKERNEL_H
#define FP8RT_CPU_MICROKERNEL_H

#include <stdint.h>
#include <string.h>

#ifdef __clang__
#define FP8RT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define FP8RT_UNROLL _Pragma("GCC unroll 16")
#endif

namespace fp8rt::cpu::FP8RT_ISA {

/// A vector of T as wide as the registers of an instruction set.
template <class Isa, class T> struct Simd {
  static constexpr int lanes = Isa::bytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(Isa::bytes)));

  static Vector load(const T *source) {
    Vector value;
    memcpy(&value, source, sizeof(value));
    return value;
  }
  static void store(T *target, Vector value) {
    memcpy(target, &value, sizeof(value));
  }
  /// Subtracting +0 is what keeps -0.
  static Vector splat(T value) { return value - Vector{}; }
};

/// Where the operands of a microkernel are. B's panel has Isa::vectors vectors
/// a row, without gaps.
template <class T> struct Tile {
  const T *a;
  int64_t ldA;
  const T *b;
  T *sums;
  int64_t ldSums;
  int64_t k;
};

/// The product of `Rows` rows by `Vectors` vectors of columns. `Fused` adds
/// with one rounding, and is only for products that are exact.
template <class Isa, class T, bool Fused, int Rows, int Vectors>
void multiplyTile(const Tile<T> &tile) {
  using S = Simd<Isa, T>;
  typename S::Vector sums[Rows][Vectors];
  FP8RT_UNROLL
  for (int i = 0; i < Rows; ++i)
    FP8RT_UNROLL
  for (int j = 0; j < Vectors; ++j)
    sums[i][j] = S::load(tile.sums + i * tile.ldSums + j * S::lanes);

  const T *a = tile.a;
  const T *b = tile.b;
  const int64_t ldA = tile.ldA;
  for (int64_t k = 0; k < tile.k; ++k, b += Isa::vectors * S::lanes) {
    typename S::Vector columns[Vectors];
    FP8RT_UNROLL
    for (int j = 0; j < Vectors; ++j)
      columns[j] = S::load(b + j * S::lanes);
    FP8RT_UNROLL
    for (int i = 0; i < Rows; ++i) {
      const typename S::Vector row = S::splat(a[i * ldA + k]);
      FP8RT_UNROLL
      for (int j = 0; j < Vectors; ++j)
        if constexpr (Fused)
          sums[i][j] = Isa::fma(row, columns[j], sums[i][j]);
        else
          sums[i][j] = sums[i][j] + row * columns[j];
    }
  }

  FP8RT_UNROLL
  for (int i = 0; i < Rows; ++i)
    FP8RT_UNROLL
  for (int j = 0; j < Vectors; ++j)
    S::store(tile.sums + i * tile.ldSums + j * S::lanes, sums[i][j]);
}

template <class T> using TileFunction = void (*)(const Tile<T> &);

/// The microkernels for 1 to Isa::rows rows by 1 to Isa::vectors vectors, so
/// that the edges of a matrix cost no more than they hold.
template <class Isa, class T, bool Fused> struct Microkernels {
  TileFunction<T> at[Isa::rows][Isa::vectors];

  constexpr Microkernels() : at() { fillRows<Isa::rows>(); }

  template <int Rows> constexpr void fillRows() {
    fillVectors<Rows, Isa::vectors>();
    if constexpr (Rows > 1)
      fillRows<Rows - 1>();
  }
  template <int Rows, int Vectors> constexpr void fillVectors() {
    at[Rows - 1][Vectors - 1] = multiplyTile<Isa, T, Fused, Rows, Vectors>;
    if constexpr (Vectors > 1)
      fillVectors<Rows, Vectors - 1>();
  }
};

} // namespace fp8rt::cpu::FP8RT_ISA

#endif // FP8RT_CPU_MICROKERNEL_H
