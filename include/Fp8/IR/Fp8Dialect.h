//===- Fp8Dialect.h ---------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8DIALECT_H
#define FP8_IR_FP8DIALECT_H

#include "mlir/IR/Dialect.h"

#include "Fp8/IR/Fp8Dialect.h.inc"

#endif // FP8_IR_FP8DIALECT_H
