//===- AssignLayouts.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-assign-layouts: how each fp8 operand is stored, by what the target's
// library can read.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Target/Target.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

namespace {
/// An operand as it is before any copy: a tensor and how it is read.
struct Operand {
  Value base;
  bool transposed;
};

/// Hands out transposed copies, one a tensor however many matmuls read it.
class TransposedCopies {
public:
  explicit TransposedCopies(OpBuilder &builder) : builder(builder) {}

  /// `value` with its two last dimensions swapped. The copy stands behind the
  /// definition of `value`, where a kernel that makes both can form, and where
  /// it dominates every reader.
  Value get(Value value);

private:
  OpBuilder &builder;
  llvm::DenseMap<Value, Value> copies;
};
} // namespace

/// Looks through transposes.
static Operand stripTransposes(Value value, bool transposed) {
  while (auto transpose = value.getDefiningOp<TransposeOp>()) {
    value = transpose.getInput();
    transposed = !transposed;
  }
  return {value, transposed};
}

/// A matrix with one row or one column is the same in either order: a reshape
/// stands for its transpose.
static bool isVectorLike(RankedTensorType type) {
  return type.getRank() == 2 &&
         (type.getDimSize(0) == 1 || type.getDimSize(1) == 1) &&
         type.getNumDynamicDims() == 0;
}

Value TransposedCopies::get(Value value) {
  Value &copy = copies[value];
  if (copy)
    return copy;
  Location loc = value.getLoc();
  builder.setInsertionPointAfterValue(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (!isVectorLike(type))
    return copy = TransposeOp::create(builder, loc, value);
  SmallVector<ReassociationIndices> flat = {{0, 1}};
  Value vector = tensor::CollapseShapeOp::create(builder, loc, value, flat);
  return copy = tensor::ExpandShapeOp::create(
             builder, loc, type.clone({type.getDimSize(1), type.getDimSize(0)}),
             vector, flat);
}

/// The form among those of `target` that needs the fewest copies; ties go to
/// the one that leaves A as it is.
static std::pair<bool, bool> chooseForm(const TargetInfo &target, Operand a,
                                        Operand b) {
  std::pair<bool, bool> best;
  unsigned fewest = 3;
  for (bool transA : {a.transposed, !a.transposed})
    for (bool transB : {b.transposed, !b.transposed}) {
      unsigned copies = (transA != a.transposed) + (transB != b.transposed);
      if (!target.takesForm(transA, transB) || copies >= fewest)
        continue;
      fewest = copies;
      best = {transA, transB};
    }
  assert(fewest < 3 && "a target with fp8 takes one form at least");
  return best;
}

/// Gives `op` operands in a form that `target` takes.
static void assignLayout(ScaledMMOp op, const TargetInfo &target,
                         TransposedCopies &copies) {
  Operand a = stripTransposes(op.getA(), op.getTransA());
  Operand b = stripTransposes(op.getB(), op.getTransB());
  auto [transA, transB] = chooseForm(target, a, b);
  Value newA = transA == a.transposed ? a.base : copies.get(a.base);
  Value newB = transB == b.transposed ? b.base : copies.get(b.base);
  op.getAMutable().assign(newA);
  op.getBMutable().assign(newB);
  op.setTransA(transA);
  op.setTransB(transB);
}

/// Emits an error if `target` does not take the element types of `op`.
static LogicalResult checkTypes(ScaledMMOp op, const TargetInfo &target) {
  if (!target.hasFp8())
    return op.emitOpError("expects a target with fp8 matrix units, but ")
           << target.name << " has none";
  MLIRContext *context = op.getContext();
  Type typeA = op.getA().getType().getElementType();
  Type typeB = op.getB().getType().getElementType();
  for (auto [name, type] : {std::pair("a", typeA), std::pair("b", typeB)})
    if (!target.takesType(type))
      return op.emitOpError("expects operands of ")
             << target.getE4M3(context) << " or " << target.getE5M2(context)
             << ", the types of " << target.name << ", but " << name
             << " is of " << type;
  if (!target.e5m2Pair && typeA == target.getE5M2(context) && typeA == typeB)
    return op.emitOpError("expects an operand of ")
           << target.getE4M3(context) << ", as the library of " << target.name
           << " has no matmul of two of " << typeA;
  return success();
}

namespace {
struct AssignLayoutsPass : fp8::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetInfo *info = lookupTarget(target);
    if (!info) {
      module.emitError("expects a target among ")
          << getTargetNames() << ", but got '" << target << "'";
      return signalPassFailure();
    }
    SmallVector<ScaledMMOp> matmuls;
    module.walk([&](ScaledMMOp op) { matmuls.push_back(op); });
    for (ScaledMMOp op : matmuls)
      if (failed(checkTypes(op, *info)))
        return signalPassFailure();
    IRRewriter rewriter(&getContext());
    TransposedCopies copies(rewriter);
    for (ScaledMMOp op : matmuls)
      assignLayout(op, *info, copies);
    // Transposes that were looked through and have no reader left.
    (void)runRegionDCE(rewriter, module->getRegions());
  }
};
} // namespace
