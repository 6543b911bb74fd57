//===- PlanCacheFuzzer.cpp - Damaged files of tuned plans -----------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan cache opens any file without harm. What it takes, it writes again such
// that it reads it again; what it refuses has a reason and stays beside the new
// file, byte for byte. Built with libFuzzer the checksums of plans are not
// compared, which a mutation would never get right.
//
//===----------------------------------------------------------------------===//

#include "PlanCache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace fp8rt;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      abort();                                                                 \
    }                                                                          \
  } while (false)

/// A folder of this process, which goes away at its end. Files are synced to
/// their disk: TMPDIR=/dev/shm makes this fast.
static const std::string &folder() {
  static const std::string path = [] {
    const char *parent = getenv("TMPDIR");
    std::string name = parent ? parent : "/tmp";
    name += "/fp8-plan-cache-XXXXXX";
    CHECK(mkdtemp(&name[0]));
    return name;
  }();
  static const bool registered = [] {
    return atexit([] {
             for (const char *suffix : {"", ".lock", ".unusable"})
               unlink((path + "/fuzz-cublaslt-1.json" + suffix).c_str());
             rmdir(path.c_str());
           }) == 0;
  }();
  (void)registered;
  return path;
}

static std::string read(const std::string &path) {
  std::string text;
  FILE *file = fopen(path.c_str(), "rb");
  if (!file)
    return text;
  char block[4096];
  while (size_t count = fread(block, 1, sizeof(block), file))
    text.append(block, count);
  fclose(file);
  return text;
}

static void write(const std::string &path, const std::string &text) {
  FILE *file = fopen(path.c_str(), "wb");
  CHECK(file && fwrite(text.data(), 1, text.size(), file) == text.size());
  CHECK(fclose(file) == 0);
}

static TunedPlan makePlan() {
  TunedPlan plan;
  plan.desc.struct_size = sizeof(plan.desc);
  plan.desc.type_a = plan.desc.type_b = FP8RT_F8E4M3FN;
  plan.desc.type_d = FP8RT_BF16;
  plan.desc.m = plan.desc.n = plan.desc.k = plan.desc.ld_a = plan.desc.ld_b =
      plan.desc.ld_d = 16;
  plan.desc.batch = 1;
  plan.time = 1;
  return plan;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  PlanCacheIdentity identity;
  identity.device = "fuzz";
  identity.blasVersion = 1;
  const std::string path = folder() + "/fuzz-cublaslt-1.json";
  const std::string text(reinterpret_cast<const char *>(data), size);
  unlink((path + ".unusable").c_str());
  write(path, text);

  PlanCache cache;
  cache.open(folder().c_str(), identity);
  const bool refused = *cache.message() != 0;
  CHECK(cache.path() == path && read(path) == text);

  CHECK(cache.add({makePlan()}) == FP8RT_OK);
  CHECK(read(path + ".unusable") == (refused ? text : ""));
  PlanCache again;
  again.open(folder().c_str(), identity);
  CHECK(*again.message() == 0);
  CHECK(again.find(makePlan().desc));
  return 0;
}
