// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One input along the columns, one along the rows.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xbf16>, %col: tensor<?xbf16>, %row: tensor<?xf32>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %y = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %col, %row : tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xf32>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%in: bf16, %b: bf16, %r: f32, %out: bf16):
    %w = arith.extf %in : bf16 to f32
    %p = arith.mulf %w, %r : f32
    %f = arith.extf %b : bf16 to f32
    %s = arith.addf %p, %f : f32
    %t = arith.truncf %s : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
