//===- FakeBlasLt.cpp - A stand-in for cuBLASLt ---------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A column-major matmul, one product at a time, with the limits of the real
// library on an H200. It knows the descriptors by their public attributes only.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "../../../../lib/Runtime/Cuda/BlasLt.h"
#include "../Reference.h"

#include <string.h>
#include <vector>

using namespace fp8rt::cuda;

namespace {
struct Layout {
  int32_t type;
  uint64_t rows, cols;
  int64_t ld;
  int32_t batch;
  int64_t stride;
};
struct Desc {
  int32_t compute, scaleType;
  int32_t trans[2];
  uint32_t epilogue;
  const char *bias;
  int64_t biasStride;
  const float *scale[2];
  int8_t fast;
  int32_t biasType;
  int32_t mode[2];
};
struct Preference {
  uint64_t workspace;
  uint32_t reduction;
  uint32_t alignment[4];
};
/// In an LtAlgo.
struct Algo {
  uint64_t magic, id, workspace, scheme, alignment;
};
struct Problem {
  Desc desc;
  Layout a, b, c, d;
};
} // namespace

static constexpr uint64_t kMagic = 0xfa6e;

static int32_t runtimeType(int32_t type) {
  switch (type) {
  case kLtF64:
    return FP8RT_F64;
  case kLtF16:
    return FP8RT_F16;
  case kLtBf16:
    return FP8RT_BF16;
  case kLtE4m3:
    return FP8RT_F8E4M3FN;
  case kLtE5m2:
    return FP8RT_F8E5M2;
  default:
    return FP8RT_F32;
  }
}

template <class T> static T &as(void *opaque) {
  return *static_cast<T *>(opaque);
}

template <class T>
static LtStatus setTo(T *field, const void *value, size_t size) {
  if (size != sizeof(T))
    return kLtInvalidValue;
  memcpy(field, value, size);
  return kLtSuccess;
}

static bool isNarrow(int32_t type) {
  return type == kLtE4m3 || type == kLtE5m2;
}

/// What the library supports, as probed on an H200.
static bool isSupported(const Problem &p) {
  const Desc &desc = p.desc;
  const bool narrow = isNarrow(p.a.type);
  const bool hasScales = desc.scale[0] || desc.scale[1];
  if (p.c.type != p.d.type || p.a.batch != p.b.batch || p.a.batch != p.d.batch)
    return false;
  if (narrow) {
    const bool tn = desc.trans[0] == kLtOpT && desc.trans[1] == kLtOpN;
    const bool outer = desc.mode[0] || desc.mode[1];
    if (!tn || !isNarrow(p.b.type) ||
        (p.a.type == kLtE5m2 && p.b.type == kLtE5m2) || p.a.rows % 8 ||
        p.a.ld % 16 || p.b.ld % 16 || (outer && desc.mode[0] != desc.mode[1]))
      return false;
    // As PyTorch has it; the documentation allows bf16.
    return desc.epilogue != kLtEpilogueBias ||
           (p.d.type != kLtF32 && desc.biasType == p.d.type);
  }
  if (p.a.type != p.b.type || hasScales || desc.fast)
    return false;
  if (desc.epilogue == kLtEpilogueBias &&
      (desc.biasType != p.d.type || p.d.type == kLtF64))
    return false;
  return p.d.type == p.a.type || (p.d.type == kLtF32 && p.a.type != kLtF64);
}

extern "C" {
size_t cublasLtGetVersion() {
  return static_cast<size_t>(fp8fake::setting("FP8FAKE_VERSION", 130100));
}

const char *cublasLtGetStatusName(LtStatus status) {
  return status == kLtNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                   : "CUBLAS_STATUS_OF_THE_FAKE";
}

LtStatus cublasLtCreate(LtHandle *handle) {
  *handle = reinterpret_cast<LtHandle>(new char);
  return fp8fake::hasContext() ? kLtSuccess : 1;
}

LtStatus cublasLtDestroy(LtHandle handle) {
  delete reinterpret_cast<char *>(handle);
  return kLtSuccess;
}

LtStatus cublasLtMatrixLayoutInit_internal(void *layout, size_t size,
                                           LtType type, uint64_t rows,
                                           uint64_t cols, int64_t ld) {
  if (size < 64 || ld < static_cast<int64_t>(rows))
    return kLtInvalidValue;
  as<Layout>(layout) = {type, rows, cols, ld, 1, 0};
  return kLtSuccess;
}

LtStatus cublasLtMatrixLayoutSetAttribute(void *opaque, int attribute,
                                          const void *value, size_t size) {
  auto &layout = as<Layout>(opaque);
  if (attribute == kLtLayoutBatchCount)
    return setTo(&layout.batch, value, size);
  if (attribute == kLtLayoutBatchStride)
    return setTo(&layout.stride, value, size);
  return kLtInvalidValue;
}

LtStatus cublasLtMatmulDescInit_internal(void *desc, size_t size,
                                         LtCompute compute, LtType type) {
  if (size < 256)
    return kLtInvalidValue;
  as<Desc>(desc) = {};
  as<Desc>(desc).compute = compute;
  as<Desc>(desc).scaleType = type;
  as<Desc>(desc).epilogue = kLtEpilogueDefault;
  as<Desc>(desc).biasType = -1;
  return kLtSuccess;
}

LtStatus cublasLtMatmulDescSetAttribute(void *opaque, int attribute,
                                        const void *value, size_t size) {
  auto &desc = as<Desc>(opaque);
  switch (attribute) {
  case kLtDescTransA:
    return setTo(&desc.trans[0], value, size);
  case kLtDescTransB:
    return setTo(&desc.trans[1], value, size);
  case kLtDescEpilogue:
    return setTo(&desc.epilogue, value, size);
  case kLtDescBiasPointer:
    return setTo(&desc.bias, value, size);
  case kLtDescBiasBatchStride:
    return setTo(&desc.biasStride, value, size);
  case kLtDescScalePointerA:
    return setTo(&desc.scale[0], value, size);
  case kLtDescScalePointerB:
    return setTo(&desc.scale[1], value, size);
  case kLtDescFastAccum:
    return setTo(&desc.fast, value, size);
  case kLtDescBiasType:
    return setTo(&desc.biasType, value, size);
  case kLtDescScaleModeA:
    return setTo(&desc.mode[0], value, size);
  case kLtDescScaleModeB:
    return setTo(&desc.mode[1], value, size);
  default:
    return kLtInvalidValue;
  }
}

LtStatus cublasLtMatmulPreferenceInit_internal(void *preference, size_t size) {
  if (size < 64)
    return kLtInvalidValue;
  as<Preference>(preference) = {0, 7, {256, 256, 256, 256}};
  return kLtSuccess;
}

LtStatus cublasLtMatmulPreferenceSetAttribute(void *opaque, int attribute,
                                              const void *value, size_t size) {
  auto &preference = as<Preference>(opaque);
  if (attribute == kLtPreferenceMaxWorkspace)
    return setTo(&preference.workspace, value, size);
  if (attribute == kLtPreferenceReductionMask)
    return setTo(&preference.reduction, value, size);
  const int index = attribute - kLtPreferenceAlignmentA;
  if (index < 0 || index > 3)
    return kLtInvalidValue;
  return setTo(&preference.alignment[index], value, size);
}

/// Algorithm i wants i KiB of workspace. One that sums in the type of the
/// result is thrown in, as are answers that are none.
LtStatus cublasLtMatmulAlgoGetHeuristic(LtHandle, void *desc, void *a, void *b,
                                        void *c, void *d, void *opaque,
                                        int count, LtHeuristicResult *results,
                                        int *found) {
  fp8fake::count("cublasLtMatmulAlgoGetHeuristic");
  const auto &preference = as<Preference>(opaque);
  const Problem p = {as<Desc>(desc), as<Layout>(a), as<Layout>(b),
                     as<Layout>(c), as<Layout>(d)};
  *found = 0;
  if (!isSupported(p))
    return kLtNotSupported;
  const long known = fp8fake::setting("FP8FAKE_ALGORITHMS", 4);
  for (long i = 0; i < known && *found < count; ++i) {
    LtHeuristicResult &result = results[*found];
    result = {};
    const uint64_t workspace = static_cast<uint64_t>(i) << 10;
    if (workspace > preference.workspace)
      continue;
    const Algo algo = {kMagic, static_cast<uint64_t>(i), workspace,
                       i == 2 ? uint64_t(4) : 0, preference.alignment[3]};
    memcpy(&result.algo, &algo, sizeof(algo));
    result.workspaceSize = workspace;
    ++*found;
  }
  return kLtSuccess;
}

LtStatus cublasLtMatmulAlgoCheck(LtHandle, void *desc, void *a, void *b,
                                 void *c, void *d, const void *opaque,
                                 LtHeuristicResult *result) {
  Algo algo;
  memcpy(&algo, opaque, sizeof(algo));
  const Problem p = {as<Desc>(desc), as<Layout>(a), as<Layout>(b),
                     as<Layout>(c), as<Layout>(d)};
  if (algo.magic != kMagic || algo.id > 100 || !isSupported(p) ||
      fp8fake::setting("FP8FAKE_REFUSE", 0))
    return kLtInvalidValue;
  *result = {};
  result->workspaceSize = algo.workspace;
  return kLtSuccess;
}

LtStatus cublasLtMatmulAlgoConfigGetAttribute(const void *opaque, int attribute,
                                              void *value, size_t size,
                                              size_t *written) {
  Algo algo;
  memcpy(&algo, opaque, sizeof(algo));
  if (size != 4 || algo.magic != kMagic)
    return kLtInvalidValue;
  const auto number = static_cast<uint32_t>(
      attribute == kLtAlgoReductionScheme ? algo.scheme : algo.id);
  memcpy(value, &number, size);
  *written = size;
  return kLtSuccess;
}
} // extern "C"

//===----------------------------------------------------------------------===//
// The matmul
//===----------------------------------------------------------------------===//

/// op(X) as rows of values, of one batch.
static std::vector<double> decodeOperand(const Layout &layout, bool trans,
                                         const void *data, int64_t batch) {
  const int32_t type = runtimeType(layout.type);
  const int64_t size = fp8test::sizeOf(type);
  const uint64_t rows = trans ? layout.cols : layout.rows;
  const uint64_t cols = trans ? layout.rows : layout.cols;
  std::vector<double> values(rows * cols);
  for (uint64_t r = 0; r < rows; ++r)
    for (uint64_t c = 0; c < cols; ++c) {
      const uint64_t row = trans ? c : r, col = trans ? r : c;
      const int64_t index = batch * layout.stride +
                            static_cast<int64_t>(col) * layout.ld +
                            static_cast<int64_t>(row);
      values[r * cols + c] =
          fp8test::decode(type, static_cast<const char *>(data) + index * size);
    }
  return values;
}

template <class T>
static void multiply(const Problem &p, T beta, const void *a, const void *b,
                     const void *c, void *d, int64_t batch) {
  const Desc &desc = p.desc;
  const std::vector<double> va = decodeOperand(p.a, desc.trans[0], a, batch);
  const std::vector<double> vb = decodeOperand(p.b, !desc.trans[1], b, batch);
  const uint64_t m = p.d.rows, n = p.d.cols, depth = va.size() / m;
  const int32_t type = runtimeType(p.d.type);
  const int64_t size = fp8test::sizeOf(type);
  for (uint64_t col = 0; col < n; ++col)
    for (uint64_t row = 0; row < m; ++row) {
      T sum = 0;
      for (uint64_t k = 0; k < depth; ++k)
        sum += static_cast<T>(va[row * depth + k]) *
               static_cast<T>(vb[col * depth + k]);
      // Our B is the library's A: the product is the same either way.
      float factor = 1;
      if (desc.scale[1])
        factor = desc.scale[1][desc.mode[1] ? col : 0];
      if (desc.scale[0])
        factor = factor * desc.scale[0][desc.mode[0] ? row : 0];
      sum = sum * factor;
      const auto at = [&](const Layout &layout) {
        return (batch * layout.stride + static_cast<int64_t>(col) * layout.ld +
                static_cast<int64_t>(row)) *
               size;
      };
      if (beta != 0)
        sum = sum + beta * static_cast<T>(fp8test::decode(
                               type, static_cast<const char *>(c) + at(p.c)));
      if (desc.epilogue == kLtEpilogueBias) {
        const int32_t biasType = runtimeType(desc.biasType);
        sum = sum + static_cast<T>(fp8test::decode(
                        biasType, desc.bias + (batch * desc.biasStride +
                                               static_cast<int64_t>(row)) *
                                                  fp8test::sizeOf(biasType)));
      }
      fp8test::encode(type, sum, static_cast<char *>(d) + at(p.d));
    }
}

/// With FP8FAKE_BAD, algorithm 1 writes after its result, 3 after its
/// workspace, 4 gives other bits each time, 5 is wrong and 6 fails.
static void misbehave(uint64_t id, const Problem &p, void *d, void *workspace,
                      size_t workspaceSize) {
  static int times = 0;
  auto *bytes = static_cast<unsigned char *>(d);
  const int64_t size = fp8test::sizeOf(runtimeType(p.d.type));
  const int64_t end = ((p.d.batch - 1) * p.d.stride +
                       (static_cast<int64_t>(p.d.cols) - 1) * p.d.ld +
                       static_cast<int64_t>(p.d.rows)) *
                      size;
  if (id == 1)
    bytes[end + 4000] = 1;
  if (id == 3)
    static_cast<unsigned char *>(workspace)[workspaceSize] = 1;
  if (id == 4)
    bytes[0] = static_cast<unsigned char>(bytes[0] ^ (++times & 1));
  if (id == 5)
    memset(bytes, 0x47, static_cast<size_t>(size));
}

extern "C" LtStatus cublasLtMatmul(LtHandle, void *desc, const void *,
                                   const void *a, void *la, const void *b,
                                   void *lb, const void *beta, const void *c,
                                   void *lc, void *d, void *ld,
                                   const void *opaque, void *workspace,
                                   size_t workspaceSize, CuStream stream) {
  fp8fake::count("cublasLtMatmul");
  if (as<Desc>(desc).fast)
    fp8fake::count("fast accumulation");
  const Problem p = {as<Desc>(desc), as<Layout>(la), as<Layout>(lb),
                     as<Layout>(lc), as<Layout>(ld)};
  Algo algo;
  memcpy(&algo, opaque, sizeof(algo));
  const auto misaligned = [](const void *pointer, uint64_t alignment) {
    return reinterpret_cast<uintptr_t>(pointer) % alignment != 0;
  };
  const bool narrow = isNarrow(p.a.type);
  if (!fp8fake::hasContext() || algo.magic != kMagic || !isSupported(p) ||
      workspaceSize < algo.workspace || misaligned(d, algo.alignment) ||
      (narrow &&
       (misaligned(a, 16) || misaligned(b, 16) ||
        misaligned(p.desc.scale[0], 16) || misaligned(p.desc.scale[1], 16))))
    return kLtInvalidValue;
  const bool bad = fp8fake::setting("FP8FAKE_BAD", 0);
  if (bad && algo.id == 6)
    return 13;
  double scalar = p.desc.scaleType == kLtF64
                      ? *static_cast<const double *>(beta)
                      : *static_cast<const float *>(beta);
  // Later algorithms are faster.
  const double time = 100 / (1 + static_cast<double>(algo.id));
  fp8fake::enqueue(stream, time, [=] {
    for (int64_t i = 0; i < p.d.batch; ++i) {
      if (p.desc.compute == kLtCompute64f)
        multiply<double>(p, scalar, a, b, c, d, i);
      else
        multiply<float>(p, static_cast<float>(scalar), a, b, c, d, i);
    }
    // After the result, so that a workspace on top of it would show.
    if (algo.workspace)
      memset(workspace, 0x5a, algo.workspace);
    if (bad)
      misbehave(algo.id, p, d, workspace, algo.workspace);
  });
  return kLtSuccess;
}
