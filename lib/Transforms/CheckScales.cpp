//===- CheckScales.cpp ---------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-check-scales: a whole-function check of the direction of scales.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_CHECKSCALESPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// The values that `value` may be a copy of, one step back.
static SmallVector<Value> getSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    if (!loop)
      return {};
    SmallVector<Value> sources;
    if (OpOperand *init = loop.getTiedLoopInit(argument))
      sources.push_back(init->get());
    if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
      sources.push_back(yielded->get());
    return sources;
  }
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
          tensor::CastOp, tensor::ExtractSliceOp>(op))
    return {op->getOperand(0)};
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return {};
  SmallVector<Value> sources;
  unsigned index = cast<OpResult>(value).getResultNumber();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(
              block.getTerminator()))
        if (terminator->getNumOperands() == op->getNumResults())
          sources.push_back(terminator->getOperand(index));
  return sources;
}

/// A result of an fp8.scale that reaches `value` and is of the wrong direction,
/// or null.
static Value findWrongDirection(Value value, bool wantScale) {
  SmallVector<Value> worklist = {value};
  llvm::DenseSet<Value> seen = {value};
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (auto scale = current.getDefiningOp<ScaleOp>())
      if ((current == scale.getScale()) != wantScale)
        return current;
    for (Value source : getSources(current))
      if (seen.insert(source).second)
        worklist.push_back(source);
  }
  return nullptr;
}

/// Emits an error if `value`, read by `op` as its `name`, is of the wrong
/// direction.
static LogicalResult check(Operation *op, StringRef name, Value value,
                           bool wantScale) {
  Value wrong = findWrongDirection(value, wantScale);
  if (!wrong)
    return success();
  auto diagnostic = op->emitOpError("expects a ")
                    << (wantScale ? "scale" : "descale") << " as " << name
                    << ", but a " << (wantScale ? "descale" : "scale")
                    << " reaches it";
  diagnostic.attachNote(wrong.getLoc()) << "this fp8.scale defines it";
  return failure();
}

namespace {
struct CheckScalesPass : fp8::impl::CheckScalesPassBase<CheckScalesPass> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (auto cast = dyn_cast<CastOp>(op))
        return WalkResult(check(op, "scale", cast.getScale(), true));
      if (auto mm = dyn_cast<ScaledMMOp>(op))
        return WalkResult(success(
            succeeded(check(op, "descale_a", mm.getDescaleA(), false)) &&
            succeeded(check(op, "descale_b", mm.getDescaleB(), false))));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
