// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that are rounded to bf16 at each step, in order.
func.func @main(%x: tensor<?x?xbf16>) -> tensor<?xbf16> {
  %c = arith.constant 0 : index
  %init = arith.constant 0.0 : bf16
  %n = tensor.dim %x, %c : tensor<?x?xbf16>
  %e = tensor.empty(%n) : tensor<?xbf16>
  %z = linalg.fill ins(%init : bf16) outs(%e : tensor<?xbf16>) -> tensor<?xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xbf16>) outs(%z : tensor<?xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    
    %s = arith.addf %out, %in : bf16
    linalg.yield %s : bf16
  } -> tensor<?xbf16>
  return %r : tensor<?xbf16>
}
