//===- IsaTest.cpp - The same bits on every instruction set ---------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs all other tests of this program again with FP8RT_CPU_ISA, which the
// library reads once in a process: each compares bits with the naive loop, so
// the paths agree with each other.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <stdlib.h>
#include <string>
#include <unistd.h>

using namespace fp8test;

/// The exit status of the tests that `filter` picks with a variable set.
static int runAgain(const std::string &isa, const std::string &filter) {
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
    return -1;
  const std::string command = "FP8RT_CPU_ISA=" + isa + " '" + self +
                              "' --gtest_also_run_disabled_tests "
                              "--gtest_brief=1 --gtest_filter='" +
                              filter + "' > /dev/null";
  return system(command.c_str());
}

static const char kOtherTests[] = "*-IsaTest.*:ContextTest.*:FakeGpuTest.*";

TEST(IsaTest, BestOfThisMachineUnlessTold) {
  if (getenv("FP8RT_CPU_ISA"))
    GTEST_SKIP() << "FP8RT_CPU_ISA is set";
  const std::string isa = fp8rt_cpu_isa();
  std::string best = "portable";
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    best = "avx2";
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    best = "avx512";
#endif
  EXPECT_EQ(isa, best);
}

TEST(IsaTest, PortablePathPassesAllTests) {
  EXPECT_EQ(runAgain("portable", kOtherTests), 0);
  EXPECT_EQ(runAgain("portable", "IsaTest.DISABLED_PathIsPortable"), 0);
}

TEST(IsaTest, DISABLED_PathIsPortable) {
  EXPECT_STREQ(fp8rt_cpu_isa(), "portable");
}

TEST(IsaTest, Avx2PathPassesAllTests) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "this CPU has no AVX2";
  EXPECT_EQ(runAgain("avx2", kOtherTests), 0);
  EXPECT_EQ(runAgain("avx2", "IsaTest.DISABLED_PathIsAvx2"), 0);
#else
  GTEST_SKIP() << "not an x86";
#endif
}

TEST(IsaTest, DISABLED_PathIsAvx2) { EXPECT_STREQ(fp8rt_cpu_isa(), "avx2"); }

TEST(IsaTest, UnknownNameIsAnError) {
  EXPECT_EQ(runAgain("sse9", "IsaTest.DISABLED_UnknownName"), 0);
}

TEST(IsaTest, DISABLED_UnknownName) {
  EXPECT_STREQ(fp8rt_cpu_isa(), "");
  Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_F32, {1, 1, 1});
  EXPECT_EQ(m.run(), FP8RT_INVALID_ARGUMENT);
  const std::string message = fp8rt_last_error();
  EXPECT_NE(message.find("expects portable, avx2 or avx512"), std::string::npos)
      << message;
  EXPECT_NE(message.find("but got 'sse9'"), std::string::npos) << message;
}
