//===- ScalePrediction.h ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which quantizations can be one pass over their input, with a predicted scale.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_TRANSFORMS_SCALEPREDICTION_H
#define FP8_LIB_TRANSFORMS_SCALEPREDICTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fp8 {

/// An amax, its scale and descale, and the cast by that scale, as
/// convert-fp8-to-linalg spells them.
struct PredictableCast {
  linalg::GenericOp amax, scale, cast;
};

/// Whether `op` computes a scale, its first result, that is a power of two.
bool isPow2Scale(linalg::GenericOp op);

/// The quantization whose scale is `scale`, if one pass over the input can take
/// the amax and cast; otherwise why not.
FailureOr<PredictableCast> findPredictableCast(linalg::GenericOp scale,
                                               std::string &reason);

} // namespace mlir::fp8

#endif // FP8_LIB_TRANSFORMS_SCALEPREDICTION_H
