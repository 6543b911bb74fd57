//===- Types.cpp - Table of the element types -----------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table behind findType, in the order of fp8rt_type, whose numbers are part
// of the ABI.
//
//===----------------------------------------------------------------------===//

#include "Types.h"

using namespace fp8rt;

static const TypeInfo types[] = {
    {"none", TypeKind::Absent, 0},       {"f64", TypeKind::Wide, 8},
    {"f32", TypeKind::Wide, 4},          {"f16", TypeKind::Wide, 2},
    {"bf16", TypeKind::Wide, 2},         {"f8E4M3FN", TypeKind::Narrow, 1},
    {"f8E5M2", TypeKind::Narrow, 1},     {"f8E4M3FNUZ", TypeKind::Narrow, 1},
    {"f8E5M2FNUZ", TypeKind::Narrow, 1}, {"f8E8M0FNU", TypeKind::Scale, 1},
    {"i1", TypeKind::Integer, 1},        {"i8", TypeKind::Integer, 1},
    {"i32", TypeKind::Integer, 4},       {"i64", TypeKind::Integer, 8},
};

static_assert(sizeof(types) / sizeof(*types) == kLastType + 1,
              "the table has one entry a type");

const TypeInfo *fp8rt::findType(int32_t type) {
  if (type < FP8RT_NONE || type > kLastType)
    return nullptr;
  return &types[type];
}

int64_t fp8rt::sizeOf(int32_t type) { return types[type].size; }
