//===- Kernels.cpp - The kernels of the runtime ---------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled for the device by utils/update-kernels.sh, into Kernels.inc, and for
// nothing else: the build takes the PTX as it is, so that it needs no compiler
// for the device. Warps read and write neighbouring columns.
//
//===----------------------------------------------------------------------===//

#include "Finish.h"

using namespace fp8rt::cuda;

#define FP8RT_KERNEL extern "C" __attribute__((nvptx_kernel)) void

static int64_t threadIndex() {
  return static_cast<int64_t>(__nvvm_read_ptx_sreg_ctaid_x()) *
             __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

static int64_t threadCount() {
  return static_cast<int64_t>(__nvvm_read_ptx_sreg_nctaid_x()) *
         __nvvm_read_ptx_sreg_ntid_x();
}

/// Threads along x take columns, blocks along y rows of all batches.
template <class T> static void finish(const Finish &f) {
  const int64_t rows = f.m * f.batch;
  for (int64_t row = __nvvm_read_ptx_sreg_ctaid_y(); row < rows;
       row += __nvvm_read_ptx_sreg_nctaid_y()) {
    const int64_t batch = row / f.m;
    for (int64_t column = threadIndex(); column < f.n; column += threadCount())
      finishElement<T>(f, batch, row - batch * f.m, column);
  }
}

FP8RT_KERNEL fp8rt_finish_f32(Finish f) { finish<float>(f); }

FP8RT_KERNEL fp8rt_finish_f64(Finish f) { finish<double>(f); }

FP8RT_KERNEL fp8rt_fill(Fill f) {
  for (int64_t i = threadIndex(); i < f.count; i += threadCount())
    fillElement(f, i);
}

FP8RT_KERNEL fp8rt_compare(Compare c) {
  for (int64_t i = threadIndex(); i < c.count; i += threadCount()) {
    const uint32_t difference = compareElement(c, i);
    if (difference & 1)
      __atomic_fetch_add(&c.counts[0], 1u, __ATOMIC_RELAXED);
    if (difference & 2)
      __atomic_fetch_add(&c.counts[1], 1u, __ATOMIC_RELAXED);
  }
}

FP8RT_KERNEL fp8rt_check(Check c) {
  for (int64_t i = threadIndex(); i < c.count; i += threadCount())
    if (static_cast<const unsigned char *>(c.data)[i] != c.value)
      __atomic_fetch_add(&c.counts[0], 1u, __ATOMIC_RELAXED);
}
