//===- Progress.cpp - How far tuning is -----------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "Library.h"

#include <stdio.h>
#include <unistd.h>

using namespace fp8tune;

static constexpr int kWidth = 24;

Progress::Progress(const std::vector<fp8rt_matmul_desc> &descs)
    : descs(descs), isTerminal(isatty(STDERR_FILENO)) {}

int32_t Progress::report(void *user, uint64_t index, uint64_t count,
                         int32_t step, int32_t steps) {
  auto &self = *static_cast<Progress *>(user);
  if (self.isTerminal)
    self.draw(index, count, step, steps);
  else if (step == 0)
    fprintf(stderr, "tuning %llu of %llu: %s\n",
            static_cast<unsigned long long>(index + 1),
            static_cast<unsigned long long>(count),
            describe(self.descs[index]).c_str());
  return 0;
}

void Progress::draw(uint64_t index, uint64_t count, int32_t step,
                    int32_t steps) {
  const double done = (static_cast<double>(index) +
                       static_cast<double>(step) / (steps ? steps : 1)) /
                      static_cast<double>(count);
  const int full = static_cast<int>(done * kWidth);
  fprintf(
      stderr, "\r\033[K[%.*s%*s] %3d%%  %llu of %llu  %s", full,
      "########################", kWidth - full, "",
      static_cast<int>(done * 100), static_cast<unsigned long long>(index + 1),
      static_cast<unsigned long long>(count), describe(descs[index]).c_str());
  fflush(stderr);
}

void Progress::end() {
  if (isTerminal)
    fputs("\r\033[K", stderr);
}
