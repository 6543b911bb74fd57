//===- ColumnReduction.cpp --------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions along columns: a block has a few neighbouring columns, a thread
// every n-th row of some of them. The threads' values are combined in order of
// their rows: the order depends on the sizes alone.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

/// Columns of a block.
static constexpr unsigned kCols = 32;
/// Rows that a thread has in flight.
static constexpr unsigned kUnroll = 4;

namespace {
class ColumnReductionStrategy : public Strategy {
public:
  StringRef getName() const override { return "column-reduction"; }

  bool takes(const KernelUnit &unit) const override;

  LaunchPlan getPlan(const KernelUnit &unit, const GpuVendor &) const override {
    return {getThreads(unit.main[0]), kCols};
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                 LoopSizeFn size) const override {
    linalg::GenericOp op = unit.main[0];
    return emitProduct(b, loc, op, op.getNumReductionLoops(), op.getNumLoops(),
                       size);
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override;

  /// Each thread keeps a vector of values an output: fewer threads where these
  /// take the registers.
  static unsigned getThreads(linalg::GenericOp op) {
    return getVectorSize(op) > 8 ? 512 : 1024;
  }
};

/// Emits one kernel.
class ColumnEmitter {
public:
  ColumnEmitter(KernelBuilder &b, const KernelUnit &unit)
      : b(b), unit(unit), op(unit.main[0]), outputs(getOutputs(op)),
        threads(ColumnReductionStrategy::getThreads(op)) {
    for (unsigned i = 0; i < outputs.size(); ++i)
      combiners.push_back(*getCombiner(op, i));
  }
  void emit();

private:
  /// Reduces with `vector` columns a thread.
  void emitColumns(unsigned vector);
  /// Combines the values that `vector` columns of threads have left behind.
  void emitLast(unsigned vector);
  unsigned getBytes(unsigned output) const {
    return getElementBytes(outputs[output].element);
  }
  /// Where thread row `line` leaves its value of column `col`.
  Value getPlace(unsigned output, Value line, Value col);

  KernelBuilder &b;
  const KernelUnit &unit;
  linalg::GenericOp op;
  SmallVector<KernelOperand> outputs;
  SmallVector<Combiner> combiners;
  unsigned threads;
  Value rows, cols, first;
  SmallVector<Value> shared;
};
} // namespace

/// Whether the reduction loops come first, and each output has one element an
/// iteration of the others, in order.
static bool reducesColumns(linalg::GenericOp op) {
  unsigned reductions = op.getNumReductionLoops();
  if (reductions == 0 || reductions == op.getNumLoops())
    return false;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (unsigned dim = 0; dim < reductions; ++dim)
    if (kinds[dim] != utils::IteratorType::reduction)
      return false;
  for (const KernelOperand &output : getOutputs(op)) {
    if (!cast<MemRefType>(output.buffer.getType()).getLayout().isIdentity())
      return false;
    unsigned next = reductions;
    for (AffineExpr expr : output.map.getResults()) {
      if (isa<AffineConstantExpr>(expr))
        continue;
      if (expr != getAffineDimExpr(next++, op.getContext()))
        return false;
    }
    if (next != op.getNumLoops())
      return false;
  }
  return true;
}

bool ColumnReductionStrategy::takes(const KernelUnit &unit) const {
  linalg::GenericOp op = unit.main[0];
  // Shared memory holds the values of one or two outputs.
  if (!reducesColumns(op) || op.hasIndexSemantics() || op.getNumDpsInits() > 2)
    return false;
  for (int64_t i = 0; i < op.getNumDpsInits(); ++i)
    if (!getCombiner(op, i) || getElementBytes(getOutputs(op)[i].element) > 4)
      return false;
  return getVectorSize(op) <= kCols && op.getNumDpsInits() == 1;
}

Value ColumnEmitter::getPlace(unsigned output, Value line, Value col) {
  Value place = b.add(b.mul(line, b.i32(kCols)), col);
  return b.at(shared[output], b.mul(place, b.i32(getBytes(output))));
}

void ColumnEmitter::emitColumns(unsigned vector) {
  unsigned across = kCols / vector, lines = threads / across;
  b.emitPrologue(getPrologueOps(unit));
  Value lane = b.mul(b.rem(b.getThread(), b.i32(across)), b.i32(vector));
  Value line = b.div(b.getThread(), b.i32(across));
  Value col = b.add(first, b.widen(lane));
  // Of a block that sticks out, threads without a column have nothing to do.
  Value end = b.create<arith::SelectOp>(b.less(col, cols), rows, b.i64(0));
  SmallVector<Value> wanted, neutral;
  for (const Combiner &combiner : combiners) {
    wanted.push_back(combiner.element);
    neutral.append(vector, b.create<arith::ConstantOp>(combiner.neutral));
  }
  auto step = [&](ValueRange rows, ValueRange carried) {
    SmallVector<Value> results(carried);
    SmallVector<SmallVector<Lanes>> inputs;
    for (Value row : rows)
      inputs.push_back(b.loadInputs(op, b.add(b.mul(row, cols), col), vector,
                                    /*vectors=*/vector > 1));
    for (ArrayRef<Lanes> loaded : inputs) {
      SmallVector<Lanes> elements = b.emitBody(op, loaded, {}, wanted, vector);
      for (auto [number, combiner] : llvm::enumerate(combiners))
        for (unsigned i = 0; i < vector; ++i) {
          Value &result = results[number * vector + i];
          result = emitCombine(b, combiner, result, elements[number].values[i]);
        }
    }
    return results;
  };
  SmallVector<Value> sums = b.emitUnrolledLoop(
      b.widen(line), end, b.i64(lines), getUnroll(op, kUnroll), neutral, step);
  for (unsigned number = 0; number < outputs.size(); ++number)
    for (unsigned i = 0; i < vector; ++i)
      b.create<LLVM::StoreOp>(sums[number * vector + i],
                              getPlace(number, line, b.add(lane, b.i32(i))));
  b.create<gpu::BarrierOp>();
  emitLast(lines);
  b.storeScalars();
}

void ColumnEmitter::emitLast(unsigned lines) {
  Value thread = b.getThread();
  Value col = b.add(first, b.widen(thread));
  Value isMine = b.both(b.less(thread, b.i32(kCols)), b.less(col, cols));
  b.emitIf(isMine, [&] {
    SmallVector<Value> neutral;
    for (const Combiner &combiner : combiners)
      neutral.push_back(b.create<arith::ConstantOp>(combiner.neutral));
    SmallVector<Value> sums = b.emitLoop(
        b.i32(0), b.i32(lines), b.i32(1), neutral,
        [&](Value line, ValueRange carried) {
          SmallVector<Value> results;
          for (auto [number, combiner] : llvm::enumerate(combiners)) {
            Value part = b.create<LLVM::LoadOp>(outputs[number].element,
                                                getPlace(number, line, thread));
            results.push_back(emitCombine(b, combiner, carried[number], part));
          }
          return results;
        });
    for (auto [number, output] : llvm::enumerate(outputs)) {
      Value old = b.loadOne(output, col);
      b.storeOne(output, col,
                 emitCombine(b, combiners[number], old, sums[number]));
    }
  });
}

void ColumnEmitter::emit() {
  unsigned reductions = op.getNumReductionLoops(), loops = op.getNumLoops();
  unsigned vector = getVectorSize(op);
  rows = b.getLoopProduct(op, 0, reductions);
  cols = b.getLoopProduct(op, reductions, loops);
  first = b.mul(b.widen(b.getBlock()), b.i64(kCols));
  for (unsigned number = 0; number < outputs.size(); ++number)
    shared.push_back(b.getShared(threads * vector * getBytes(number)));
  Value last = b.getLoopSize(op, loops - 1);
  Value isFast = b.both(b.both(b.areAligned(getContiguous(getInputs(op))),
                               b.isZero(b.rem(last, b.i64(vector)))),
                        b.less(b.add(first, b.i64(kCols - 1)), cols));
  b.emitIf(isFast, [&] { emitColumns(vector); }, [&] { emitColumns(1); });
}

void ColumnReductionStrategy::emit(KernelBuilder &b,
                                   const KernelUnit &unit) const {
  ColumnEmitter(b, unit).emit();
}

std::unique_ptr<Strategy> fp8::createColumnReductionStrategy() {
  return std::make_unique<ColumnReductionStrategy>();
}
