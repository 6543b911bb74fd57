//===- Progress.h - How far tuning is ---------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bar on a terminal, a line for each matmul where standard error is something
// else.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_TUNE_PROGRESS_H
#define FP8_TOOLS_TUNE_PROGRESS_H

#include "fp8rt/fp8rt.h"

#include <stdint.h>
#include <vector>

namespace fp8tune {

class Progress {
public:
  explicit Progress(const std::vector<fp8rt_matmul_desc> &descs);

  /// An fp8rt_tune_progress; `user` is a Progress.
  static int32_t report(void *user, uint64_t index, uint64_t count,
                        int32_t step, int32_t steps);

  /// Takes the bar away.
  void end();

private:
  void draw(uint64_t index, uint64_t count, int32_t step, int32_t steps);

  const std::vector<fp8rt_matmul_desc> &descs;
  bool isTerminal;
};

} // namespace fp8tune

#endif // FP8_TOOLS_TUNE_PROGRESS_H
