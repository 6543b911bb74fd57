//===- Elementwise.cpp -----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise kernels: the loops flattened, a vector of elements a thread.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

/// Threads of a block.
static constexpr unsigned kThreads = 256;

namespace {
class ElementwiseStrategy : public Strategy {
public:
  StringRef getName() const override { return "elementwise"; }

  bool takes(const KernelUnit &unit) const override {
    linalg::GenericOp op = unit.main[0];
    return op.getNumLoops() > 0 &&
           op.getNumParallelLoops() == op.getNumLoops() &&
           !op.hasIndexSemantics() &&
           llvm::all_of(getOutputs(op), [](const KernelOperand &output) {
             return output.isContiguous;
           });
  }

  LaunchPlan getPlan(const KernelUnit &unit, const GpuVendor &) const override {
    return {kThreads, getChunk(unit.main[0])};
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                 LoopSizeFn size) const override {
    linalg::GenericOp op = unit.main[0];
    return emitProduct(b, loc, op, 0, op.getNumLoops(), size);
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override;

private:
  /// Vectors a thread: enough bytes in flight where elements are few.
  static unsigned getUnroll(linalg::GenericOp op) {
    return getVectorSize(op) >= 16 ? 1 : 2;
  }
  static int64_t getChunk(linalg::GenericOp op) {
    return int64_t(kThreads) * getVectorSize(op) * getUnroll(op);
  }
};
} // namespace

/// Computes and stores `count` elements from `index` on.
static void emitElements(KernelBuilder &b, linalg::GenericOp op,
                         ArrayRef<Lanes> inputs, Value index, unsigned count) {
  SmallVector<Lanes> outputs;
  for (auto [output, old] :
       llvm::zip(getOutputs(op), op.getRegionOutputArgs())) {
    Lanes &lanes = outputs.emplace_back();
    if (old.use_empty())
      continue;
    if (count > 1)
      lanes = b.loadLanes(output, index, count);
    else
      lanes.values.push_back(b.loadOne(output, index));
  }
  SmallVector<Lanes> results = b.emitBody(
      op, inputs, outputs, op.getBody()->getTerminator()->getOperands(), count);
  for (auto [output, result] : llvm::zip(getOutputs(op), results)) {
    if (count > 1)
      b.storeLanes(output, index, result);
    else
      b.storeOne(output, index, result.values[0]);
  }
}

void ElementwiseStrategy::emit(KernelBuilder &b, const KernelUnit &unit) const {
  linalg::GenericOp op = unit.main[0];
  unsigned vector = getVectorSize(op), unroll = getUnroll(op);
  SmallVector<KernelOperand> operands = getInputs(op);
  llvm::append_range(operands, getOutputs(op));
  Value chunk = b.i64(getChunk(op));
  Value first = b.mul(b.widen(b.getBlock()), chunk);
  Value left = b.sub(b.getLoopProduct(op, 0, op.getNumLoops()), first);
  Value isFast = b.both(b.less(b.sub(chunk, b.i64(1)), left),
                        b.areAligned(getContiguous(operands)));
  // A vector has to stay in one row for its other inputs.
  if (hasStridedInput(op))
    isFast =
        b.both(isFast, b.isZero(b.rem(b.getLoopSize(op, op.getNumLoops() - 1),
                                      b.i64(vector))));
  auto fast = [&] {
    SmallVector<Value> indices;
    SmallVector<SmallVector<Lanes>> inputs;
    for (unsigned i = 0; i < unroll; ++i) {
      Value place = b.add(b.mul(b.getThread(), b.i32(vector)),
                          b.i32(i * kThreads * vector));
      indices.push_back(b.add(first, b.widen(place)));
      inputs.push_back(b.loadInputs(op, indices[i], vector, /*vectors=*/true));
    }
    b.emitPrologue(getPrologueOps(unit));
    for (unsigned i = 0; i < unroll; ++i)
      emitElements(b, op, inputs[i], indices[i], vector);
    b.storeScalars();
  };
  auto slow = [&] {
    b.emitPrologue(getPrologueOps(unit));
    Value end = b.create<arith::MinSIOp>(left, chunk);
    b.emitLoop(b.widen(b.getThread()), end, b.i64(kThreads), {},
               [&](Value i, ValueRange) -> SmallVector<Value> {
                 Value index = b.add(first, i);
                 auto inputs = b.loadInputs(op, index, 1, /*vectors=*/false);
                 emitElements(b, op, inputs, index, 1);
                 return {};
               });
    b.storeScalars();
  };
  b.emitIf(isFast, fast, slow);
}

std::unique_ptr<Strategy> fp8::createElementwiseStrategy() {
  return std::make_unique<ElementwiseStrategy>();
}
