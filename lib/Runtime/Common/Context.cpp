//===- Context.cpp - Entries of the C interface ---------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts, kernels, memory and tuning: the checks that every backend shares,
// then the backend of the context.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "Contain.h"
#include "DescKey.h"
#include "Error.h"
#include "Structs.h"
#include "Validate.h"

#include <string.h>

using namespace fp8rt;

fp8rt_context &fp8rt::contextOf(fp8rt_context *context) {
  return context ? *context : cpuContext();
}

static int32_t expectPointer(const char *name, const void *pointer) {
  if (pointer)
    return FP8RT_OK;
  return fail(FP8RT_INVALID_ARGUMENT, "%s: expects a pointer, but got null",
              name);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

int32_t fp8rt_context_create(const fp8rt_context_options *options,
                             fp8rt_context **context) {
  if (int32_t status = expectPointer("context", context))
    return status;
  *context = nullptr;
  if (int32_t status = checkStruct("options", options))
    return status;
  if (int32_t status = expectPointer("options.backend", options->backend))
    return status;
  if (options->reserved != 0)
    return fail(FP8RT_INVALID_ARGUMENT,
                "options.reserved: expects 0, but got %d", options->reserved);
  if (strcmp(options->backend, "cpu") == 0)
    return contain([&] { return createCpuContext(*options, context); });
  if (strcmp(options->backend, "cuda") == 0)
    return contain([&] { return createCudaContext(*options, context); });
  return fail(FP8RT_INVALID_ARGUMENT,
              "options.backend: expects cpu or cuda, but got '%.40s'",
              options->backend);
}

void fp8rt_context_destroy(fp8rt_context *context) { delete context; }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

int32_t fp8rt_binary_prepare(fp8rt_context *context,
                             const fp8rt_binary *binary) {
  if (int32_t status = checkStruct("binary", binary))
    return status;
  if (binary->num_images == 0 || !binary->images)
    return fail(FP8RT_INVALID_ARGUMENT,
                "binary.images: expects one image or more, but got none");
  if (binary->num_kernels != 0 && !binary->kernel_names)
    return fail(FP8RT_INVALID_ARGUMENT,
                "binary.kernel_names: expects %u names, but got null",
                binary->num_kernels);
  for (uint32_t i = 0; i < binary->num_images; ++i) {
    const fp8rt_image &image = binary->images[i];
    if (!image.data || image.size == 0)
      return fail(FP8RT_INVALID_ARGUMENT,
                  "binary.images[%u]: expects data, but got none", i);
    if (image.kind == FP8RT_IMAGE_PTX &&
        static_cast<const char *>(image.data)[image.size - 1] != 0)
      return fail(FP8RT_INVALID_ARGUMENT,
                  "binary.images[%u]: expects PTX that a zero byte ends", i);
  }
  return contain([&] { return contextOf(context).prepare(*binary); });
}

int32_t fp8rt_launch(fp8rt_context *context, const fp8rt_binary *binary,
                     uint32_t kernel, const fp8rt_launch_dims *dims,
                     void *const *args, fp8rt_stream *stream) {
  if (int32_t status = expectPointer("binary", binary))
    return status;
  if (int32_t status = checkStruct("dims", dims))
    return status;
  if (dims->num_args != 0 && !args)
    return fail(FP8RT_INVALID_ARGUMENT,
                "args: expects %u pointers, but got null", dims->num_args);
  return contextOf(context).launch(*binary, kernel, *dims, args, stream);
}

int32_t fp8rt_memset(fp8rt_context *context, void *pointer, int32_t value,
                     uint64_t bytes, fp8rt_stream *stream) {
  if (bytes != 0)
    if (int32_t status = expectPointer("pointer", pointer))
      return status;
  return contextOf(context).memset(pointer, value, bytes, stream);
}

//===----------------------------------------------------------------------===//
// The device, its memory and its streams
//===----------------------------------------------------------------------===//

int32_t fp8rt_get_device_info(fp8rt_context *context, fp8rt_device_info *info) {
  if (int32_t status = checkStruct("info", info))
    return status;
  return contextOf(context).deviceInfo(info);
}

int32_t fp8rt_malloc(fp8rt_context *context, uint64_t bytes, void **pointer) {
  if (int32_t status = expectPointer("pointer", pointer))
    return status;
  *pointer = nullptr;
  return bytes == 0 ? FP8RT_OK : contextOf(context).allocate(bytes, pointer);
}

int32_t fp8rt_free(fp8rt_context *context, void *pointer) {
  return pointer ? contextOf(context).release(pointer) : FP8RT_OK;
}

int32_t fp8rt_memcpy(fp8rt_context *context, void *to, const void *from,
                     uint64_t bytes, fp8rt_stream *stream) {
  if (bytes == 0)
    return FP8RT_OK;
  if (int32_t status = expectPointer("to", to))
    return status;
  if (int32_t status = expectPointer("from", from))
    return status;
  return contextOf(context).copy(to, from, bytes, stream);
}

int32_t fp8rt_stream_create(fp8rt_context *context, fp8rt_stream **stream) {
  if (int32_t status = expectPointer("stream", stream))
    return status;
  *stream = nullptr;
  return contextOf(context).createStream(stream);
}

int32_t fp8rt_stream_destroy(fp8rt_context *context, fp8rt_stream *stream) {
  if (int32_t status = expectPointer("stream", stream))
    return status;
  return contextOf(context).destroyStream(stream);
}

int32_t fp8rt_stream_synchronize(fp8rt_context *context, fp8rt_stream *stream) {
  return contextOf(context).synchronize(stream);
}

//===----------------------------------------------------------------------===//
// Tuning and the plan cache
//===----------------------------------------------------------------------===//

int32_t fp8rt_prepared_matmuls(fp8rt_context *context, fp8rt_matmul_desc *descs,
                               uint64_t capacity, uint64_t *count) {
  if (int32_t status = expectPointer("count", count))
    return status;
  if (capacity != 0)
    if (int32_t status = expectPointer("descs", descs))
      return status;
  return contextOf(context).preparedMatmuls(descs, capacity, count);
}

int32_t fp8rt_describe_matmul(const fp8rt_matmul_desc *desc, char *text,
                              uint64_t capacity, uint64_t *length) {
  if (int32_t status = validateDesc(desc))
    return status;
  if (int32_t status = expectPointer("length", length))
    return status;
  if (capacity != 0)
    if (int32_t status = expectPointer("text", text))
      return status;
  return contain([&] {
    const std::string line = describe(*desc);
    *length = line.size();
    if (capacity != 0)
      text[line.copy(text, capacity - 1)] = 0;
    return int32_t(FP8RT_OK);
  });
}

int32_t fp8rt_tune(fp8rt_context *context, const fp8rt_matmul_desc *descs,
                   uint64_t count, const fp8rt_tune_options *options,
                   fp8rt_tune_result *results) {
  if (count != 0)
    if (int32_t status = expectPointer("descs", descs))
      return status;
  for (uint64_t i = 0; i < count; ++i)
    if (int32_t status = validateDesc(&descs[i]))
      return status;
  fp8rt_tune_options known = {};
  if (options) {
    if (int32_t status = checkStruct("options", options))
      return status;
    known = *options;
  }
  if (known.iterations < 0 || known.algorithms < 0)
    return fail(FP8RT_INVALID_ARGUMENT,
                "options: expects 0 or more iterations and algorithms, but got "
                "%d and %d",
                known.iterations, known.algorithms);
  return contain(
      [&] { return contextOf(context).tune(descs, count, known, results); });
}

const char *fp8rt_plan_cache_message(fp8rt_context *context) {
  return contextOf(context).cacheMessage();
}

const char *fp8rt_plan_cache_path(fp8rt_context *context) {
  return contextOf(context).cachePath();
}
