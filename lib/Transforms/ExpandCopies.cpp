//===- ExpandCopies.cpp ---------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-expand-copies: copies of slices as linalg ops.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_EXPANDCOPIESPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

static bool isRanked(memref::CopyOp op) {
  return isa<MemRefType>(op.getSource().getType()) &&
         isa<MemRefType>(op.getTarget().getType());
}

/// True if the elements of `buffer` lie one behind the other.
static bool isContiguous(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
}

namespace {
struct ExpandCopiesPass : fp8::impl::ExpandCopiesPassBase<ExpandCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto copy = dyn_cast<memref::CopyOp>(op);
      if (copy && isRanked(copy) &&
          !(isContiguous(copy.getSource()) && isContiguous(copy.getTarget())))
        copies.push_back(copy);
      // Bodies compute on scalars.
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                       : WalkResult::advance();
    });
    for (memref::CopyOp op : copies) {
      rewriter.setInsertionPoint(op);
      linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                               op.getTarget());
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
