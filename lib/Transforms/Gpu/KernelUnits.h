//===- KernelUnits.h --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops on buffers become one kernel, and where it runs.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_TRANSFORMS_GPU_KERNELUNITS_H
#define FP8_LIB_TRANSFORMS_GPU_KERNELUNITS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fp8 {

/// Ops of one kernel, in order. The scalar ones come first: each thread
/// computes them on the way to its part of the others.
struct KernelUnit {
  SmallVector<linalg::GenericOp> prologue;
  /// One op, or several amax reductions, several casts, or several ops under
  /// conditions.
  SmallVector<linalg::GenericOp> main;
};

/// The buffer that `value` is a view of. Two different ones do not overlap:
/// they are allocations or arguments of the function.
Value getRootBuffer(Value value);

/// If output `index` of `op` becomes the maximum of itself and of an absolute
/// value in f32, `out = max(out, |f(in)|)`, that value in the body; else null.
Value getMagnitude(linalg::GenericOp op, unsigned index);

/// Whether `op` takes the maximum of absolute values of what it computes
/// elementwise, and nothing else.
bool isAmax(linalg::GenericOp op);

/// Whether `op` computes scalars from scalars.
bool isScalarOp(linalg::GenericOp op);

/// Every named linalg op and `memref.copy` of `block` as a `linalg.generic`,
/// except fills with zero bits, which become a `gpu.memset`.
LogicalResult spellAsGenerics(Block &block);

/// Puts the f32 slots that an amax starts from into one buffer, which is
/// cleared once at the start of `block`, and takes their fills away.
void clearSlotsOnce(Block &block);

/// The kernels of `block`: scalar ops go to their first reader, an amax to an
/// earlier one that its input is ready for, a cast of one tensor to the cast
/// before it, past matmuls and work under conditions, and that to a later or
/// the earlier such work, where nobody needs it before. Ops are moved
/// accordingly.
SmallVector<KernelUnit> formKernelUnits(Block &block);

} // namespace mlir::fp8

#endif // FP8_LIB_TRANSFORMS_GPU_KERNELUNITS_H
