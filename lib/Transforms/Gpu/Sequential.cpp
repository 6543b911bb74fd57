//===- Sequential.cpp -------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything else: a thread an element of the results, which goes through the
// reduction loops in order, as the CPU does.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

static constexpr unsigned kThreads = 256;

namespace {
class SequentialStrategy : public Strategy {
public:
  StringRef getName() const override { return "sequential"; }

  bool takes(const KernelUnit &unit) const override;

  LaunchPlan getPlan(const KernelUnit &, const GpuVendor &) const override {
    return {kThreads, kThreads};
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                 LoopSizeFn size) const override {
    linalg::GenericOp op = unit.main[0];
    Value work = arith::ConstantIndexOp::create(b, loc, 1);
    for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::parallel)
        work = arith::MulIOp::create(b, loc, work, size(op, dim));
    return work;
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override;
};
} // namespace

bool SequentialStrategy::takes(const KernelUnit &unit) const {
  if (unit.main.size() != 1)
    return false;
  linalg::GenericOp op = unit.main[0];
  // Each iteration of the parallel loops has elements of its own.
  for (const KernelOperand &output : getOutputs(op))
    for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
      bool named = llvm::is_contained(output.map.getResults(),
                                      getAffineDimExpr(dim, op.getContext()));
      if (named != (kind == utils::IteratorType::parallel))
        return false;
    }
  return true;
}

/// Runs the reduction loops from `depth` on; `place` are the coordinates so
/// far.
static SmallVector<Value> emitLoops(KernelBuilder &b, linalg::GenericOp op,
                                    ArrayRef<unsigned> dims,
                                    SmallVector<Value> place,
                                    ValueRange carried) {
  if (!dims.empty())
    return b.emitLoop(b.i64(0), b.getLoopSize(op, dims[0]), b.i64(1), carried,
                      [&](Value i, ValueRange values) {
                        place[dims[0]] = i;
                        return emitLoops(b, op, dims.drop_front(), place,
                                         values);
                      });
  SmallVector<Lanes> inputs, outputs;
  for (const KernelOperand &input : getInputs(op)) {
    Lanes &lanes = inputs.emplace_back();
    lanes.element = input.element;
    if (input.isBuffer() && !input.isScalar)
      lanes.values.push_back(b.loadOne(input, b.getOffset(input, place)));
  }
  for (Value value : carried)
    outputs.push_back(Lanes{{value}, {}, {}, value.getType()});
  SmallVector<Value> results;
  for (const Lanes &lanes :
       b.emitBody(op, inputs, outputs,
                  op.getBody()->getTerminator()->getOperands(), 1, place))
    results.push_back(lanes.values[0]);
  return results;
}

void SequentialStrategy::emit(KernelBuilder &b, const KernelUnit &unit) const {
  linalg::GenericOp op = unit.main[0];
  SmallVector<unsigned> parallel, reductions;
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (kind == utils::IteratorType::parallel ? parallel : reductions)
        .push_back(dim);
  Value total = b.i64(1);
  for (unsigned dim : parallel)
    total = b.mul(total, b.getLoopSize(op, dim));
  Value index = b.add(b.mul(b.widen(b.getBlock()), b.i64(kThreads)),
                      b.widen(b.getThread()));
  b.emitPrologue(getPrologueOps(unit));
  b.emitIf(b.less(index, total), [&] {
    SmallVector<Value> place(op.getNumLoops());
    Value rest = index;
    for (unsigned dim : llvm::reverse(parallel)) {
      Value size = b.getLoopSize(op, dim);
      place[dim] = b.rem(rest, size);
      rest = b.div(rest, size);
    }
    SmallVector<Value> offsets, old;
    for (const KernelOperand &output : getOutputs(op)) {
      offsets.push_back(b.getOffset(output, place));
      old.push_back(b.loadOne(output, offsets.back()));
    }
    SmallVector<Value> results = emitLoops(b, op, reductions, place, old);
    for (auto [number, output] : llvm::enumerate(getOutputs(op)))
      b.storeOne(output, offsets[number], results[number]);
  });
  b.storeScalars();
}

std::unique_ptr<Strategy> fp8::createSequentialStrategy() {
  return std::make_unique<SequentialStrategy>();
}
