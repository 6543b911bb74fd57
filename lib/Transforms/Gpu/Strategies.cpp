//===- Strategies.cpp -------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What strategies share, and the simplest of them.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

Strategy::~Strategy() = default;

ArrayRef<std::unique_ptr<Strategy>> fp8::getStrategies() {
  static const std::array<std::unique_ptr<Strategy>, 9> strategies = {
      createScalarStrategy(),       createAmaxStrategy(),
      createRedoStrategy(),         createCastsStrategy(),
      createTileStrategy(),         createElementwiseStrategy(),
      createRowReductionStrategy(), createColumnReductionStrategy(),
      createSequentialStrategy()};
  return strategies;
}

Value fp8::emitProduct(OpBuilder &b, Location loc, linalg::GenericOp op,
                       unsigned begin, unsigned end, LoopSizeFn size) {
  Value product = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned dim = begin; dim < end; ++dim)
    product = arith::MulIOp::create(b, loc, product, size(op, dim));
  return product;
}

SmallVector<linalg::GenericOp> fp8::getPrologueOps(const KernelUnit &unit) {
  SmallVector<linalg::GenericOp> ops(unit.prologue);
  llvm::append_range(ops, unit.main);
  return ops;
}

SmallVector<KernelOperand>
fp8::getContiguous(ArrayRef<KernelOperand> operands) {
  SmallVector<KernelOperand> contiguous;
  for (const KernelOperand &operand : operands)
    if (operand.isContiguous)
      contiguous.push_back(operand);
  return contiguous;
}

unsigned fp8::getVectorSize(linalg::GenericOp op) {
  int64_t bytes = 16;
  for (unsigned i = 0, end = op->getNumOperands(); i < end; ++i) {
    KernelOperand operand = getKernelOperand(op, i);
    if (operand.isContiguous)
      bytes = std::min(bytes, getElementBytes(operand.element));
  }
  return 16 / bytes;
}

unsigned fp8::getUnroll(linalg::GenericOp op, unsigned most) {
  unsigned inputs =
      llvm::count_if(getInputs(op), [](const KernelOperand &input) {
        return input.isBuffer() && !input.isScalar;
      });
  return std::max(1u, most / std::max(1u, inputs * inputs));
}

bool fp8::hasStridedInput(linalg::GenericOp op) {
  return llvm::any_of(getInputs(op), [](const KernelOperand &input) {
    return input.isBuffer() && !input.isContiguous && !input.isScalar;
  });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementStores::getWanted() const {
  SmallVector<Value> wanted(values);
  if (magnitude)
    wanted.push_back(magnitude);
  return wanted;
}

/// Whether `value`, of the body of `op`, follows from scalar inputs.
static bool isUniform(linalg::GenericOp op, Value value) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() != op.getBody())
        continue;
      if (argument.getArgNumber() >= op.getNumDpsInputs() ||
          !getKernelOperand(op, argument.getArgNumber()).isScalar)
        return false;
    } else if (next.getDefiningOp()->getBlock() == op.getBody()) {
      if (isa<linalg::IndexOp>(next.getDefiningOp()))
        return false;
      llvm::append_range(worklist, next.getDefiningOp()->getOperands());
    }
  }
  return true;
}

/// If every output of `stores` is `select(c, new, what it held)` with one c
/// that all elements share, makes that the condition and the new values the
/// values.
static void findCondition(linalg::GenericOp op, ElementStores &stores) {
  Value condition;
  SmallVector<Value> values;
  for (auto [value, old] : llvm::zip(stores.values, op.getRegionOutputArgs())) {
    auto choice = value.getDefiningOp<arith::SelectOp>();
    if (!choice || choice.getFalseValue() != old || !old.hasOneUse() ||
        (condition && choice.getCondition() != condition))
      return;
    condition = choice.getCondition();
    values.push_back(choice.getTrueValue());
  }
  if (!condition || stores.slot || !isUniform(op, condition))
    return;
  stores.condition = condition;
  stores.values = values;
  stores.readsOutputs = false;
}

std::optional<ElementStores> fp8::getElementStores(linalg::GenericOp op) {
  if (op.getNumLoops() == 0 || op.hasIndexSemantics())
    return std::nullopt;
  ElementStores stores;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  for (auto [index, output] : llvm::enumerate(getOutputs(op))) {
    if (output.map.isPermutation()) {
      stores.outputs.push_back(output);
      stores.values.push_back(yield.getOperand(index));
      stores.readsOutputs |= !op.getRegionOutputArgs()[index].use_empty();
      continue;
    }
    Value magnitude = getMagnitude(op, index);
    if (!magnitude || !output.isScalar || stores.slot)
      return std::nullopt;
    stores.slot = output.buffer;
    stores.magnitude = magnitude;
  }
  unsigned reductions = stores.slot ? op.getNumLoops() : 0;
  if (stores.outputs.empty() || op.getNumReductionLoops() != reductions ||
      (stores.slot && stores.readsOutputs))
    return std::nullopt;
  findCondition(op, stores);
  return stores;
}

const PartStrategy *fp8::getParts(linalg::GenericOp op,
                                  const ElementStores &stores) {
  static const std::array<std::unique_ptr<PartStrategy>, 2> strategies = {
      createTileStrategy(), createElementwiseStrategy()};
  for (const std::unique_ptr<PartStrategy> &strategy : strategies)
    if (strategy->takes(op, stores))
      return strategy.get();
  return nullptr;
}

Value fp8::getPartsMemory(KernelBuilder &b, ArrayRef<linalg::GenericOp> ops) {
  int64_t bytes = 0;
  for (linalg::GenericOp op : ops)
    bytes = std::max(bytes,
                     getParts(op, *getElementStores(op))->getSharedBytes(op));
  return bytes == 0 ? Value() : b.getShared(bytes);
}

bool PartStrategy::takes(const KernelUnit &unit) const {
  if (unit.main.size() != 1)
    return false;
  std::optional<ElementStores> stores = getElementStores(unit.main[0]);
  return stores && !stores->condition && takes(unit.main[0], *stores);
}

LaunchPlan PartStrategy::getPlan(const KernelUnit &unit,
                                 const GpuVendor &) const {
  return {getThreads(unit.main[0]), /*workPerBlock=*/1};
}

Value PartStrategy::emitWork(OpBuilder &b, Location loc, const KernelUnit &unit,
                             LoopSizeFn size) const {
  return emitCount(b, loc, unit.main[0], size);
}

void PartStrategy::emit(KernelBuilder &b, const KernelUnit &unit) const {
  linalg::GenericOp op = unit.main[0];
  ElementStores stores = *getElementStores(op);
  int64_t bytes = getSharedBytes(op);
  Value shared = bytes == 0 ? Value() : b.getShared(bytes);
  emitPart(b, {unit, op, stores, b.getBlock(), shared});
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

BlockAmax::BlockAmax(KernelBuilder &b, unsigned threads, unsigned count)
    : b(b), groups(threads / b.getVendor().getSubgroupSize()),
      shared(b.getShared(4 * groups * count)) {}

Value BlockAmax::emitLargest(KernelBuilder &b, ArrayRef<Value> magnitudes,
                             Value largest) {
  for (Value value : magnitudes) {
    Value bits = b.create<arith::BitcastOp>(b.getI32Type(), value);
    largest = b.create<arith::MaxSIOp>(largest, bits);
  }
  return largest;
}

void BlockAmax::share(ArrayRef<Value> largest) {
  const GpuVendor &vendor = b.getVendor();
  SmallVector<Value> ofGroup;
  for (Value value : largest)
    ofGroup.push_back(vendor.reduceMax(b, b.getLoc(), value));
  Value width = b.i32(vendor.getSubgroupSize());
  Value lane = b.rem(b.getThread(), width);
  Value group = b.div(b.getThread(), width);
  b.emitIf(b.isZero(lane), [&] {
    for (auto [index, value] : llvm::enumerate(ofGroup)) {
      Value place = b.add(b.i32(index * groups), group);
      b.create<LLVM::StoreOp>(value, b.at(shared, b.mul(place, b.i32(4))));
    }
  });
}

void BlockAmax::raise(ArrayRef<Value> slots) {
  const GpuVendor &vendor = b.getVendor();
  // One thread a slot, each of another subgroup.
  for (auto [index, slot] : llvm::enumerate(slots)) {
    Value thread = b.i32(index * vendor.getSubgroupSize());
    b.emitIf(b.isZero(b.sub(b.getThread(), thread)), [&, index = index,
                                                      slot = slot] {
      Value result = b.i32(0);
      for (unsigned i = 0; i < groups; ++i) {
        Value part = b.create<LLVM::LoadOp>(
            b.getI32Type(), b.at(shared, b.i32(4 * (index * groups + i))));
        result = b.create<arith::MaxSIOp>(result, part);
      }
      Value pointer = b.getPointer(slot);
      Value current = b.create<LLVM::LoadOp>(b.getI32Type(), pointer);
      b.emitIf(b.less(current, result),
               [&] { vendor.atomicMax(b, b.getLoc(), pointer, result); });
    });
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

std::optional<Combiner> fp8::getCombiner(linalg::GenericOp op, unsigned index) {
  Value old = op.getRegionOutputArgs()[index];
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  Operation *combiner = yield.getOperand(index).getDefiningOp();
  if (!combiner || combiner->getBlock() != op.getBody() ||
      combiner->getNumOperands() != 2 || !old.hasOneUse() ||
      !llvm::is_contained(combiner->getOperands(), old))
    return std::nullopt;
  Type type = old.getType();
  if (!type.isF32() && !type.isF64() && !type.isInteger(32) &&
      !type.isInteger(64))
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (!neutral)
    return std::nullopt;
  bool isLeft = combiner->getOperand(0) == old;
  return Combiner{combiner, combiner->getOperand(isLeft ? 1 : 0), *neutral};
}

Value fp8::emitCombine(KernelBuilder &b, const Combiner &combiner, Value x,
                       Value y) {
  Operation *copy = b.clone(*combiner.op);
  copy->setOperands({x, y});
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(copy))
    copy->setAttr(flags.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(b.getContext(),
                                                arith::FastMathFlags::none));
  return copy->getResult(0);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {
/// Scalars from scalars that no other kernel could take: one thread.
class ScalarStrategy : public Strategy {
public:
  StringRef getName() const override { return "scalar"; }

  bool takes(const KernelUnit &unit) const override {
    return isScalarOp(unit.main[0]);
  }

  LaunchPlan getPlan(const KernelUnit &, const GpuVendor &) const override {
    return {/*threads=*/1, /*workPerBlock=*/1};
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &,
                 LoopSizeFn) const override {
    return arith::ConstantIndexOp::create(b, loc, 1);
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override {
    b.emitPrologue(getPrologueOps(unit));
    b.storeScalars();
  }
};
} // namespace

std::unique_ptr<Strategy> fp8::createScalarStrategy() {
  return std::make_unique<ScalarStrategy>();
}
