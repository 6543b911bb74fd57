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

#include "Contain.h"
#include "Context.h"
#include "Error.h"
#include "Structs.h"
#include "Validate.h"

#include <stddef.h>

using namespace fp8rt;

int32_t fp8rt_matmul_prepare(fp8rt_context *context,
                             const fp8rt_matmul_desc *desc) {
  if (int32_t status = validateDesc(desc))
    return status;
  return contain([&] { return contextOf(context).prepare(*desc); });
}

int32_t fp8rt_matmul_workspace_size(fp8rt_context *context,
                                    const fp8rt_matmul_desc *desc,
                                    uint64_t *bytes) {
  if (!bytes)
    return fail(FP8RT_INVALID_ARGUMENT,
                "bytes: expects a pointer, but got null");
  *bytes = 0;
  if (int32_t status = validateDesc(desc))
    return status;
  return contextOf(context).workspaceSize(*desc, bytes);
}

int32_t fp8rt_matmul(fp8rt_context *context, const fp8rt_matmul_desc *desc,
                     const fp8rt_matmul_args *args, fp8rt_stream *stream) {
  if (int32_t status = checkStruct("desc", desc, "a desc"))
    return status;
  // The workspace came later than the rest.
  if (int32_t status = checkStruct("args", args, "arguments",
                                   offsetof(fp8rt_matmul_args, workspace)))
    return status;
  if (args->struct_size < sizeof(*args))
    return contextOf(context).matmul(*desc, copyStruct(*args), stream);
  return contextOf(context).matmul(*desc, *args, stream);
}
