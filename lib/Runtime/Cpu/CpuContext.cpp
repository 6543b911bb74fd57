//===- CpuContext.cpp - The CPU as a context ------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the CPU answers where a device has kernels, memory, streams and plans of
// its own.
//
//===----------------------------------------------------------------------===//

#include "../Common/Context.h"
#include "../Common/Error.h"
#include "../Common/Validate.h"
#include "CpuMatmul.h"

#include <stdlib.h>
#include <string.h>

using namespace fp8rt;

static int32_t expectNoStream(const fp8rt_stream *stream) {
  if (!stream)
    return FP8RT_OK;
  return fail(FP8RT_INVALID_ARGUMENT,
              "stream: expects null, as the CPU has no streams, but got one");
}

static int32_t refuseKernels() {
  return fail(FP8RT_UNSUPPORTED,
              "binary: expects a device that runs kernels, but got the CPU");
}

namespace {
class CpuContext final : public fp8rt_context {
public:
  int32_t prepare(const fp8rt_matmul_desc &) override { return FP8RT_OK; }

  int32_t workspaceSize(const fp8rt_matmul_desc &, uint64_t *bytes) override {
    *bytes = 0;
    return FP8RT_OK;
  }

  int32_t matmul(const fp8rt_matmul_desc &desc, const fp8rt_matmul_args &args,
                 fp8rt_stream *stream) override {
    if (int32_t status = validateMatmul(desc, args))
      return status;
    if (int32_t status = expectNoStream(stream))
      return status;
    return cpu::matmul(desc, args);
  }

  int32_t prepare(const fp8rt_binary &) override { return refuseKernels(); }

  int32_t launch(const fp8rt_binary &, uint32_t, const fp8rt_launch_dims &,
                 void *const *, fp8rt_stream *) override {
    return refuseKernels();
  }

  int32_t memset(void *pointer, int32_t value, uint64_t bytes,
                 fp8rt_stream *stream) override {
    if (int32_t status = expectNoStream(stream))
      return status;
    if (bytes != 0)
      ::memset(pointer, value, bytes);
    return FP8RT_OK;
  }

  int32_t deviceInfo(fp8rt_device_info *info) override {
    const uint64_t size = info->struct_size;
    *info = {};
    info->struct_size = size;
    strcpy(info->name, "cpu");
    return FP8RT_OK;
  }

  int32_t allocate(uint64_t bytes, void **pointer) override {
    const uint64_t alignment = 256;
    const uint64_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
    if (rounded >= bytes)
      *pointer = aligned_alloc(alignment, rounded);
    if (*pointer)
      return FP8RT_OK;
    return fail(FP8RT_FAILED, "host memory: expects %llu bytes, but ran out",
                static_cast<unsigned long long>(bytes));
  }

  int32_t release(void *pointer) override {
    free(pointer);
    return FP8RT_OK;
  }

  int32_t copy(void *to, const void *from, uint64_t bytes,
               fp8rt_stream *stream) override {
    if (int32_t status = expectNoStream(stream))
      return status;
    memmove(to, from, bytes);
    return FP8RT_OK;
  }

  int32_t createStream(fp8rt_stream **) override {
    return fail(FP8RT_UNSUPPORTED,
                "stream: expects a device that has streams, but got the CPU");
  }

  int32_t destroyStream(fp8rt_stream *stream) override {
    return expectNoStream(stream);
  }

  int32_t synchronize(fp8rt_stream *stream) override {
    return expectNoStream(stream);
  }

  int32_t preparedMatmuls(fp8rt_matmul_desc *, uint64_t,
                          uint64_t *count) override {
    *count = 0;
    return FP8RT_OK;
  }

  int32_t tune(const fp8rt_matmul_desc *, uint64_t count,
               const fp8rt_tune_options &,
               fp8rt_tune_result *results) override {
    for (uint64_t i = 0; results && i < count; ++i)
      results[i] = {};
    return FP8RT_OK;
  }

  const char *cacheMessage() const override { return ""; }
  const char *cachePath() const override { return ""; }
};
} // namespace

fp8rt_context &fp8rt::cpuContext() {
  static CpuContext context;
  return context;
}

int32_t fp8rt::createCpuContext(const fp8rt_context_options &options,
                                fp8rt_context **context) {
  if (options.device != 0)
    return fail(FP8RT_INVALID_ARGUMENT,
                "options.device: expects 0, the CPU, but got %d",
                options.device);
  *context = new CpuContext();
  return FP8RT_OK;
}
