//===- Library.h - A library that fp8-compile made --------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of a compiled library, and the tensors that they take.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_TUNE_LIBRARY_H
#define FP8_TOOLS_TUNE_LIBRARY_H

#include "fp8rt/fp8rt.h"

#include <string>
#include <vector>

namespace fp8tune {

/// Prints `fp8-tune: error: MESSAGE` and returns false.
bool report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Whether `status` is FP8RT_OK; reports the runtime's message if not.
bool check(int32_t status);

/// What matmul `desc` is, in a line.
std::string describe(const fp8rt_matmul_desc &desc);

struct Function {
  using Tensors = int32_t (*)(const fp8rt_tensor_spec **, int64_t *, int64_t *);
  using Prepare = int32_t (*)(const fp8rt_tensor *, fp8rt_context *);
  using Sizes = int32_t (*)(const fp8rt_tensor *, int64_t *);

  std::string name;
  Prepare prepare = nullptr;
  /// Null where a program was on buffers from the start.
  Sizes resultSizes = nullptr;
  const fp8rt_tensor_spec *specs = nullptr;
  int64_t numArguments = 0, numResults = 0;
  /// Arguments, then results; no data. `sizes` is what they point to.
  std::vector<fp8rt_tensor> tensors;
  std::vector<std::vector<int64_t>> sizes;
};

class Library {
public:
  /// Loads `path` and finds the functions called `names`, or those of the
  /// library's own name where there are none. Reports what is missing.
  bool open(const std::string &path, const std::vector<std::string> &names);

  /// Takes the sizes of arguments from `words`, "x=16384x768", and works out
  /// those of the results. Reports a word that no function knows, and sizes
  /// that are missing or contradict what is known.
  bool setSizes(const std::vector<std::string> &words);

  std::vector<Function> functions;

private:
  bool addFunction(const std::string &name, bool isNeeded);

  /// Stays loaded until the process ends.
  void *handle = nullptr;
  std::string path;
};

} // namespace fp8tune

#endif // FP8_TOOLS_TUNE_LIBRARY_H
