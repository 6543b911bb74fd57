//===- Types.h - Table of the element types ---------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime knows of an element type whatever the backend: its name in
// messages, its size and its kind.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_TYPES_H
#define FP8RT_COMMON_TYPES_H

#include "fp8rt/fp8rt.h"

namespace fp8rt {

enum class TypeKind {
  /// FP8RT_NONE.
  Absent,
  /// f64, f32, f16 and bf16.
  Wide,
  /// The FP8 types that operands have.
  Narrow,
  /// f8E8M0FNU, which only scales have.
  Scale,
  /// Booleans and integers, which no matmul takes.
  Integer
};

/// The highest fp8rt_type.
inline constexpr int32_t kLastType = FP8RT_I64;

struct TypeInfo {
  const char *name;
  TypeKind kind;
  int64_t size;
};

/// Null where `type` is no fp8rt_type.
const TypeInfo *findType(int32_t type);

/// Bytes of one element of a type that has been checked.
int64_t sizeOf(int32_t type);

} // namespace fp8rt

#endif // FP8RT_COMMON_TYPES_H
