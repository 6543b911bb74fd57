//===- CopyStridedOperands.cpp ----------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-copy-strided-operands: matmuls work on what a library call can describe.
//
//===----------------------------------------------------------------------===//

#include "Fp8/BlasLt/BlasLt.h"
#include "Fp8/BlasLt/MatrixBuffers.h"
#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_COPYSTRIDEDOPERANDSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// Whether a library call of `op` can be told how its operand lies.
static bool canDescribe(blaslt::MatmulOp op, OpOperand &operand) {
  Value value = operand.get();
  auto type = cast<MemRefType>(value.getType());
  if (value == op.getWorkspace())
    return true;
  if (value == op.getBias() || value == op.getDescaleA() ||
      value == op.getDescaleB())
    return blaslt::isContiguousVector(type);
  bool isRead = &operand == &op.getAMutable() || &operand == &op.getBMutable();
  bool mayTranspose = isRead && !isFp8Type(type.getElementType());
  return blaslt::hasLeadingDimension(type, mayTranspose) &&
         blaslt::hasOneBatchStride(type);
}

/// A new buffer without strides, of the shape of `buffer`.
static Value createContiguous(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(blaslt::createBufferSize(b, loc, buffer, dim));
  return memref::AllocOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType()), sizes);
}

/// Makes `op` work on copies of what cannot be described.
static void copyOperands(blaslt::MatmulOp op) {
  Location loc = op.getLoc();
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (canDescribe(op, operand))
      continue;
    Value buffer = operand.get();
    Value copy = createContiguous(b, loc, buffer);
    operand.set(copy);
    if (&operand != &op.getOutMutable()) {
      memref::CopyOp::create(b, loc, buffer, copy);
      continue;
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(op);
    memref::CopyOp::create(b, loc, copy, buffer);
  }
}

namespace {
struct CopyStridedOperandsPass
    : fp8::impl::CopyStridedOperandsPassBase<CopyStridedOperandsPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([](blaslt::MatmulOp op) {
      if (isa<MemRefType>(op.getOut().getType()))
        copyOperands(op);
    });
  }
};
} // namespace
