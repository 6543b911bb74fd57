//===- KernelUnits.cpp ------------------------------------------*- C++ -*-===//
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
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

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

/// The buffers that the ops of `unit` read, and those that they write.
static std::pair<SmallVector<Value>, SmallVector<Value>>
getBuffers(const KernelUnit &unit) {
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
  return {inputs, outputs};
}

/// Whether what reads `inputs` and writes `outputs` may change places with
/// `op`.
static bool commutes(Operation *op, ArrayRef<Value> inputs,
                     ArrayRef<Value> outputs) {
  bool isView = isa<ViewLikeOpInterface, memref::DimOp>(op);
  return llvm::none_of(
             outputs,
             [&](Value root) { return !isView && touches(op, root); }) &&
         llvm::none_of(inputs, [&](Value root) { return mayWrite(op, root); });
}

/// Whether `unit` may be done just in front of `place`, which is behind it in
/// the block.
static bool canMoveTo(const KernelUnit &unit, Operation *place) {
  auto [inputs, outputs] = getBuffers(unit);
  for (Operation *op = unit.main.back()->getNextNode(); op != place;
       op = op->getNextNode())
    if (!commutes(op, inputs, outputs))
      return false;
  return true;
}

/// Adds to `moved` what has to move with `op` so that it can stand behind
/// `place`, operands first. Fails where that is more than allocations and ops
/// without effects.
static LogicalResult collectMoved(Operation *op, Operation *place,
                                  llvm::SetVector<Operation *> &moved) {
  SetVector<Value> values;
  values.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  for (Value value : values) {
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getBlock() != place->getBlock() ||
        producer->isBeforeInBlock(place) || producer == place ||
        moved.contains(producer))
      continue;
    if (!isa<memref::AllocOp>(producer) && !isPure(producer))
      return failure();
    if (failed(collectMoved(producer, place, moved)))
      return failure();
  }
  moved.insert(op);
  return success();
}

/// Moves `unit` to just behind `place`, which is before it in the block, if it
/// may be done there.
static bool moveBehind(const KernelUnit &unit, Operation *place) {
  llvm::SetVector<Operation *> moved;
  for (ArrayRef<linalg::GenericOp> ops :
       {ArrayRef(unit.prologue), ArrayRef(unit.main)})
    for (linalg::GenericOp op : ops) {
      // The ops before are on their way, too.
      if (failed(collectMoved(op, place, moved)))
        return false;
    }
  auto [inputs, outputs] = getBuffers(unit);
  for (Operation *op = place->getNextNode(); op != unit.main.back();
       op = op->getNextNode())
    if (!moved.contains(op) && !commutes(op, inputs, outputs))
      return false;
  for (Operation *op : moved) {
    op->moveAfter(place);
    place = op;
  }
  return true;
}

/// Puts the ops of `unit` behind those of `earlier`, if they may be done there.
static bool join(KernelUnit &earlier, const KernelUnit &unit) {
  if (earlier.main.size() >= kMaxGroup ||
      !moveBehind(unit, earlier.main.back()))
    return false;
  llvm::append_range(earlier.prologue, unit.prologue);
  llvm::append_range(earlier.main, unit.main);
  return true;
}

/// Takes the ops of `earlier` into `unit`, if they may be done there.
static bool takeIn(const KernelUnit &earlier, KernelUnit &unit) {
  linalg::GenericOp first =
      unit.prologue.empty() ? unit.main[0] : unit.prologue[0];
  if (earlier.main.size() >= kMaxGroup || !canMoveTo(earlier, first))
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

namespace {
/// Forms the units of a block, op by op.
class UnitFormer {
public:
  void add(linalg::GenericOp op);
  SmallVector<KernelUnit> take() { return std::move(units); }

private:
  /// Whether a unit that there is has become one with this one.
  bool addScalar(linalg::GenericOp op, const KernelUnit &unit);
  bool addRedo(KernelUnit &unit, unsigned threads);
  bool addCast(const KernelUnit &unit, unsigned threads);
  bool addAmax(const KernelUnit &unit);

  /// A unit that others may join, by number, and the threads of its blocks.
  struct Group {
    size_t number;
    unsigned threads;
  };

  llvm::DenseMap<Operation *, SmallVector<linalg::GenericOp>> prologues;
  SmallVector<KernelUnit> units;
  /// Groups of amax reductions.
  SmallVector<size_t> reductions;
  /// The last unit of ops under conditions.
  std::optional<Group> conditional;
  /// The last unit of casts, with nothing behind it but units under conditions.
  std::optional<Group> casts;
};
} // namespace

bool UnitFormer::addScalar(linalg::GenericOp op, const KernelUnit &unit) {
  linalg::GenericOp reader = findReader(op);
  if (!reader)
    return false;
  auto &prologue = prologues[reader];
  llvm::append_range(prologue, unit.prologue);
  prologue.push_back(op);
  return true;
}

bool UnitFormer::addRedo(KernelUnit &unit, unsigned threads) {
  if (conditional && conditional->threads == threads) {
    KernelUnit &earlier = units[conditional->number];
    if (takeIn(earlier, unit)) {
      earlier = unit;
      return true;
    }
    if (conditional->number + 1 == units.size() && join(earlier, unit))
      return true;
  }
  conditional = Group{units.size(), threads};
  return false;
}

bool UnitFormer::addCast(const KernelUnit &unit, unsigned threads) {
  if (casts && casts->threads == threads && join(units[casts->number], unit))
    return true;
  casts = Group{units.size(), threads};
  return false;
}

bool UnitFormer::addAmax(const KernelUnit &unit) {
  if (llvm::any_of(reductions,
                   [&](size_t number) { return join(units[number], unit); }))
    return true;
  reductions.push_back(units.size());
  return false;
}

void UnitFormer::add(linalg::GenericOp op) {
  KernelUnit unit{prologues.lookup(op), {op}};
  if (isScalarOp(op) && addScalar(op, unit))
    return;
  if (unsigned threads = getRedoThreads(op)) {
    if (addRedo(unit, threads))
      return;
  } else if (unsigned threads = getCastThreads(op)) {
    if (addCast(unit, threads))
      return;
  } else if (isAmax(op) && unit.prologue.empty()) {
    if (addAmax(unit))
      return;
    casts.reset();
  } else {
    casts.reset();
  }
  units.push_back(unit);
}

SmallVector<KernelUnit> fp8::formKernelUnits(Block &block) {
  UnitFormer former;
  for (auto op : llvm::make_early_inc_range(block.getOps<linalg::GenericOp>()))
    former.add(op);
  return former.take();
}
