//===- Contain.h - Exceptions end here --------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The standard library throws, mostly when memory runs out. Nothing of that may
// leave the runtime: what allocates is called through this.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_CONTAIN_H
#define FP8RT_COMMON_CONTAIN_H

#include "Error.h"
#include "fp8rt/fp8rt.h"

#include <new>

namespace fp8rt {

/// The status of `function()`, or of what it throws.
template <class Function> int32_t contain(Function function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return fail(FP8RT_FAILED, "host memory: ran out");
  } catch (...) {
    return fail(FP8RT_FAILED, "runtime: an unexpected exception");
  }
}

} // namespace fp8rt

#endif // FP8RT_COMMON_CONTAIN_H
