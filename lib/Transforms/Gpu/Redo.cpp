//===- Redo.cpp -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that is done only under a condition that scalars decide, and that is the
// same for all elements: a cast whose predicted scale was wrong. A few blocks
// find out and are done, or else take the parts of the work in turn.
//
// Several ops share a launch, each with its condition.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

/// The strategy for the parts of `op`, if there is a condition.
static const PartStrategy *findParts(linalg::GenericOp op) {
  std::optional<ElementStores> stores = getElementStores(op);
  return stores && stores->condition ? getParts(op, *stores) : nullptr;
}

unsigned fp8::getRedoThreads(linalg::GenericOp op) {
  const PartStrategy *parts = findParts(op);
  return parts ? parts->getThreads(op) : 0;
}

namespace {
class RedoStrategy : public Strategy {
public:
  StringRef getName() const override { return "redo"; }

  bool takes(const KernelUnit &unit) const override {
    unsigned threads = getRedoThreads(unit.main[0]);
    return threads != 0 && llvm::all_of(unit.main, [&](linalg::GenericOp op) {
             return getRedoThreads(op) == threads;
           });
  }

  LaunchPlan getPlan(const KernelUnit &unit,
                     const GpuVendor &vendor) const override {
    // Enough to keep the device busy when there is something to do, which is
    // rare; few enough that they cost nothing when there is not.
    return {getRedoThreads(unit.main[0]), /*workPerBlock=*/1,
            vendor.getResidentBlocks() / 2};
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                 LoopSizeFn size) const override {
    Value work;
    for (linalg::GenericOp op : unit.main) {
      Value count = findParts(op)->emitCount(b, loc, op, size);
      work = work ? arith::MaxUIOp::create(b, loc, work, count) : count;
    }
    return work;
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override;
};
} // namespace

void RedoStrategy::emit(KernelBuilder &b, const KernelUnit &unit) const {
  Value shared = getPartsMemory(b, unit.main);
  b.emitPrologue(getPrologueOps(unit));
  for (linalg::GenericOp op : unit.main) {
    const PartStrategy *parts = findParts(op);
    ElementStores stores = *getElementStores(op);
    SmallVector<Lanes> inputs(op.getNumDpsInputs());
    Lanes condition = b.emitBody(op, inputs, {}, stores.condition, 1)[0];
    auto emitPart = [&](Value number, ValueRange) -> SmallVector<Value> {
      number = b.create<arith::TruncIOp>(b.getI32Type(), number);
      parts->emitPart(b, {unit, op, stores, number, shared});
      // The next part uses the same memory.
      if (shared)
        b.create<gpu::BarrierOp>();
      return {};
    };
    b.emitIf(condition.values[0], [&] {
      b.emitLoop(b.widen(b.getBlock()), parts->emitCount(b, op), b.getBlocks(),
                 {}, emitPart);
    });
  }
  b.storeScalars();
}

std::unique_ptr<Strategy> fp8::createRedoStrategy() {
  return std::make_unique<RedoStrategy>();
}
