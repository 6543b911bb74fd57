//===- CudaContext.cpp - A CUDA device as a context -----------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opening a device, its memory and its streams.
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

#include "../Common/Error.h"

using namespace fp8rt;
using namespace fp8rt::cuda;

static CuDevicePtr address(const void *pointer) {
  return reinterpret_cast<CuDevicePtr>(pointer);
}

static CuStream asStream(fp8rt_stream *stream) {
  return reinterpret_cast<CuStream>(stream);
}

Current::Current(const CudaContext &owner) : owner(owner) {
  CuContext now = nullptr;
  status = owner.cu.check(owner.cu.ctxGetCurrent(&now), "cuCtxGetCurrent");
  if (status || now == owner.primary)
    return;
  status = owner.cu.check(owner.cu.ctxPushCurrent(owner.primary),
                          "cuCtxPushCurrent");
  pushed = status == FP8RT_OK;
}

Current::~Current() {
  CuContext popped = nullptr;
  if (pushed)
    owner.cu.ctxPopCurrent(&popped);
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

int32_t fp8rt::createCudaContext(const fp8rt_context_options &options,
                                 fp8rt_context **context) {
  auto made = std::make_unique<CudaContext>();
  if (int32_t status = made->open(options))
    return status;
  *context = made.release();
  return FP8RT_OK;
}

int32_t CudaContext::openDevice(int32_t ordinal) {
  int count = 0;
  if (int32_t status = cu.check(cu.deviceGetCount(&count), "cuDeviceGetCount"))
    return status;
  if (count == 0)
    return fail(FP8RT_FAILED, "CUDA driver: finds no device");
  if (ordinal < 0 || ordinal >= count)
    return fail(FP8RT_INVALID_ARGUMENT,
                "options.device: expects 0 to %d, but got %d", count - 1,
                ordinal);
  if (int32_t status = cu.check(cu.deviceGet(&device, ordinal), "cuDeviceGet"))
    return status;
  if (int32_t status = cu.check(
          cu.deviceGetName(name, sizeof(name) - 1, device), "cuDeviceGetName"))
    return status;
  int major = 0, minor = 0;
  const struct {
    int attribute;
    int *value;
  } facts[] = {{kCuDeviceCapabilityMajor, &major},
               {kCuDeviceCapabilityMinor, &minor},
               {kCuDeviceMultiprocessorCount, &multiprocessors},
               {kCuDeviceMaxSharedOptin, &maxShared}};
  for (const auto &fact : facts)
    if (int32_t status =
            cu.check(cu.deviceGetAttribute(fact.value, fact.attribute, device),
                     "cuDeviceGetAttribute"))
      return status;
  arch = major * 10 + minor;
  return cu.check(cu.primaryCtxRetain(&primary, device),
                  "cuDevicePrimaryCtxRetain");
}

int32_t CudaContext::open(const fp8rt_context_options &options) {
  if (int32_t status = cu.load())
    return status;
  if (int32_t status = lt.load())
    return status;
  if (int32_t status = openDevice(options.device))
    return status;
  Current current(*this);
  if (current.status)
    return current.status;
  if (int32_t status = lt.check(lt.create(&handle), "cublasLtCreate"))
    return status;
  PlanCacheIdentity identity;
  identity.device = name;
  identity.arch = arch;
  identity.multiprocessors = multiprocessors;
  identity.blasVersion = static_cast<int64_t>(lt.getVersion());
  cache.open(options.plan_cache, identity);
  return FP8RT_OK;
}

CudaContext::~CudaContext() {
  if (!primary)
    return;
  {
    Current current(*this);
    if (handle)
      lt.destroy(handle);
    if (kernels)
      cu.moduleUnload(kernels);
    for (const auto &loaded : loadedBinaries)
      cu.moduleUnload(loaded->module);
  }
  cu.primaryCtxRelease(device);
}

int32_t CudaContext::deviceInfo(fp8rt_device_info *info) {
  const uint64_t size = info->struct_size;
  *info = {};
  info->struct_size = size;
  memcpy(info->name, name, sizeof(name));
  info->arch = arch;
  info->multiprocessors = multiprocessors;
  info->blas_version = lt.getVersion();
  size_t bytes = 0;
  if (int32_t status =
          cu.check(cu.deviceTotalMem(&bytes, device), "cuDeviceTotalMem"))
    return status;
  info->memory = bytes;
  return cu.check(cu.driverGetVersion(&info->driver_version),
                  "cuDriverGetVersion");
}

//===----------------------------------------------------------------------===//
// Memory and streams
//===----------------------------------------------------------------------===//

int32_t CudaContext::allocate(uint64_t bytes, void **pointer) {
  Current current(*this);
  if (current.status)
    return current.status;
  CuDevicePtr memory = 0;
  const CuResult result = cu.memAlloc(&memory, bytes);
  if (result == kCuErrorOutOfMemory)
    return fail(FP8RT_FAILED, "device memory: expects %llu bytes, but ran out",
                static_cast<unsigned long long>(bytes));
  *pointer = reinterpret_cast<void *>(memory);
  return cu.check(result, "cuMemAlloc");
}

int32_t CudaContext::release(void *pointer) {
  Current current(*this);
  if (current.status)
    return current.status;
  return cu.check(cu.memFree(address(pointer)), "cuMemFree");
}

int32_t CudaContext::copy(void *to, const void *from, uint64_t bytes,
                          fp8rt_stream *stream) {
  Current current(*this);
  if (current.status)
    return current.status;
  return cu.check(
      cu.memcpyAsync(address(to), address(from), bytes, asStream(stream)),
      "cuMemcpyAsync");
}

int32_t CudaContext::memset(void *pointer, int32_t value, uint64_t bytes,
                            fp8rt_stream *stream) {
  if (bytes == 0)
    return FP8RT_OK;
  Current current(*this);
  if (current.status)
    return current.status;
  return cu.check(cu.memsetD8Async(address(pointer),
                                   static_cast<unsigned char>(value), bytes,
                                   asStream(stream)),
                  "cuMemsetD8Async");
}

int32_t CudaContext::createStream(fp8rt_stream **stream) {
  Current current(*this);
  if (current.status)
    return current.status;
  CuStream made = nullptr;
  if (int32_t status = cu.check(cu.streamCreate(&made, kCuStreamNonBlocking),
                                "cuStreamCreate"))
    return status;
  *stream = reinterpret_cast<fp8rt_stream *>(made);
  return FP8RT_OK;
}

int32_t CudaContext::destroyStream(fp8rt_stream *stream) {
  Current current(*this);
  if (current.status)
    return current.status;
  return cu.check(cu.streamDestroy(asStream(stream)), "cuStreamDestroy");
}

int32_t CudaContext::synchronize(fp8rt_stream *stream) {
  Current current(*this);
  if (current.status)
    return current.status;
  return cu.check(cu.streamSynchronize(asStream(stream)),
                  "cuStreamSynchronize");
}
