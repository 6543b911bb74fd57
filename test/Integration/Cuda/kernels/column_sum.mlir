// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a bias.
func.func @main(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %c = arith.constant 1 : index
  %init = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c : tensor<?x?xbf16>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%init : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xbf16>) outs(%z : tensor<?xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %v = arith.extf %in : bf16 to f32
    %s = arith.addf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
