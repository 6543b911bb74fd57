//===- ExpandArith.h --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of fp8-expand-arith, for passes of your own.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_EXPANDARITH_H
#define FP8_TRANSFORMS_EXPANDARITH_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::fp8 {

/// Adds patterns that expand arith and math ops on FP8 and bf16 scalars and
/// vectors into integer code and f32 ops. Apply them with a driver that does
/// not fold (`walkAndApplyPatterns`): a fold of `extf(truncf(x))` with
/// `contract` would drop a rounding before the patterns take that flag away.
void populateExpandArithPatterns(RewritePatternSet &patterns);

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_EXPANDARITH_H
