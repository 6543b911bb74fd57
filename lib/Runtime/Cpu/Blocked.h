//===- Blocked.h - The matmul of one instruction set ------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a matmul in blocks that fit the caches: decodes a block of A and one of
// B, adds their products to a block of sums, and finishes the sums after the
// last block of k. The sums stay in f32 (f64 for f64) between blocks of k, so
// that blocking changes no bit.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_BLOCKED_H
#define FP8RT_CPU_BLOCKED_H

#include "../Common/Types.h"
#include "CpuMatmul.h"
#include "Epilogue.h"
#include "Microkernel.h"
#include "Pack.h"
#include "Range.h"
#include "Workspace.h"

namespace fp8rt::cpu::FP8RT_ISA {

template <class T>
using PackFunction = void (*)(const View &, int64_t, int64_t, T *, int64_t);

/// Operands of f64 have sums of f64, all others of f32.
template <class T> PackFunction<T> findPack(int32_t type) {
  if constexpr (sizeof(T) == sizeof(double))
    return pack<FP8RT_F64, double>;
  switch (type) {
  case FP8RT_F32:
    return pack<FP8RT_F32, T>;
  case FP8RT_F16:
    return pack<FP8RT_F16, T>;
  case FP8RT_BF16:
    return pack<FP8RT_BF16, T>;
  case FP8RT_F8E4M3FN:
    return pack<FP8RT_F8E4M3FN, T>;
  case FP8RT_F8E5M2:
    return pack<FP8RT_F8E5M2, T>;
  case FP8RT_F8E4M3FNUZ:
    return pack<FP8RT_F8E4M3FNUZ, T>;
  case FP8RT_F8E5M2FNUZ:
    return pack<FP8RT_F8E5M2FNUZ, T>;
  default:
    return nullptr;
  }
}

/// One matmul with sums in `T`. The buffers are the caller's.
template <class Isa, class T> class BlockedMatmul {
  static constexpr int64_t panel = Isa::vectors * Simd<Isa, T>::lanes;
  static constexpr int64_t blockM = 384;
  static constexpr int64_t blockN = 1024 / sizeof(T);
  static constexpr int64_t blockK = 256;
  // Not a power of two, so that the rows spread over the sets of the cache.
  static constexpr int64_t ldA = blockK + 64 / sizeof(T);
  static_assert(blockM % Isa::rows == 0 && blockN % panel == 0,
                "a block holds whole tiles");
  static_assert((blockM * ldA + blockK * blockN + blockM * blockN) *
                        sizeof(T) <=
                    kWorkspaceBytes,
                "the blocks fit the workspace");
  static constexpr bool canFuse = Isa::hasFma && sizeof(T) == sizeof(float);

public:
  BlockedMatmul(const Problem &problem, void *buffers)
      : desc(problem.desc), epilogue(problem),
        a{problem.a, desc.ld_a, desc.trans_a != 0},
        b{problem.b, desc.ld_b, desc.trans_b != 0},
        packA(findPack<T>(desc.type_a)), packB(findPack<T>(desc.type_b)),
        sizeA(sizeOf(desc.type_a)), sizeB(sizeOf(desc.type_b)),
        blockA(static_cast<T *>(buffers)), blockB(blockA + blockM * ldA),
        sums(blockB + blockK * blockN) {}

  void run() {
    for (int64_t j = 0; j < desc.n; j += blockN) {
      columns = lesser(blockN, desc.n - j);
      epilogue.startColumns(j, columns);
      for (int64_t i = 0; i < desc.m; i += blockM) {
        rows = lesser(blockM, desc.m - i);
        runBlock(i, j);
      }
    }
  }

private:
  /// One block of the result, from the first product to the last rounding.
  void runBlock(int64_t i, int64_t j) {
    memset(sums, 0, rows * blockN * sizeof(T));
    for (int64_t k = 0; k < desc.k; k += blockK) {
      depth = lesser(blockK, desc.k - k);
      packA(a.at(i, k, sizeA), rows, depth, blockA, ldA);
      // With a single block of k, B stays from one block of rows to the next.
      if (i == 0 || desc.k > blockK)
        decodeB(k, j);
      if (canFuse && productsAreExact())
        multiply<canFuse>();
      else
        multiply<false>();
    }
    for (int64_t row = 0; row < rows; ++row)
      epilogue.finishRow(i + row, sums + row * blockN);
  }

  /// Decodes a block of B into panels, the last of them filled up with zeros.
  void decodeB(int64_t k, int64_t j) {
    for (int64_t first = 0; first < columns; first += panel) {
      T *target = blockB + first * blockK;
      const int64_t width = lesser(panel, columns - first);
      if (width < panel)
        memset(target, 0, depth * panel * sizeof(T));
      packB(b.at(k, j + first, sizeB), depth, width, target, panel);
    }
    if (canFuse && desc.type_b == FP8RT_BF16)
      rangeOfB = findRangeOfB();
  }

  /// Whether every product of the two blocks is an f32, so that adding it with
  /// one rounding is adding it with two. Products of FP8 and of f16 always are.
  bool productsAreExact() const {
    if (desc.type_a == FP8RT_F32 || desc.type_a == FP8RT_F64)
      return false;
    if (desc.type_a != FP8RT_BF16)
      return true;
    Range rangeOfA;
    for (int64_t row = 0; row < rows; ++row)
      rangeOfA.include(blockA + row * ldA, depth);
    return bf16ProductsAreExact(rangeOfA, rangeOfB);
  }

  Range findRangeOfB() const {
    Range range;
    for (int64_t first = 0; first < columns; first += panel)
      range.include(blockB + first * blockK, depth * panel);
    return range;
  }

  /// Adds the product of the blocks of A and B to the block of sums.
  template <bool Fused> void multiply() {
    static constexpr Microkernels<Isa, T, Fused> kernels;
    for (int64_t j = 0; j < columns; j += panel) {
      const int64_t width = lesser(panel, columns - j);
      const int64_t lanes = Simd<Isa, T>::lanes;
      const int64_t vectors = (width + lanes - 1) / lanes;
      for (int64_t i = 0; i < rows; i += Isa::rows) {
        const int64_t height = lesser(Isa::rows, rows - i);
        kernels.at[height - 1][vectors - 1](
            {blockA + i * ldA, ldA, blockB + j * blockK, sums + i * blockN + j,
             blockN, depth});
      }
    }
  }

  const fp8rt_matmul_desc &desc;
  Epilogue<T, blockN> epilogue;
  const View a;
  const View b;
  const PackFunction<T> packA;
  const PackFunction<T> packB;
  const int64_t sizeA;
  const int64_t sizeB;
  T *const blockA;
  T *const blockB;
  T *const sums;
  /// The sizes of the current block.
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  Range rangeOfB;
};

template <class Isa> void runMatmul(const Problem &problem, void *buffers) {
  if (problem.desc.type_a == FP8RT_F64)
    BlockedMatmul<Isa, double>(problem, buffers).run();
  else
    BlockedMatmul<Isa, float>(problem, buffers).run();
}

} // namespace fp8rt::cpu::FP8RT_ISA

#endif // FP8RT_CPU_BLOCKED_H
