//===- TensorView.h ------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looking through ops that only move or widen elements.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_TENSORVIEW_H
#define FP8_TRANSFORMS_TENSORVIEW_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Value.h"

namespace mlir::fp8 {

/// A tensor whose dimensions carry labels: numbers of a caller's choosing that
/// stay with a dimension when the tensor is transposed or broadcast.
struct TensorView {
  Value value;
  SmallVector<unsigned> labels;
};

/// True for a tensor whose type has an encoding; no op of ours takes one.
bool hasEncoding(Value value);

/// The view of what `view` is a copy of, unless that has an encoding: looks
/// through transposes, broadcasts (whose new dimensions lose their label) and
/// generics that only yield their input, and with `throughExtensions` through
/// `arith.extf`, which is exact.
TensorView traceView(TensorView view, bool throughExtensions);

/// What an elementwise generic with one input does to each element.
enum class ElementwiseKind { Other, Copy, Extend, Truncate };

/// Classifies a generic of one input and one result whose loops are parallel
/// and whose result map is the identity. Casts from or to an fp8 type are
/// `Other`: they are the model's own quantization.
ElementwiseKind classifyElementwise(linalg::GenericOp op);

/// The tensor that `value` is an exact widening of, or `value`.
Value stripExtensions(Value value);

/// True if every element of `value` is known to be zero.
bool isZeroTensor(Value value);

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_TENSORVIEW_H
