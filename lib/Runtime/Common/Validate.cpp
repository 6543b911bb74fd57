//===- Validate.cpp - Checks of a matmul's arguments ----------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, sizes, extents in memory and pointers of a matmul, in this order: a
// check relies on those before it. Every message names the field, what it is
// expected to be and what was found.
//
//===----------------------------------------------------------------------===//

#include "Validate.h"

#include "Error.h"
#include "Structs.h"
#include "Types.h"

#include <string.h>

using namespace fp8rt;

// Format strings want long long, whatever int64_t is.
using Long = long long;

int32_t fp8rt::checkStructSize(const char *name, const void *data,
                               uint64_t size, uint64_t least, uint64_t known) {
  const uint64_t greatest = 4096;
  if (size < least || size > greatest)
    return fail(FP8RT_INVALID_ARGUMENT,
                "%s.struct_size: expects %llu, but got %llu", name,
                (unsigned long long)known, (unsigned long long)size);
  const char *bytes = static_cast<const char *>(data);
  for (uint64_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      return fail(FP8RT_UNSUPPORTED,
                  "%s: expects zeros after the %llu bytes that this library "
                  "knows, but byte %llu is set",
                  name, (unsigned long long)known, (unsigned long long)i);
  return FP8RT_OK;
}

static int32_t checkTypeNumbers(const fp8rt_matmul_desc &desc) {
  const struct {
    const char *name;
    int32_t type;
  } fields[] = {{"type_a", desc.type_a},
                {"type_b", desc.type_b},
                {"type_d", desc.type_d},
                {"type_acc", desc.type_acc},
                {"type_bias", desc.type_bias}};
  for (const auto &field : fields)
    if (!findType(field.type))
      return fail(FP8RT_INVALID_ARGUMENT,
                  "desc.%s: expects an fp8rt_type, 0 to %d, but got %d",
                  field.name, kLastType, field.type);
  return FP8RT_OK;
}

static int32_t checkOperandType(const char *field, int32_t type) {
  const TypeInfo *info = findType(type);
  if (info->kind == TypeKind::Absent)
    return fail(FP8RT_INVALID_ARGUMENT,
                "desc.%s: expects the type of an operand, but got none", field);
  if (info->kind == TypeKind::Scale || info->kind == TypeKind::Integer)
    return fail(FP8RT_UNSUPPORTED,
                "desc.%s: expects an FP8 type with a significand or a wide "
                "type, but got %s",
                field, info->name);
  return FP8RT_OK;
}

/// Absent is fine, unless it is the result.
static int32_t checkWideType(const char *field, int32_t type, bool optional) {
  const TypeInfo *info = findType(type);
  if (info->kind == TypeKind::Wide ||
      (optional && info->kind == TypeKind::Absent))
    return FP8RT_OK;
  return fail(info->kind == TypeKind::Absent ? FP8RT_INVALID_ARGUMENT
                                             : FP8RT_UNSUPPORTED,
              "desc.%s: expects f64, f32, f16 or bf16, but got %s", field,
              info->name);
}

/// A and B are both FP8, or of one wide type; f64 goes with f64 only.
static int32_t checkTypePairs(const fp8rt_matmul_desc &desc) {
  const TypeInfo *a = findType(desc.type_a);
  const TypeInfo *b = findType(desc.type_b);
  const TypeInfo *d = findType(desc.type_d);
  bool bothNarrow = a->kind == TypeKind::Narrow && b->kind == TypeKind::Narrow;
  if (!bothNarrow && desc.type_a != desc.type_b)
    return fail(FP8RT_UNSUPPORTED,
                "desc.type_b: expects two FP8 operands or two of the same "
                "type, but got %s and %s",
                a->name, b->name);
  if ((desc.type_a == FP8RT_F64) != (desc.type_d == FP8RT_F64))
    return fail(FP8RT_UNSUPPORTED,
                "desc.type_d: expects f64 exactly where the operands are f64, "
                "but got %s with operands of %s",
                d->name, a->name);
  return FP8RT_OK;
}

static int32_t checkTypes(const fp8rt_matmul_desc &desc) {
  if (int32_t status = checkTypeNumbers(desc))
    return status;
  if (int32_t status = checkOperandType("type_a", desc.type_a))
    return status;
  if (int32_t status = checkOperandType("type_b", desc.type_b))
    return status;
  if (int32_t status = checkWideType("type_d", desc.type_d, false))
    return status;
  if (int32_t status = checkWideType("type_acc", desc.type_acc, true))
    return status;
  if (int32_t status = checkWideType("type_bias", desc.type_bias, true))
    return status;
  return checkTypePairs(desc);
}

static int32_t checkModes(const fp8rt_matmul_desc &desc) {
  const struct {
    const char *name;
    int32_t value;
    int32_t greatest;
  } fields[] = {{"scale_mode_a", desc.scale_mode_a, FP8RT_SCALE_OUTER},
                {"scale_mode_b", desc.scale_mode_b, FP8RT_SCALE_OUTER},
                {"trans_a", desc.trans_a, 1},
                {"trans_b", desc.trans_b, 1},
                {"fast_accum", desc.fast_accum, 1}};
  for (const auto &field : fields)
    if (field.value < 0 || field.value > field.greatest)
      return fail(FP8RT_INVALID_ARGUMENT,
                  "desc.%s: expects 0 to %d, but got %d", field.name,
                  field.greatest, field.value);
  if (desc.type_a == FP8RT_F64 && (desc.scale_mode_a || desc.scale_mode_b))
    return fail(FP8RT_UNSUPPORTED,
                "desc.scale_mode: expects no descales with operands of f64, "
                "but got modes %d and %d",
                desc.scale_mode_a, desc.scale_mode_b);
  return FP8RT_OK;
}

static int32_t checkSizes(const fp8rt_matmul_desc &desc) {
  const struct {
    const char *name;
    int64_t value;
  } fields[] = {{"m", desc.m},
                {"n", desc.n},
                {"k", desc.k},
                {"batch", desc.batch},
                {"stride_a", desc.stride_a},
                {"stride_b", desc.stride_b},
                {"stride_d", desc.stride_d},
                {"stride_acc", desc.stride_acc},
                {"stride_bias", desc.stride_bias},
                {"stride_descale_a", desc.stride_descale_a},
                {"stride_descale_b", desc.stride_descale_b}};
  for (const auto &field : fields)
    if (field.value < 0)
      return fail(FP8RT_INVALID_ARGUMENT,
                  "desc.%s: expects 0 or more, but got %lld", field.name,
                  (Long)field.value);
  return FP8RT_OK;
}

/// Whether (count - 1) * step + *extent can be had, which `extent` then is.
static bool grow(int64_t count, int64_t step, int64_t *extent) {
  int64_t distance;
  return !__builtin_mul_overflow(count - 1, step, &distance) &&
         !__builtin_add_overflow(distance, *extent, extent);
}

/// A leading dimension must hold a row, and the last byte must have an address.
static int32_t checkMatrix(const char *name, int64_t rows, int64_t columns,
                           int64_t ld, int64_t batch, int64_t stride,
                           int64_t elementSize) {
  if (ld < columns)
    return fail(FP8RT_INVALID_ARGUMENT,
                "desc.ld_%s: expects %lld, the length of a row, or more, but "
                "got %lld",
                name, (Long)columns, (Long)ld);
  if (rows == 0 || columns == 0 || batch == 0)
    return FP8RT_OK;
  int64_t extent = columns;
  if (grow(rows, ld, &extent) && grow(batch, stride, &extent) &&
      !__builtin_mul_overflow(extent, elementSize, &extent))
    return FP8RT_OK;
  return fail(FP8RT_INVALID_ARGUMENT,
              "desc: expects operand %s to fit in 2^63 bytes, but got %lld x "
              "%lld rows of %lld, ld %lld, stride %lld",
              name, (Long)batch, (Long)rows, (Long)columns, (Long)ld,
              (Long)stride);
}

/// The batches of the result may follow each other or interleave by rows.
static int32_t checkResultBatches(const fp8rt_matmul_desc &desc) {
  if (desc.batch <= 1 || desc.m == 0 || desc.n == 0)
    return FP8RT_OK;
  bool follow = desc.stride_d >= (desc.m - 1) * desc.ld_d + desc.n;
  int64_t row = desc.n;
  bool interleave = desc.stride_d >= desc.n &&
                    grow(desc.batch, desc.stride_d, &row) && desc.ld_d >= row;
  if (follow || interleave)
    return FP8RT_OK;
  return fail(FP8RT_INVALID_ARGUMENT,
              "desc.stride_d: expects batches of the result that do not "
              "overlap, but got stride %lld with %lld rows of %lld, ld %lld",
              (Long)desc.stride_d, (Long)desc.m, (Long)desc.n, (Long)desc.ld_d);
}

/// The bias and the descales, each one row a batch.
static int32_t checkVectors(const fp8rt_matmul_desc &desc) {
  const int64_t m = desc.scale_mode_a == FP8RT_SCALE_OUTER ? desc.m : 1;
  const int64_t n = desc.scale_mode_b == FP8RT_SCALE_OUTER ? desc.n : 1;
  if (int32_t status = checkMatrix("bias", 1, desc.n, desc.n, desc.batch,
                                   desc.stride_bias, sizeOf(desc.type_bias)))
    return status;
  if (int32_t status = checkMatrix("descale_a", 1, m, m, desc.batch,
                                   desc.stride_descale_a, sizeof(float)))
    return status;
  return checkMatrix("descale_b", 1, n, n, desc.batch, desc.stride_descale_b,
                     sizeof(float));
}

static int32_t checkExtents(const fp8rt_matmul_desc &desc) {
  bool ta = desc.trans_a, tb = desc.trans_b;
  if (int32_t status = checkMatrix("a", ta ? desc.k : desc.m,
                                   ta ? desc.m : desc.k, desc.ld_a, desc.batch,
                                   desc.stride_a, sizeOf(desc.type_a)))
    return status;
  if (int32_t status = checkMatrix("b", tb ? desc.n : desc.k,
                                   tb ? desc.k : desc.n, desc.ld_b, desc.batch,
                                   desc.stride_b, sizeOf(desc.type_b)))
    return status;
  if (int32_t status = checkMatrix("d", desc.m, desc.n, desc.ld_d, desc.batch,
                                   desc.stride_d, sizeOf(desc.type_d)))
    return status;
  if (desc.type_acc != FP8RT_NONE)
    if (int32_t status =
            checkMatrix("acc", desc.m, desc.n, desc.ld_acc, desc.batch,
                        desc.stride_acc, sizeOf(desc.type_acc)))
      return status;
  if (int32_t status = checkVectors(desc))
    return status;
  return checkResultBatches(desc);
}

/// Each element of the accumulator may be read before the result takes its
/// place only where the two are the same element.
static int32_t checkAlias(const fp8rt_matmul_desc &desc,
                          const fp8rt_matmul_args &args) {
  const bool sameBatches = desc.batch == 1 || desc.stride_acc == desc.stride_d;
  if (!args.acc || args.acc != args.d ||
      (desc.type_acc == desc.type_d && desc.ld_acc == desc.ld_d && sameBatches))
    return FP8RT_OK;
  return fail(FP8RT_INVALID_ARGUMENT,
              "args.acc: expects %s, ld %lld, stride %lld of d, which it is, "
              "but got %s, ld %lld, stride %lld",
              findType(desc.type_d)->name, (Long)desc.ld_d, (Long)desc.stride_d,
              findType(desc.type_acc)->name, (Long)desc.ld_acc,
              (Long)desc.stride_acc);
}

/// Where an operand is not asked for, a pointer to it is a mistake, too.
static int32_t checkPointers(const fp8rt_matmul_desc &desc,
                             const fp8rt_matmul_args &args) {
  const bool reads = desc.k != 0;
  const struct {
    const char *name;
    const void *pointer;
    bool needed;
    bool allowed;
  } fields[] = {
      {"a", args.a, reads, true},
      {"b", args.b, reads, true},
      {"d", args.d, true, true},
      {"acc", args.acc, desc.type_acc != FP8RT_NONE,
       desc.type_acc != FP8RT_NONE},
      {"bias", args.bias, desc.type_bias != FP8RT_NONE,
       desc.type_bias != FP8RT_NONE},
      {"descale_a", args.descale_a, desc.scale_mode_a != FP8RT_SCALE_NONE,
       desc.scale_mode_a != FP8RT_SCALE_NONE},
      {"descale_b", args.descale_b, desc.scale_mode_b != FP8RT_SCALE_NONE,
       desc.scale_mode_b != FP8RT_SCALE_NONE}};
  for (const auto &field : fields) {
    if (field.needed && !field.pointer)
      return fail(FP8RT_INVALID_ARGUMENT,
                  "args.%s: expects a pointer, but got null", field.name);
    if (!field.allowed && field.pointer)
      return fail(FP8RT_INVALID_ARGUMENT,
                  "args.%s: expects null, as desc asks for no %s, but got a "
                  "pointer",
                  field.name, field.name);
  }
  return checkAlias(desc, args);
}

int32_t fp8rt::validateDesc(const fp8rt_matmul_desc *desc) {
  if (int32_t status = checkStruct("desc", desc, "a desc"))
    return status;
  if (int32_t status = checkTypes(*desc))
    return status;
  if (int32_t status = checkModes(*desc))
    return status;
  if (int32_t status = checkSizes(*desc))
    return status;
  return checkExtents(*desc);
}

int32_t fp8rt::validateArgs(const fp8rt_matmul_desc &desc,
                            const fp8rt_matmul_args &args) {
  // An empty result reads and writes nothing.
  if (desc.m == 0 || desc.n == 0 || desc.batch == 0)
    return FP8RT_OK;
  return checkPointers(desc, args);
}

int32_t fp8rt::validateMatmul(const fp8rt_matmul_desc &desc,
                              const fp8rt_matmul_args &args) {
  if (int32_t status = validateDesc(&desc))
    return status;
  return validateArgs(desc, args);
}
