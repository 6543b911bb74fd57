//===- Driver.h - The CUDA driver, loaded at run time -----------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few declarations of the CUDA driver that the runtime uses, our own, so
// that it builds where there is no CUDA; names are those of cuda.h without the
// prefix. A test compares them with cuda.h where there is one. The library is
// loaded when a context is made.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CUDA_DRIVER_H
#define FP8RT_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>
#include <string>

namespace fp8rt::cuda {

using CuResult = int;
using CuDevice = int;
using CuDevicePtr = unsigned long long;
using CuContext = struct CuContextObject *;
using CuStream = struct CuStreamObject *;
using CuEvent = struct CuEventObject *;
using CuModule = struct CuModuleObject *;
using CuFunction = struct CuFunctionObject *;

constexpr CuResult kCuSuccess = 0;
constexpr CuResult kCuErrorInvalidValue = 1;
constexpr CuResult kCuErrorOutOfMemory = 2;

constexpr int kCuDeviceMultiprocessorCount = 16;
constexpr int kCuDeviceCapabilityMajor = 75;
constexpr int kCuDeviceCapabilityMinor = 76;
constexpr int kCuDeviceMaxSharedOptin = 97;
constexpr int kCuFuncSharedBytes = 1;
constexpr int kCuFuncMaxDynamicShared = 8;
constexpr int kCuJitErrorLogBuffer = 5;
constexpr int kCuJitErrorLogBufferSize = 6;
constexpr unsigned kCuStreamNonBlocking = 1;
constexpr unsigned kCuEventDefault = 0;

/// Name in this table, name of the symbol, parameters.
#define FP8RT_CUDA_DRIVER_FUNCTIONS(F)                                         \
  F(init, "cuInit", (unsigned))                                                \
  F(driverGetVersion, "cuDriverGetVersion", (int *))                           \
  F(getErrorName, "cuGetErrorName", (CuResult, const char **))                 \
  F(getErrorString, "cuGetErrorString", (CuResult, const char **))             \
  F(deviceGetCount, "cuDeviceGetCount", (int *))                               \
  F(deviceGet, "cuDeviceGet", (CuDevice *, int))                               \
  F(deviceGetName, "cuDeviceGetName", (char *, int, CuDevice))                 \
  F(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CuDevice))        \
  F(deviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, CuDevice))               \
  F(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (CuContext *, CuDevice))     \
  F(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CuDevice))             \
  F(ctxGetCurrent, "cuCtxGetCurrent", (CuContext *))                           \
  F(ctxPushCurrent, "cuCtxPushCurrent_v2", (CuContext))                        \
  F(ctxPopCurrent, "cuCtxPopCurrent_v2", (CuContext *))                        \
  F(memAlloc, "cuMemAlloc_v2", (CuDevicePtr *, size_t))                        \
  F(memFree, "cuMemFree_v2", (CuDevicePtr))                                    \
  F(memcpyAsync, "cuMemcpyAsync",                                              \
    (CuDevicePtr, CuDevicePtr, size_t, CuStream))                              \
  F(memsetD8Async, "cuMemsetD8Async",                                          \
    (CuDevicePtr, unsigned char, size_t, CuStream))                            \
  F(streamCreate, "cuStreamCreate", (CuStream *, unsigned))                    \
  F(streamDestroy, "cuStreamDestroy_v2", (CuStream))                           \
  F(streamSynchronize, "cuStreamSynchronize", (CuStream))                      \
  F(eventCreate, "cuEventCreate", (CuEvent *, unsigned))                       \
  F(eventDestroy, "cuEventDestroy_v2", (CuEvent))                              \
  F(eventRecord, "cuEventRecord", (CuEvent, CuStream))                         \
  F(eventSynchronize, "cuEventSynchronize", (CuEvent))                         \
  F(eventElapsedTime, "cuEventElapsedTime", (float *, CuEvent, CuEvent))       \
  F(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    (CuModule *, const void *, unsigned, int *, void **))                      \
  F(moduleUnload, "cuModuleUnload", (CuModule))                                \
  F(moduleGetFunction, "cuModuleGetFunction",                                  \
    (CuFunction *, CuModule, const char *))                                    \
  F(funcGetAttribute, "cuFuncGetAttribute", (int *, int, CuFunction))          \
  F(funcSetAttribute, "cuFuncSetAttribute", (CuFunction, int, int))            \
  F(launchKernel, "cuLaunchKernel",                                            \
    (CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, CuStream, void **, void **))

/// Functions that older drivers lack; null there.
#define FP8RT_CUDA_DRIVER_OPTIONAL_FUNCTIONS(F)                                \
  F(funcGetParamInfo, "cuFuncGetParamInfo",                                    \
    (CuFunction, size_t, size_t *, size_t *))

struct Driver {
#define FP8RT_DECLARE(name, symbol, parameters)                                \
  CuResult(*name) parameters = nullptr;
  FP8RT_CUDA_DRIVER_FUNCTIONS(FP8RT_DECLARE)
  FP8RT_CUDA_DRIVER_OPTIONAL_FUNCTIONS(FP8RT_DECLARE)
#undef FP8RT_DECLARE

  /// Loads the library that FP8RT_LIBCUDA names, or libcuda.so.1, and
  /// initializes it. A status.
  int32_t load();

  /// FP8RT_FAILED, after a message with the driver's own words, unless `result`
  /// is success. `what` was tried.
  int32_t check(CuResult result, const char *what) const;
};

/// Loads one of the libraries of `names`, a null-terminated list, or the one
/// that the environment variable `variable` names. Null, and in `reason` why,
/// when there is none. Libraries stay loaded: they do not survive dlclose.
void *loadLibrary(const char *variable, const char *const *names,
                  std::string *reason);

} // namespace fp8rt::cuda

#endif // FP8RT_CUDA_DRIVER_H
