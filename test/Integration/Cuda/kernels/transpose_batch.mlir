// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last two dimensions of three.
func.func @main(%x: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?xbf16>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xbf16>
  %n = tensor.dim %x, %c2 : tensor<?x?x?xbf16>
  %e = tensor.empty(%b, %n, %m) : tensor<?x?x?xbf16>
  %t = linalg.transpose ins(%x : tensor<?x?x?xbf16>) outs(%e : tensor<?x?x?xbf16>) permutation = [0, 2, 1]
  return %t : tensor<?x?x?xbf16>
}
