//===- Matmul.cpp - Entry of the matmul -----------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8rt_matmul: checks what every backend shares, then hands over to the
// backend of the context.
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Validate.h"

#include "../Cpu/CpuMatmul.h"

using namespace fp8rt;

int32_t fp8rt_matmul(fp8rt_context *context, const fp8rt_matmul_desc *desc,
                     const fp8rt_matmul_args *args, fp8rt_stream *stream) {
  if (int32_t status = validateMatmul(desc, args))
    return status;
  if (context)
    return fail(FP8RT_UNSUPPORTED,
                "context: expects null, the CPU, which is all that this build "
                "has, but got a device");
  if (stream)
    return fail(FP8RT_INVALID_ARGUMENT,
                "stream: expects null, as the CPU has no streams, but got one");
  return cpu::matmul(*desc, *args);
}

int32_t fp8rt_matmul_prepare(fp8rt_context *context,
                             const fp8rt_matmul_desc *desc) {
  if (context)
    return fail(FP8RT_UNSUPPORTED,
                "context: expects null, the CPU, which is all that this build "
                "has, but got a device");
  return desc ? FP8RT_OK
              : fail(FP8RT_INVALID_ARGUMENT,
                     "desc: expects a pointer, but got null");
}
