//===- KernelTest.cpp - Kernels of compiled libraries ---------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binaries with several images, prepared and launched.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <memory>

using namespace fp8test;

/// y[i] = x[i] * factor for i < count.
static const char multiplyPtx[] = R"ptx(
.version 7.0
.target sm_80
.address_size 64
.visible .entry fp8test_multiply(.param .u64 x, .param .u64 y,
                                 .param .f32 factor, .param .u32 count)
{
  .reg .pred %p;
  .reg .f32 %f<3>;
  .reg .b32 %r<6>;
  .reg .b64 %d<5>;
  ld.param.u32 %r0, [count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, %r0;
  @%p bra done;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  ld.param.f32 %f0, [factor];
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d3, %d0, %d2;
  add.u64 %d4, %d1, %d2;
  ld.global.f32 %f1, [%d3];
  mul.rn.f32 %f2, %f1, %f0;
  st.global.f32 [%d4], %f2;
done:
  ret;
}
)ptx";

static const char *const names[] = {"fp8test_multiply"};
static const fp8rt_image ptx = {
    multiplyPtx, sizeof(multiplyPtx), FP8RT_IMAGE_PTX, 80, 0, 0};

static fp8rt_binary makeBinary(const fp8rt_image *images, uint32_t count) {
  return {sizeof(fp8rt_binary), count, 1, images, names};
}

namespace {
class CudaKernelTest : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure())
      return;
    x = std::make_unique<DeviceMemory>(context, 4000);
    y = std::make_unique<DeviceMemory>(context, 4000);
    std::vector<float> values(1000);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i);
    x->write(values.data());
  }
  void TearDown() override {
    x.reset();
    y.reset();
    DeviceTest::TearDown();
  }

  int32_t launch(const fp8rt_binary &binary, uint32_t blocks, float factor,
                 fp8rt_stream *stream = nullptr) {
    void *from = x->data(), *to = y->data();
    uint32_t count = 1000;
    void *args[] = {&from, &to, &factor, &count};
    const fp8rt_launch_dims dims = {
        sizeof(dims), {blocks, 1, 1}, {256, 1, 1}, 0, 4};
    return fp8rt_launch(context, &binary, 0, &dims, args, stream);
  }

  float resultAt(size_t index) {
    float value;
    memcpy(&value, &y->read()[4 * index], sizeof(value));
    return value;
  }

  void expectMessage(const std::string &part) {
    EXPECT_NE(std::string(fp8rt_last_error()).find(part), std::string::npos)
        << fp8rt_last_error();
  }

  std::unique_ptr<DeviceMemory> x, y;
};
} // namespace

TEST_F(CudaKernelTest, PrepareAndLaunch) {
  const fp8rt_binary binary = makeBinary(&ptx, 1);
  EXPECT_EQ(launch(binary, 4, 3), FP8RT_NOT_PREPARED);
  ASSERT_FP8(fp8rt_binary_prepare(context, &binary));
  ASSERT_FP8(fp8rt_binary_prepare(context, &binary));
  ASSERT_FP8(launch(binary, 4, 3));
  EXPECT_EQ(resultAt(999), 2997);
  // Nothing to launch.
  ASSERT_FP8(launch(binary, 0, 5));
  EXPECT_EQ(resultAt(999), 2997);
}

TEST_F(CudaKernelTest, InAGraph) {
  const fp8rt_binary binary = makeBinary(&ptx, 1);
  ASSERT_FP8(fp8rt_binary_prepare(context, &binary));
  fp8rt_stream *stream = makeStream();
  Graph graph(stream, [&] {
    EXPECT_FP8(fp8rt_memset(context, y->data(), 0, 4000, stream));
    EXPECT_FP8(launch(binary, 4, 2, stream));
  });
  graph.launch(stream);
  ASSERT_FP8(fp8rt_stream_synchronize(context, stream));
  EXPECT_EQ(resultAt(500), 1000);
}

TEST_F(CudaKernelTest, EachContextPrepares) {
  const fp8rt_binary binary = makeBinary(&ptx, 1);
  ASSERT_FP8(fp8rt_binary_prepare(context, &binary));
  fp8rt_context *other = makeContext();
  void *args[4] = {};
  const fp8rt_launch_dims dims = {sizeof(dims), {1, 1, 1}, {1, 1, 1}, 0, 4};
  EXPECT_EQ(fp8rt_launch(other, &binary, 0, &dims, args, nullptr),
            FP8RT_NOT_PREPARED);
}

// A library that was unloaded, and another one in its place.
TEST_F(CudaKernelTest, AnotherBinaryAtTheSameAddress) {
  fp8rt_image image = ptx;
  const fp8rt_binary binary = makeBinary(&image, 1);
  ASSERT_FP8(fp8rt_binary_prepare(context, &binary));
  std::string changed = multiplyPtx;
  changed.replace(changed.find("mul.rn.f32 %f2, %f1"), 10, "add.rn.f32");
  image.data = changed.c_str();
  ASSERT_FP8(fp8rt_binary_prepare(context, &binary));
  ASSERT_FP8(launch(binary, 4, 3));
  EXPECT_EQ(resultAt(999), 1002);
}

TEST_F(CudaKernelTest, WrongLaunches) {
  const fp8rt_binary binary = makeBinary(&ptx, 1);
  ASSERT_FP8(fp8rt_binary_prepare(context, &binary));
  void *args[4] = {};
  fp8rt_launch_dims dims = {sizeof(dims), {1, 1, 1}, {1, 1, 1}, 0, 4};
  EXPECT_EQ(fp8rt_launch(context, &binary, 1, &dims, args, nullptr),
            FP8RT_INVALID_ARGUMENT);
  expectMessage("kernel: expects less than 1, but got 1");
  EXPECT_EQ(fp8rt_launch(context, &binary, 0, &dims, nullptr, nullptr),
            FP8RT_INVALID_ARGUMENT);
  dims.shared_bytes = 1 << 20;
  EXPECT_EQ(fp8rt_launch(context, &binary, 0, &dims, args, nullptr),
            FP8RT_INVALID_ARGUMENT);
  expectMessage("dims.shared_bytes: expects at most ");
  dims.shared_bytes = 0;
  dims.num_args = 3;
  const int32_t status =
      fp8rt_launch(context, &binary, 0, &dims, args, nullptr);
  // Older drivers do not tell.
  if (status != FP8RT_OK)
    expectMessage("dims.num_args: expects 4 for kernel 'fp8test_multiply'");
}

TEST_F(CudaKernelTest, TheBestImageIsTaken) {
  const char damaged[] = "this is no PTX";
  const fp8rt_image images[] = {
      {damaged, sizeof(damaged), FP8RT_IMAGE_PTX, 50, 0, 0},
      ptx,
      {damaged, sizeof(damaged), FP8RT_IMAGE_PTX, arch + 10, 0, 0},
      {damaged, sizeof(damaged), FP8RT_IMAGE_PTX, arch - 1, 1, 0},
      {damaged, sizeof(damaged), FP8RT_IMAGE_CUBIN, arch + 1, 0, 0},
      {damaged, sizeof(damaged), FP8RT_IMAGE_CUBIN, arch - 10, 0, 0}};
  const fp8rt_binary binary = makeBinary(images, 6);
  ASSERT_FP8(fp8rt_binary_prepare(context, &binary));
  ASSERT_FP8(launch(binary, 4, 3));
  EXPECT_EQ(resultAt(2), 6);
}

TEST_F(CudaKernelTest, NoImageFits) {
  const char text[] = "x";
  const fp8rt_image images[] = {
      {text, sizeof(text), FP8RT_IMAGE_CUBIN, arch - 10, 0, 0},
      {text, sizeof(text), FP8RT_IMAGE_PTX, arch + 10, 1, 0}};
  const fp8rt_binary binary = makeBinary(images, 2);
  EXPECT_EQ(fp8rt_binary_prepare(context, &binary), FP8RT_UNSUPPORTED);
  const std::string expected =
      "binary: expects an image for sm_" + std::to_string(arch) +
      ", the device, but has a cubin for sm_" + std::to_string(arch - 10) +
      ", PTX for sm_" + std::to_string(arch + 10) + "a";
  EXPECT_EQ(fp8rt_last_error(), expected);
}

TEST_F(CudaKernelTest, DamagedImages) {
  const char damaged[] = "this is no PTX";
  fp8rt_image image = {damaged, sizeof(damaged), FP8RT_IMAGE_PTX, 80, 0, 0};
  fp8rt_binary binary = makeBinary(&image, 1);
  EXPECT_EQ(fp8rt_binary_prepare(context, &binary), FP8RT_FAILED);
  expectMessage("cuModuleLoadDataEx failed");
  EXPECT_EQ(launch(binary, 4, 3), FP8RT_NOT_PREPARED);
  --image.size;
  EXPECT_EQ(fp8rt_binary_prepare(context, &binary), FP8RT_INVALID_ARGUMENT);
  expectMessage("expects PTX that a zero byte ends");
  binary.num_images = 0;
  EXPECT_EQ(fp8rt_binary_prepare(context, &binary), FP8RT_INVALID_ARGUMENT);
}

TEST_F(CudaKernelTest, MissingKernels) {
  const char *const wrong[] = {"fp8test_divide"};
  const fp8rt_binary binary = {sizeof(binary), 1, 1, &ptx, wrong};
  EXPECT_EQ(fp8rt_binary_prepare(context, &binary), FP8RT_FAILED);
  expectMessage("has no kernel 'fp8test_divide'");
}
