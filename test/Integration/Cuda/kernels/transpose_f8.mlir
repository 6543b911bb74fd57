// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the transposed matrix.
func.func @main(%x: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf8E4M3FN> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf8E4M3FN>
  %n = tensor.dim %x, %c1 : tensor<?x?xf8E4M3FN>
  %e = tensor.empty(%n, %m) : tensor<?x?xf8E4M3FN>
  %t = linalg.transpose ins(%x : tensor<?x?xf8E4M3FN>) outs(%e : tensor<?x?xf8E4M3FN>) permutation = [1, 0]
  return %t : tensor<?x?xf8E4M3FN>
}
