//===- CudaContext.h - A CUDA device as a context ---------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that a context of the cuda backend owns: the loaded libraries, the
// primary context, plans, kernels and the plan cache.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CUDA_CUDACONTEXT_H
#define FP8RT_CUDA_CUDACONTEXT_H

#include "../Common/Context.h"
#include "../Common/DescKey.h"
#include "../Common/PlanCache.h"
#include "BlasLt.h"
#include "Driver.h"
#include "Finish.h"
#include "Plan.h"

#include <mutex>

namespace fp8rt::cuda {

/// A binary that is loaded: what the entry of its address points to.
struct LoadedBinary {
  struct Kernel {
    CuFunction function;
    /// Parameters; -1 where the driver cannot tell.
    int32_t params;
    /// Most bytes of dynamic shared memory.
    uint32_t maxShared;
  };

  uint64_t contentHash = 0;
  CuModule module = nullptr;
  std::vector<Kernel> kernels;
};

/// The address of a binary.
struct BinaryKey {
  const fp8rt_binary *binary;
  bool operator==(const BinaryKey &other) const {
    return binary == other.binary;
  }
};
inline uint64_t hashOf(const BinaryKey &key) {
  const auto address = reinterpret_cast<uint64_t>(key.binary);
  return hashWords(&address, 1);
}

class CudaContext final : public fp8rt_context {
public:
  ~CudaContext() override;
  int32_t open(const fp8rt_context_options &options);

  int32_t prepare(const fp8rt_matmul_desc &desc) override;
  int32_t workspaceSize(const fp8rt_matmul_desc &desc,
                        uint64_t *bytes) override;
  int32_t matmul(const fp8rt_matmul_desc &desc, const fp8rt_matmul_args &args,
                 fp8rt_stream *stream) override;
  int32_t prepare(const fp8rt_binary &binary) override;
  int32_t launch(const fp8rt_binary &binary, uint32_t kernel,
                 const fp8rt_launch_dims &dims, void *const *args,
                 fp8rt_stream *stream) override;
  int32_t memset(void *pointer, int32_t value, uint64_t bytes,
                 fp8rt_stream *stream) override;
  int32_t deviceInfo(fp8rt_device_info *info) override;
  int32_t allocate(uint64_t bytes, void **pointer) override;
  int32_t release(void *pointer) override;
  int32_t copy(void *to, const void *from, uint64_t bytes,
               fp8rt_stream *stream) override;
  int32_t createStream(fp8rt_stream **stream) override;
  int32_t destroyStream(fp8rt_stream *stream) override;
  int32_t synchronize(fp8rt_stream *stream) override;
  int32_t preparedMatmuls(fp8rt_matmul_desc *descs, uint64_t capacity,
                          uint64_t *count) override;
  int32_t tune(const fp8rt_matmul_desc *descs, uint64_t count,
               const fp8rt_tune_options &options,
               fp8rt_tune_result *results) override;
  const char *cacheMessage() const override { return cache.message(); }
  const char *cachePath() const override { return cache.path().c_str(); }

private:
  friend class Current;
  friend class Tuner;
  friend class TuneBuffers;

  int32_t openDevice(int32_t ordinal);

  /// The plan of `desc`, made if need be; `planLock` is held.
  int32_t findOrMakePlan(const fp8rt_matmul_desc &desc, Plan **plan);
  int32_t makePlan(const fp8rt_matmul_desc &desc, std::unique_ptr<Plan> *plan);
  /// The algorithm of the plan cache for `plan`, if the library accepts it.
  bool findTuned(const fp8rt_matmul_desc &desc, Plan &plan,
                 Algorithm *algorithm);
  /// Refuses what is not in the plan or does not suit it.
  int32_t refuse(const fp8rt_matmul_desc &desc, const fp8rt_matmul_args &args);
  /// The module with the kernels of Kernels.cpp, loaded when first needed.
  int32_t loadKernels();
  int32_t launchFinish(const Plan &plan, const fp8rt_matmul_args &args,
                       const void *sum, CuStream stream);
  /// Enqueues the parts of a plan, with one of its algorithms.
  int32_t run(const Plan &plan, const Algorithm &algorithm,
              const fp8rt_matmul_args &args, CuStream stream);
  int32_t tuneOne(const fp8rt_matmul_desc &desc, uint64_t index, uint64_t count,
                  const fp8rt_tune_options &options, CuStream stream,
                  std::vector<TunedPlan> *tuned, fp8rt_tune_result *result);
  int32_t loadBinary(const fp8rt_binary &binary, LoadedBinary *loaded);
  int32_t loadImage(const fp8rt_image &image, CuModule *module);

  Driver cu;
  BlasLt lt;
  CuDevice device = 0;
  CuContext primary = nullptr;
  LtHandle handle = nullptr;
  char name[128] = {};
  int32_t arch = 0;
  int32_t multiprocessors = 0;
  int32_t maxShared = 0;

  /// Held by what adds plans or changes them, and by users of the cache.
  std::mutex planLock;
  Table<DescKey, std::unique_ptr<Plan>> plans;
  PlanCache cache;

  /// Held by what loads kernels.
  std::mutex moduleLock;
  Table<BinaryKey, std::atomic<const LoadedBinary *>> binaries;
  std::vector<std::unique_ptr<LoadedBinary>> loadedBinaries;
  CuModule kernels = nullptr;
  CuFunction finish32 = nullptr, finish64 = nullptr;
  CuFunction fill = nullptr, compare = nullptr, check = nullptr;
};

/// Makes the context of `owner` current on this thread for a while, if it is
/// not.
class Current {
public:
  explicit Current(const CudaContext &owner);
  ~Current();
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

  /// A status.
  int32_t status = FP8RT_OK;

private:
  const CudaContext &owner;
  bool pushed = false;
};

} // namespace fp8rt::cuda

#endif // FP8RT_CUDA_CUDACONTEXT_H
