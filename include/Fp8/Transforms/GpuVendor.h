//===- GpuVendor.h ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What generated kernels need to know of who makes the device. Everything else
// in them is the same for all.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_GPUVENDOR_H
#define FP8_TRANSFORMS_GPUVENDOR_H

#include "Fp8/Target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include <memory>

namespace mlir::fp8 {

class GpuVendor {
public:
  virtual ~GpuVendor();

  /// The vendor of `target`, or null if it is no GPU. `isaVersion` is the PTX
  /// version times ten; 0 takes the first one that the kernels are best with.
  static std::unique_ptr<GpuVendor> create(const TargetInfo &target,
                                           unsigned isaVersion);

  /// The attribute that has `gpu-module-to-binary` compile for the device.
  virtual Attribute getTargetAttr(MLIRContext *context) const = 0;

  /// Threads that run in step.
  virtual unsigned getSubgroupSize() const = 0;

  /// Blocks of 512 threads that keep the whole device busy: more of them would
  /// wait for these to end.
  virtual unsigned getResidentBlocks() const = 0;

  /// Has the compiler of `kernel` use few enough registers for `blocks` blocks
  /// on each multiprocessor at once.
  virtual void setResidentBlocks(gpu::GPUFuncOp kernel,
                                 unsigned blocks) const = 0;

  /// Whether there is an instruction that rounds f32 to `type`.
  virtual bool hasConvert(FloatType type) const = 0;

  /// Rounds two f32 to nearest even in `type`, saturating, NaN to NaN: an i16
  /// with `low` in its low byte.
  virtual Value convertPair(OpBuilder &b, Location loc, Value low, Value high,
                            FloatType type) const = 0;

  /// Rounds two f32 to nearest even in bf16, NaN to NaN: a vector of two. Null
  /// if the device has nothing better than one after the other.
  virtual Value roundPairToBf16(OpBuilder &b, Location loc, Value low,
                                Value high) const {
    return {};
  }

  /// 1/x for an f32 in [1, 2), off by one unit in the last place at most; and
  /// exactly for 0, infinity and NaN.
  virtual Value approximateReciprocal(OpBuilder &b, Location loc,
                                      Value x) const = 0;

  /// The maximum of an i32 over the subgroup, as signed numbers, in every
  /// thread of it. All threads take part.
  virtual Value reduceMax(OpBuilder &b, Location loc, Value value) const = 0;

  /// Raises the i32 at `pointer` to `value`, as signed numbers, for the whole
  /// device.
  virtual void atomicMax(OpBuilder &b, Location loc, Value pointer,
                         Value value) const = 0;
};

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_GPUVENDOR_H
