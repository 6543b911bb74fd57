//===- fp8-tune.cpp - Tunes the matmuls of a compiled library -------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepares functions of a library that fp8-compile made, tries every algorithm
// for each of their matmuls on this machine's device, and keeps the fastest in
// the plan cache. Needs fp8rt and no LLVM, as the machine with the device may
// have none.
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include "Progress.h"

#include "fp8rt/tools.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace fp8tune;

static const char kUsage[] =
    "usage: fp8-tune [options] LIBRARY.so [TENSOR=SIZES ...]\n"
    "\n"
    "Tries every algorithm of cuBLASLt for each matmul of a library that\n"
    "fp8-compile made for a GPU, on the real sizes, and stores the fastest "
    "that\n"
    "is right in the plan cache: $FP8_PLAN_CACHE, else $XDG_CACHE_HOME/fp8, "
    "else\n"
    "~/.cache/fp8. Every program that prepares these matmuls uses it from then "
    "on.\n"
    "\n"
    "  TENSOR=SIZES        the sizes of an argument that has dynamic ones, as\n"
    "                      x=16384x768; the others are known\n"
    "  --function=NAME     a function to tune; may be repeated (default: the "
    "name\n"
    "                      of the library, and that with _forward and "
    "_backward)\n"
    "  --device=N          which GPU, from 0 (default: 0)\n"
    "  --iterations=N      timings of each algorithm (default: 15)\n"
    "  --algorithms=N      most algorithms asked for (default: 32)\n"
    "  --max-workspace=MIB most workspace of a matmul (default: 32, what "
    "compiled\n"
    "                      functions have)\n"
    "  --dry-run           list the matmuls and tune nothing\n"
    "  --help              print this\n";

namespace {
struct Options {
  std::string library;
  std::vector<std::string> functions;
  std::vector<std::string> sizes;
  int32_t device = 0;
  bool dryRun = false;
  fp8rt_tune_options tune = {};
};

/// Owns a context.
struct Context {
  ~Context() { fp8rt_context_destroy(handle); }
  fp8rt_context *handle = nullptr;
};
} // namespace

static bool parseNumber(const char *option, const char *text, long most,
                        long *number) {
  char *end = nullptr;
  *number = strtol(text, &end, 10);
  if (*text && !*end && *number >= 0 && *number <= most)
    return true;
  return report("--%s expects a number from 0 to %ld, but got '%s'", option,
                most, text);
}

static bool parseOptions(int argc, char **argv, Options *options) {
  enum {
    kFunction,
    kDevice,
    kIterations,
    kAlgorithms,
    kWorkspace,
    kDry,
    kHelp
  };
  static const option known[] = {
      {"function", required_argument, nullptr, kFunction},
      {"device", required_argument, nullptr, kDevice},
      {"iterations", required_argument, nullptr, kIterations},
      {"algorithms", required_argument, nullptr, kAlgorithms},
      {"max-workspace", required_argument, nullptr, kWorkspace},
      {"dry-run", no_argument, nullptr, kDry},
      {"help", no_argument, nullptr, kHelp},
      {},
  };
  options->tune.struct_size = sizeof(options->tune);
  int which = 0;
  for (int found; (found = getopt_long(argc, argv, "", known, &which)) != -1;) {
    const char *name = found == '?' ? "" : known[which].name;
    long number = 0;
    switch (found) {
    case kFunction:
      options->functions.emplace_back(optarg);
      break;
    case kDevice:
      if (!parseNumber(name, optarg, 1023, &number))
        return false;
      options->device = static_cast<int32_t>(number);
      break;
    case kIterations:
      if (!parseNumber(name, optarg, 10000, &number))
        return false;
      options->tune.iterations = static_cast<int32_t>(number);
      break;
    case kAlgorithms:
      if (!parseNumber(name, optarg, 10000, &number))
        return false;
      options->tune.algorithms = static_cast<int32_t>(number);
      break;
    case kWorkspace:
      if (!parseNumber(name, optarg, 1 << 20, &number))
        return false;
      options->tune.max_workspace = static_cast<uint64_t>(number) << 20;
      break;
    case kDry:
      options->dryRun = true;
      break;
    case kHelp:
      fputs(kUsage, stdout);
      exit(EXIT_SUCCESS);
    default:
      return false;
    }
  }
  if (optind == argc)
    return report("expects a library; see fp8-tune --help");
  options->library = argv[optind];
  options->sizes.assign(argv + optind + 1, argv + argc);
  return true;
}

static bool createContext(const Options &options, Context *context) {
  fp8rt_context_options create = {};
  create.struct_size = sizeof(create);
  create.backend = "cuda";
  create.device = options.device;
  return check(fp8rt_context_create(&create, &context->handle));
}

static bool listMatmuls(fp8rt_context *context,
                        std::vector<fp8rt_matmul_desc> *descs) {
  uint64_t count = 0;
  if (!check(fp8rt_prepared_matmuls(context, nullptr, 0, &count)))
    return false;
  descs->resize(count);
  return check(
      fp8rt_prepared_matmuls(context, descs->data(), descs->size(), &count));
}

static void printResult(const fp8rt_matmul_desc &desc,
                        const fp8rt_tune_result &result) {
  puts(describe(desc).c_str());
  // Without sums in the library there is nothing to choose from.
  if (result.tried == 0)
    puts("  no algorithms to choose from");
  else
    printf("  %.2f us, %.2f by default; %d algorithms, %d failed a check\n",
           result.best_time, result.default_time, result.tried,
           result.rejected);
}

static bool tune(const Options &options, fp8rt_context *context,
                 const std::vector<fp8rt_matmul_desc> &descs) {
  Progress progress(descs);
  fp8rt_tune_options tuning = options.tune;
  tuning.progress = Progress::report;
  tuning.user = &progress;
  std::vector<fp8rt_tune_result> results(descs.size());
  const int32_t status =
      fp8rt_tune(context, descs.data(), descs.size(), &tuning, results.data());
  progress.end();
  if (!check(status))
    return false;
  for (size_t i = 0; i < descs.size(); ++i)
    printResult(descs[i], results[i]);
  const char *path = fp8rt_plan_cache_path(context);
  printf("%s%s\n",
         *path ? "plans: " : "plans are not kept: FP8_PLAN_CACHE is empty",
         path);
  return true;
}

static bool run(const Options &options) {
  Library library;
  if (!library.open(options.library, options.functions) ||
      !library.setSizes(options.sizes))
    return false;
  Context context;
  if (!createContext(options, &context))
    return false;
  // A cache that is damaged is left alone; tuning would end with that error.
  const std::string damage = fp8rt_plan_cache_message(context.handle);
  if (!damage.empty())
    return report("%s", damage.c_str());
  for (const Function &function : library.functions)
    if (!check(function.prepare(function.tensors.data(), context.handle)))
      return false;
  std::vector<fp8rt_matmul_desc> descs;
  if (!listMatmuls(context.handle, &descs))
    return false;
  if (!options.dryRun)
    return tune(options, context.handle, descs);
  for (const fp8rt_matmul_desc &desc : descs)
    puts(describe(desc).c_str());
  return true;
}

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(argc, argv, &options))
    return 2;
  return run(options) ? EXIT_SUCCESS : EXIT_FAILURE;
}
