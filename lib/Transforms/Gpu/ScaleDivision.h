//===- ScaleDivision.h ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The divisions of fp8.scale as devices do them, with the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_TRANSFORMS_GPU_SCALEDIVISION_H
#define FP8_LIB_TRANSFORMS_GPU_SCALEDIVISION_H

#include "KernelBuilder.h"

namespace mlir::fp8 {

/// One of the two divisions of fp8.scale, in the spelling of
/// convert-fp8-to-linalg: `f32(dividend / max(f64(divisor), eps))`, or
/// `dividend / divisor` in f32, where the divisor is such a quotient and `eps`
/// is 0.
struct ScaleDivision {
  Value divisor;
  double dividend, eps;
};

/// The division that `op` is, or nothing.
std::optional<ScaleDivision> matchScaleDivision(Operation *op);

/// Emits it for this divisor.
Value emitScaleDivision(KernelBuilder &b, const ScaleDivision &division,
                        Value divisor);

/// The float that `value` is a constant of, or nothing.
std::optional<double> getFloatConstant(Value value);

} // namespace mlir::fp8

#endif // FP8_LIB_TRANSFORMS_GPU_SCALEDIVISION_H
