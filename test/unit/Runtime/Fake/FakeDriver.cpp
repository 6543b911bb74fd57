//===- FakeDriver.cpp - A stand-in for the CUDA driver --------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is memory of the host. Kernels are known by name: those of the
// runtime, whose arithmetic is shared with it, and those of the tests. Others
// run on test/support/gpu_emulator.c, the library that FP8FAKE_EMULATOR names,
// if FP8FAKE_KERNELS names a library with their code for the CPU.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "../../../../lib/Runtime/Cuda/Driver.h"
#include "../../../../lib/Runtime/Cuda/Finish.h"

#include <atomic>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <stdlib.h>
#include <string.h>
#include <vector>

using namespace fp8rt::cuda;

namespace {
struct Function {
  std::string name;
  size_t params = 0;
  /// The test's kernel, with another operation.
  bool adds = false;
};
struct Module {
  std::map<std::string, Function> functions;
};
struct Event {
  double time = 0;
};
using Work = std::vector<std::function<void()>>;
} // namespace

static constexpr CuResult kInvalidContext = 201;
static constexpr CuResult kNotFound = 500;
static constexpr CuResult kInvalidImage = 200;
static constexpr CuResult kCaptureUnsupported = 900;

static thread_local std::vector<CuContext> stack;
static std::atomic<int> captures{0};
static std::atomic<long> allocations{0};
static std::mutex lock;
static std::map<std::string, long> calls;
static double deviceTime = 0;
static FakeStream defaultStream;
static char primaryContexts[8];

long fp8fake::setting(const char *name, long otherwise) {
  const char *value = getenv(name);
  return value && *value ? strtol(value, nullptr, 10) : otherwise;
}

void fp8fake::count(const char *function) {
  const std::lock_guard<std::mutex> guard(lock);
  ++calls[function];
}

bool fp8fake::hasContext() { return !stack.empty(); }

static FakeStream &streamOf(void *stream) {
  return stream ? *static_cast<FakeStream *>(stream) : defaultStream;
}

void fp8fake::enqueue(void *stream, double microseconds,
                      std::function<void()> work) {
  FakeStream &queue = streamOf(stream);
  if (queue.capturing) {
    queue.captured.push_back(std::move(work));
    return;
  }
  work();
  const std::lock_guard<std::mutex> guard(lock);
  deviceTime += microseconds;
}

extern "C" {
long fp8fake_calls(const char *function) {
  const std::lock_guard<std::mutex> guard(lock);
  return calls[function];
}
long fp8fake_allocations(void) { return allocations; }

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

CuResult cuInit(unsigned) { return kCuSuccess; }

CuResult cuDriverGetVersion(int *version) {
  *version = 13000;
  return kCuSuccess;
}

CuResult cuGetErrorName(CuResult result, const char **name) {
  *name = result == kCaptureUnsupported
              ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
              : "CUDA_ERROR_OF_THE_FAKE";
  return kCuSuccess;
}

CuResult cuGetErrorString(CuResult, const char **text) {
  *text = "an error of the fake";
  return kCuSuccess;
}

CuResult cuDeviceGetCount(int *count) {
  *count = static_cast<int>(fp8fake::setting("FP8FAKE_DEVICES", 1));
  return kCuSuccess;
}

CuResult cuDeviceGet(CuDevice *device, int ordinal) {
  *device = ordinal;
  return kCuSuccess;
}

CuResult cuDeviceGetName(char *name, int size, CuDevice) {
  strncpy(name, "Fake GPU 1/2", static_cast<size_t>(size));
  return kCuSuccess;
}

CuResult cuDeviceGetAttribute(int *value, int attribute, CuDevice) {
  const int arch = static_cast<int>(fp8fake::setting("FP8FAKE_ARCH", 90));
  switch (attribute) {
  case kCuDeviceCapabilityMajor:
    *value = arch / 10;
    return kCuSuccess;
  case kCuDeviceCapabilityMinor:
    *value = arch % 10;
    return kCuSuccess;
  case kCuDeviceMultiprocessorCount:
    *value = 4;
    return kCuSuccess;
  case kCuDeviceMaxSharedOptin:
    *value = 227 << 10;
    return kCuSuccess;
  default:
    return kCuErrorInvalidValue;
  }
}

CuResult cuDeviceTotalMem_v2(size_t *bytes, CuDevice) {
  *bytes = size_t(1) << 30;
  return kCuSuccess;
}

CuResult cuDevicePrimaryCtxRetain(CuContext *context, CuDevice device) {
  *context = reinterpret_cast<CuContext>(&primaryContexts[device]);
  return kCuSuccess;
}

CuResult cuDevicePrimaryCtxRelease_v2(CuDevice) { return kCuSuccess; }

CuResult cuCtxGetCurrent(CuContext *context) {
  *context = stack.empty() ? nullptr : stack.back();
  return kCuSuccess;
}

CuResult cuCtxPushCurrent_v2(CuContext context) {
  stack.push_back(context);
  return kCuSuccess;
}

CuResult cuCtxPopCurrent_v2(CuContext *context) {
  if (stack.empty())
    return kInvalidContext;
  *context = stack.back();
  stack.pop_back();
  return kCuSuccess;
}

//===----------------------------------------------------------------------===//
// Memory and streams
//===----------------------------------------------------------------------===//

CuResult cuMemAlloc_v2(CuDevicePtr *pointer, size_t bytes) {
  if (stack.empty())
    return kInvalidContext;
  if (captures)
    return kCaptureUnsupported;
  if (bytes >
      static_cast<size_t>(fp8fake::setting("FP8FAKE_MEMORY", long(1) << 30)))
    return kCuErrorOutOfMemory;
  *pointer = reinterpret_cast<CuDevicePtr>(
      aligned_alloc(256, (bytes + 255) / 256 * 256));
  ++allocations;
  return kCuSuccess;
}

CuResult cuMemFree_v2(CuDevicePtr pointer) {
  free(reinterpret_cast<void *>(pointer));
  --allocations;
  return stack.empty() ? kInvalidContext : kCuSuccess;
}

CuResult cuMemcpyAsync(CuDevicePtr to, CuDevicePtr from, size_t bytes,
                       CuStream stream) {
  if (stack.empty())
    return kInvalidContext;
  fp8fake::enqueue(stream, 1, [=] {
    memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
  });
  return kCuSuccess;
}

CuResult cuMemsetD8Async(CuDevicePtr to, unsigned char value, size_t bytes,
                         CuStream stream) {
  if (stack.empty())
    return kInvalidContext;
  fp8fake::enqueue(stream, 1,
                   [=] { memset(reinterpret_cast<void *>(to), value, bytes); });
  return kCuSuccess;
}

CuResult cuStreamCreate(CuStream *stream, unsigned) {
  *stream = reinterpret_cast<CuStream>(new FakeStream());
  return stack.empty() ? kInvalidContext : kCuSuccess;
}

CuResult cuStreamDestroy_v2(CuStream stream) {
  delete reinterpret_cast<FakeStream *>(stream);
  return kCuSuccess;
}

CuResult cuStreamSynchronize(CuStream stream) {
  return streamOf(stream).capturing ? kCaptureUnsupported : kCuSuccess;
}

CuResult cuEventCreate(CuEvent *event, unsigned) {
  *event = reinterpret_cast<CuEvent>(new Event());
  return kCuSuccess;
}

CuResult cuEventDestroy_v2(CuEvent event) {
  delete reinterpret_cast<Event *>(event);
  return kCuSuccess;
}

CuResult cuEventRecord(CuEvent event, CuStream) {
  const std::lock_guard<std::mutex> guard(lock);
  reinterpret_cast<Event *>(event)->time = deviceTime;
  return kCuSuccess;
}

CuResult cuEventSynchronize(CuEvent) { return kCuSuccess; }

CuResult cuEventElapsedTime(float *milliseconds, CuEvent start, CuEvent stop) {
  *milliseconds = static_cast<float>((reinterpret_cast<Event *>(stop)->time -
                                      reinterpret_cast<Event *>(start)->time) /
                                     1000);
  return kCuSuccess;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

CuResult cuStreamBeginCapture_v2(CuStream stream, int) {
  streamOf(stream).capturing = true;
  ++captures;
  return kCuSuccess;
}

CuResult cuStreamEndCapture(CuStream stream, void **graph) {
  FakeStream &queue = streamOf(stream);
  *graph = new Work(std::move(queue.captured));
  queue.captured.clear();
  queue.capturing = false;
  --captures;
  return kCuSuccess;
}

CuResult cuGraphInstantiateWithFlags(void **exec, void *graph, uint64_t) {
  *exec = new Work(*static_cast<Work *>(graph));
  return kCuSuccess;
}

CuResult cuGraphLaunch(void *exec, CuStream stream) {
  for (const auto &work : *static_cast<Work *>(exec))
    fp8fake::enqueue(stream, 1, work);
  return kCuSuccess;
}

CuResult cuGraphExecDestroy(void *exec) {
  delete static_cast<Work *>(exec);
  return kCuSuccess;
}

CuResult cuGraphDestroy(void *graph) {
  delete static_cast<Work *>(graph);
  return kCuSuccess;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// PTX, or the fake's idea of a cubin: "cubin" and the names of kernels without
/// parameters.
CuResult cuModuleLoadDataEx(CuModule *module, const void *image, unsigned,
                            int *, void **values) {
  if (captures)
    return kCaptureUnsupported;
  const std::string text = static_cast<const char *>(image);
  auto made = std::make_unique<Module>();
  if (text.compare(0, 5, "cubin") == 0) {
    for (size_t at = 5; at < text.size();) {
      const size_t end = std::min(text.find(' ', at + 1), text.size());
      const std::string name = text.substr(at + 1, end - at - 1);
      made->functions[name].name = name;
      at = end;
    }
  } else if (text.find(".version") == std::string::npos) {
    strcpy(static_cast<char *>(values[0]), "ptxas: not PTX");
    return kInvalidImage;
  }
  const std::string mark = ".entry ";
  for (size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + 1)) {
    const size_t open = text.find('(', at), close = text.find(')', open);
    const std::string name =
        text.substr(at + mark.size(), open - at - mark.size());
    Function &function = made->functions[name];
    function.name = name;
    function.adds = text.find("add.rn.f32 %f2") != std::string::npos;
    for (size_t p = text.find(".param", open); p < close;
         p = text.find(".param", p + 1))
      ++function.params;
  }
  *module = reinterpret_cast<CuModule>(made.release());
  return kCuSuccess;
}

CuResult cuModuleUnload(CuModule module) {
  delete reinterpret_cast<Module *>(module);
  return kCuSuccess;
}

CuResult cuModuleGetFunction(CuFunction *function, CuModule module,
                             const char *name) {
  auto &functions = reinterpret_cast<Module *>(module)->functions;
  const auto it = functions.find(name);
  if (it == functions.end())
    return kNotFound;
  *function = reinterpret_cast<CuFunction>(&it->second);
  return kCuSuccess;
}

CuResult cuFuncGetAttribute(int *value, int, CuFunction) {
  *value = 0;
  return kCuSuccess;
}

CuResult cuFuncSetAttribute(CuFunction, int, int) { return kCuSuccess; }

CuResult cuFuncGetParamInfo(CuFunction function, size_t index, size_t *offset,
                            size_t *size) {
  *offset = *size = 0;
  return index < reinterpret_cast<Function *>(function)->params
             ? kCuSuccess
             : kCuErrorInvalidValue;
}
} // extern "C"

template <class T> static T valueOf(void **params, int index) {
  T value;
  memcpy(&value, params[index], sizeof(value));
  return value;
}

template <class T> static void finish(const Finish &f) {
  for (int64_t i = 0; i < f.batch; ++i)
    for (int64_t row = 0; row < f.m; ++row)
      for (int64_t column = 0; column < f.n; ++column)
        finishElement<T>(f, i, row, column);
}

/// What a kernel does, with its parameters taken now.
static std::function<void()> workOf(const Function &function, void **params,
                                    int64_t threads) {
  const std::string &name = function.name;
  if (name == "fp8rt_finish_f32")
    return [f = valueOf<Finish>(params, 0)] { finish<float>(f); };
  if (name == "fp8rt_finish_f64")
    return [f = valueOf<Finish>(params, 0)] { finish<double>(f); };
  if (name == "fp8rt_fill")
    return [f = valueOf<Fill>(params, 0)] {
      for (int64_t i = 0; i < f.count; ++i)
        fillElement(f, i);
    };
  if (name == "fp8rt_compare")
    return [c = valueOf<Compare>(params, 0)] {
      for (int64_t i = 0; i < c.count; ++i) {
        const uint32_t difference = compareElement(c, i);
        c.counts[0] += difference & 1;
        c.counts[1] += difference >> 1;
      }
    };
  if (name == "fp8rt_check")
    return [c = valueOf<Check>(params, 0)] {
      for (int64_t i = 0; i < c.count; ++i)
        c.counts[0] += static_cast<const unsigned char *>(c.data)[i] != c.value;
    };
  // Of the tests: y[i] = x[i] * factor, for each thread below the count.
  if (name == "fp8test_multiply")
    return
        [x = valueOf<const float *>(params, 0), y = valueOf<float *>(params, 1),
         factor = valueOf<float>(params, 2),
         count = valueOf<uint32_t>(params, 3), threads, adds = function.adds] {
          for (int64_t i = 0; i < count && i < threads; ++i)
            y[i] = adds ? x[i] + factor : x[i] * factor;
        };
  return nullptr;
}

/// The emulator with the kernels loaded; null without one.
static void *loadEmulator() {
  const char *path = getenv("FP8FAKE_EMULATOR");
  const char *kernels = getenv("FP8FAKE_KERNELS");
  if (!path || !kernels)
    return nullptr;
  // The kernels find the emulator's functions there.
  void *emulator = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!emulator)
    return nullptr;
  using Load = int32_t(const char *);
  reinterpret_cast<Load *>(dlsym(emulator, "emu_load"))(kernels);
  return emulator;
}

/// A kernel on the emulator, whose parameters are words.
static std::function<void()> emulate(const Function &function, void **params,
                                     unsigned grid, unsigned block) {
  static void *const emulator = loadEmulator();
  if (!emulator)
    return [] {};
  using Run = void(const char *, int32_t, int32_t, const int64_t *, int32_t);
  auto *run = reinterpret_cast<Run *>(dlsym(emulator, "emu_run"));
  std::vector<int64_t> words;
  for (size_t i = 0; i < function.params; ++i)
    words.push_back(valueOf<int64_t>(params, static_cast<int>(i)));
  return [=, name = function.name] {
    run(name.c_str(), static_cast<int32_t>(grid), static_cast<int32_t>(block),
        words.data(), static_cast<int32_t>(words.size()));
  };
}

extern "C" CuResult cuLaunchKernel(CuFunction function, unsigned gx,
                                   unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned,
                                   CuStream stream, void **params, void **) {
  if (stack.empty())
    return kInvalidContext;
  if (!gx || !gy || !gz || !bx || !by || !bz || bx * by * bz > 1024)
    return kCuErrorInvalidValue;
  const Function &kernel = *reinterpret_cast<Function *>(function);
  fp8fake::count(kernel.name.c_str());
  std::function<void()> work =
      workOf(kernel, params, int64_t(gx) * gy * gz * bx * by * bz);
  fp8fake::enqueue(stream, 1, work ? work : emulate(kernel, params, gx, bx));
  return kCuSuccess;
}
