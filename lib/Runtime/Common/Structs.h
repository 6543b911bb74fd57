//===- Structs.h - Structs of callers of any age ----------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs carry the size that their caller knows. A shorter one is an older
// caller: what it lacks is zero. In a longer one, what we do not know must be
// zero.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_STRUCTS_H
#define FP8RT_COMMON_STRUCTS_H

#include "Error.h"
#include "fp8rt/fp8rt.h"

#include <stdint.h>
#include <string.h>

namespace fp8rt {

/// Checks the size that a caller states: `least` bytes of it have always been
/// there, we know `known`. `name` is for messages.
int32_t checkStructSize(const char *name, const void *data, uint64_t size,
                        uint64_t least, uint64_t known);

/// A struct as we know it, from a caller's.
template <class T> T copyStruct(const T &data) {
  T copy = {};
  memcpy(&copy, &data,
         data.struct_size < sizeof(T) ? data.struct_size : sizeof(T));
  return copy;
}

/// Checks a pointer to a struct, and the struct's size. `what` it is, is for
/// messages.
template <class T>
int32_t checkStruct(const char *name, const T *data,
                    const char *what = "a struct", uint64_t least = sizeof(T)) {
  if (!data)
    return fail(FP8RT_INVALID_ARGUMENT, "%s: expects %s, but got null", name,
                what);
  return checkStructSize(name, data, data->struct_size, least, sizeof(T));
}

} // namespace fp8rt

#endif // FP8RT_COMMON_STRUCTS_H
