//===- SplitEmptyTensors.cpp ------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-split-empty-tensors: no destination for two ops.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/Passes.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_SPLITEMPTYTENSORSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// True if `use` is a destination that its op writes over.
static bool isDestination(OpOperand &use) {
  auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  return op && op.isDpsInit(&use);
}

/// Gives all destinations that are `op` but the first a clone of their own,
/// made by `clone` in front of their op.
static void split(Operation *op, function_ref<Operation *(OpBuilder &)> clone) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getUses())
    if (isDestination(use))
      uses.push_back(&use);
  bool othersRead =
      uses.size() !=
      static_cast<size_t>(std::distance(op->use_begin(), op->use_end()));
  // The list of uses starts with the newest.
  for (OpOperand *use :
       ArrayRef(uses).drop_back(uses.empty() || othersRead ? 0 : 1)) {
    OpBuilder b(use->getOwner());
    use->set(clone(b)->getResult(0));
  }
}

namespace {
struct SplitEmptyTensorsPass
    : fp8::impl::SplitEmptyTensorsPassBase<SplitEmptyTensorsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> fills, empties;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto fill = dyn_cast<linalg::FillOp>(op);
      if (fill && fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>())
        fills.push_back(op);
      if (isa<tensor::EmptyOp>(op))
        empties.push_back(op);
      // Bodies compute on scalars.
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                       : WalkResult::advance();
    });
    // Fills first: each of theirs then has an empty tensor to split.
    for (ArrayRef<Operation *> ops : {fills, empties})
      for (Operation *op : ops)
        split(op, [&](OpBuilder &b) { return b.clone(*op); });
  }
};
} // namespace
