//===- Fp8.td -------------------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8_TD
#define FP8_IR_FP8_TD

include "Fp8/IR/Fp8Dialect.td"
include "Fp8/IR/Fp8Attributes.td"
include "Fp8/IR/Fp8Interfaces.td"
include "Fp8/IR/Fp8Ops.td"

#endif // FP8_IR_FP8_TD
