//===- Error.cpp - Status and message of a failure ------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The message of the last failure on each thread, and the names of the
// statuses.
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include "fp8rt/fp8rt.h"

#include <stdarg.h>
#include <stdio.h>

static thread_local char lastMessage[512];

int32_t fp8rt::fail(int32_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(lastMessage, sizeof(lastMessage), format, arguments);
  va_end(arguments);
  return status;
}

const char *fp8rt_last_error(void) { return lastMessage; }

const char *fp8rt_status_name(int32_t status) {
  switch (status) {
  case FP8RT_OK:
    return "FP8RT_OK";
  case FP8RT_INVALID_ARGUMENT:
    return "FP8RT_INVALID_ARGUMENT";
  case FP8RT_UNSUPPORTED:
    return "FP8RT_UNSUPPORTED";
  case FP8RT_FAILED:
    return "FP8RT_FAILED";
  case FP8RT_NOT_PREPARED:
    return "FP8RT_NOT_PREPARED";
  default:
    return "unknown fp8rt status";
  }
}
