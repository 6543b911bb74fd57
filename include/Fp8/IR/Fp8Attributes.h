//===- Fp8Attributes.h ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8ATTRIBUTES_H
#define FP8_IR_FP8ATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "Fp8/IR/Fp8Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Fp8/IR/Fp8Attributes.h.inc"

#endif // FP8_IR_FP8ATTRIBUTES_H
