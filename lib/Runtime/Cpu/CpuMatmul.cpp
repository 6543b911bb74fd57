//===- CpuMatmul.cpp - The matmul of the CPU backend ----------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a matmul apart into its batches and runs each with the code of the
// chosen instruction set.
//
//===----------------------------------------------------------------------===//

#include "CpuMatmul.h"

#include "../Common/Types.h"
#include "Isa.h"
#include "Workspace.h"

using namespace fp8rt;
using namespace fp8rt::cpu;

/// `count` elements of `size` bytes further, where there is an operand.
template <class T> static T *advance(T *pointer, int64_t count, int64_t size) {
  return pointer ? pointer + count * size : nullptr;
}

static const unsigned char *bytes(const void *pointer) {
  return static_cast<const unsigned char *>(pointer);
}

int32_t cpu::matmul(const fp8rt_matmul_desc &desc,
                    const fp8rt_matmul_args &args) {
  const Path *path = choosePath();
  if (!path)
    return FP8RT_INVALID_ARGUMENT;
  if (desc.m == 0 || desc.n == 0 || desc.batch == 0)
    return FP8RT_OK;

  Workspace workspace;
  for (int64_t i = 0; i < desc.batch; ++i) {
    const Problem problem = {
        desc,
        advance(bytes(args.a), i * desc.stride_a, sizeOf(desc.type_a)),
        advance(bytes(args.b), i * desc.stride_b, sizeOf(desc.type_b)),
        advance(bytes(args.acc), i * desc.stride_acc, sizeOf(desc.type_acc)),
        advance(bytes(args.bias), i * desc.stride_bias, sizeOf(desc.type_bias)),
        advance(args.descale_a, i * desc.stride_descale_a, 1),
        advance(args.descale_b, i * desc.stride_descale_b, 1),
        advance(static_cast<unsigned char *>(args.d), i * desc.stride_d,
                sizeOf(desc.type_d))};
    path->run(problem, workspace.data());
  }
  return FP8RT_OK;
}
