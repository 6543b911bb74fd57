//===- Strategies.h ---------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ways of computing a kernel unit on a device. Each knows which units it takes;
// the first that takes one emits it.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_TRANSFORMS_GPU_STRATEGIES_H
#define FP8_LIB_TRANSFORMS_GPU_STRATEGIES_H

#include "KernelBuilder.h"
#include "KernelUnits.h"

namespace mlir::fp8 {

/// How a kernel is launched.
struct LaunchPlan {
  /// Threads of a block.
  unsigned threads;
  /// A block for so many units of work ...
  int64_t workPerBlock;
  /// ... but no more blocks than this; 0 is no limit.
  int64_t maxBlocks = 0;
  /// Threads that a multiprocessor is to hold at once, whatever registers the
  /// compiler would like to use; 0 leaves it to the compiler.
  unsigned residentThreads = 0;
};

/// The trip count of a loop on the host, as an index.
using LoopSizeFn = function_ref<Value(linalg::GenericOp, unsigned)>;

class Strategy {
public:
  virtual ~Strategy();

  /// The name that remarks and tests use.
  virtual StringRef getName() const = 0;
  virtual bool takes(const KernelUnit &unit) const = 0;
  virtual LaunchPlan getPlan(const KernelUnit &unit,
                             const GpuVendor &vendor) const = 0;
  /// Emits on the host the units of work, an index.
  virtual Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                         LoopSizeFn size) const = 0;
  /// Emits the kernel.
  virtual void emit(KernelBuilder &b, const KernelUnit &unit) const = 0;
};

//===----------------------------------------------------------------------===//
// Part by part
//===----------------------------------------------------------------------===//

/// What an op stores for each iteration of its loops, and what else it does.
struct ElementStores {
  /// Outputs with an element for each iteration, and what the body has for
  /// them.
  SmallVector<KernelOperand> outputs;
  SmallVector<Value> values;
  /// Whether a value follows from what is in an output.
  bool readsOutputs = false;
  /// Stored only if this value of the body holds, which is the same for all
  /// elements; null: always. Then no value follows from what is in an output.
  Value condition;
  /// The buffer that is raised to the amax of `magnitude`, a value of the body;
  /// both may be null.
  Value slot, magnitude;

  /// What the body has to compute: `values`, then `magnitude`.
  SmallVector<Value> getWanted() const;
};

/// What `op` stores if its outputs have an element for each iteration, but one
/// that may be an amax.
std::optional<ElementStores> getElementStores(linalg::GenericOp op);

/// One part of the work of a kernel, for one block.
struct KernelPart {
  const KernelUnit &unit;
  linalg::GenericOp op;
  const ElementStores &stores;
  /// Its number, i32.
  Value number;
  /// Shared memory of the size that the strategy asks for.
  Value shared;
};

/// A strategy for ops that store an element for each iteration: their loops are
/// cut into parts, which may come in any order.
class PartStrategy : public Strategy {
public:
  /// One op that always stores, each block one part.
  bool takes(const KernelUnit &unit) const override;
  LaunchPlan getPlan(const KernelUnit &unit,
                     const GpuVendor &vendor) const override;
  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                 LoopSizeFn size) const override;
  void emit(KernelBuilder &b, const KernelUnit &unit) const override;

  virtual bool takes(linalg::GenericOp op,
                     const ElementStores &stores) const = 0;
  /// Threads of a block.
  virtual unsigned getThreads(linalg::GenericOp op) const = 0;
  /// Bytes of memory that the threads of a part share.
  virtual int64_t getSharedBytes(linalg::GenericOp op) const = 0;
  /// Emits the number of parts: on the host, an index, and in the kernel, i64.
  virtual Value emitCount(OpBuilder &b, Location loc, linalg::GenericOp op,
                          LoopSizeFn size) const = 0;
  virtual Value emitCount(KernelBuilder &b, linalg::GenericOp op) const = 0;
  /// Emits a part. With a condition, it holds, and the prologue is behind us.
  virtual void emitPart(KernelBuilder &b, const KernelPart &part) const = 0;
};

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// All strategies, the most special first; the last one takes everything that
/// is computed element by element of its results.
ArrayRef<std::unique_ptr<Strategy>> getStrategies();

std::unique_ptr<Strategy> createScalarStrategy();
std::unique_ptr<Strategy> createAmaxStrategy();
std::unique_ptr<PartStrategy> createTileStrategy();
std::unique_ptr<PartStrategy> createElementwiseStrategy();
std::unique_ptr<Strategy> createRedoStrategy();
std::unique_ptr<Strategy> createCastsStrategy();
std::unique_ptr<Strategy> createRowReductionStrategy();
std::unique_ptr<Strategy> createColumnReductionStrategy();
std::unique_ptr<Strategy> createSequentialStrategy();

/// How the parts of `op` are computed where ops share a kernel: as tile or else
/// as elementwise would; null where neither takes it.
const PartStrategy *getParts(linalg::GenericOp op, const ElementStores &stores);

/// Memory for the parts of any of `ops`, which share a kernel; null if none
/// needs it.
Value getPartsMemory(KernelBuilder &b, ArrayRef<linalg::GenericOp> ops);

/// Threads of a block of a kernel that does `op` only under a condition, which
/// is the same for all elements; 0 if `op` is something else. Ops with the same
/// number may share a kernel.
unsigned getRedoThreads(linalg::GenericOp op);

/// Whether `op` rounds one tensor of 16 bits at most to 8 and does nothing else
/// but to take its amax: it scales, clamps and converts.
bool isPlainCast(linalg::GenericOp op, const ElementStores &stores);

/// Threads of a block of a kernel with the plain cast `op`; 0 if it is
/// something else. Ops with the same number may share a kernel.
unsigned getCastThreads(linalg::GenericOp op);

//===----------------------------------------------------------------------===//
// Shared by strategies
//===----------------------------------------------------------------------===//

/// The product of the trip counts of loops [begin, end) on the host.
Value emitProduct(OpBuilder &b, Location loc, linalg::GenericOp op,
                  unsigned begin, unsigned end, LoopSizeFn size);

/// All ops that the prologue of a kernel looks at: those before, and the main
/// ones for their scalar inputs.
SmallVector<linalg::GenericOp> getPrologueOps(const KernelUnit &unit);

/// The contiguous operands among `operands`.
SmallVector<KernelOperand> getContiguous(ArrayRef<KernelOperand> operands);

/// How many elements of the contiguous operands of `op` a thread takes at once:
/// 16 bytes of the narrowest, and at most 16.
unsigned getVectorSize(linalg::GenericOp op);

/// How many iterations a thread of a reduction has in flight: `most`, and fewer
/// where there are several inputs, which take registers.
unsigned getUnroll(linalg::GenericOp op, unsigned most);

/// Whether an input of `op` is read with other strides than the loops have.
bool hasStridedInput(linalg::GenericOp op);

/// Takes the largest of non-negative f32 values, by their bits, over a block.
class BlockAmax {
public:
  /// Of `count` maxima at once.
  BlockAmax(KernelBuilder &b, unsigned threads, unsigned count = 1);

  /// The largest of `magnitudes`, f32, and of `largest`, bits of one.
  static Value emitLargest(KernelBuilder &b, ArrayRef<Value> magnitudes,
                           Value largest);
  /// Has the block share what each thread found: in front of a barrier.
  void share(ArrayRef<Value> largest);
  /// Raises what is in `slots`: behind that barrier.
  void raise(ArrayRef<Value> slots);

private:
  KernelBuilder &b;
  unsigned groups;
  Value shared;
};

/// How the outputs of a reduction are combined.
struct Combiner {
  Operation *op;
  /// The operand of `op` that the body computes from the inputs.
  Value element;
  /// What changes nothing.
  TypedAttr neutral;
};

/// The combiner of output `index`, if it is one that may be reordered, on a
/// type that is not rounded in between.
std::optional<Combiner> getCombiner(linalg::GenericOp op, unsigned index);

/// `combiner(x, y)`.
Value emitCombine(KernelBuilder &b, const Combiner &combiner, Value x, Value y);

} // namespace mlir::fp8

#endif // FP8_LIB_TRANSFORMS_GPU_STRATEGIES_H
