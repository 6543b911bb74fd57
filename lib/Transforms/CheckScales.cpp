//===- CheckScales.cpp ------------------------------------------*- C++ -*-===//
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

namespace mlir::fp8 {
#define GEN_PASS_DEF_CHECKSCALESPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// What the calls of the private function `function` pass as argument `index`.
static SmallVector<Value> getCallOperands(func::FuncOp function,
                                          unsigned index) {
  SmallVector<Value> operands;
  auto uses = SymbolTable::getSymbolUses(function, function->getParentOp());
  if (!function.isPrivate() || !uses)
    return operands;
  for (SymbolTable::SymbolUse use : *uses)
    if (auto call = dyn_cast<func::CallOp>(use.getUser()))
      operands.push_back(call.getOperand(index));
  return operands;
}

/// What the callee of `call` returns as result `index`.
static SmallVector<Value> getReturnedValues(func::CallOp call, unsigned index) {
  SmallVector<Value> values;
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (callee)
    for (Block &block : callee.getBody())
      if (auto returnOp = dyn_cast<func::ReturnOp>(block.getTerminator()))
        values.push_back(returnOp.getOperand(index));
  return values;
}

/// What control flow puts into `value`, a result of `branch` or an argument of
/// one of its regions.
static SmallVector<Value> getForwardedValues(RegionBranchOpInterface branch,
                                             Value value) {
  RegionBranchInverseSuccessorMapping mapping;
  branch.getSuccessorInputOperandMapping(mapping);
  return llvm::map_to_vector(mapping.lookup(value),
                             [](OpOperand *operand) { return operand->get(); });
}

/// The values that `value` may be a copy of, one step back.
static SmallVector<Value> getSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto branch = dyn_cast<RegionBranchOpInterface>(parent))
      return getForwardedValues(branch, value);
    if (auto function = dyn_cast<func::FuncOp>(parent))
      return getCallOperands(function, argument.getArgNumber());
    return {};
  }
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
          tensor::CastOp, tensor::ExtractSliceOp>(op))
    return {op->getOperand(0)};
  if (auto call = dyn_cast<func::CallOp>(op))
    return getReturnedValues(call, cast<OpResult>(value).getResultNumber());
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    return getForwardedValues(branch, value);
  return {};
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
