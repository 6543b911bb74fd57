//===- TuneBuffers.h - Memory for tuning ------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of one matmul on the device, filled with random values, and results
// with guard zones around them.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CUDA_TUNEBUFFERS_H
#define FP8RT_CUDA_TUNEBUFFERS_H

#include "CudaContext.h"

namespace fp8rt::cuda {

/// What is left of two results.
struct Difference {
  /// Elements with other bits, elements too far away, and bytes written where
  /// nothing may be.
  uint32_t bits = 0;
  uint32_t values = 0;
  uint32_t guards = 0;
};

class TuneBuffers {
public:
  TuneBuffers(CudaContext &context, const Plan &plan, CuStream stream)
      : context(context), plan(plan), stream(stream) {}
  ~TuneBuffers();
  TuneBuffers(const TuneBuffers &) = delete;
  TuneBuffers &operator=(const TuneBuffers &) = delete;

  /// Allocates and fills everything; `workspaceBytes` for the library. A
  /// status.
  int32_t open(uint64_t workspaceBytes);

  /// The arguments of a call.
  const fp8rt_matmul_args &args() const { return arguments; }
  /// Puts the pattern into the result, the workspace and their guards. Of the
  /// workspace the library may have `libraryBytes`, no more than of open().
  int32_t clear(uint64_t libraryBytes);
  /// Keeps the result as the first one of all algorithms, or of this one.
  int32_t keepAsReference() { return keep(reference); }
  int32_t keepAsFirst() { return keep(first); }
  /// Compares the result with either, and looks at the guards.
  int32_t compareWithReference(Difference *d) { return compare(reference, d); }
  int32_t compareWithFirst(Difference *d) { return compare(first, d); }

private:
  int32_t allocate(uint64_t bytes, char **pointer);
  int32_t fill(void *data, int32_t type, int64_t count, uint32_t seed);
  int32_t fillDescales(int64_t count, float start, int period, char **data);
  int32_t openInputs();
  int32_t keep(char *to);
  int32_t compare(const char *with, Difference *difference);
  int32_t checkBytes(const char *data, uint64_t bytes);
  int32_t launch(CuFunction kernel, int64_t count, void *params);

  CudaContext &context;
  const Plan &plan;
  CuStream stream;
  std::vector<char *> allocations;
  fp8rt_matmul_args arguments = {};
  int64_t resultElements = 0;
  uint64_t resultBytes = 0;
  /// What the current algorithm may use, after which the guard begins.
  uint64_t workspaceBytes = 0;
  /// With their guards.
  char *result = nullptr, *workspace = nullptr;
  char *reference = nullptr, *first = nullptr;
  uint32_t *counts = nullptr;
};

} // namespace fp8rt::cuda

#endif // FP8RT_CUDA_TUNEBUFFERS_H
