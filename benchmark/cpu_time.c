//===- cpu_time.c - CPU time of a step and of the calls inside it ---------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands between the runtime and the driver and cuBLASLt (FP8RT_LIBCUDA and
// FP8RT_CUBLASLT name it), and adds up the time that the calls which enqueue
// work take: what is left of a step is the runtime's and the compiled code's
// own. benchmark/cpu_time.py builds and loads it.
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

static double inside;
static long calls;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *find(const char *library, const char *name) {
  return dlsym(dlopen(library, RTLD_NOW | RTLD_NOLOAD), name);
}

#define FORWARD(library, name, parameters, arguments)                          \
  __attribute__((visibility("default"))) int name parameters {                 \
    static int(*real) parameters;                                              \
    if (!real)                                                                 \
      real = (int(*) parameters)find(library, #name);                          \
    const double start = now();                                                \
    const int status = real arguments;                                         \
    inside += now() - start;                                                   \
    ++calls;                                                                   \
    return status;                                                             \
  }

FORWARD("libcuda.so.1", cuLaunchKernel,
        (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
         unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
         void **extra),
        (f, gx, gy, gz, bx, by, bz, shared, stream, params, extra))
FORWARD("libcuda.so.1", cuMemsetD8Async,
        (uintptr_t pointer, unsigned char value, size_t bytes, void *stream),
        (pointer, value, bytes, stream))
FORWARD("libcublasLt.so.13", cublasLtMatmul,
        (void *handle, void *desc, const void *alpha, const void *a,
         void *a_layout, const void *b, void *b_layout, const void *beta,
         const void *c, void *c_layout, void *d, void *d_layout,
         const void *algo, void *workspace, size_t workspace_size,
         void *stream),
        (handle, desc, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d,
         d_layout, algo, workspace, workspace_size, stream))

typedef int32_t (*step_function)(const void *tensors, void *context,
                                 void *workspace, void *stream);

/// The driver's, by the names that its library exports.
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **exec, void *graph, uint64_t flags);
int cuGraphLaunch(void *exec, void *stream);

/// Captures a step as a graph: an instance of it, or null.
__attribute__((visibility("default"))) void *
fp8_capture_step(step_function step, const void *tensors, void *context,
                 void *workspace, void *stream) {
  enum { THREAD_LOCAL = 1 };
  void *graph, *exec;
  if (cuStreamBeginCapture_v2(stream, THREAD_LOCAL))
    return NULL;
  const int32_t status = step(tensors, context, workspace, stream);
  if (cuStreamEndCapture(stream, &graph) || status ||
      cuGraphInstantiateWithFlags(&exec, graph, 0))
    return NULL;
  return exec;
}

/// Seconds of `count` launches of a graph.
__attribute__((visibility("default"))) int32_t fp8_time_replays(void *exec,
                                                                void *stream,
                                                                int count,
                                                                double *total) {
  const double start = now();
  int status = 0;
  for (int i = 0; i < count && !status; ++i)
    status = cuGraphLaunch(exec, stream);
  *total = now() - start;
  return status;
}

/// Seconds of `count` steps, of the calls inside them, and how many there were.
__attribute__((visibility("default"))) int32_t fp8_time_steps(
    step_function step, const void *tensors, void *context, void *workspace,
    void *stream, int count, double *total, double *in_calls, long *num_calls) {
  inside = 0;
  calls = 0;
  const double start = now();
  int32_t status = 0;
  for (int i = 0; i < count && !status; ++i)
    status = step(tensors, context, workspace, stream);
  *total = now() - start;
  *in_calls = inside;
  *num_calls = calls;
  return status;
}
