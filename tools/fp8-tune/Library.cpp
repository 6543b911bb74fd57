//===- Library.cpp - A library that fp8-compile made ----------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include "fp8rt/tools.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

using namespace fp8tune;

bool fp8tune::report(const char *format, ...) {
  fputs("fp8-tune: error: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return false;
}

bool fp8tune::check(int32_t status) {
  return status == FP8RT_OK || report("%s", fp8rt_last_error());
}

std::string fp8tune::describe(const fp8rt_matmul_desc &desc) {
  uint64_t length = 0;
  if (fp8rt_describe_matmul(&desc, nullptr, 0, &length) != FP8RT_OK)
    return fp8rt_last_error();
  std::string text(length, '\0');
  fp8rt_describe_matmul(&desc, text.data(), length + 1, &length);
  return text;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

template <class Pointer>
static bool findSymbol(void *handle, const std::string &name, Pointer *symbol) {
  *symbol = reinterpret_cast<Pointer>(dlsym(handle, name.c_str()));
  return *symbol != nullptr;
}

/// "lib/model.so" is "model".
static std::string stemOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.rfind('.'));
}

bool Library::addFunction(const std::string &name, bool isNeeded) {
  Function function;
  function.name = name;
  Function::Tensors describeTensors = nullptr;
  if (!findSymbol(handle, name + "_tensors", &describeTensors) ||
      !findSymbol(handle, name + "_prepare", &function.prepare))
    return !isNeeded ||
           report("%s: expects a function %s that fp8-compile made, but there "
                  "is no %s_tensors or no %s_prepare",
                  path.c_str(), name.c_str(), name.c_str(), name.c_str());
  findSymbol(handle, name + "_sizes", &function.resultSizes);
  if (!check(describeTensors(&function.specs, &function.numArguments,
                             &function.numResults)))
    return false;
  for (int64_t i = 0; i < function.numArguments + function.numResults; ++i) {
    const fp8rt_tensor_spec &spec = function.specs[i];
    function.sizes.emplace_back(spec.sizes, spec.sizes + spec.rank);
  }
  functions.push_back(std::move(function));
  return true;
}

bool Library::open(const std::string &file,
                   const std::vector<std::string> &names) {
  path = file;
  // Without a slash the loader would look elsewhere.
  const std::string place =
      path.find('/') == std::string::npos ? "./" + path : path;
  handle = dlopen(place.c_str(), RTLD_NOW);
  if (!handle)
    return report(
        "expects a library that fp8-compile made, but cannot load it: "
        "%s",
        dlerror());
  for (const std::string &name : names)
    if (!addFunction(name, /*isNeeded=*/true))
      return false;
  if (!names.empty())
    return true;
  const std::string stem = stemOf(path);
  for (const char *suffix : {"", "_forward", "_backward"})
    if (!addFunction(stem + suffix, /*isNeeded=*/false))
      return false;
  return !functions.empty() ||
         report("%s: expects a function %s, %s_forward or %s_backward that "
                "fp8-compile made; --function names another",
                path.c_str(), stem.c_str(), stem.c_str(), stem.c_str());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static std::string toText(const int64_t *sizes, int32_t rank) {
  std::string text;
  for (int32_t i = 0; i < rank; ++i)
    text += (i ? "x" : "") + (sizes[i] < 0 ? "?" : std::to_string(sizes[i]));
  return text;
}

/// Reads "16384x768".
static bool parseSizes(const char *text, std::vector<int64_t> *sizes) {
  for (;;) {
    char *end = nullptr;
    const long long size = strtoll(text, &end, 10);
    if (end == text || *text < '0' || *text > '9')
      return false;
    sizes->push_back(size);
    if (!*end)
      return true;
    if (*end != 'x')
      return false;
    text = end + 1;
  }
}

static bool fits(const fp8rt_tensor_spec &spec,
                 const std::vector<int64_t> &sizes) {
  if (static_cast<size_t>(spec.rank) != sizes.size())
    return false;
  for (int32_t i = 0; i < spec.rank; ++i)
    if (spec.sizes[i] >= 0 && spec.sizes[i] != sizes[i])
      return false;
  return true;
}

/// Gives `sizes` to the argument `name` of `function`, if it has one.
static bool setArgument(Function &function, const std::string &name,
                        const std::vector<int64_t> &sizes, bool *isKnown) {
  for (int64_t i = 0; i < function.numArguments; ++i) {
    const fp8rt_tensor_spec &spec = function.specs[i];
    if (spec.name != name)
      continue;
    *isKnown = true;
    if (!fits(spec, sizes))
      return report(
          "%s: %s expects sizes %s, but got %s", function.name.c_str(),
          name.c_str(), toText(spec.sizes, spec.rank).c_str(),
          toText(sizes.data(), static_cast<int32_t>(sizes.size())).c_str());
    function.sizes[i] = sizes;
  }
  return true;
}

static bool isDynamic(const std::vector<int64_t> &sizes) {
  for (int64_t size : sizes)
    if (size < 0)
      return true;
  return false;
}

/// Points the tensors of `function` to their sizes.
static void describeTensors(Function &function) {
  function.tensors.resize(function.sizes.size());
  for (size_t i = 0; i < function.sizes.size(); ++i)
    function.tensors[i] = {nullptr, function.sizes[i].data(), nullptr,
                           function.specs[i].rank, function.specs[i].type};
}

static bool workOutResults(Function &function) {
  for (int64_t i = 0; i < function.numArguments; ++i)
    if (isDynamic(function.sizes[i]))
      return report(
          "%s: %s expects sizes %s: pass %s=SIZES", function.name.c_str(),
          function.specs[i].name,
          toText(function.specs[i].sizes, function.specs[i].rank).c_str(),
          function.specs[i].name);
  describeTensors(function);
  if (!function.resultSizes)
    return true;
  size_t total = 0;
  for (size_t i = function.numArguments; i < function.sizes.size(); ++i)
    total += function.sizes[i].size();
  std::vector<int64_t> all(total);
  if (!check(function.resultSizes(function.tensors.data(), all.data())))
    return false;
  const int64_t *next = all.data();
  for (size_t i = function.numArguments; i < function.sizes.size(); ++i) {
    function.sizes[i].assign(next, next + function.sizes[i].size());
    next += function.sizes[i].size();
  }
  describeTensors(function);
  return true;
}

bool Library::setSizes(const std::vector<std::string> &words) {
  for (const std::string &word : words) {
    const size_t equals = word.find('=');
    std::vector<int64_t> sizes;
    if (equals == std::string::npos ||
        !parseSizes(word.c_str() + equals + 1, &sizes))
      return report("expects TENSOR=SIZES, as x=16384x768, but got '%s'",
                    word.c_str());
    const std::string name = word.substr(0, equals);
    bool isKnown = false;
    for (Function &function : functions)
      if (!setArgument(function, name, sizes, &isKnown))
        return false;
    if (!isKnown)
      return report("%s: has no argument %s", path.c_str(), name.c_str());
  }
  for (Function &function : functions)
    if (!workOutResults(function))
      return false;
  return true;
}
