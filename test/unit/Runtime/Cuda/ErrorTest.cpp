//===- ErrorTest.cpp - What a device refuses ------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each refusal: its status, a message that says why, and a result that stays as
// it was.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <algorithm>

using namespace fp8test;

static const int32_t E4M3 = FP8RT_F8E4M3FN;
static const int32_t E5M2 = FP8RT_F8E5M2;

namespace {
class CudaErrorTest : public DeviceTest {
protected:
  static Matmul makeNarrow(int64_t m = 16, int64_t n = 16, int64_t k = 16,
                           int32_t type = FP8RT_BF16) {
    Matmul matmul(E4M3, E4M3, type, {m, n, k, 1, false, true});
    matmul.fillA(1).fillB(1);
    matmul.setDescales(FP8RT_SCALE_TENSOR, {1}, FP8RT_SCALE_TENSOR, {1});
    return matmul;
  }

  void expectMessage(const std::string &part) {
    EXPECT_NE(std::string(fp8rt_last_error()).find(part), std::string::npos)
        << fp8rt_last_error();
  }

  void expectUntouched(DeviceMatmul &device) {
    const std::vector<unsigned char> before = device.matmul.d.bytes;
    device.fetch();
    EXPECT_EQ(device.matmul.d.bytes, before);
  }
};
} // namespace

TEST_F(CudaErrorTest, NotPrepared) {
  Matmul m = makeNarrow();
  DeviceMatmul device(context, m);
  EXPECT_EQ(device.enqueue(), FP8RT_NOT_PREPARED);
  expectMessage("was not prepared: f8E4M3FN x f8E4M3FN -> bf16, M 16, N 16, "
                "K 16, trans_b, tensor x tensor descales");
  uint64_t bytes = 1;
  EXPECT_EQ(fp8rt_matmul_workspace_size(context, &m.desc, &bytes),
            FP8RT_NOT_PREPARED);
  EXPECT_EQ(bytes, 0u);
  expectUntouched(device);
}

// Every field counts, and so does the context.
TEST_F(CudaErrorTest, AnotherDescIsAnotherPlan) {
  Matmul m = makeNarrow();
  DeviceMatmul device(context, m);
  ASSERT_FP8(device.prepare());
  EXPECT_FP8(device.enqueue());
  m.desc.fast_accum = 1;
  EXPECT_EQ(device.enqueue(), FP8RT_NOT_PREPARED);
  m.desc.fast_accum = 0;
  m.desc.m = 8;
  EXPECT_EQ(device.enqueue(), FP8RT_NOT_PREPARED);
  m.desc.m = 16;
  fp8rt_context *other = makeContext();
  EXPECT_EQ(fp8rt_matmul(other, &m.desc, &device.args, nullptr),
            FP8RT_NOT_PREPARED);
}

TEST_F(CudaErrorTest, BadArgumentsComeFirst) {
  Matmul m = makeNarrow();
  m.desc.ld_a = 1;
  EXPECT_EQ(fp8rt_matmul_prepare(context, &m.desc), FP8RT_INVALID_ARGUMENT);
  DeviceMatmul device(context, m);
  EXPECT_EQ(device.enqueue(), FP8RT_INVALID_ARGUMENT);
  expectMessage("desc.ld_a");
}

TEST_F(CudaErrorTest, MissingPointers) {
  Matmul m = makeNarrow();
  DeviceMatmul device(context, m);
  ASSERT_FP8(device.prepare());
  device.args.descale_b = nullptr;
  EXPECT_EQ(device.enqueue(), FP8RT_INVALID_ARGUMENT);
  expectMessage("args.descale_b: expects a pointer");
  expectUntouched(device);
}

TEST_F(CudaErrorTest, UnalignedNarrowOperands) {
  for (size_t offset : {1, 2, 4, 8}) {
    Matmul m = makeNarrow();
    DeviceMatmul device(context, m, offset);
    ASSERT_FP8(device.prepare());
    EXPECT_EQ(device.enqueue(), FP8RT_INVALID_ARGUMENT);
    expectMessage("args.a: expects a pointer aligned to 16 bytes");
    expectUntouched(device);
  }
}

TEST_F(CudaErrorTest, UnalignedDescales) {
  Matmul m = makeNarrow();
  m.descaleA.assign(8, 1);
  DeviceMatmul device(context, m);
  ASSERT_FP8(device.prepare());
  ++device.args.descale_a;
  EXPECT_EQ(device.enqueue(), FP8RT_INVALID_ARGUMENT);
  expectMessage("args.descale_a: expects a pointer aligned to 16 bytes");
  expectUntouched(device);
}

// Wide operands may start at any element, but not between two.
TEST_F(CudaErrorTest, UnalignedWideOperands) {
  for (int32_t type : {FP8RT_BF16, FP8RT_F32}) {
    Matmul m(type, type, type, {24, 40, 16});
    m.fillA(2).fillB(0.5);
    DeviceMatmul device(context, m, static_cast<size_t>(sizeOf(type)));
    device.run();
    EXPECT_EQ(m.result(23, 39), 16);
    DeviceMatmul between(context, m, 1);
    ASSERT_FP8(between.prepare());
    EXPECT_EQ(between.enqueue(), FP8RT_INVALID_ARGUMENT);
    expectUntouched(between);
  }
}

TEST_F(CudaErrorTest, Workspace) {
  // An accumulator of another type is added from sums in the workspace.
  Matmul m = makeNarrow();
  m.withRandomAcc(FP8RT_F32, 1);
  DeviceMatmul device(context, m);
  ASSERT_FP8(device.prepare());
  ASSERT_GE(device.args.workspace_size, 16u * 16 * 4);
  --device.args.workspace_size;
  EXPECT_EQ(device.enqueue(), FP8RT_INVALID_ARGUMENT);
  expectMessage("args.workspace: expects ");
  ++device.args.workspace_size;
  device.args.workspace = static_cast<char *>(device.args.workspace) + 16;
  EXPECT_EQ(device.enqueue(), FP8RT_INVALID_ARGUMENT);
  expectMessage("args.workspace: expects a pointer aligned to 256 bytes");
  device.args.workspace = nullptr;
  EXPECT_EQ(device.enqueue(), FP8RT_INVALID_ARGUMENT);
  expectUntouched(device);
}

// A caller that was compiled before there was a workspace.
TEST_F(CudaErrorTest, ShorterArguments) {
  Matmul m = makeNarrow();
  DeviceMatmul device(context, m);
  ASSERT_FP8(device.prepare());
  if (device.args.workspace_size)
    GTEST_SKIP() << "the plan needs a workspace";
  device.args.struct_size = offsetof(fp8rt_matmul_args, workspace);
  ASSERT_FP8(device.enqueue());
  device.fetch();
  EXPECT_EQ(m.result(3, 5), 16);
}

TEST_F(CudaErrorTest, C25E5M2TimesE5M2) {
  Matmul m(E5M2, E5M2, FP8RT_BF16, {16, 16, 16, 1, false, true});
  EXPECT_EQ(fp8rt_matmul_prepare(context, &m.desc), FP8RT_UNSUPPORTED);
  expectMessage("no CUDA device multiplies two of f8E5M2");
}

TEST_F(CudaErrorTest, C25BiasOnAResultOfF32) {
  for (int32_t type : {FP8RT_F32, FP8RT_BF16}) {
    Matmul m = makeNarrow(16, 16, 16, FP8RT_F32);
    m.withRandomBias(type, 1);
    for (int64_t n = 0; n < 16; ++n)
      m.bias.set(n, 0.5);
    DeviceMatmul device(context, m);
    device.run();
    EXPECT_EQ(m.results(), std::vector<double>(256, 16.5));
  }
}

TEST_F(CudaErrorTest, TypesOfOtherVendors) {
  Matmul m(FP8RT_F8E4M3FNUZ, FP8RT_F8E4M3FNUZ, FP8RT_BF16,
           {16, 16, 16, 1, false, true});
  EXPECT_EQ(fp8rt_matmul_prepare(context, &m.desc), FP8RT_UNSUPPORTED);
  expectMessage("expects f8E4M3FN or f8E5M2 operands on a CUDA device, but got "
                "f8E4M3FNUZ and f8E4M3FNUZ");
}

TEST_F(CudaErrorTest, FormsOfNarrowOperands) {
  if (arch != 89 && arch != 90)
    GTEST_SKIP() << "sm_" << arch << " may take all forms";
  for (int form : {0, 1, 3}) {
    Matmul m(E4M3, E4M3, FP8RT_BF16,
             {16, 16, 16, 1, bool(form & 1), bool(form & 2)});
    EXPECT_EQ(fp8rt_matmul_prepare(context, &m.desc), FP8RT_UNSUPPORTED);
    expectMessage("expects A as it is stored and B transposed");
  }
}

TEST_F(CudaErrorTest, SizesThatTheLibraryRefuses) {
  Matmul m = makeNarrow(16, 16, 17);
  EXPECT_EQ(fp8rt_matmul_prepare(context, &m.desc), FP8RT_UNSUPPORTED);
  expectMessage("cuBLASLt: has no algorithm for f8E4M3FN x f8E4M3FN -> bf16, "
                "M 16, N 16, K 17");
  expectMessage("should be multiples of 16");
  m.desc.m = int64_t(1) << 32;
  m.desc.ld_d = 16;
  EXPECT_EQ(fp8rt_matmul_prepare(context, &m.desc), FP8RT_UNSUPPORTED);
  expectMessage("below 2^31");
}

TEST_F(CudaErrorTest, DeviceOrdinal) {
  const fp8rt_context_options options = {sizeof(options), "cuda", 99, 0, ""};
  fp8rt_context *made = nullptr;
  EXPECT_EQ(fp8rt_context_create(&options, &made), FP8RT_INVALID_ARGUMENT);
  expectMessage("options.device: expects 0 to ");
  EXPECT_EQ(made, nullptr);
}

TEST_F(CudaErrorTest, MemoryRunsOut) {
  void *pointer = this;
  EXPECT_EQ(fp8rt_malloc(context, uint64_t(1) << 50, &pointer), FP8RT_FAILED);
  expectMessage("device memory: expects 1125899906842624 bytes, but ran out");
  EXPECT_EQ(pointer, nullptr);
  // The device goes on working.
  Matmul m = makeNarrow();
  DeviceMatmul(context, m).run();
  EXPECT_EQ(m.result(0, 0), 16);
}
