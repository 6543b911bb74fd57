//===- KernelBuilder.h ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the ops of one kernel: sizes, loads, stores, bodies of linalg ops.
//
// Kernels work on pointers of the global address space, with offsets of 64 bits
// in elements. Values in registers are scalars; a group of them that is loaded
// or stored at once is a `Lanes`.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_TRANSFORMS_GPU_KERNELBUILDER_H
#define FP8_LIB_TRANSFORMS_GPU_KERNELBUILDER_H

#include "Fp8/Transforms/ByteSize.h"
#include "Fp8/Transforms/GpuVendor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fp8 {

/// Values of one type for neighbouring elements.
struct Lanes {
  /// One a lane; empty if only `pairs` or `chunks` are at hand.
  SmallVector<Value> values;
  /// Two fp8 values each, as i16, the first in the low byte.
  SmallVector<Value> pairs;
  /// Vectors as they were loaded. Taken apart where the values are used: apart
  /// they need more registers.
  SmallVector<Value> chunks;
  Type element;

  bool isEmpty() const {
    return values.empty() && pairs.empty() && chunks.empty();
  }
};

/// A number that the host passes to the kernel as i64.
struct SizeArgument {
  enum Kind { Size, Stride, Blocks };
  /// What it is: of a dimension of a buffer, or of the launch.
  Kind kind;
  /// Number of the buffer among the arguments of the outlined function.
  unsigned buffer = 0;
  unsigned dim = 0;

  bool operator==(const SizeArgument &other) const {
    return kind == other.kind && buffer == other.buffer && dim == other.dim;
  }
};

/// One operand of a linalg op in a kernel.
struct KernelOperand {
  /// The memref or scalar in the outlined function.
  Value buffer;
  AffineMap map;
  Type element;
  /// Reads or writes one element only, the first.
  bool isScalar;
  /// Element i of the loops, row-major, is element i of the buffer.
  bool isContiguous;

  bool isBuffer() const { return isa<MemRefType>(buffer.getType()); }
};

/// The operand at `index` of `op`.
KernelOperand getKernelOperand(linalg::GenericOp op, unsigned index);
SmallVector<KernelOperand> getInputs(linalg::GenericOp op);
SmallVector<KernelOperand> getOutputs(linalg::GenericOp op);

class KernelBuilder : public ImplicitLocOpBuilder {
public:
  /// Emits into the body of `kernel`, which has the arguments of `source` and
  /// takes sizes behind them.
  KernelBuilder(gpu::GPUFuncOp kernel, func::FuncOp source,
                const GpuVendor &vendor);

  const GpuVendor &getVendor() const { return vendor; }
  ArrayRef<SizeArgument> getSizeArguments() const { return sizes; }

  //===--- Numbers --------------------------------------------------------===//

  Value i32(int64_t value);
  Value i64(int64_t value);
  /// A number of i32 as i64, unsigned.
  Value widen(Value value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value div(Value x, Value y);
  Value rem(Value x, Value y);
  /// Signed x < y and x <= y; others as named.
  Value less(Value x, Value y);
  Value isZero(Value x);
  Value both(Value x, Value y);

  //===--- Where the thread is --------------------------------------------===//

  /// i32, along x.
  Value getThread() const { return thread; }
  Value getBlock() const { return block; }
  /// The number of blocks, i64. Not gpu.grid_dim: AMD has it in a library.
  Value getBlocks() { return addSize({SizeArgument::Blocks}); }

  /// The value of the thread whose number differs in this bit, of the same
  /// subgroup: 32 or 64 bits wide.
  Value exchange(Value value, unsigned distance);

  //===--- Sizes ----------------------------------------------------------===//

  /// The trip count of loop `dim` of `op`, as i64.
  Value getLoopSize(linalg::GenericOp op, unsigned dim);
  /// The product of the trip counts of loops [begin, end).
  Value getLoopProduct(linalg::GenericOp op, unsigned begin, unsigned end);
  Value getStride(Value buffer, unsigned dim);
  /// The coordinates of element `index` of loops [begin, end), row-major.
  SmallVector<Value> delinearize(linalg::GenericOp op, unsigned begin,
                                 unsigned end, Value index);

  //===--- Memory ---------------------------------------------------------===//

  Value getPointer(Value buffer);
  /// A scalar of the outlined function: a constant of it or an argument.
  Value getScalar(Value value);
  /// The offset of the element of `operand` at these coordinates.
  Value getOffset(const KernelOperand &operand, ValueRange coordinates);
  Value loadOne(const KernelOperand &operand, Value offset);
  /// `count` elements from `offset`, which lie side by side and are aligned to
  /// 16 bytes, or to their size if that is less.
  Lanes loadLanes(const KernelOperand &operand, Value offset, unsigned count);
  /// Fills in `values`.
  void unpack(Lanes &lanes);
  void storeOne(const KernelOperand &operand, Value offset, Value value);
  void storeLanes(const KernelOperand &operand, Value offset,
                  const Lanes &lanes);
  /// Whether all these buffers start at a multiple of 16 bytes.
  Value areAligned(ArrayRef<KernelOperand> operands);
  /// `bytes` of memory that the block shares: a pointer to it.
  Value getShared(int64_t bytes);
  Value at(Value pointer, Value bytes);
  /// Values in memory of the type that memory has.
  Value toMemory(Value value);
  Value fromMemory(Value value, Type element);

  //===--- Bodies ---------------------------------------------------------===//

  /// Reads the inputs of `op` for `count` elements from `index` on, row-major
  /// over the loops. With `vectors`, contiguous operands are loaded as such.
  SmallVector<Lanes> loadInputs(linalg::GenericOp op, Value index,
                                unsigned count, bool vectors);
  /// The same where the coordinates of the first element are known; the others
  /// follow along the last loop.
  SmallVector<Lanes> loadInputsAt(linalg::GenericOp op, ValueRange coordinates,
                                  Value index, unsigned count, bool vectors);

  /// What `wanted`, values of the body of `op`, are for `count` elements.
  /// `outputs` stand for the output arguments and may be empty; `coordinates`
  /// for `linalg.index`.
  SmallVector<Lanes> emitBody(linalg::GenericOp op, ArrayRef<Lanes> inputs,
                              ArrayRef<Lanes> outputs, ValueRange wanted,
                              unsigned count, ValueRange coordinates = {});

  /// Computes the scalar ops of a kernel and loads scalar inputs. Each branch
  /// that uses scalars starts with it.
  void emitPrologue(ArrayRef<linalg::GenericOp> ops);
  /// Has one thread of the grid store what others read of it: the first of the
  /// block whose `number`, by default that in the grid, is 0.
  void storeScalars(Value number = {});

  /// Emits `then` if the condition holds, else `otherwise`.
  void emitIf(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise = {});
  /// Emits `then` if the condition holds: its values, or `otherwise`.
  SmallVector<Value> emitIf(Value condition, ValueRange otherwise,
                            function_ref<SmallVector<Value>()> then);
  /// Emits a loop from `begin` to before `end` that carries `values`.
  SmallVector<Value>
  emitLoop(Value begin, Value end, Value step, ValueRange values,
           function_ref<SmallVector<Value>(Value, ValueRange)> body);

  /// The same for several iterations at once, and one by one for the rest: what
  /// `body` loads for its indices is under way together.
  SmallVector<Value> emitUnrolledLoop(
      Value begin, Value end, Value step, unsigned unroll, ValueRange values,
      function_ref<SmallVector<Value>(ValueRange, ValueRange)> body);

private:
  Value addSize(SizeArgument size);

  gpu::GPUFuncOp kernel;
  const GpuVendor &vendor;
  /// Arguments of the outlined function as those of the kernel.
  IRMapping arguments;
  llvm::DenseMap<Value, unsigned> numbers;
  /// Scalars that the prologue computed, by their buffer.
  llvm::DenseMap<Value, Value> known;
  /// Those of them that are stored.
  SmallVector<KernelOperand> stored;
  SmallVector<SizeArgument> sizes;
  SmallVector<Value> sizeValues;
  Value thread, block;
  unsigned numShared = 0;
};

} // namespace mlir::fp8

#endif // FP8_LIB_TRANSFORMS_GPU_KERNELBUILDER_H
