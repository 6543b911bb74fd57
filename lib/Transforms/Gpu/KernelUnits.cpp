//===- KernelUnits.cpp ---------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelUnits.h"
#include "Strategies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fp8;

/// Bytes between two slots that atomics go to: no two share a line.
static constexpr int64_t kSlotBytes = 256;
/// Marks a view of the buffer of slots: a buffer of its own.
static constexpr StringLiteral kSlotAttr = "fp8.slot";
/// How many reductions share a launch at most.
static constexpr size_t kMaxGroup = 8;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

Value fp8::getRootBuffer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view || op->hasAttr(kSlotAttr) ||
        !isa<BaseMemRefType>(view.getViewSource().getType()))
      break;
    value = view.getViewSource();
  }
  return value;
}

bool fp8::isScalarOp(linalg::GenericOp op) { return op.getNumLoops() == 0; }

Value fp8::getMagnitude(linalg::GenericOp op, unsigned index) {
  Value out = op.getRegionOutputArgs()[index];
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  auto max = yield.getOperand(index).getDefiningOp<arith::MaximumFOp>();
  if (!max || !out.getType().isF32() || !out.hasOneUse() ||
      !llvm::is_contained(max->getOperands(), out))
    return {};
  Value other = max.getLhs() == out ? max.getRhs() : max.getLhs();
  return other.getDefiningOp<math::AbsFOp>() ? other : Value();
}

bool fp8::isAmax(linalg::GenericOp op) {
  return op.getNumLoops() != 0 &&
         op.getNumReductionLoops() == op.getNumLoops() &&
         op.getNumDpsInits() == 1 && getMagnitude(op, 0);
}

/// Whether all that `op` does with `slot` is to raise it by an amax.
static bool raises(linalg::GenericOp op, Value slot) {
  unsigned count = 0;
  for (auto [index, init] : llvm::enumerate(op.getDpsInits()))
    count += init == slot && getMagnitude(op, index);
  return count == 1 && llvm::count(op->getOperands(), slot) == 1;
}

/// Whether `op`, or an op in it, uses `root` or a view of it.
static bool touches(Operation *op, Value root) {
  WalkResult result = op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) &&
          getRootBuffer(operand) == root)
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether `op` only reads `root`.
static bool onlyReads(Operation *op, Value root) {
  auto dps = dyn_cast<DestinationStyleOpInterface>(op);
  if (!dps)
    return isa<ViewLikeOpInterface, memref::DimOp>(op);
  return llvm::none_of(dps.getDpsInits(),
                       [&](Value init) { return getRootBuffer(init) == root; });
}

/// Whether `op` may change what `root` holds.
static bool mayWrite(Operation *op, Value root) {
  return touches(op, root) && !onlyReads(op, root);
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

/// Whether all bits of `value` are known to be 0.
static bool hasZeroBits(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return false;
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().bitcastToAPInt().isZero();
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getValue().isZero();
}

/// `memref.copy` as a generic.
static void spellCopy(IRRewriter &rewriter, memref::CopyOp op) {
  int64_t rank = cast<MemRefType>(op.getTarget().getType()).getRank();
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  rewriter.setInsertionPoint(op);
  linalg::GenericOp::create(rewriter, op.getLoc(), op.getSource(),
                            op.getTarget(), maps, loops,
                            [](OpBuilder &b, Location loc, ValueRange args) {
                              linalg::YieldOp::create(b, loc, args[0]);
                            });
  rewriter.eraseOp(op);
}

/// A fill as a memset, where all bytes are 0 and lie side by side.
static bool spellAsMemset(IRRewriter &rewriter, linalg::FillOp op) {
  Value out = op.getOutputs()[0];
  if (!hasZeroBits(op.getInputs()[0]) ||
      !cast<MemRefType>(out.getType()).getLayout().isIdentity())
    return false;
  rewriter.setInsertionPoint(op);
  gpu::MemsetOp::create(rewriter, op.getLoc(), TypeRange(), ValueRange(), out,
                        op.getInputs()[0]);
  rewriter.eraseOp(op);
  return true;
}

/// Runs the loops of an elementwise op along its input where that is what is
/// transposed: kernels know transposed results only.
static void loopAlongInput(IRRewriter &rewriter, linalg::GenericOp op) {
  int64_t loops = op.getNumLoops();
  if (loops < 2 || op.getNumParallelLoops() != loops)
    return;
  SmallVector<unsigned> swapped =
      llvm::to_vector(llvm::seq<unsigned>(0, loops));
  std::swap(swapped[loops - 2], swapped[loops - 1]);
  AffineMap map = AffineMap::getPermutationMap(swapped, op.getContext());
  bool found = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingIndexingMap(input).isIdentity())
      return;
    found |= op.getMatchingIndexingMap(input) == map;
  }
  rewriter.setInsertionPoint(op);
  if (found)
    (void)linalg::interchangeGenericOp(rewriter, op, swapped);
}

LogicalResult fp8::spellAsGenerics(Block &block) {
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      spellCopy(rewriter, copy);
      continue;
    }
    auto fill = dyn_cast<linalg::FillOp>(op);
    if (fill && spellAsMemset(rewriter, fill))
      continue;
    auto named = dyn_cast<linalg::LinalgOp>(op);
    if (!named || isa<linalg::GenericOp>(op))
      continue;
    rewriter.setInsertionPoint(named);
    if (failed(linalg::generalizeNamedOp(rewriter, named)))
      return op.emitOpError("cannot be written as a linalg.generic");
  }
  for (auto op : llvm::make_early_inc_range(block.getOps<linalg::GenericOp>()))
    loopAlongInput(rewriter, op);
  return success();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// The memset that gives `slot`, an allocation of one f32, its first value, if
/// the first one to use it afterwards is an amax.
static gpu::MemsetOp findClear(memref::AllocOp slot, Block &block) {
  MemRefType type = slot.getType();
  if (type.getRank() != 0 || !type.getElementType().isF32())
    return {};
  gpu::MemsetOp clear;
  for (Operation &op : block) {
    if (!touches(&op, slot))
      continue;
    if (clear) {
      auto reader = dyn_cast<linalg::GenericOp>(op);
      return reader && raises(reader, slot) ? clear : gpu::MemsetOp();
    }
    clear = dyn_cast<gpu::MemsetOp>(op);
    if (!clear || clear.getDst() != slot)
      return {};
  }
  return {};
}

void fp8::clearSlotsOnce(Block &block) {
  SmallVector<std::pair<memref::AllocOp, gpu::MemsetOp>> slots;
  for (auto slot : block.getOps<memref::AllocOp>())
    if (gpu::MemsetOp clear = findClear(slot, block))
      slots.push_back({slot, clear});
  if (slots.empty())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  Location loc = slots[0].first.getLoc();
  auto type = MemRefType::get({static_cast<int64_t>(slots.size()) * kSlotBytes},
                              b.getI8Type());
  Value all = memref::AllocOp::create(b, loc, type);
  Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  gpu::MemsetOp::create(b, loc, TypeRange(), ValueRange(), all, zero);
  for (auto [index, pair] : llvm::enumerate(slots)) {
    auto [slot, clear] = pair;
    Value offset = arith::ConstantIndexOp::create(b, loc, index * kSlotBytes);
    auto view = memref::ViewOp::create(b, slot.getLoc(), slot.getType(), all,
                                       offset, ValueRange());
    view->setAttr(kSlotAttr, b.getUnitAttr());
    slot.replaceAllUsesWith(view.getResult());
    clear.erase();
    slot.erase();
  }
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// The op that is to compute `scalar` on the way: the first that touches what
/// it computes, if it does so as a kernel does, and nothing changes its inputs
/// before.
static linalg::GenericOp findReader(linalg::GenericOp scalar) {
  // Blocks would read what the first one has changed.
  for (BlockArgument old : scalar.getRegionOutputArgs())
    if (!old.use_empty())
      return {};
  SmallVector<Value> inputs, outputs;
  for (Value input : scalar.getDpsInputs())
    if (isa<MemRefType>(input.getType()))
      inputs.push_back(getRootBuffer(input));
  for (Value output : scalar.getDpsInits())
    outputs.push_back(getRootBuffer(output));
  for (Value output : outputs)
    if (llvm::is_contained(inputs, output))
      return {};
  for (Operation *op = scalar->getNextNode(); op; op = op->getNextNode()) {
    bool reads =
        llvm::any_of(outputs, [&](Value root) { return touches(op, root); });
    if (reads && isa<ViewLikeOpInterface>(op))
      return {};
    bool writes =
        llvm::any_of(inputs, [&](Value root) { return mayWrite(op, root); });
    if (!reads && !writes)
      continue;
    auto reader = dyn_cast<linalg::GenericOp>(op);
    bool suits = reader && !writes && llvm::all_of(outputs, [&](Value root) {
                   return !mayWrite(op, root);
                 });
    return suits ? reader : linalg::GenericOp();
  }
  return {};
}

/// Whether `op` may go to just behind `place`, which is before it in the block.
static bool canMoveBehind(linalg::GenericOp op, Operation *place) {
  Value slot = getRootBuffer(op.getDpsInits()[0]);
  for (Operation *above = op->getPrevNode(); above != place;
       above = above->getPrevNode()) {
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp() == above)
        return false;
    if (touches(above, slot))
      return false;
    for (Value input : op.getDpsInputs())
      if (isa<MemRefType>(input.getType()) &&
          mayWrite(above, getRootBuffer(input)))
        return false;
  }
  return true;
}

/// Whether `unit` may be done just in front of `place`, which is behind it in
/// the block.
static bool canMoveTo(const KernelUnit &unit, Operation *place) {
  SmallVector<Value> inputs, outputs;
  for (ArrayRef<linalg::GenericOp> ops :
       {ArrayRef(unit.prologue), ArrayRef(unit.main)})
    for (linalg::GenericOp op : ops) {
      for (Value input : op.getDpsInputs())
        if (isa<MemRefType>(input.getType()))
          inputs.push_back(getRootBuffer(input));
      for (Value output : op.getDpsInits())
        outputs.push_back(getRootBuffer(output));
    }
  for (Operation *op = unit.main.back()->getNextNode(); op != place;
       op = op->getNextNode()) {
    bool isView = isa<ViewLikeOpInterface, memref::DimOp>(op);
    for (Value root : outputs)
      if (!isView && touches(op, root))
        return false;
    for (Value root : inputs)
      if (mayWrite(op, root))
        return false;
  }
  return true;
}

/// Takes the ops of `earlier`, all of them under conditions like `unit`, into
/// `unit`, if they may be done there.
static bool takeIn(const KernelUnit &earlier, KernelUnit &unit) {
  linalg::GenericOp first =
      unit.prologue.empty() ? unit.main[0] : unit.prologue[0];
  if (earlier.main.size() >= kMaxGroup ||
      getRedoThreads(earlier.main[0]) != getRedoThreads(unit.main[0]) ||
      !canMoveTo(earlier, first))
    return false;
  for (ArrayRef<linalg::GenericOp> ops :
       {ArrayRef(earlier.prologue), ArrayRef(earlier.main)})
    for (linalg::GenericOp op : ops)
      op->moveBefore(first);
  unit.prologue.insert(unit.prologue.begin(), earlier.prologue.begin(),
                       earlier.prologue.end());
  unit.main.insert(unit.main.begin(), earlier.main.begin(), earlier.main.end());
  return true;
}

SmallVector<KernelUnit> fp8::formKernelUnits(Block &block) {
  llvm::DenseMap<Operation *, SmallVector<linalg::GenericOp>> prologues;
  SmallVector<KernelUnit> units;
  // By number: groups of amax reductions that others may join.
  SmallVector<size_t> groups;
  // The last unit of ops under conditions, by number.
  std::optional<size_t> conditional;
  for (auto op :
       llvm::make_early_inc_range(block.getOps<linalg::GenericOp>())) {
    KernelUnit unit{prologues.lookup(op), {op}};
    if (isScalarOp(op))
      if (linalg::GenericOp reader = findReader(op)) {
        auto &prologue = prologues[reader];
        llvm::append_range(prologue, unit.prologue);
        prologue.push_back(op);
        continue;
      }
    if (getRedoThreads(op) != 0) {
      if (conditional && takeIn(units[*conditional], unit)) {
        units[*conditional] = unit;
        continue;
      }
      conditional = units.size();
    }
    if (!isAmax(op) || !unit.prologue.empty()) {
      units.push_back(unit);
      continue;
    }
    auto *group = llvm::find_if(groups, [&](size_t number) {
      ArrayRef<linalg::GenericOp> members = units[number].main;
      return members.size() < kMaxGroup && canMoveBehind(op, members.back());
    });
    if (group != groups.end()) {
      op->moveAfter(units[*group].main.back());
      units[*group].main.push_back(op);
      continue;
    }
    groups.push_back(units.size());
    units.push_back(unit);
  }
  return units;
}
