//===- Isa.cpp - Choice of the instruction set ----------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads FP8RT_CPU_ISA and asks the processor, both once: getenv is no thing to
// do in every call, where another thread may be changing the environment.
//
//===----------------------------------------------------------------------===//

#include "Isa.h"

#include "../Common/Error.h"

#include <atomic>
#include <stdlib.h>
#include <string.h>

using namespace fp8rt;
using namespace fp8rt::cpu;

namespace {
struct Candidate {
  const Path *path;
  bool (*supported)();
};
} // namespace

static bool always() { return true; }

#ifdef FP8RT_X86_PATHS
// F16C is not asked for: the conversions are integer code.
static bool hasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool hasAvx512() {
  return hasAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

// Best first.
static const Candidate candidates[] = {
#ifdef FP8RT_X86_PATHS
    {&avx512Path, hasAvx512},
    {&avx2Path, hasAvx2},
#endif
    {&portablePath, always},
};

static const Path *findBest() {
  for (const Candidate &candidate : candidates)
    if (candidate.supported())
      return candidate.path;
  return &portablePath;
}

/// Null when there is no such name or no such instructions.
static const Path *findNamed(const char *name) {
  for (const Candidate &candidate : candidates)
    if (strcmp(candidate.path->name, name) == 0 && candidate.supported())
      return candidate.path;
  return nullptr;
}

static const Path *readEnvironment() {
  const char *name = getenv("FP8RT_CPU_ISA");
  return name && *name ? findNamed(name) : findBest();
}

const Path *cpu::choosePath() {
  // Two threads may both find the answer, which is the same.
  static std::atomic<const Path *> chosen{nullptr};
  const Path *path = chosen.load(std::memory_order_relaxed);
  if (path)
    return path;
  path = readEnvironment();
  if (path) {
    chosen.store(path, std::memory_order_relaxed);
    return path;
  }
  const char *name = getenv("FP8RT_CPU_ISA");
  fail(FP8RT_INVALID_ARGUMENT,
       "FP8RT_CPU_ISA: expects portable, avx2 or avx512, at most %s on this "
       "CPU, but got '%.64s'",
       findBest()->name, name ? name : "");
  return nullptr;
}

const char *fp8rt_cpu_isa(void) {
  const Path *path = choosePath();
  return path ? path->name : "";
}
