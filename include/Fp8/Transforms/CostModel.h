//===- CostModel.h ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a linear layer takes in fp8 and in its wide type, as the target
// table predicts it.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_COSTMODEL_H
#define FP8_TRANSFORMS_COSTMODEL_H

#include "Fp8/Target/Target.h"
#include "Fp8/Transforms/MatmulUtils.h"

namespace mlir::fp8 {

/// A tensor that is quantized for a layer.
struct QuantizedOperand {
  int64_t elements;
  /// Bytes of an element before.
  int64_t wideBytes;
  /// How many matmuls share its quantization.
  int64_t sharing;
  /// Whether fp8 is stored a second time, transposed.
  bool transposedCopy;
};

/// A layer: `matmuls` products of the same sizes, and what they read.
struct LinearCost {
  MatmulSizes sizes;
  int64_t matmuls;
  SmallVector<QuantizedOperand> operands;
};

/// The predicted time in the wide type divided by that in fp8.
double predictGain(const LinearCost &cost, const TargetRates &rates);

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_COSTMODEL_H
