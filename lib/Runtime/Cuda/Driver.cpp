//===- Driver.cpp - The CUDA driver, loaded at run time -------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds libcuda and its functions.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "../Common/Error.h"
#include "fp8rt/fp8rt.h"

#include <dlfcn.h>
#include <stdlib.h>

using namespace fp8rt;
using namespace fp8rt::cuda;

void *cuda::loadLibrary(const char *variable, const char *const *names,
                        std::string *reason) {
  const char *chosen = getenv(variable);
  if (chosen && *chosen) {
    if (void *library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL))
      return library;
    *reason = std::string(variable) + ": " + dlerror();
    return nullptr;
  }
  for (; *names; ++names) {
    if (void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL))
      return library;
    const char *why = dlerror();
    *reason += (reason->empty() ? "" : "; ") + std::string(why ? why : *names);
  }
  return nullptr;
}

int32_t Driver::load() {
  static const char *const names[] = {"libcuda.so.1", nullptr};
  std::string reason;
  void *library = loadLibrary("FP8RT_LIBCUDA", names, &reason);
  if (!library)
    return fail(FP8RT_FAILED, "CUDA driver: cannot be loaded: %s",
                reason.c_str());
#define FP8RT_LOAD(name, symbol, parameters)                                   \
  name = reinterpret_cast<CuResult(*) parameters>(dlsym(library, symbol));     \
  if (!name)                                                                   \
    return fail(FP8RT_FAILED, "CUDA driver: has no function %s", symbol);
  FP8RT_CUDA_DRIVER_FUNCTIONS(FP8RT_LOAD)
#undef FP8RT_LOAD
#define FP8RT_LOAD(name, symbol, parameters)                                   \
  name = reinterpret_cast<CuResult(*) parameters>(dlsym(library, symbol));
  FP8RT_CUDA_DRIVER_OPTIONAL_FUNCTIONS(FP8RT_LOAD)
#undef FP8RT_LOAD
  return check(init(0), "cuInit");
}

int32_t Driver::check(CuResult result, const char *what) const {
  if (result == kCuSuccess)
    return FP8RT_OK;
  const char *name = nullptr;
  const char *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  return fail(FP8RT_FAILED, "CUDA driver: %s failed: %s (%d), %s", what,
              name ? name : "unknown error", result, text ? text : "");
}
