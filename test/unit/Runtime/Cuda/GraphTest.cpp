//===- GraphTest.cpp - Graphs, streams and threads ------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C40: a call can be captured, reads its descales when it runs, and shares
// nothing with another one.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <chrono>
#include <thread>

using namespace fp8test;

static const int32_t E4M3 = FP8RT_F8E4M3FN;

namespace {
class CudaGraphTest : public DeviceTest {
protected:
  /// Ones; the result is K times both descales.
  static Matmul makeOnes(int64_t m, int64_t n, int64_t k,
                         int32_t type = FP8RT_BF16) {
    Matmul matmul(E4M3, E4M3, type, {m, n, k, 1, false, true});
    matmul.fillA(1).fillB(1);
    matmul.setDescales(FP8RT_SCALE_TENSOR, {1}, FP8RT_SCALE_TENSOR, {1});
    return matmul;
  }

  void setDescale(DeviceMemory &descale, float value, fp8rt_stream *stream) {
    EXPECT_FP8(
        fp8rt_memcpy(context, descale.data(), &value, sizeof(value), stream));
    EXPECT_FP8(fp8rt_stream_synchronize(context, stream));
  }
};
} // namespace

// The first call of a plan is inside the capture: nothing was warmed up.
TEST_F(CudaGraphTest, C40ReplayReadsTheDescales) {
  fp8rt_stream *stream = makeStream();
  Matmul m = makeOnes(48, 64, 16);
  DeviceMatmul device(context, m);
  ASSERT_FP8(device.prepare());
  Graph graph(stream, [&] { EXPECT_FP8(device.enqueue(stream)); });
  const auto replay = [&](float descale) {
    setDescale(*device.descaleA, descale, stream);
    graph.launch(stream);
    EXPECT_FP8(fp8rt_stream_synchronize(context, stream));
    device.fetch();
    return m.result(47, 63);
  };
  EXPECT_EQ(replay(1), 16);
  EXPECT_EQ(replay(4), 64);
  const std::vector<unsigned char> bytes = m.d.bytes;
  for (int i = 0; i < 100; ++i) {
    replay(4);
    ASSERT_EQ(m.d.bytes, bytes) << "replay " << i;
  }
}

// Three GEMMs of a layer, one after the other, a kernel of ours among them.
TEST_F(CudaGraphTest, SeveralMatmulsInOneGraph) {
  fp8rt_stream *stream = makeStream();
  std::vector<Matmul> matmuls;
  matmuls.push_back(makeOnes(32, 48, 64));
  matmuls.push_back(makeOnes(32, 64, 48, FP8RT_F32));
  matmuls.push_back(makeOnes(48, 64, 32, FP8RT_F16));
  matmuls[1].withRandomBias(FP8RT_F32, 3);
  matmuls[2].withRandomAcc(FP8RT_F32, 4);
  std::vector<std::unique_ptr<DeviceMatmul>> devices;
  for (Matmul &m : matmuls) {
    devices.push_back(std::make_unique<DeviceMatmul>(context, m));
    ASSERT_FP8(devices.back()->prepare());
  }
  Graph graph(stream, [&] {
    for (auto &device : devices)
      EXPECT_FP8(device->enqueue(stream));
  });
  for (int i = 0; i < 3; ++i)
    graph.launch(stream);
  ASSERT_FP8(fp8rt_stream_synchronize(context, stream));
  for (size_t i = 0; i < matmuls.size(); ++i) {
    Matmul onCpu = matmuls[i];
    ASSERT_FP8(onCpu.run());
    devices[i]->fetch();
    // The random bias and accumulator are not exact.
    for (int64_t row = 0; row < onCpu.desc.m; ++row)
      for (int64_t n = 0; n < onCpu.desc.n; ++n)
        ASSERT_NEAR(matmuls[i].result(row, n), onCpu.result(row, n), 0.1);
  }
}

TEST_F(CudaGraphTest, C40TwoStreamsAtOnce) {
  const int64_t size = isFake() ? 64 : 1024;
  fp8rt_stream *streams[] = {makeStream(), makeStream()};
  Matmul first = makeOnes(size, size, 2 * size, FP8RT_F32);
  Matmul second = makeOnes(size, size, size, FP8RT_F32);
  first.withRandomAcc(FP8RT_F16, 1);
  second.withRandomAcc(FP8RT_F16, 2);
  DeviceMatmul devices[] = {{context, first}, {context, second}};
  for (DeviceMatmul &device : devices)
    ASSERT_FP8(device.prepare());
  std::vector<unsigned char> bytes[2];
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 2; ++i)
      ASSERT_FP8(devices[i].enqueue(streams[i]));
    for (int i = 0; i < 2; ++i)
      ASSERT_FP8(fp8rt_stream_synchronize(context, streams[i]));
    for (int i = 0; i < 2; ++i) {
      devices[i].fetch();
      if (round == 0)
        bytes[i] = devices[i].matmul.d.bytes;
      ASSERT_EQ(devices[i].matmul.d.bytes, bytes[i]) << round;
    }
  }
  EXPECT_NEAR(first.result(3, 5),
              2 * double(size) + first.acc.get(first.indexAcc(3, 5)), 0.5);
}

// Threads prepare the same and other plans, and call them, at once.
TEST_F(CudaGraphTest, Threads) {
  const auto work = [&](int seed) {
    // This thread has no current context of its own.
    for (int64_t i = 0; i < 6; ++i) {
      const int64_t k = 16 * (1 + (i + seed) % 4);
      Matmul m = makeOnes(16 * (1 + i % 3), 32, k);
      DeviceMatmul device(context, m);
      device.run();
      EXPECT_EQ(m.result(15, 31), static_cast<double>(k));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
}

// The thread's own current context, here none, is what it was.
TEST_F(CudaGraphTest, CurrentContextStays) {
  std::thread([&] {
    EXPECT_EQ(currentContext(), nullptr);
    Matmul m = makeOnes(16, 32, 48);
    DeviceMatmul(context, m).run();
    EXPECT_EQ(m.result(1, 1), 48);
    EXPECT_EQ(currentContext(), nullptr);
  }).join();
}

TEST_F(CudaGraphTest, ContextsSideBySide) {
  Matmul m = makeOnes(32, 32, 32);
  for (int i = 0; i < 3; ++i) {
    fp8rt_context *other = makeContext();
    DeviceMatmul device(other, m);
    device.run();
    EXPECT_EQ(m.result(31, 31), 32);
  }
}

TEST_F(CudaGraphTest, Memset) {
  DeviceMemory memory(context, 1000);
  ASSERT_FP8(fp8rt_memset(context, memory.data(), 0x1ff, 1000, nullptr));
  ASSERT_FP8(fp8rt_memset(context, memory.data() + 3, 7, 5, nullptr));
  ASSERT_FP8(fp8rt_memset(context, nullptr, 7, 0, nullptr));
  const std::vector<unsigned char> bytes = memory.read();
  for (size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(bytes[i], i >= 3 && i < 8 ? 7 : 0xff) << i;
}

// Steps with other descales each time: memory and plans stay as they are.
TEST_F(CudaGraphTest, ManySteps) {
  fp8rt_stream *stream = makeStream();
  Matmul m = makeOnes(32, 48, 64);
  DeviceMatmul device(context, m);
  ASSERT_FP8(device.prepare());
  DeviceMemory descales(context, 64 * 16);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < (isFake() ? 100 : 10000); ++i) {
    device.args.descale_a =
        reinterpret_cast<const float *>(descales.data() + 16 * (i % 64));
    ASSERT_FP8(device.enqueue(stream));
    if (i == 99) {
      const std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - start;
      printf("           %.2f us of CPU a call\n", time.count() / 100);
    }
  }
  ASSERT_FP8(fp8rt_stream_synchronize(context, stream));
}
