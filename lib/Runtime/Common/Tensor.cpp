//===- Tensor.cpp - Checks of a compiled function's tensors ---------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8rt_check_tensors: what a caller hands to a compiled function is what the
// function was compiled for, or a status says what is not.
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Types.h"

#include <inttypes.h>

using namespace fp8rt;

static const char *nameOf(int32_t type) {
  const TypeInfo *info = findType(type);
  return info ? info->name : "no known type";
}

/// The sizes of `tensor`, number `index`, against those of `spec`.
static int32_t checkSizes(int64_t index, const fp8rt_tensor &tensor,
                          const fp8rt_tensor_spec &spec) {
  for (int32_t dim = 0; dim < spec.rank; ++dim) {
    int64_t size = tensor.sizes[dim], expected = spec.sizes[dim];
    if (size < 0)
      return fail(FP8RT_INVALID_ARGUMENT,
                  "tensor %" PRId64 " (%s): expects a size of 0 or more in "
                  "dimension %d, but got %" PRId64,
                  index, spec.name, dim, size);
    if (expected >= 0 && size != expected)
      return fail(FP8RT_INVALID_ARGUMENT,
                  "tensor %" PRId64 " (%s): expects size %" PRId64
                  " in dimension %d, but got %" PRId64,
                  index, spec.name, expected, dim, size);
  }
  return FP8RT_OK;
}

/// That `tensor` is row-major without gaps; a dimension of one element, and a
/// tensor without elements, may have any stride. `elements` gets their number.
static int32_t checkStrides(int64_t index, const fp8rt_tensor &tensor,
                            const fp8rt_tensor_spec &spec, int64_t *elements) {
  int64_t stride = 1;
  bool dense = true;
  int64_t found = 0, wanted = 0, where = 0;
  for (int32_t dim = spec.rank; dim-- > 0;) {
    int64_t size = tensor.sizes[dim];
    if (dense && tensor.strides && size != 1 && tensor.strides[dim] != stride) {
      dense = false;
      found = tensor.strides[dim];
      wanted = stride;
      where = dim;
    }
    if (__builtin_mul_overflow(stride, size, &stride))
      return fail(FP8RT_INVALID_ARGUMENT,
                  "tensor %" PRId64 " (%s): expects fewer than 2^63 elements",
                  index, spec.name);
  }
  *elements = stride;
  if (dense || stride == 0)
    return FP8RT_OK;
  return fail(FP8RT_INVALID_ARGUMENT,
              "tensor %" PRId64 " (%s): expects stride %" PRId64
              " in dimension %" PRId64 ", as of a row-major tensor without "
              "gaps, but got %" PRId64,
              index, spec.name, wanted, where, found);
}

static int32_t checkTensor(int64_t index, const fp8rt_tensor &tensor,
                           const fp8rt_tensor_spec &spec, bool needData) {
  if (tensor.type != spec.type)
    return fail(FP8RT_INVALID_ARGUMENT,
                "tensor %" PRId64 " (%s): expects elements of %s, but got %s",
                index, spec.name, nameOf(spec.type), nameOf(tensor.type));
  if (tensor.rank != spec.rank)
    return fail(FP8RT_INVALID_ARGUMENT,
                "tensor %" PRId64 " (%s): expects rank %d, but got %d", index,
                spec.name, spec.rank, tensor.rank);
  if (spec.rank && !tensor.sizes)
    return fail(FP8RT_INVALID_ARGUMENT,
                "tensor %" PRId64 " (%s): expects sizes, but got null", index,
                spec.name);
  if (int32_t status = checkSizes(index, tensor, spec))
    return status;
  int64_t elements;
  if (int32_t status = checkStrides(index, tensor, spec, &elements))
    return status;
  if (needData && elements && !tensor.data)
    return fail(FP8RT_INVALID_ARGUMENT,
                "tensor %" PRId64 " (%s): expects data, but got null", index,
                spec.name);
  return FP8RT_OK;
}

int32_t fp8rt_check_tensors(const fp8rt_tensor *tensors,
                            const fp8rt_tensor_spec *specs, int64_t count,
                            int32_t need_data) {
  if (count && (!tensors || !specs))
    return fail(FP8RT_INVALID_ARGUMENT,
                "tensors: expects %" PRId64 " tensors, but got null", count);
  for (int64_t index = 0; index < count; ++index)
    if (int32_t status =
            checkTensor(index, tensors[index], specs[index], need_data != 0))
      return status;
  return FP8RT_OK;
}

int32_t fp8rt_check_sizes(const fp8rt_tensor *tensors,
                          const fp8rt_tensor_spec *specs,
                          const int64_t *indices, int64_t count,
                          const int64_t *sizes) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = indices[i];
    for (int32_t dim = 0; dim < specs[index].rank; ++dim, ++sizes)
      if (tensors[index].sizes[dim] != *sizes)
        return fail(FP8RT_INVALID_ARGUMENT,
                    "tensor %" PRId64 " (%s): expects size %" PRId64
                    " in dimension %d for these arguments, but got %" PRId64,
                    index, specs[index].name, *sizes, dim,
                    tensors[index].sizes[dim]);
  }
  return FP8RT_OK;
}

int32_t fp8rt_fail(const char *message) {
  return fail(FP8RT_INVALID_ARGUMENT, "%s", message);
}
