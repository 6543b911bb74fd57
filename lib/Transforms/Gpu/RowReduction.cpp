//===- RowReduction.cpp -----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions along rows: a subgroup a row. Each thread goes through its vectors
// in order, then the threads' values are combined as a tree: the order depends
// on the sizes alone.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

static constexpr unsigned kThreads = 256;
/// Vectors that a thread has in flight.
static constexpr unsigned kUnroll = 2;

namespace {
class RowReductionStrategy : public Strategy {
public:
  StringRef getName() const override { return "row-reduction"; }

  bool takes(const KernelUnit &unit) const override;

  LaunchPlan getPlan(const KernelUnit &,
                     const GpuVendor &vendor) const override {
    return {kThreads, kThreads / vendor.getSubgroupSize()};
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                 LoopSizeFn size) const override {
    linalg::GenericOp op = unit.main[0];
    return emitProduct(b, loc, op, 0, op.getNumParallelLoops(), size);
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override;
};

/// Emits one kernel.
class RowEmitter {
public:
  RowEmitter(KernelBuilder &b, const KernelUnit &unit)
      : b(b), unit(unit), op(unit.main[0]), outputs(getOutputs(op)) {
    for (unsigned i = 0; i < outputs.size(); ++i)
      combiners.push_back(*getCombiner(op, i));
  }
  void emit();

private:
  /// What this thread has after its part of the row, one value an output.
  SmallVector<Value> reduceThread(Value row, Value cols, Value lane);
  /// Combines `count` elements from each of `indices` on into `carried`, which
  /// holds `count` values of each output.
  SmallVector<Value> accumulate(ValueRange indices, unsigned count,
                                ValueRange carried);
  Value reduceSubgroup(unsigned output, Value value);
  SmallVector<Value> getNeutral(unsigned count);

  KernelBuilder &b;
  const KernelUnit &unit;
  linalg::GenericOp op;
  SmallVector<KernelOperand> outputs;
  SmallVector<Combiner> combiners;
};
} // namespace

/// Whether the parallel loops come first, and each output has one element an
/// iteration of them, in order.
static bool reducesRows(linalg::GenericOp op) {
  unsigned parallel = op.getNumParallelLoops();
  if (op.getNumReductionLoops() == 0)
    return false;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (unsigned dim = 0; dim < parallel; ++dim)
    if (kinds[dim] != utils::IteratorType::parallel)
      return false;
  for (const KernelOperand &output : getOutputs(op)) {
    if (!cast<MemRefType>(output.buffer.getType()).getLayout().isIdentity())
      return false;
    unsigned next = 0;
    for (AffineExpr expr : output.map.getResults()) {
      if (isa<AffineConstantExpr>(expr))
        continue;
      if (expr != getAffineDimExpr(next++, op.getContext()))
        return false;
    }
    if (next != parallel)
      return false;
  }
  return true;
}

bool RowReductionStrategy::takes(const KernelUnit &unit) const {
  linalg::GenericOp op = unit.main[0];
  if (!reducesRows(op) || op.hasIndexSemantics())
    return false;
  for (int64_t i = 0; i < op.getNumDpsInits(); ++i)
    if (!getCombiner(op, i))
      return false;
  return true;
}

SmallVector<Value> RowEmitter::getNeutral(unsigned count) {
  SmallVector<Value> values;
  for (const Combiner &combiner : combiners) {
    Value neutral = b.create<arith::ConstantOp>(combiner.neutral);
    values.append(count, neutral);
  }
  return values;
}

SmallVector<Value> RowEmitter::accumulate(ValueRange indices, unsigned count,
                                          ValueRange carried) {
  SmallVector<Value> wanted, results(carried);
  for (const Combiner &combiner : combiners)
    wanted.push_back(combiner.element);
  SmallVector<SmallVector<Lanes>> inputs;
  for (Value index : indices)
    inputs.push_back(b.loadInputs(op, index, count, /*vectors=*/count > 1));
  for (ArrayRef<Lanes> loaded : inputs) {
    SmallVector<Lanes> elements = b.emitBody(op, loaded, {}, wanted, count);
    for (auto [number, combiner] : llvm::enumerate(combiners))
      for (unsigned i = 0; i < count; ++i) {
        Value &result = results[number * count + i];
        result = emitCombine(b, combiner, result, elements[number].values[i]);
      }
  }
  return results;
}

SmallVector<Value> RowEmitter::reduceThread(Value row, Value cols, Value lane) {
  unsigned vector = getVectorSize(op);
  unsigned width = b.getVendor().getSubgroupSize();
  Value start = b.mul(row, cols), thread = b.widen(lane);
  // Strided inputs need a vector to stay in one run of the last loop.
  Value last = b.getLoopSize(op, op.getNumLoops() - 1);
  Value aligned = b.both(b.areAligned(getContiguous(getInputs(op))),
                         b.both(b.isZero(b.rem(cols, b.i64(vector))),
                                b.isZero(b.rem(last, b.i64(vector)))));
  // By vectors or one by one: one of the two loops runs.
  Value end = b.add(start, cols);
  Value wideEnd = b.create<arith::SelectOp>(aligned, end, start);
  Value narrowEnd = b.create<arith::SelectOp>(aligned, start, end);
  SmallVector<Value> wide = b.emitUnrolledLoop(
      b.add(start, b.mul(thread, b.i64(vector))), wideEnd,
      b.i64(width * vector), getUnroll(op, kUnroll), getNeutral(vector),
      [&](ValueRange indices, ValueRange carried) {
        return accumulate(indices, vector, carried);
      });
  SmallVector<Value> results;
  for (auto [number, combiner] : llvm::enumerate(combiners)) {
    Value sum = wide[number * vector];
    for (unsigned i = 1; i < vector; ++i)
      sum = emitCombine(b, combiner, sum, wide[number * vector + i]);
    results.push_back(sum);
  }
  return b.emitLoop(b.add(start, thread), narrowEnd, b.i64(width), results,
                    [&](Value index, ValueRange carried) {
                      return accumulate(index, 1, carried);
                    });
}

Value RowEmitter::reduceSubgroup(unsigned output, Value value) {
  unsigned width = b.getVendor().getSubgroupSize();
  for (unsigned distance = width / 2; distance > 0; distance /= 2) {
    Value other = b.exchange(value, distance);
    value = emitCombine(b, combiners[output], value, other);
  }
  return value;
}

void RowEmitter::emit() {
  unsigned width = b.getVendor().getSubgroupSize();
  unsigned parallel = op.getNumParallelLoops();
  Value rows = b.getLoopProduct(op, 0, parallel);
  Value cols = b.getLoopProduct(op, parallel, op.getNumLoops());
  Value lane = b.rem(b.getThread(), b.i32(width));
  Value row = b.add(b.mul(b.widen(b.getBlock()), b.i64(kThreads / width)),
                    b.widen(b.div(b.getThread(), b.i32(width))));
  b.emitPrologue(getPrologueOps(unit));
  // All threads of a subgroup have the same row.
  b.emitIf(b.less(row, rows), [&] {
    SmallVector<Value> results = reduceThread(row, cols, lane);
    for (auto [number, value] : llvm::enumerate(results))
      value = reduceSubgroup(number, value);
    b.emitIf(b.isZero(lane), [&] {
      for (auto [number, output] : llvm::enumerate(outputs)) {
        Value old = b.loadOne(output, row);
        b.storeOne(output, row,
                   emitCombine(b, combiners[number], old, results[number]));
      }
    });
  });
  b.storeScalars();
}

void RowReductionStrategy::emit(KernelBuilder &b,
                                const KernelUnit &unit) const {
  RowEmitter(b, unit).emit();
}

std::unique_ptr<Strategy> fp8::createRowReductionStrategy() {
  return std::make_unique<RowReductionStrategy>();
}
