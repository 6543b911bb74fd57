//===- MatrixBuffers.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a library call can be told of the buffers it works on.
//
//===----------------------------------------------------------------------===//

#include "Fp8/BlasLt/MatrixBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::blaslt;

MatrixOrder blaslt::getMatrixOrder(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return MatrixOrder::Strided;
  int64_t row = type.getRank() - 2, col = type.getRank() - 1;
  bool oneRow = type.getDimSize(row) == 1,
       oneColumn = type.getDimSize(col) == 1;
  bool rowsContiguous = oneColumn || strides[col] == 1;
  bool columnsContiguous = oneRow || strides[row] == 1;
  if (columnsContiguous && (!rowsContiguous || (oneColumn && !oneRow)))
    return MatrixOrder::Columns;
  return rowsContiguous ? MatrixOrder::Rows : MatrixOrder::Strided;
}

bool blaslt::hasLeadingDimension(MemRefType type, bool mayTranspose) {
  switch (getMatrixOrder(type)) {
  case MatrixOrder::Rows:
    return true;
  case MatrixOrder::Columns:
    // A column has rows of one element, wherever they are.
    return mayTranspose || type.getShape().back() == 1;
  case MatrixOrder::Strided:
    return false;
  }
  llvm_unreachable("no other order");
}

bool blaslt::hasOneBatchStride(MemRefType type) {
  return type.getRank() <= 3 || type.getLayout().isIdentity();
}

bool blaslt::isContiguousVector(MemRefType type) {
  return type.areTrailingDimsContiguous(type.getRank());
}

Value blaslt::createBufferSize(OpBuilder &b, Location loc, Value buffer,
                               int64_t dim) {
  if (auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>())
    return getValueOrCreateConstantIndexOp(b, loc,
                                           expand.getMixedOutputShape()[dim]);
  auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>();
  if (!collapse)
    return b.createOrFold<memref::DimOp>(loc, buffer, dim);
  Value product = arith::ConstantIndexOp::create(b, loc, 1);
  ReassociationIndices group = collapse.getReassociationIndices()[dim];
  for (int64_t inner : group)
    product = b.createOrFold<arith::MulIOp>(
        loc, product, createBufferSize(b, loc, collapse.getSrc(), inner));
  return product;
}
