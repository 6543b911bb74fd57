//===- BlasLt.h - cuBLASLt, loaded at run time ------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few declarations of cuBLASLt that the runtime uses, our own, as those of
// the driver; a test compares them with cublasLt.h where there is one.
// Descriptors live in memory of ours, which the library initializes, so that
// they cost no allocation.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CUDA_BLASLT_H
#define FP8RT_CUDA_BLASLT_H

#include "Driver.h"

#include <stddef.h>
#include <stdint.h>

namespace fp8rt::cuda {

using LtStatus = int;
using LtHandle = struct LtHandleObject *;

constexpr LtStatus kLtSuccess = 0;
constexpr LtStatus kLtInvalidValue = 7;
constexpr LtStatus kLtArchMismatch = 8;
constexpr LtStatus kLtNotSupported = 15;

/// cudaDataType_t.
enum LtType : int32_t {
  kLtF32 = 0,
  kLtF64 = 1,
  kLtF16 = 2,
  kLtBf16 = 14,
  kLtE4m3 = 28,
  kLtE5m2 = 29
};

/// cublasComputeType_t.
enum LtCompute : int32_t { kLtCompute32f = 68, kLtCompute64f = 70 };

/// cublasOperation_t.
enum LtOperation : int32_t { kLtOpN = 0, kLtOpT = 1 };

/// cublasLtMatrixLayoutAttribute_t.
enum LtLayoutAttribute : int {
  kLtLayoutBatchCount = 5,
  kLtLayoutBatchStride = 6
};

/// cublasLtMatmulDescAttributes_t.
enum LtDescAttribute : int {
  kLtDescTransA = 3,
  kLtDescTransB = 4,
  kLtDescEpilogue = 7,
  kLtDescBiasPointer = 8,
  kLtDescBiasBatchStride = 10,
  kLtDescScalePointerA = 17,
  kLtDescScalePointerB = 18,
  kLtDescFastAccum = 25,
  kLtDescBiasType = 26,
  kLtDescScaleModeA = 31,
  kLtDescScaleModeB = 32
};

/// cublasLtEpilogue_t.
constexpr uint32_t kLtEpilogueDefault = 1;
constexpr uint32_t kLtEpilogueBias = 4;

/// cublasLtMatmulMatrixScale_t.
constexpr int32_t kLtScaleOuterVector = 3;

/// cublasLtMatmulPreferenceAttributes_t.
enum LtPreferenceAttribute : int {
  kLtPreferenceMaxWorkspace = 1,
  kLtPreferenceReductionMask = 3,
  kLtPreferenceAlignmentA = 5,
  kLtPreferenceAlignmentB = 6,
  kLtPreferenceAlignmentC = 7,
  kLtPreferenceAlignmentD = 8
};

/// cublasLtReductionScheme_t: partial sums in the type of the computation.
constexpr uint32_t kLtReductionNone = 0;
constexpr uint32_t kLtReductionComputeType = 2;

/// cublasLtMatmulAlgoConfigAttributes_t.
constexpr int kLtAlgoId = 0;
constexpr int kLtAlgoReductionScheme = 3;

/// Room for descriptors, more than today's library asks for (64, 256 and 64
/// bytes): the library checks the size that it is given.
struct LtLayout {
  uint64_t data[16];
};
struct LtMatmulDesc {
  uint64_t data[64];
};
struct LtPreference {
  uint64_t data[16];
};

/// cublasLtMatmulAlgo_t: plain bytes, good for this version of the library.
struct LtAlgo {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct LtHeuristicResult {
  LtAlgo algo;
  size_t workspaceSize;
  LtStatus state;
  float wavesCount;
  int reserved[4];
};

/// Name in this table, name of the symbol, result, parameters.
#define FP8RT_BLASLT_FUNCTIONS(F)                                              \
  F(getVersion, "cublasLtGetVersion", size_t, ())                              \
  F(getStatusName, "cublasLtGetStatusName", const char *, (LtStatus))          \
  F(create, "cublasLtCreate", LtStatus, (LtHandle *))                          \
  F(destroy, "cublasLtDestroy", LtStatus, (LtHandle))                          \
  F(layoutInit, "cublasLtMatrixLayoutInit_internal", LtStatus,                 \
    (LtLayout *, size_t, LtType, uint64_t, uint64_t, int64_t))                 \
  F(layoutSet, "cublasLtMatrixLayoutSetAttribute", LtStatus,                   \
    (LtLayout *, int, const void *, size_t))                                   \
  F(descInit, "cublasLtMatmulDescInit_internal", LtStatus,                     \
    (LtMatmulDesc *, size_t, LtCompute, LtType))                               \
  F(descSet, "cublasLtMatmulDescSetAttribute", LtStatus,                       \
    (LtMatmulDesc *, int, const void *, size_t))                               \
  F(preferenceInit, "cublasLtMatmulPreferenceInit_internal", LtStatus,         \
    (LtPreference *, size_t))                                                  \
  F(preferenceSet, "cublasLtMatmulPreferenceSetAttribute", LtStatus,           \
    (LtPreference *, int, const void *, size_t))                               \
  F(getHeuristic, "cublasLtMatmulAlgoGetHeuristic", LtStatus,                  \
    (LtHandle, LtMatmulDesc *, LtLayout *, LtLayout *, LtLayout *, LtLayout *, \
     LtPreference *, int, LtHeuristicResult *, int *))                         \
  F(algoCheck, "cublasLtMatmulAlgoCheck", LtStatus,                            \
    (LtHandle, LtMatmulDesc *, LtLayout *, LtLayout *, LtLayout *, LtLayout *, \
     const LtAlgo *, LtHeuristicResult *))                                     \
  F(algoConfigGet, "cublasLtMatmulAlgoConfigGetAttribute", LtStatus,           \
    (const LtAlgo *, int, void *, size_t, size_t *))                           \
  F(matmul, "cublasLtMatmul", LtStatus,                                        \
    (LtHandle, LtMatmulDesc *, const void *, const void *, LtLayout *,         \
     const void *, LtLayout *, const void *, const void *, LtLayout *, void *, \
     LtLayout *, const LtAlgo *, void *, size_t, CuStream))

struct BlasLt {
#define FP8RT_DECLARE(name, symbol, result, parameters)                        \
  result(*name) parameters = nullptr;
  FP8RT_BLASLT_FUNCTIONS(FP8RT_DECLARE)
#undef FP8RT_DECLARE

  /// Loads the library that FP8RT_CUBLASLT names, or libcublasLt.so.13, or
  /// libcublasLt.so.12. A status.
  int32_t load();

  /// FP8RT_FAILED, after a message, unless `status` is success.
  int32_t check(LtStatus status, const char *what) const;

  /// The library's name of a status; never null.
  const char *nameOf(LtStatus status) const;
};

} // namespace fp8rt::cuda

#endif // FP8RT_CUDA_BLASLT_H
