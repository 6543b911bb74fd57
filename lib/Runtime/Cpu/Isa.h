//===- Isa.h - Choice of the instruction set --------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which code runs on this machine, unless FP8RT_CPU_ISA names a lower one.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_ISA_H
#define FP8RT_CPU_ISA_H

#include "CpuMatmul.h"

namespace fp8rt::cpu {

/// The path to run, chosen once; null with a message when FP8RT_CPU_ISA cannot
/// be followed.
const Path *choosePath();

} // namespace fp8rt::cpu

#endif // FP8RT_CPU_ISA_H
