//===- Error.h - Status and message of a failure ----------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a call of the runtime fails: it returns a status, and the message is kept
// for the thread. Nothing is allocated, printed or thrown.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_ERROR_H
#define FP8RT_COMMON_ERROR_H

#include <stdint.h>

namespace fp8rt {

/// Keeps the formatted message for fp8rt_last_error and returns `status`, so
/// that a check is one `return fail(…)`. Messages say what was expected and
/// what was found.
__attribute__((format(printf, 2, 3))) int32_t fail(int32_t status,
                                                   const char *format, ...);

} // namespace fp8rt

#endif // FP8RT_COMMON_ERROR_H
