//===- ContextTest.cpp - Contexts without a device ------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CPU as a context, and what answers where there is no CUDA.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include "fp8rt/tools.h"
#include <stdlib.h>

using namespace fp8test;

static int32_t create(fp8rt_context_options options, fp8rt_context **context) {
  options.struct_size = sizeof(options);
  return fp8rt_context_create(&options, context);
}

TEST(ContextTest, Options) {
  fp8rt_context *context = nullptr;
  EXPECT_EQ(fp8rt_context_create(nullptr, &context), FP8RT_INVALID_ARGUMENT);
  EXPECT_STREQ(fp8rt_last_error(), "options: expects a struct, but got null");
  EXPECT_EQ(create({0, "cpu", 0, 0, nullptr}, nullptr), FP8RT_INVALID_ARGUMENT);
  EXPECT_EQ(create({0, nullptr, 0, 0, nullptr}, &context),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_EQ(create({0, "rocm", 0, 0, nullptr}, &context),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_STREQ(fp8rt_last_error(),
               "options.backend: expects cpu or cuda, but got 'rocm'");
  EXPECT_EQ(create({0, "cpu", 1, 0, nullptr}, &context),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_EQ(create({0, "cpu", 0, 1, nullptr}, &context),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_EQ(context, nullptr);
}

TEST(ContextTest, CpuRunsMatmuls) {
  fp8rt_context *context = nullptr;
  ASSERT_EQ(create({0, "cpu", 0, 0, nullptr}, &context), FP8RT_OK);
  for (fp8rt_context *each : {context, (fp8rt_context *)nullptr}) {
    Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_F32, {1, 1, 2});
    m.setA({2, 3}).setB({4, 5});
    EXPECT_EQ(fp8rt_matmul_prepare(each, &m.desc), FP8RT_OK);
    uint64_t bytes = 7;
    EXPECT_EQ(fp8rt_matmul_workspace_size(each, &m.desc, &bytes), FP8RT_OK);
    EXPECT_EQ(bytes, 0u);
    const fp8rt_matmul_args args = m.args();
    EXPECT_EQ(fp8rt_matmul(each, &m.desc, &args, nullptr), FP8RT_OK);
    EXPECT_EQ(m.result(0, 0), 23);
    m.desc.ld_a = 1;
    EXPECT_EQ(fp8rt_matmul_prepare(each, &m.desc), FP8RT_INVALID_ARGUMENT);
  }
  fp8rt_context_destroy(context);
  fp8rt_context_destroy(nullptr);
}

TEST(ContextTest, CpuMemory) {
  void *pointer = nullptr;
  ASSERT_EQ(fp8rt_malloc(nullptr, 1000, &pointer), FP8RT_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 256, 0u);
  EXPECT_EQ(fp8rt_memset(nullptr, pointer, 0x1a5, 1000, nullptr), FP8RT_OK);
  unsigned char byte = 0;
  EXPECT_EQ(fp8rt_memcpy(nullptr, &byte, static_cast<char *>(pointer) + 999, 1,
                         nullptr),
            FP8RT_OK);
  EXPECT_EQ(byte, 0xa5);
  EXPECT_EQ(fp8rt_free(nullptr, pointer), FP8RT_OK);
  EXPECT_EQ(fp8rt_malloc(nullptr, 0, &pointer), FP8RT_OK);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(fp8rt_free(nullptr, nullptr), FP8RT_OK);
  EXPECT_EQ(fp8rt_malloc(nullptr, UINT64_MAX - 3, &pointer), FP8RT_FAILED);
  EXPECT_EQ(fp8rt_memset(nullptr, nullptr, 0, 1, nullptr),
            FP8RT_INVALID_ARGUMENT);
}

TEST(ContextTest, CpuHasNoStreamsAndNoKernels) {
  fp8rt_stream *stream = nullptr;
  EXPECT_EQ(fp8rt_stream_create(nullptr, &stream), FP8RT_UNSUPPORTED);
  EXPECT_EQ(fp8rt_stream_synchronize(nullptr, nullptr), FP8RT_OK);
  const fp8rt_image image = {"x", 2, FP8RT_IMAGE_PTX, 80, 0, 0};
  const fp8rt_binary binary = {sizeof(binary), 1, 0, &image, nullptr};
  EXPECT_EQ(fp8rt_binary_prepare(nullptr, &binary), FP8RT_UNSUPPORTED);
  EXPECT_STREQ(fp8rt_last_error(),
               "binary: expects a device that runs kernels, but got the CPU");
  const fp8rt_launch_dims dims = {sizeof(dims), {1, 1, 1}, {1, 1, 1}, 0, 0};
  EXPECT_EQ(fp8rt_launch(nullptr, &binary, 0, &dims, nullptr, nullptr),
            FP8RT_UNSUPPORTED);
  fp8rt_device_info info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(fp8rt_get_device_info(nullptr, &info), FP8RT_OK);
  EXPECT_STREQ(info.name, "cpu");
}

// Without a driver, without cuBLASLt, or with something else in their place.
TEST(ContextTest, MissingLibraries) {
  fp8rt_context *context = nullptr;
  setenv("FP8RT_LIBCUDA", "/nowhere/libcuda.so", 1);
  EXPECT_EQ(create({0, "cuda", 0, 0, nullptr}, &context), FP8RT_FAILED);
  EXPECT_NE(std::string(fp8rt_last_error()).find("CUDA driver: cannot be "),
            std::string::npos)
      << fp8rt_last_error();
  setenv("FP8RT_LIBCUDA", "libm.so.6", 1);
  EXPECT_EQ(create({0, "cuda", 0, 0, nullptr}, &context), FP8RT_FAILED);
  EXPECT_STREQ(fp8rt_last_error(), "CUDA driver: has no function cuInit");
  setenv("FP8RT_LIBCUDA", FP8_FAKE_GPU_LIBRARY, 1);
  setenv("FP8RT_CUBLASLT", "/nowhere/libcublasLt.so", 1);
  EXPECT_EQ(create({0, "cuda", 0, 0, nullptr}, &context), FP8RT_FAILED);
  EXPECT_NE(std::string(fp8rt_last_error()).find("cuBLASLt: cannot be loaded"),
            std::string::npos)
      << fp8rt_last_error();
  EXPECT_EQ(context, nullptr);
  unsetenv("FP8RT_LIBCUDA");
  unsetenv("FP8RT_CUBLASLT");
}
