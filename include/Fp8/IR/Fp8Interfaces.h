//===- Fp8Interfaces.h ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8INTERFACES_H
#define FP8_IR_FP8INTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::fp8::detail {
/// The operands of `op` whose type, or element type, is a float.
SmallVector<Value> getFloatOperands(Operation *op);
} // namespace mlir::fp8::detail

#include "Fp8/IR/Fp8Interfaces.h.inc"

#endif // FP8_IR_FP8INTERFACES_H
