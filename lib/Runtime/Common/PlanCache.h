//===- PlanCache.h - The file of tuned plans --------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tuning found, in a file for each device and version of the library. A
// file that is not exactly what is expected is not used and not written over in
// silence; entries are checked again by the library before they are.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_PLANCACHE_H
#define FP8RT_COMMON_PLANCACHE_H

#include "DescKey.h"

#include <map>
#include <string>

namespace fp8rt {

class Json;

/// What the algorithms of a file are for. All of it must match.
struct PlanCacheIdentity {
  std::string device;
  int64_t arch = 0;
  int64_t multiprocessors = 0;
  int64_t blasVersion = 0;
};

struct TunedPlan {
  fp8rt_matmul_desc desc = {};
  /// The library's description of the algorithm, and its number.
  uint64_t algorithm[8] = {};
  int64_t algorithmId = 0;
  /// Microseconds.
  double time = 0;
  double defaultTime = 0;
};

class PlanCache {
public:
  /// Reads the file for `identity` in `folder`; null stands for the places that
  /// fp8rt_context_options names. A missing file is an empty one.
  void open(const char *folder, const PlanCacheIdentity &identity);

  /// Null where there is none.
  const TunedPlan *find(const fp8rt_matmul_desc &desc) const;

  /// Adds plans to the file, and to what find() finds, in place of older ones
  /// for the same desc. What others wrote meanwhile stays. A status.
  int32_t add(const std::vector<TunedPlan> &plans);

  /// Why something was not used; "" if nothing. May be asked while others call
  /// note().
  const char *message() const { return published.load(); }
  /// Keeps the first reason.
  void note(const std::string &why);
  const std::string &path() const { return file; }

private:
  /// The plans of the file; false, and why in `why`, if it cannot be used.
  bool read(std::map<std::string, TunedPlan> *plans, std::string *why) const;
  bool checkIdentity(const Json &document, std::string *why) const;
  int32_t write(const std::map<std::string, TunedPlan> &plans) const;

  PlanCacheIdentity identity;
  std::string file;
  std::string reason;
  std::atomic<const char *> published{""};
  /// By the bytes of the key of the desc.
  std::map<std::string, TunedPlan> known;
};

/// A value that changes when any bit of a plan does.
uint64_t checksumOf(const TunedPlan &plan);

} // namespace fp8rt

#endif // FP8RT_COMMON_PLANCACHE_H
