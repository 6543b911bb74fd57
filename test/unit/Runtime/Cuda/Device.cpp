//===- Device.cpp - A device to test on -----------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts, memory, streams and graphs.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <dlfcn.h>
#include <stdlib.h>

using namespace fp8test;

static bool isSet(const char *name) {
  const char *value = getenv(name);
  return value && *value && *value != '0';
}

bool fp8test::isFake() { return isSet("FP8_FAKE_GPU"); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceMemory::DeviceMemory(fp8rt_context *context, size_t bytes)
    : context(context), bytes(bytes) {
  EXPECT_FP8(fp8rt_malloc(context, bytes, &pointer));
}

void DeviceMemory::write(const void *data) {
  EXPECT_FP8(fp8rt_memcpy(context, pointer, data, bytes, nullptr));
  EXPECT_FP8(fp8rt_stream_synchronize(context, nullptr));
}

std::vector<unsigned char> DeviceMemory::read() const {
  std::vector<unsigned char> data(bytes);
  EXPECT_FP8(fp8rt_memcpy(context, data.data(), pointer, bytes, nullptr));
  EXPECT_FP8(fp8rt_stream_synchronize(context, nullptr));
  return data;
}

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

DeviceMatmul::DeviceMatmul(fp8rt_context *context, Matmul &matmul,
                           size_t offset)
    : matmul(matmul), context(context), offset(offset) {
  const auto upload = [&](const void *data, size_t bytes) {
    std::vector<unsigned char> shifted(offset + bytes);
    if (bytes)
      memcpy(&shifted[offset], data, bytes);
    return std::make_unique<DeviceMemory>(context, shifted.data(),
                                          shifted.size());
  };
  const auto buffer = [&](const Buffer &source, const void **pointer) {
    auto memory = upload(source.bytes.data(), source.bytes.size());
    if (!source.bytes.empty())
      *pointer = memory->data() + offset +
                 static_cast<size_t>(source.offset) * sizeOf(source.type);
    return memory;
  };
  const auto floats = [&](const std::vector<float> &source,
                          const float **pointer) {
    auto memory = std::make_unique<DeviceMemory>(context, source.data(),
                                                 source.size() * sizeof(float));
    if (!source.empty())
      *pointer = reinterpret_cast<const float *>(memory->data());
    return memory;
  };
  args.struct_size = sizeof(args);
  a = buffer(matmul.a, &args.a);
  b = buffer(matmul.b, &args.b);
  acc = buffer(matmul.acc, &args.acc);
  bias = buffer(matmul.bias, &args.bias);
  descaleA = floats(matmul.descaleA, &args.descale_a);
  descaleB = floats(matmul.descaleB, &args.descale_b);
  const void *result = nullptr;
  d = buffer(matmul.d, &result);
  args.d = const_cast<void *>(result);
  if (matmul.accIsResult)
    args.acc = args.d;
}

int32_t DeviceMatmul::prepare() {
  if (int32_t status = fp8rt_matmul_prepare(context, &matmul.desc))
    return status;
  uint64_t bytes = 0;
  const int32_t status =
      fp8rt_matmul_workspace_size(context, &matmul.desc, &bytes);
  workspace = std::make_unique<DeviceMemory>(context, bytes);
  args.workspace = workspace->data();
  args.workspace_size = bytes;
  return status;
}

int32_t DeviceMatmul::enqueue(fp8rt_stream *stream) {
  return fp8rt_matmul(context, &matmul.desc, &args, stream);
}

void DeviceMatmul::fetch() {
  const std::vector<unsigned char> bytes = d->read();
  matmul.d.bytes.assign(bytes.begin() + static_cast<ptrdiff_t>(offset),
                        bytes.end());
}

void DeviceMatmul::run() {
  ASSERT_FP8(prepare());
  ASSERT_FP8(enqueue());
  fetch();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// A function of the driver that the runtime has loaded.
template <class F> static F *driver(const char *name) {
  static void *library = [] {
    const char *path = getenv("FP8RT_LIBCUDA");
    return dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);
  }();
  return reinterpret_cast<F *>(dlsym(library, name));
}

namespace {
/// Makes the primary context of the first device current for a while, which
/// calls on graphs need and the runtime does not leave behind.
class CurrentContext {
public:
  CurrentContext() {
    void *context = nullptr;
    EXPECT_EQ(
        driver<int(void **, int)>("cuDevicePrimaryCtxRetain")(&context, device),
        0);
    EXPECT_EQ(driver<int(void *)>("cuCtxPushCurrent_v2")(context), 0);
  }
  ~CurrentContext() {
    void *context = nullptr;
    driver<int(void **)>("cuCtxPopCurrent_v2")(&context);
    driver<int(int)>("cuDevicePrimaryCtxRelease_v2")(device);
  }

private:
  static constexpr int device = 0;
};
} // namespace

Graph::Graph(fp8rt_stream *stream, const std::function<void()> &enqueue) {
  const int global = 0;
  EXPECT_EQ(driver<int(void *, int)>("cuStreamBeginCapture_v2")(stream, global),
            0);
  enqueue();
  EXPECT_EQ(driver<int(void *, void **)>("cuStreamEndCapture")(stream, &graph),
            0);
  CurrentContext current;
  EXPECT_EQ(driver<int(void **, void *, uint64_t)>(
                "cuGraphInstantiateWithFlags")(&exec, graph, 0),
            0);
}

Graph::~Graph() {
  CurrentContext current;
  driver<int(void *)>("cuGraphExecDestroy")(exec);
  driver<int(void *)>("cuGraphDestroy")(graph);
}

void Graph::launch(fp8rt_stream *stream) {
  CurrentContext current;
  EXPECT_EQ(driver<int(void *, void *)>("cuGraphLaunch")(exec, stream), 0);
}

void *fp8test::currentContext() {
  void *now = nullptr;
  EXPECT_EQ(driver<int(void **)>("cuCtxGetCurrent")(&now), 0);
  return now;
}

//===----------------------------------------------------------------------===//
// Fixture
//===----------------------------------------------------------------------===//

fp8rt_context *DeviceTest::makeContext(const char *planCache) {
  const fp8rt_context_options options = {sizeof(options), "cuda", 0, 0,
                                         planCache};
  fp8rt_context *made = nullptr;
  if (fp8rt_context_create(&options, &made) == FP8RT_OK)
    contexts.push_back(made);
  return made;
}

fp8rt_stream *DeviceTest::makeStream() {
  fp8rt_stream *stream = nullptr;
  EXPECT_FP8(fp8rt_stream_create(context, &stream));
  streams.push_back(stream);
  return stream;
}

void DeviceTest::SetUp() {
  context = makeContext();
  if (!context) {
    if (isSet("FP8_REQUIRE_GPU"))
      FAIL() << "FP8_REQUIRE_GPU is set, but: " << fp8rt_last_error();
    GTEST_SKIP() << fp8rt_last_error();
  }
  fp8rt_device_info info = {};
  info.struct_size = sizeof(info);
  ASSERT_FP8(fp8rt_get_device_info(context, &info));
  arch = info.arch;
}

void DeviceTest::TearDown() {
  for (fp8rt_stream *stream : streams)
    EXPECT_FP8(fp8rt_stream_destroy(context, stream));
  for (fp8rt_context *each : contexts)
    fp8rt_context_destroy(each);
}

void DeviceTest::expectExact(Matmul &matmul) {
  Matmul onCpu = matmul;
  ASSERT_FP8(onCpu.run());
  DeviceMatmul device(context, matmul);
  device.run();
  if (HasFatalFailure() || matmul.d.bytes == onCpu.d.bytes)
    return;
  size_t byte = 0;
  while (matmul.d.bytes[byte] == onCpu.d.bytes[byte])
    ++byte;
  const auto index =
      static_cast<int64_t>(byte / sizeOf(matmul.d.type)) - matmul.d.offset;
  FAIL() << "element " << index << " is " << matmul.d.get(index)
         << " on the device and " << onCpu.d.get(index) << " on the CPU";
}
