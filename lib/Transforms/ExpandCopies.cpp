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

/// True if the elements of `buffer` lie one behind the other.
static bool isContiguous(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getLayout().isIdentity();
}

namespace {
struct ExpandCopiesPass : fp8::impl::ExpandCopiesPassBase<ExpandCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::CopyOp op) {
      if ((isContiguous(op.getSource()) && isContiguous(op.getTarget())) ||
          !isa<MemRefType>(op.getSource().getType()) ||
          !isa<MemRefType>(op.getTarget().getType()))
        return;
      rewriter.setInsertionPoint(op);
      linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                               op.getTarget());
      rewriter.eraseOp(op);
    });
  }
};
} // namespace
