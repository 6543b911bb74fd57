//===- Context.h - What a backend does --------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the C functions call of a backend. One object a context; the CPU has one
// that is always there. Arguments have had the checks that all backends share.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_CONTEXT_H
#define FP8RT_COMMON_CONTEXT_H

#include "fp8rt/tools.h"

/// All functions return a status.
struct fp8rt_context {
  virtual ~fp8rt_context() = default;

  virtual int32_t prepare(const fp8rt_matmul_desc &desc) = 0;
  virtual int32_t workspaceSize(const fp8rt_matmul_desc &desc,
                                uint64_t *bytes) = 0;
  /// Of `desc` and `args` nothing is checked but the sizes of the structs.
  virtual int32_t matmul(const fp8rt_matmul_desc &desc,
                         const fp8rt_matmul_args &args,
                         fp8rt_stream *stream) = 0;

  virtual int32_t prepare(const fp8rt_binary &binary) = 0;
  virtual int32_t launch(const fp8rt_binary &binary, uint32_t kernel,
                         const fp8rt_launch_dims &dims, void *const *args,
                         fp8rt_stream *stream) = 0;
  virtual int32_t memset(void *pointer, int32_t value, uint64_t bytes,
                         fp8rt_stream *stream) = 0;

  virtual int32_t deviceInfo(fp8rt_device_info *info) = 0;
  virtual int32_t allocate(uint64_t bytes, void **pointer) = 0;
  virtual int32_t release(void *pointer) = 0;
  virtual int32_t copy(void *to, const void *from, uint64_t bytes,
                       fp8rt_stream *stream) = 0;
  virtual int32_t createStream(fp8rt_stream **stream) = 0;
  virtual int32_t destroyStream(fp8rt_stream *stream) = 0;
  virtual int32_t synchronize(fp8rt_stream *stream) = 0;

  virtual int32_t preparedMatmuls(fp8rt_matmul_desc *descs, uint64_t capacity,
                                  uint64_t *count) = 0;
  virtual int32_t tune(const fp8rt_matmul_desc *descs, uint64_t count,
                       const fp8rt_tune_options &options,
                       fp8rt_tune_result *results) = 0;
  virtual const char *cacheMessage() const = 0;
  virtual const char *cachePath() const = 0;
};

namespace fp8rt {

/// The context that null stands for.
fp8rt_context &cpuContext();
fp8rt_context &contextOf(fp8rt_context *context);

/// A context of its own, for a caller that will destroy it.
int32_t createCpuContext(const fp8rt_context_options &options,
                         fp8rt_context **context);
int32_t createCudaContext(const fp8rt_context_options &options,
                          fp8rt_context **context);

} // namespace fp8rt

#endif // FP8RT_COMMON_CONTEXT_H
