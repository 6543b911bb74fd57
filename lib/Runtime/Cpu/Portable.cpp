//===- Portable.cpp - The matmul with no special code ---------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The path for every machine: vectors of 16 bytes, which compilers turn into
// whatever there is, and tiles for 16 registers.
//
//===----------------------------------------------------------------------===//

#define FP8RT_ISA portable
#include "Blocked.h"

using namespace fp8rt::cpu;

namespace {
struct Portable {
  static constexpr int bytes = 16;
  static constexpr int rows = 4;
  static constexpr int vectors = 2;
  static constexpr bool hasFma = false;
};
} // namespace

const Path fp8rt::cpu::portablePath = {"portable",
                                       portable::runMatmul<Portable>};
