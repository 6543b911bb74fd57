//===- DeclarationTest.cpp - Our declarations of CUDA against NVIDIA's ----===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime is built without the headers of CUDA. Where they are, the
// compiler compares every constant and every parameter with them.
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Runtime/Cuda/BlasLt.h"

#include <cublasLt.h>
#include <cuda.h>

#include <gtest/gtest.h>
#include <type_traits>

using namespace fp8rt::cuda;

#define SAME(ours, theirs)                                                     \
  static_assert(static_cast<long long>(ours) ==                                \
                    static_cast<long long>(theirs),                            \
                #ours " is " #theirs)

SAME(kCuSuccess, CUDA_SUCCESS);
SAME(kCuErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
SAME(kCuErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME(kCuDeviceMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(kCuDeviceCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(kCuDeviceCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(kCuDeviceMaxSharedOptin,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(kCuFuncSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(kCuFuncMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(kCuJitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
SAME(kCuJitErrorLogBufferSize, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(kCuStreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME(kCuEventDefault, CU_EVENT_DEFAULT);

SAME(kLtSuccess, CUBLAS_STATUS_SUCCESS);
SAME(kLtInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
SAME(kLtArchMismatch, CUBLAS_STATUS_ARCH_MISMATCH);
SAME(kLtNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
SAME(kLtF32, CUDA_R_32F);
SAME(kLtF64, CUDA_R_64F);
SAME(kLtF16, CUDA_R_16F);
SAME(kLtBf16, CUDA_R_16BF);
SAME(kLtE4m3, CUDA_R_8F_E4M3);
SAME(kLtE5m2, CUDA_R_8F_E5M2);
SAME(kLtCompute32f, CUBLAS_COMPUTE_32F);
SAME(kLtCompute64f, CUBLAS_COMPUTE_64F);
SAME(kLtOpN, CUBLAS_OP_N);
SAME(kLtOpT, CUBLAS_OP_T);
SAME(kLtLayoutBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(kLtLayoutBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(kLtDescTransA, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(kLtDescTransB, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(kLtDescEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME(kLtDescBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME(kLtDescBiasBatchStride, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
SAME(kLtDescScalePointerA, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
SAME(kLtDescScalePointerB, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
SAME(kLtDescFastAccum, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
SAME(kLtDescBiasType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
SAME(kLtDescScaleModeA, CUBLASLT_MATMUL_DESC_A_SCALE_MODE);
SAME(kLtDescScaleModeB, CUBLASLT_MATMUL_DESC_B_SCALE_MODE);
SAME(kLtEpilogueDefault, CUBLASLT_EPILOGUE_DEFAULT);
SAME(kLtEpilogueBias, CUBLASLT_EPILOGUE_BIAS);
SAME(kLtScaleOuterVector, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
SAME(kLtPreferenceMaxWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(kLtPreferenceReductionMask, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
SAME(kLtPreferenceAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(kLtPreferenceAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME(kLtPreferenceAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME(kLtPreferenceAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
SAME(kLtReductionNone, CUBLASLT_REDUCTION_SCHEME_NONE);
SAME(kLtReductionComputeType, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
SAME(kLtAlgoId, CUBLASLT_ALGO_CONFIG_ID);
SAME(kLtAlgoReductionScheme, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);

static_assert(sizeof(LtLayout) >= sizeof(cublasLtMatrixLayoutOpaque_t) &&
                  sizeof(LtMatmulDesc) >= sizeof(cublasLtMatmulDescOpaque_t) &&
                  sizeof(LtPreference) >=
                      sizeof(cublasLtMatmulPreferenceOpaque_t),
              "there is room for the descriptors");
static_assert(sizeof(LtAlgo) == sizeof(cublasLtMatmulAlgo_t) &&
                  sizeof(LtHeuristicResult) ==
                      sizeof(cublasLtMatmulHeuristicResult_t) &&
                  offsetof(LtHeuristicResult, state) ==
                      offsetof(cublasLtMatmulHeuristicResult_t, state) &&
                  offsetof(LtHeuristicResult, workspaceSize) ==
                      offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize),
              "answers of the heuristic have the library's layout");

namespace {
/// Pointers are pointers, and numbers have their size.
template <class Ours, class Theirs>
constexpr bool isAlike =
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
    sizeof(Ours) == sizeof(Theirs) &&
    std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;

template <class Ours, class Theirs> struct Alike : std::false_type {};
template <class R, class... P, class S, class... Q>
struct Alike<R (*)(P...), S (*)(Q...)> {
  template <class... T> struct List {};
  template <class L, class M, class = void> struct All : std::false_type {};
  template <class... T, class... U>
  struct All<List<T...>, List<U...>,
             std::enable_if_t<sizeof...(T) == sizeof...(U)>>
      : std::bool_constant<(isAlike<T, U> && ...)> {};
  static constexpr bool value =
      isAlike<R, S> && All<List<P...>, List<Q...>>::value;
};
} // namespace

// The names of cuda.h are macros that add the version.
#define CHECK_DRIVER(name, theirs)                                             \
  static_assert(Alike<decltype(Driver::name), decltype(&theirs)>::value,       \
                #theirs " has other parameters")
CHECK_DRIVER(init, cuInit);
CHECK_DRIVER(driverGetVersion, cuDriverGetVersion);
CHECK_DRIVER(getErrorName, cuGetErrorName);
CHECK_DRIVER(getErrorString, cuGetErrorString);
CHECK_DRIVER(deviceGetCount, cuDeviceGetCount);
CHECK_DRIVER(deviceGet, cuDeviceGet);
CHECK_DRIVER(deviceGetName, cuDeviceGetName);
CHECK_DRIVER(deviceGetAttribute, cuDeviceGetAttribute);
CHECK_DRIVER(deviceTotalMem, cuDeviceTotalMem);
CHECK_DRIVER(primaryCtxRetain, cuDevicePrimaryCtxRetain);
CHECK_DRIVER(primaryCtxRelease, cuDevicePrimaryCtxRelease);
CHECK_DRIVER(ctxGetCurrent, cuCtxGetCurrent);
CHECK_DRIVER(ctxPushCurrent, cuCtxPushCurrent);
CHECK_DRIVER(ctxPopCurrent, cuCtxPopCurrent);
CHECK_DRIVER(memAlloc, cuMemAlloc);
CHECK_DRIVER(memFree, cuMemFree);
CHECK_DRIVER(memcpyAsync, cuMemcpyAsync);
CHECK_DRIVER(memsetD8Async, cuMemsetD8Async);
CHECK_DRIVER(streamCreate, cuStreamCreate);
CHECK_DRIVER(streamDestroy, cuStreamDestroy);
CHECK_DRIVER(streamSynchronize, cuStreamSynchronize);
CHECK_DRIVER(eventCreate, cuEventCreate);
CHECK_DRIVER(eventDestroy, cuEventDestroy);
CHECK_DRIVER(eventRecord, cuEventRecord);
CHECK_DRIVER(eventSynchronize, cuEventSynchronize);
CHECK_DRIVER(eventElapsedTime, cuEventElapsedTime);
CHECK_DRIVER(moduleLoadDataEx, cuModuleLoadDataEx);
CHECK_DRIVER(moduleUnload, cuModuleUnload);
CHECK_DRIVER(moduleGetFunction, cuModuleGetFunction);
CHECK_DRIVER(funcGetAttribute, cuFuncGetAttribute);
CHECK_DRIVER(funcSetAttribute, cuFuncSetAttribute);
CHECK_DRIVER(funcGetParamInfo, cuFuncGetParamInfo);
CHECK_DRIVER(launchKernel, cuLaunchKernel);

#define CHECK_LIBRARY(name, theirs)                                            \
  static_assert(Alike<decltype(BlasLt::name), decltype(&theirs)>::value,       \
                #theirs " has other parameters")
CHECK_LIBRARY(getVersion, cublasLtGetVersion);
CHECK_LIBRARY(getStatusName, cublasLtGetStatusName);
CHECK_LIBRARY(create, cublasLtCreate);
CHECK_LIBRARY(destroy, cublasLtDestroy);
CHECK_LIBRARY(layoutInit, cublasLtMatrixLayoutInit_internal);
CHECK_LIBRARY(layoutSet, cublasLtMatrixLayoutSetAttribute);
CHECK_LIBRARY(descInit, cublasLtMatmulDescInit_internal);
CHECK_LIBRARY(descSet, cublasLtMatmulDescSetAttribute);
CHECK_LIBRARY(preferenceInit, cublasLtMatmulPreferenceInit_internal);
CHECK_LIBRARY(preferenceSet, cublasLtMatmulPreferenceSetAttribute);
CHECK_LIBRARY(getHeuristic, cublasLtMatmulAlgoGetHeuristic);
CHECK_LIBRARY(algoCheck, cublasLtMatmulAlgoCheck);
CHECK_LIBRARY(algoConfigGet, cublasLtMatmulAlgoConfigGetAttribute);
CHECK_LIBRARY(matmul, cublasLtMatmul);

TEST(CudaDeclarationTest, AreThoseOfTheHeaders) {
  // The compiler has done the work.
  SUCCEED();
}
