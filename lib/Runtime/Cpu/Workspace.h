//===- Workspace.h - Memory of a running matmul -----------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The packed blocks of a running matmul need about one and a half megabytes. A
// stack may be smaller than that, thread-local memory of a shared library is
// cut from every thread's stack or allocated on first use, and a call may not
// allocate: so there is a fixed pool, in memory that costs nothing until it is
// touched.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_WORKSPACE_H
#define FP8RT_CPU_WORKSPACE_H

#include <stdint.h>

namespace fp8rt::cpu {

/// Bytes that one matmul may use.
constexpr int64_t kWorkspaceBytes = 6 << 18;

/// Holds one piece of the pool. Waits where more threads than there are pieces
/// run a matmul at once, which are more than most machines have cores.
class Workspace {
public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  /// Aligned to 64 bytes.
  void *data() const;

private:
  int index;
};

} // namespace fp8rt::cpu

#endif // FP8RT_CPU_WORKSPACE_H
