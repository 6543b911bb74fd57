//===- RuntimeAbi.h ---------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where the compiler spells what fp8rt/fp8rt.h declares: symbol
// names and the layout of its structs. The compiler never links the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_CONVERSION_RUNTIMEABI_H
#define FP8_CONVERSION_RUNTIMEABI_H

#include "fp8rt/fp8rt.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"
#include <cstddef>

namespace mlir::fp8::runtime {

/// The file that compiled libraries are linked with.
inline constexpr StringLiteral kLibraryName = "libfp8rt.so.0";
inline constexpr StringLiteral kMatmulSymbol = "fp8rt_matmul";
inline constexpr StringLiteral kMatmulPrepareSymbol = "fp8rt_matmul_prepare";
inline constexpr StringLiteral kFailSymbol = "fp8rt_fail";
inline constexpr StringLiteral kCheckTensorsSymbol = "fp8rt_check_tensors";
inline constexpr StringLiteral kCheckSizesSymbol = "fp8rt_check_sizes";
inline constexpr StringLiteral kBinaryPrepareSymbol = "fp8rt_binary_prepare";
inline constexpr StringLiteral kLaunchSymbol = "fp8rt_launch";
inline constexpr StringLiteral kMemsetSymbol = "fp8rt_memset";
/// What the name of the function ends in that gives the workspace's size.
inline constexpr StringLiteral kWorkspaceSuffix = "_workspace";
/// And of the one that does once what calls rely on.
inline constexpr StringLiteral kPrepareSuffix = "_prepare";
/// And of the one that gives the sizes of results.
inline constexpr StringLiteral kSizesSuffix = "_sizes";

/// And of the one that says what tensors there are.
inline constexpr StringLiteral kTensorsSuffix = "_tensors";

/// fp8rt_matmul_desc as LLVM sees it: i64, then i32s, then i64s, in order.
inline constexpr unsigned kMatmulDescI32s = 10;
inline constexpr unsigned kMatmulDescI64s = 15;
static_assert(sizeof(fp8rt_matmul_desc) ==
                  8 + 4 * kMatmulDescI32s + 8 * kMatmulDescI64s,
              "fp8rt_matmul_desc has the layout that the compiler emits");
static_assert(offsetof(fp8rt_matmul_desc, type_a) == 8 &&
                  offsetof(fp8rt_matmul_desc, fast_accum) == 44 &&
                  offsetof(fp8rt_matmul_desc, m) == 48 &&
                  offsetof(fp8rt_matmul_desc, ld_a) == 80 &&
                  offsetof(fp8rt_matmul_desc, stride_a) == 112 &&
                  offsetof(fp8rt_matmul_desc, stride_bias) == 144,
              "fp8rt_matmul_desc has the fields that the compiler emits");

/// fp8rt_matmul_args as LLVM sees it: i64, then pointers, then i64.
inline constexpr unsigned kMatmulArgsPointers = 8;
static_assert(sizeof(fp8rt_matmul_args) == 16 + 8 * kMatmulArgsPointers &&
                  offsetof(fp8rt_matmul_args, a) == 8 &&
                  offsetof(fp8rt_matmul_args, descale_a) == 40 &&
                  offsetof(fp8rt_matmul_args, d) == 56 &&
                  offsetof(fp8rt_matmul_args, workspace) == 64,
              "fp8rt_matmul_args has the layout that the compiler emits");

/// fp8rt_image as LLVM sees it: a pointer, i64, then i32s.
inline constexpr unsigned kImageI32s = 4;
static_assert(sizeof(fp8rt_image) == 16 + 4 * kImageI32s &&
                  offsetof(fp8rt_image, size) == 8 &&
                  offsetof(fp8rt_image, kind) == 16 &&
                  offsetof(fp8rt_image, arch) == 20 &&
                  offsetof(fp8rt_image, arch_exact) == 24,
              "fp8rt_image has the layout that the compiler emits");

/// fp8rt_binary as LLVM sees it: i64, two i32s, two pointers.
static_assert(sizeof(fp8rt_binary) == 32 &&
                  offsetof(fp8rt_binary, num_images) == 8 &&
                  offsetof(fp8rt_binary, num_kernels) == 12 &&
                  offsetof(fp8rt_binary, images) == 16 &&
                  offsetof(fp8rt_binary, kernel_names) == 24,
              "fp8rt_binary has the layout that the compiler emits");

/// fp8rt_launch_dims as LLVM sees it: i64, then i32s.
inline constexpr unsigned kLaunchDimsI32s = 8;
static_assert(sizeof(fp8rt_launch_dims) == 8 + 4 * kLaunchDimsI32s &&
                  offsetof(fp8rt_launch_dims, grid) == 8 &&
                  offsetof(fp8rt_launch_dims, block) == 20 &&
                  offsetof(fp8rt_launch_dims, shared_bytes) == 32 &&
                  offsetof(fp8rt_launch_dims, num_args) == 36,
              "fp8rt_launch_dims has the layout that the compiler emits");

/// The fp8rt_type of an element type; FP8RT_NONE if there is none.
fp8rt_type getRuntimeType(Type type);

} // namespace mlir::fp8::runtime

#endif // FP8_CONVERSION_RUNTIMEABI_H
