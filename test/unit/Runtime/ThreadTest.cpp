//===- ThreadTest.cpp - Matmuls at the same time --------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of a running matmul comes from a pool that threads share.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <thread>

using namespace fp8test;

TEST(ThreadTest, MoreThreadsThanPiecesOfThePool) {
  std::vector<std::thread> threads;
  std::vector<int> right(100);
  for (size_t i = 0; i < right.size(); ++i)
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 2; ++turn) {
        Matmul m(FP8RT_F8E4M3FN, FP8RT_F8E4M3FN, FP8RT_F32, {20, 40, 30});
        m.randomize(static_cast<unsigned>(i));
        const std::vector<unsigned char> wanted = m.expected();
        right[i] += m.run() == FP8RT_OK && m.d.bytes == wanted;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, std::vector<int>(100, 2));
}
