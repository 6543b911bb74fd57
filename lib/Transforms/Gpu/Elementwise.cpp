//===- Elementwise.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise kernels: the loops flattened, a vector of elements a thread. They
// may take an amax on the way, or store under a condition.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

/// Threads of a block.
static constexpr unsigned kThreads = 256;

/// Vectors a thread: enough bytes in flight where elements are few.
static unsigned getVectors(linalg::GenericOp op) {
  return getVectorSize(op) >= 16 ? 1 : 2;
}

/// Elements a block.
static int64_t getChunk(linalg::GenericOp op) {
  return int64_t(kThreads) * getVectorSize(op) * getVectors(op);
}

namespace {
class ElementwiseStrategy : public PartStrategy {
public:
  StringRef getName() const override { return "elementwise"; }

  using PartStrategy::takes;
  bool takes(linalg::GenericOp, const ElementStores &stores) const override {
    return llvm::all_of(stores.outputs, [](const KernelOperand &output) {
      return output.isContiguous;
    });
  }

  unsigned getThreads(linalg::GenericOp) const override { return kThreads; }
  int64_t getSharedBytes(linalg::GenericOp) const override { return 0; }

  Value emitCount(OpBuilder &b, Location loc, linalg::GenericOp op,
                  LoopSizeFn size) const override {
    return arith::CeilDivUIOp::create(
        b, loc, emitProduct(b, loc, op, 0, op.getNumLoops(), size),
        arith::ConstantIndexOp::create(b, loc, getChunk(op)));
  }

  Value emitCount(KernelBuilder &b, linalg::GenericOp op) const override {
    Value total = b.getLoopProduct(op, 0, op.getNumLoops());
    return b.div(b.add(total, b.i64(getChunk(op) - 1)), b.i64(getChunk(op)));
  }

  void emitPart(KernelBuilder &b, const KernelPart &part) const override;
};

/// Emits one chunk of a kernel.
class ChunkEmitter {
public:
  ChunkEmitter(KernelBuilder &b, const KernelPart &part)
      : b(b), part(part), stores(part.stores), op(part.op),
        vector(getVectorSize(op)) {
    if (stores.slot)
      amax.emplace(b, kThreads);
  }

  void emit();

private:
  void emitFast(Value first);
  void emitSlow(Value first, Value left);
  /// Computes and stores `count` elements from `index` on. `largest`, bits of
  /// an amax, is raised to that of theirs, if there is one.
  void emitElements(ArrayRef<Lanes> inputs, Value index, unsigned count,
                    SmallVectorImpl<Value> &largest);
  /// What each branch starts and ends with.
  void begin();
  void end(ArrayRef<Value> largest);

  KernelBuilder &b;
  const KernelPart &part;
  const ElementStores &stores;
  linalg::GenericOp op;
  unsigned vector;
  std::optional<BlockAmax> amax;
};
} // namespace

void ChunkEmitter::emitElements(ArrayRef<Lanes> inputs, Value index,
                                unsigned count,
                                SmallVectorImpl<Value> &largest) {
  SmallVector<Lanes> held;
  for (auto [number, old] : llvm::enumerate(op.getRegionOutputArgs())) {
    Lanes &lanes = held.emplace_back();
    if (old.use_empty() || !stores.readsOutputs)
      continue;
    const KernelOperand &output = stores.outputs[number];
    if (count > 1)
      lanes = b.loadLanes(output, index, count);
    else
      lanes.values.push_back(b.loadOne(output, index));
  }
  SmallVector<Lanes> results =
      b.emitBody(op, inputs, held, stores.getWanted(), count);
  for (auto [output, result] : llvm::zip(stores.outputs, results)) {
    if (count > 1)
      b.storeLanes(output, index, result);
    else
      b.storeOne(output, index, result.values[0]);
  }
  if (amax)
    largest[0] = BlockAmax::emitLargest(b, results.back().values, largest[0]);
}

void ChunkEmitter::begin() {
  // With a condition it is behind us.
  if (!stores.condition)
    b.emitPrologue(getPrologueOps(part.unit));
}

void ChunkEmitter::end(ArrayRef<Value> largest) {
  if (amax) {
    amax->share(largest);
    b.create<gpu::BarrierOp>();
    amax->raise(stores.slot);
  }
  if (!stores.condition)
    b.storeScalars(part.number);
}

void ChunkEmitter::emitFast(Value first) {
  SmallVector<Value> indices;
  SmallVector<SmallVector<Lanes>> inputs;
  for (unsigned i = 0; i < getVectors(op); ++i) {
    Value place = b.add(b.mul(b.getThread(), b.i32(vector)),
                        b.i32(i * kThreads * vector));
    indices.push_back(b.add(first, b.widen(place)));
    inputs.push_back(b.loadInputs(op, indices[i], vector, /*vectors=*/true));
  }
  begin();
  SmallVector<Value> largest(amax ? 1 : 0, b.i32(0));
  for (auto [index, loaded] : llvm::zip(indices, inputs))
    emitElements(loaded, index, vector, largest);
  end(largest);
}

void ChunkEmitter::emitSlow(Value first, Value left) {
  begin();
  Value count = b.create<arith::MinSIOp>(left, b.i64(getChunk(op)));
  SmallVector<Value> none(amax ? 1 : 0, b.i32(0));
  SmallVector<Value> largest =
      b.emitLoop(b.widen(b.getThread()), count, b.i64(kThreads), none,
                 [&](Value i, ValueRange carried) {
                   Value index = b.add(first, i);
                   auto inputs = b.loadInputs(op, index, 1, /*vectors=*/false);
                   SmallVector<Value> raised(carried);
                   emitElements(inputs, index, 1, raised);
                   return raised;
                 });
  end(largest);
}

void ChunkEmitter::emit() {
  SmallVector<KernelOperand> operands = getInputs(op);
  llvm::append_range(operands, getOutputs(op));
  Value chunk = b.i64(getChunk(op));
  Value first = b.mul(b.widen(part.number), chunk);
  Value left = b.sub(b.getLoopProduct(op, 0, op.getNumLoops()), first);
  Value isFast = b.both(b.less(b.sub(chunk, b.i64(1)), left),
                        b.areAligned(getContiguous(operands)));
  // A vector has to stay in one row for its other inputs.
  if (hasStridedInput(op))
    isFast =
        b.both(isFast, b.isZero(b.rem(b.getLoopSize(op, op.getNumLoops() - 1),
                                      b.i64(vector))));
  b.emitIf(isFast, [&] { emitFast(first); }, [&] { emitSlow(first, left); });
}

void ElementwiseStrategy::emitPart(KernelBuilder &b,
                                   const KernelPart &part) const {
  ChunkEmitter(b, part).emit();
}

std::unique_ptr<PartStrategy> fp8::createElementwiseStrategy() {
  return std::make_unique<ElementwiseStrategy>();
}
