//===- MatmulUtils.h --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes on fp8.matmul have in common: sizes, descriptions, and which
// operand is a weight.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_MATMULUTILS_H
#define FP8_TRANSFORMS_MATMULUTILS_H

#include "Fp8/IR/Fp8Ops.h"

namespace mlir::fp8 {

/// The sizes of a matmul; dynamic ones are `ShapedType::kDynamic`. `batch` is
/// the product of all batch dimensions.
struct MatmulSizes {
  int64_t batch, m, n, k;

  bool isStatic() const {
    return !ShapedType::isDynamic(batch) && !ShapedType::isDynamic(m) &&
           !ShapedType::isDynamic(n) && !ShapedType::isDynamic(k);
  }
};

MatmulSizes getSizes(MatmulOp op);

/// "c_fc (forward, 64x128x256)": name, role and M x K x N, for a remark.
std::string describe(MatmulOp op);

/// Checks every `fp8.convert` below `root`.
LogicalResult verifyConvertAttrs(Operation *root);

/// The value of `fp8.convert`, or an empty string.
StringRef getConvert(MatmulOp op);

/// True if `value` is an argument or a constant, but for views and casts.
bool isWeight(Value value);

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_MATMULUTILS_H
