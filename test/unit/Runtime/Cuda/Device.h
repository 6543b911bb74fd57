//===- Device.h - A device to test on ---------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context of the cuda backend, memory on it, streams and graphs. Without a
// device tests skip, unless FP8_REQUIRE_GPU says that there must be one. With
// FP8_FAKE_GPU the device is the stand-in of ../Fake, which has other limits of
// time and size.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TEST_UNIT_RUNTIME_CUDA_DEVICE_H
#define FP8_TEST_UNIT_RUNTIME_CUDA_DEVICE_H

#include "../Matmul.h"

#include "fp8rt/tools.h"
#include <functional>

namespace fp8test {

/// Whether the device is the stand-in.
bool isFake();

/// Asserts that a call of fp8rt worked.
#define EXPECT_FP8(call) EXPECT_EQ(call, FP8RT_OK) << fp8rt_last_error()
#define ASSERT_FP8(call) ASSERT_EQ(call, FP8RT_OK) << fp8rt_last_error()

/// Memory of the device.
class DeviceMemory {
public:
  DeviceMemory(fp8rt_context *context, size_t bytes);
  DeviceMemory(fp8rt_context *context, const void *data, size_t bytes)
      : DeviceMemory(context, bytes) {
    write(data);
  }
  ~DeviceMemory() { fp8rt_free(context, pointer); }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  void write(const void *data);
  std::vector<unsigned char> read() const;
  char *data() const { return static_cast<char *>(pointer); }
  size_t size() const { return bytes; }

private:
  fp8rt_context *context;
  void *pointer = nullptr;
  size_t bytes;
};

/// A matmul with its operands on the device.
class DeviceMatmul {
public:
  /// Operands start `offset` bytes after an address that is aligned to 256.
  DeviceMatmul(fp8rt_context *context, Matmul &matmul, size_t offset = 0);

  /// Prepares, and gives the workspace.
  int32_t prepare();
  /// Enqueues. The result has what the matmul's has.
  int32_t enqueue(fp8rt_stream *stream = nullptr);
  /// Puts the result into the matmul's.
  void fetch();
  /// All of it. The statuses must be good.
  void run();

  fp8rt_matmul_args args = {};
  std::unique_ptr<DeviceMemory> a, b, acc, bias, descaleA, descaleB, d;
  std::unique_ptr<DeviceMemory> workspace;
  Matmul &matmul;

private:
  fp8rt_context *context;
  size_t offset;
};

/// The few functions of the driver that graphs take.
class Graph {
public:
  /// Captures what `enqueue` puts on `stream`.
  Graph(fp8rt_stream *stream, const std::function<void()> &enqueue);
  ~Graph();
  void launch(fp8rt_stream *stream);

private:
  void *graph = nullptr;
  void *exec = nullptr;
};

/// The current context of this thread, as the driver has it.
void *currentContext();

/// Makes a context, or skips.
class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Runs `matmul` on the device and compares all of the memory of the result
  /// with the CPU backend's.
  void expectExact(Matmul &matmul);
  /// A context of its own.
  fp8rt_context *makeContext(const char *planCache = "");
  fp8rt_stream *makeStream();

  fp8rt_context *context = nullptr;
  std::vector<fp8rt_context *> contexts;
  std::vector<fp8rt_stream *> streams;
  int32_t arch = 0;
};

} // namespace fp8test

#endif // FP8_TEST_UNIT_RUNTIME_CUDA_DEVICE_H
