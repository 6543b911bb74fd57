//===- MatrixBuffers.h ------------------------------------------*- C++ -*-===//
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

#ifndef FP8_BLASLT_MATRIXBUFFERS_H
#define FP8_BLASLT_MATRIXBUFFERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::blaslt {

/// The order of the elements of the matrices in a buffer of rank 2 or more.
enum class MatrixOrder {
  /// Those of a row side by side, rows at one distance.
  Rows,
  /// Those of a column, so that the buffer is read as its transpose.
  Columns,
  /// Neither: no leading dimension says where they are.
  Strided
};

/// The order of `type`. The stride of a dimension of size 1 means nothing; one
/// contiguous column counts as the row of its transpose.
MatrixOrder getMatrixOrder(MemRefType type);

/// Whether a leading dimension says where elements of `type` are, which may be
/// that of the transpose if `mayTranspose`.
bool hasLeadingDimension(MemRefType type, bool mayTranspose);

/// Whether one distance leads from each matrix of a batch to the next.
bool hasOneBatchStride(MemRefType type);

/// Whether `type` is as a bias and descales have to be, which a call takes no
/// strides for.
bool isContiguousVector(MemRefType type);

/// The size of dimension `dim` of `buffer`, from sizes alone where `buffer` is
/// a reshaped temporary.
Value createBufferSize(OpBuilder &b, Location loc, Value buffer, int64_t dim);

} // namespace mlir::blaslt

#endif // FP8_BLASLT_MATRIXBUFFERS_H
