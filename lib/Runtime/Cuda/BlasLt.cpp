//===- BlasLt.cpp - cuBLASLt, loaded at run time --------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds libcublasLt and its functions.
//
//===----------------------------------------------------------------------===//

#include "BlasLt.h"

#include "../Common/Error.h"
#include "fp8rt/fp8rt.h"

#include <dlfcn.h>

using namespace fp8rt;
using namespace fp8rt::cuda;

int32_t BlasLt::load() {
  static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                      nullptr};
  std::string reason;
  void *library = loadLibrary("FP8RT_CUBLASLT", names, &reason);
  if (!library)
    return fail(FP8RT_FAILED, "cuBLASLt: cannot be loaded: %s", reason.c_str());
#define FP8RT_LOAD(name, symbol, result, parameters)                           \
  name = reinterpret_cast<result(*) parameters>(dlsym(library, symbol));       \
  if (!name)                                                                   \
    return fail(FP8RT_FAILED, "cuBLASLt: has no function %s", symbol);
  FP8RT_BLASLT_FUNCTIONS(FP8RT_LOAD)
#undef FP8RT_LOAD
  return FP8RT_OK;
}

const char *BlasLt::nameOf(LtStatus status) const {
  const char *name = getStatusName(status);
  return name ? name : "unknown status";
}

int32_t BlasLt::check(LtStatus status, const char *what) const {
  if (status == kLtSuccess)
    return FP8RT_OK;
  return fail(FP8RT_FAILED, "cuBLASLt: %s failed: %s (%d)", what,
              nameOf(status), status);
}
