//===- CpuMatmul.h - The matmul of the CPU backend --------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the common part calls of the CPU backend, and the problem that it hands
// to the code of an instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_CPUMATMUL_H
#define FP8RT_CPU_CPUMATMUL_H

#include "fp8rt/fp8rt.h"

namespace fp8rt::cpu {

/// One batch of a matmul: the pointers are those of the batch.
struct Problem {
  const fp8rt_matmul_desc &desc;
  const unsigned char *a;
  const unsigned char *b;
  const unsigned char *acc;
  const unsigned char *bias;
  const float *descaleA;
  const float *descaleB;
  unsigned char *d;
};

/// The code of one instruction set. All give the same bits.
struct Path {
  const char *name;
  /// `buffers` is a Workspace's memory.
  void (*run)(const Problem &problem, void *buffers);
};

extern const Path portablePath;
#ifdef FP8RT_X86_PATHS
extern const Path avx2Path;
extern const Path avx512Path;
#endif

/// Runs a matmul that has been validated.
int32_t matmul(const fp8rt_matmul_desc &desc, const fp8rt_matmul_args &args);

} // namespace fp8rt::cpu

#endif // FP8RT_CPU_CPUMATMUL_H
