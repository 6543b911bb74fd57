//===- tools.h - C interface of the runtime for tools -------------*- C -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled functions do not call: device memory, streams, facts about the
// device and tuning. For fp8-run, fp8-tune and tests. The rules of fp8rt.h hold
// here too; a null context is the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_TOOLS_H
#define FP8RT_TOOLS_H

#include "fp8rt/fp8rt.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// The device, its memory and its streams
//===----------------------------------------------------------------------===//

typedef struct fp8rt_device_info {
  /// sizeof(fp8rt_device_info) of the caller.
  uint64_t struct_size;
  /// As the driver spells it; "cpu" for the CPU. Ended by a zero byte.
  char name[128];
  /// 90 is sm_90; 0 for the CPU.
  int32_t arch;
  int32_t multiprocessors;
  /// Bytes.
  uint64_t memory;
  /// cuDriverGetVersion(): 13000 is 13.0.
  int32_t driver_version;
  int32_t reserved;
  /// cublasLtGetVersion(): 130100 is 13.1.0.
  uint64_t blas_version;
} fp8rt_device_info;

/// Fills in `info`.
FP8RT_API int32_t fp8rt_get_device_info(fp8rt_context *context,
                                        fp8rt_device_info *info);

/// Memory of the device, aligned to 256 bytes; null for 0 bytes.
FP8RT_API int32_t fp8rt_malloc(fp8rt_context *context, uint64_t bytes,
                               void **pointer);

/// Frees memory of fp8rt_malloc, once the device is done with it; null is fine.
FP8RT_API int32_t fp8rt_free(fp8rt_context *context, void *pointer);

/// Copies between any two of host and device memory, on `stream`.
FP8RT_API int32_t fp8rt_memcpy(fp8rt_context *context, void *to,
                               const void *from, uint64_t bytes,
                               fp8rt_stream *stream);

/// A stream that does not wait for the default one. The CPU has none.
FP8RT_API int32_t fp8rt_stream_create(fp8rt_context *context,
                                      fp8rt_stream **stream);
FP8RT_API int32_t fp8rt_stream_destroy(fp8rt_context *context,
                                       fp8rt_stream *stream);

/// Waits for all that is on `stream`. Reports what failed there, too.
FP8RT_API int32_t fp8rt_stream_synchronize(fp8rt_context *context,
                                           fp8rt_stream *stream);

//===----------------------------------------------------------------------===//
// Tuning and the plan cache
//===----------------------------------------------------------------------===//

/// What came out for one desc. Times are microseconds a call.
typedef struct fp8rt_tune_result {
  /// Of the algorithm that is taken without tuning, and of the fastest.
  double default_time;
  double best_time;
  /// Algorithms tried, and those among them that failed a check.
  int32_t tried;
  int32_t rejected;
  /// The fastest, as a number in the order they were tried; 0 is the default.
  int32_t best;
  /// Whether the plan now has another algorithm than before.
  int32_t changed;
  uint64_t workspace_size;
} fp8rt_tune_result;

/// How far it is: `step` of `steps` of desc `index` of `count`. Non-zero stops
/// the tuning, which keeps what it has found for the descs before.
typedef int32_t (*fp8rt_tune_progress)(void *user, uint64_t index,
                                       uint64_t count, int32_t step,
                                       int32_t steps);

typedef struct fp8rt_tune_options {
  /// sizeof(fp8rt_tune_options) of the caller.
  uint64_t struct_size;
  /// Timings of each algorithm; 0 takes 15.
  int32_t iterations;
  /// Most algorithms asked for with each limit of the workspace; 0 takes 32.
  int32_t algorithms;
  /// Most bytes of workspace; 0 takes 32 MiB, what compiled functions have for
  /// each matmul.
  uint64_t max_workspace;
  /// May be null, and so its `user`.
  fp8rt_tune_progress progress;
  void *user;
} fp8rt_tune_options;

/// The matmuls that `context` has plans for, in the order they were prepared:
/// sets `count` to how many there are, and copies the first `capacity` of them
/// to `descs`, which may be null for a capacity of 0. Empty matmuls have no
/// plan, and the CPU has none at all.
FP8RT_API int32_t fp8rt_prepared_matmuls(fp8rt_context *context,
                                         fp8rt_matmul_desc *descs,
                                         uint64_t capacity, uint64_t *count);

/// Says in a line what matmul `desc` is: "f8E4M3FN x f8E4M3FN -> bf16, M 16, N
/// 16, K 32, trans_b". Writes at most `capacity` bytes with the zero byte that
/// ends them, and sets `length` to the bytes of the whole line without it.
FP8RT_API int32_t fp8rt_describe_matmul(const fp8rt_matmul_desc *desc,
                                        char *text, uint64_t capacity,
                                        uint64_t *length);

/// Prepares each desc, tries every algorithm that the library's heuristic gives
/// on the real sizes, and puts the fastest into the plan and into the plan
/// cache. An algorithm is taken only if it writes nothing but the result and
/// its workspace, agrees with the first one within the rounding of its sums,
/// and gives the same bits each time. Sums of partial results in the result's
/// type are never tried. Calls that are enqueued meanwhile use the old plan or
/// the new one; a graph keeps what it captured, but its workspace must stay.
/// `options` and `results`, one for each desc, may be null. The CPU has nothing
/// to tune: every result is 0.
FP8RT_API int32_t fp8rt_tune(fp8rt_context *context,
                             const fp8rt_matmul_desc *descs, uint64_t count,
                             const fp8rt_tune_options *options,
                             fp8rt_tune_result *results);

/// Why the plan cache was not used, in whole or in part: "" where it was, or
/// where there is none. A cache that is damaged, or made for another device or
/// library, is left alone, and plans are those without tuning. Lives as long as
/// the context.
FP8RT_API const char *fp8rt_plan_cache_message(fp8rt_context *context);

/// The file of the context's plan cache; "" for none. Lives as long as the
/// context.
FP8RT_API const char *fp8rt_plan_cache_path(fp8rt_context *context);

#ifdef __cplusplus
}
#endif

#endif // FP8RT_TOOLS_H
