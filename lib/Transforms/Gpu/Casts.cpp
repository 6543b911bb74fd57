//===- Casts.cpp ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts of several tensors in one launch: the blocks of the first, then those
// of the next. A launch for each would cost its time on the way to the device,
// and leave most of it idle at the end of each.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

bool fp8::isPlainCast(linalg::GenericOp op, const ElementStores &stores) {
  // Widen, scale, clamp from both sides, convert, yield; and an amax.
  size_t most = stores.slot ? 8 : 6;
  SmallVector<KernelOperand> inputs = getInputs(op);
  return !stores.condition && !stores.readsOutputs &&
         op.getBody()->getOperations().size() <= most &&
         llvm::count_if(
             inputs,
             [](const KernelOperand &input) { return !input.isScalar; }) == 1 &&
         getElementBytes(inputs[0].element) <= 2 &&
         llvm::all_of(stores.outputs, [](const KernelOperand &output) {
           return getElementBytes(output.element) == 1;
         });
}

/// The strategy for the parts of `op`, if it is a plain cast.
static const PartStrategy *findParts(linalg::GenericOp op) {
  std::optional<ElementStores> stores = getElementStores(op);
  return stores && isPlainCast(op, *stores) ? getParts(op, *stores) : nullptr;
}

unsigned fp8::getCastThreads(linalg::GenericOp op) {
  const PartStrategy *parts = findParts(op);
  return parts ? parts->getThreads(op) : 0;
}

/// What of `unit` computes the scalars that its main op `op` reads, and `op`.
static KernelUnit getOwnUnit(const KernelUnit &unit, linalg::GenericOp op) {
  KernelUnit own{{}, {op}};
  SmallVector<Value> wanted = op.getDpsInputs();
  for (linalg::GenericOp scalar : llvm::reverse(unit.prologue)) {
    if (llvm::none_of(scalar.getDpsInits(), [&](Value output) {
          return llvm::is_contained(wanted, output);
        }))
      continue;
    llvm::append_range(wanted, scalar.getDpsInputs());
    own.prologue.insert(own.prologue.begin(), scalar);
  }
  return own;
}

namespace {
class CastsStrategy : public Strategy {
public:
  StringRef getName() const override { return "casts"; }

  bool takes(const KernelUnit &unit) const override {
    unsigned threads = getCastThreads(unit.main[0]);
    return unit.main.size() > 1 && threads != 0 &&
           llvm::all_of(unit.main, [&](linalg::GenericOp op) {
             return getCastThreads(op) == threads;
           });
  }

  LaunchPlan getPlan(const KernelUnit &unit, const GpuVendor &) const override {
    // Each cast alone needs fewer registers than what branches to all of them
    // would get.
    LaunchPlan plan{getCastThreads(unit.main[0]), /*workPerBlock=*/1};
    plan.residentThreads = 1024;
    return plan;
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                 LoopSizeFn size) const override {
    // An empty tensor has one block, which its prologue runs in.
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value work;
    for (linalg::GenericOp op : unit.main) {
      Value count = arith::MaxUIOp::create(
          b, loc, findParts(op)->emitCount(b, loc, op, size), one);
      work = work ? arith::AddIOp::create(b, loc, work, count) : count;
    }
    return work;
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override;
};
} // namespace

/// Emits the casts of `unit` from number `index` on, the first of which has
/// block `number`, for one block.
static void emitFrom(KernelBuilder &b, const KernelUnit &unit, size_t index,
                     Value number, Value shared) {
  linalg::GenericOp op = unit.main[index];
  const PartStrategy *parts = findParts(op);
  ElementStores stores = *getElementStores(op);
  KernelUnit own = getOwnUnit(unit, op);
  auto emitPart = [&] {
    parts->emitPart(b, {own, op, stores, number, shared});
  };
  if (index + 1 == unit.main.size())
    return emitPart();
  Value count = b.create<arith::TruncIOp>(
      b.getI32Type(),
      b.create<arith::MaxUIOp>(parts->emitCount(b, op), b.i64(1)));
  b.emitIf(b.less(number, count), emitPart,
           [&] { emitFrom(b, unit, index + 1, b.sub(number, count), shared); });
}

void CastsStrategy::emit(KernelBuilder &b, const KernelUnit &unit) const {
  emitFrom(b, unit, 0, b.getBlock(), getPartsMemory(b, unit.main));
}

std::unique_ptr<Strategy> fp8::createCastsStrategy() {
  return std::make_unique<CastsStrategy>();
}
