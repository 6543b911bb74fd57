//===- Workspace.cpp - Memory of a running matmul -------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pool: a piece is taken with one atomic exchange, starting from the
// lowest, so that a program of one thread stays in the same warm memory.
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"

#include <atomic>
#include <sched.h>

using namespace fp8rt::cpu;

static constexpr int kCount = 64;

alignas(64) static unsigned char memory[kCount][kWorkspaceBytes];
static std::atomic<bool> taken[kCount];

Workspace::Workspace() {
  for (;; sched_yield())
    for (index = 0; index < kCount; ++index)
      if (!taken[index].load(std::memory_order_relaxed) &&
          !taken[index].exchange(true, std::memory_order_acquire))
        return;
}

Workspace::~Workspace() {
  taken[index].store(false, std::memory_order_release);
}

void *Workspace::data() const { return memory[index]; }
