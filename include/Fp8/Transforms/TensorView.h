//===- TensorView.h ---------------------------------------------*- C++ -*-===//
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

/// The label of a dimension of size 1 that a caller does not ask for.
inline constexpr unsigned kUnitLabel = ~0u;
/// The label of a dimension that a reshape made from several, or from a part.
inline constexpr unsigned kMixedLabel = ~0u - 1;

/// What tracing looks through besides transposes, generics that only yield
/// their input, and reshapes that add or remove dimensions of size 1.
struct TraceOptions {
  /// `arith.extf`, which is exact.
  bool extensions = true;
  /// Broadcasts, whose new dimensions lose their label.
  bool broadcasts = true;
};

/// True for a tensor whose type has an encoding; no op of ours takes one.
bool hasEncoding(Value value);

/// The view of what `view` is a copy of, unless that has an encoding.
/// Dimensions of size 1 that come to light get `kUnitLabel`.
TensorView traceView(TensorView view, TraceOptions options = {});

/// As `traceView`, and moves other reshapes in front of the transposes and
/// widenings that they read, where that is possible, to look through those too.
/// The new reshapes are made at the insertion point of `builder`; the old ones
/// stay for other readers.
TensorView traceViewThroughReshapes(OpBuilder &builder, TensorView view,
                                    TraceOptions options);

/// `view` without its dimensions of `kUnitLabel`.
TensorView squeezeView(OpBuilder &builder, Location loc, TensorView view);

/// The labels of a reshape's result, from those of its source: a dimension that
/// stays keeps its label, dimensions of size 1 get `kUnitLabel`, others
/// `kMixedLabel`.
SmallVector<unsigned> labelReshape(Operation *reshape,
                                   ArrayRef<unsigned> labels);

/// What an elementwise generic with one input does to each element.
enum class ElementwiseKind { Other, Copy, Extend, Truncate };

/// Classifies a generic of one input and one result whose loops are parallel
/// and whose result map is the identity. Casts from or to an fp8 type are
/// `Other`: they are the model's own quantization.
ElementwiseKind classifyElementwise(linalg::GenericOp op);

/// The tensor that `value` is an exact widening of, or `value`.
Value stripExtensions(Value value);

/// The reshape that `transpose` amounts to if it moves nothing but dimensions
/// of size 1, made with `builder`; else null.
Value createReshapeOfTranspose(OpBuilder &builder,
                               linalg::TransposeOp transpose);

/// What `value` is a view or a cast of: looks through ops with one tensor
/// operand that move, repeat, widen or round elements and compute nothing.
Value stripViewsAndCasts(Value value);

/// True if every element of `value` is known to be zero.
bool isZeroTensor(Value value);

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_TENSORVIEW_H
