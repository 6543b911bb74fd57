//===- Amax.cpp -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Amax: the largest absolute value, by the bits of f32 as integers, where a
// NaN is larger than everything else. A few blocks stride over the input; each
// raises the result once, if there is something to raise.
//
// Several reductions share a launch: every block does its part of each.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

static constexpr unsigned kThreads = 512;
/// Vectors that a thread has in flight.
static constexpr unsigned kUnroll = 4;

namespace {
class AmaxStrategy : public Strategy {
public:
  StringRef getName() const override { return "amax"; }

  bool takes(const KernelUnit &unit) const override {
    return llvm::all_of(unit.main, [](linalg::GenericOp op) {
      return isAmax(op) && !op.hasIndexSemantics();
    });
  }

  LaunchPlan getPlan(const KernelUnit &unit,
                     const GpuVendor &vendor) const override {
    int64_t vector = 16;
    for (linalg::GenericOp op : unit.main)
      vector = std::min<int64_t>(vector, getVectorSize(op));
    return {kThreads, kThreads * vector * kUnroll, vendor.getResidentBlocks()};
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                 LoopSizeFn size) const override {
    Value work;
    for (linalg::GenericOp op : unit.main) {
      Value one = emitProduct(b, loc, op, 0, op.getNumLoops(), size);
      work = work ? arith::MaxSIOp::create(b, loc, work, one) : one;
    }
    return work;
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override;
};
} // namespace

/// The bits of the largest |value| of `count` elements and of `largest`.
static Value emitLargest(KernelBuilder &b, linalg::GenericOp op,
                         ArrayRef<Lanes> inputs, unsigned count,
                         Value largest) {
  Lanes values = b.emitBody(op, inputs, {}, getMagnitude(op, 0), count)[0];
  return BlockAmax::emitLargest(b, values.values, largest);
}

/// The bits of the largest |value| that this thread meets.
static Value emitThreadAmax(KernelBuilder &b, linalg::GenericOp op) {
  unsigned vector = getVectorSize(op);
  int64_t chunk = int64_t(kThreads) * vector * kUnroll;
  Value total = b.getLoopProduct(op, 0, op.getNumLoops());
  Value aligned = b.areAligned(getContiguous(getInputs(op)));
  if (hasStridedInput(op))
    aligned =
        b.both(aligned, b.isZero(b.rem(b.getLoopSize(op, op.getNumLoops() - 1),
                                       b.i64(vector))));
  // Whole chunks by vectors, the rest one by one.
  Value chunks =
      b.create<arith::SelectOp>(aligned, b.div(total, b.i64(chunk)), b.i64(0));
  Value block = b.widen(b.getBlock()), grid = b.getBlocks();
  auto byVectors = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    SmallVector<SmallVector<Lanes>> inputs;
    for (unsigned k = 0; k < kUnroll; ++k) {
      Value place = b.add(b.mul(b.getThread(), b.i32(vector)),
                          b.i32(k * kThreads * vector));
      Value index = b.add(b.mul(i, b.i64(chunk)), b.widen(place));
      inputs.push_back(b.loadInputs(op, index, vector, /*vectors=*/true));
    }
    Value largest = carried[0];
    for (unsigned k = 0; k < kUnroll; ++k)
      largest = emitLargest(b, op, inputs[k], vector, largest);
    return {largest};
  };
  Value largest = b.emitLoop(block, chunks, grid, b.i32(0), byVectors)[0];
  auto oneByOne = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    auto inputs = b.loadInputs(op, i, 1, /*vectors=*/false);
    return {emitLargest(b, op, inputs, 1, carried[0])};
  };
  Value begin =
      b.add(b.mul(chunks, b.i64(chunk)),
            b.add(b.mul(block, b.i64(kThreads)), b.widen(b.getThread())));
  return b.emitLoop(begin, total, b.mul(grid, b.i64(kThreads)), largest,
                    oneByOne)[0];
}

void AmaxStrategy::emit(KernelBuilder &b, const KernelUnit &unit) const {
  b.emitPrologue(getPrologueOps(unit));
  SmallVector<Value> largest, slots;
  for (linalg::GenericOp op : unit.main) {
    largest.push_back(emitThreadAmax(b, op));
    slots.push_back(op.getDpsInits()[0]);
  }
  BlockAmax amax(b, kThreads, largest.size());
  amax.share(largest);
  b.create<gpu::BarrierOp>();
  amax.raise(slots);
  b.storeScalars();
}

std::unique_ptr<Strategy> fp8::createAmaxStrategy() {
  return std::make_unique<AmaxStrategy>();
}
