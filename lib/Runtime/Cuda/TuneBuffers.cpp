//===- TuneBuffers.cpp - Memory for tuning --------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Filled, compared and checked by kernels of ours: the results of a large
// matmul would take longer on their way to the host than all of its algorithms.
//
//===----------------------------------------------------------------------===//

#include "TuneBuffers.h"

#include "../Common/Error.h"
#include "../Common/Types.h"

#include <math.h>

using namespace fp8rt;
using namespace fp8rt::cuda;

static constexpr uint64_t kGuard = 64 << 10;
static constexpr unsigned char kPattern = 0xa5;

static int64_t extentOf(int64_t rows, int64_t columns, int64_t ld,
                        int64_t batch, int64_t stride) {
  return (batch - 1) * stride + (rows - 1) * ld + columns;
}

TuneBuffers::~TuneBuffers() {
  context.cu.streamSynchronize(stream);
  for (char *pointer : allocations)
    context.cu.memFree(reinterpret_cast<CuDevicePtr>(pointer));
}

int32_t TuneBuffers::allocate(uint64_t bytes, char **pointer) {
  void *memory = nullptr;
  if (int32_t status = context.allocate(bytes, &memory))
    return status;
  *pointer = static_cast<char *>(memory);
  allocations.push_back(*pointer);
  return FP8RT_OK;
}

int32_t TuneBuffers::launch(CuFunction kernel, int64_t count, void *params) {
  const int64_t threads = 256, most = 8192;
  const int64_t blocks = (count + threads - 1) / threads;
  void *list[] = {params};
  return context.cu.check(
      context.cu.launchKernel(
          kernel, static_cast<unsigned>(blocks < most ? blocks : most), 1, 1,
          static_cast<unsigned>(threads), 1, 1, 0, stream, list, nullptr),
      "cuLaunchKernel");
}

int32_t TuneBuffers::fill(void *data, int32_t type, int64_t count,
                          uint32_t seed) {
  Fill params = {data, count, type, seed};
  return launch(context.fill, count, &params);
}

/// A row of different values around `start`, which repeat after `period`.
int32_t TuneBuffers::fillDescales(int64_t count, float start, int period,
                                  char **data) {
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[static_cast<size_t>(i)] =
        start + 0.125f * static_cast<float>(i % period);
  const uint64_t bytes = values.size() * sizeof(float);
  if (int32_t status = allocate(bytes, data))
    return status;
  auto *queue = reinterpret_cast<fp8rt_stream *>(stream);
  if (int32_t status = context.copy(*data, values.data(), bytes, queue))
    return status;
  return context.synchronize(queue);
}

int32_t TuneBuffers::openInputs() {
  const fp8rt_matmul_desc &d = plan.desc;
  const bool ta = d.trans_a, tb = d.trans_b;
  const struct {
    int32_t type;
    int64_t count;
    const void **pointer;
  } inputs[] = {
      {d.type_a,
       extentOf(ta ? d.k : d.m, ta ? d.m : d.k, d.ld_a, d.batch, d.stride_a),
       &arguments.a},
      {d.type_b,
       extentOf(tb ? d.n : d.k, tb ? d.k : d.n, d.ld_b, d.batch, d.stride_b),
       &arguments.b},
      {d.type_acc, extentOf(d.m, d.n, d.ld_acc, d.batch, d.stride_acc),
       &arguments.acc},
      {d.type_bias, extentOf(1, d.n, 0, d.batch, d.stride_bias),
       &arguments.bias}};
  uint32_t seed = 1;
  for (const auto &input : inputs) {
    if (input.type == FP8RT_NONE)
      continue;
    char *data = nullptr;
    const auto bytes = static_cast<uint64_t>(input.count * sizeOf(input.type));
    if (int32_t status = allocate(bytes, &data))
      return status;
    if (int32_t status = fill(data, input.type, input.count, ++seed))
      return status;
    *input.pointer = data;
  }
  const auto descales = [&](int32_t mode, int64_t length, int64_t stride,
                            float start, int period, const float **pointer) {
    char *data = nullptr;
    if (mode == FP8RT_SCALE_NONE)
      return int32_t(FP8RT_OK);
    const int64_t row = mode == FP8RT_SCALE_OUTER ? length : 1;
    const int32_t status =
        fillDescales((d.batch - 1) * stride + row, start, period, &data);
    *pointer = reinterpret_cast<const float *>(data);
    return status;
  };
  if (int32_t status = descales(d.scale_mode_a, d.m, d.stride_descale_a, 0.5f,
                                7, &arguments.descale_a))
    return status;
  return descales(d.scale_mode_b, d.n, d.stride_descale_b, 0.25f, 5,
                  &arguments.descale_b);
}

int32_t TuneBuffers::open(uint64_t libraryBytes) {
  const fp8rt_matmul_desc &d = plan.desc;
  arguments.struct_size = sizeof(arguments);
  if (int32_t status = openInputs())
    return status;
  resultElements = extentOf(d.m, d.n, d.ld_d, d.batch, d.stride_d);
  resultBytes = static_cast<uint64_t>(resultElements * sizeOf(d.type_d));
  workspaceBytes = plan.sumBytes + libraryBytes;
  char *memory = nullptr;
  const struct {
    char **pointer;
    uint64_t bytes;
  } buffers[] = {{&result, resultBytes + 2 * kGuard},
                 {&workspace, workspaceBytes + 2 * kGuard},
                 {&reference, resultBytes},
                 {&first, resultBytes},
                 {&memory, 256}};
  for (const auto &buffer : buffers)
    if (int32_t status = allocate(buffer.bytes, buffer.pointer))
      return status;
  counts = reinterpret_cast<uint32_t *>(memory);
  arguments.d = result + kGuard;
  arguments.workspace = workspace + kGuard;
  arguments.workspace_size = workspaceBytes;
  return FP8RT_OK;
}

int32_t TuneBuffers::clear(uint64_t libraryBytes) {
  workspaceBytes = plan.sumBytes + libraryBytes;
  auto *queue = reinterpret_cast<fp8rt_stream *>(stream);
  if (int32_t status =
          context.memset(result, kPattern, resultBytes + 2 * kGuard, queue))
    return status;
  // What was in the workspace before may not matter: NaNs in it would show.
  if (int32_t status =
          context.memset(workspace + kGuard, 0xff, workspaceBytes, queue))
    return status;
  if (int32_t status = context.memset(workspace, kPattern, kGuard, queue))
    return status;
  return context.memset(workspace + kGuard + workspaceBytes, kPattern, kGuard,
                        queue);
}

int32_t TuneBuffers::keep(char *to) {
  return context.copy(to, arguments.d, resultBytes,
                      reinterpret_cast<fp8rt_stream *>(stream));
}

int32_t TuneBuffers::checkBytes(const char *data, uint64_t bytes) {
  Check params = {data, static_cast<int64_t>(bytes), counts + 2, kPattern, 0};
  return launch(context.check, params.count, &params);
}

/// The bound on the difference of two sums that are added up in another order:
/// rounding of the result, and a part of what K random products come to.
static Compare makeCompare(const fp8rt_matmul_desc &d) {
  const auto deviation = [](int32_t type) {
    return findType(type)->kind == TypeKind::Narrow ? 2.8 : 1.2;
  };
  const double sums = sqrt(static_cast<double>(d.k)) * deviation(d.type_a) *
                      deviation(d.type_b);
  Compare params = {};
  params.absolute =
      static_cast<float>(sums * (d.fast_accum ? 1.0 / 16 : 1.0 / 256));
  params.relative = d.type_d == FP8RT_BF16 ? 0x1p-7f : 0x1p-10f;
  params.type = d.type_d;
  return params;
}

int32_t TuneBuffers::compare(const char *with, Difference *difference) {
  auto *queue = reinterpret_cast<fp8rt_stream *>(stream);
  if (int32_t status = context.memset(counts, 0, 3 * sizeof(uint32_t), queue))
    return status;
  Compare params = makeCompare(plan.desc);
  params.x = arguments.d;
  params.y = with;
  params.count = resultElements;
  params.counts = counts;
  if (int32_t status = launch(context.compare, params.count, &params))
    return status;
  const char *const guards[] = {result, result + kGuard + resultBytes,
                                workspace, workspace + kGuard + workspaceBytes};
  for (const char *guard : guards)
    if (int32_t status = checkBytes(guard, kGuard))
      return status;
  uint32_t host[3] = {};
  if (int32_t status = context.copy(host, counts, sizeof(host), queue))
    return status;
  if (int32_t status = context.synchronize(queue))
    return status;
  *difference = {host[0], host[1], host[2]};
  return FP8RT_OK;
}
