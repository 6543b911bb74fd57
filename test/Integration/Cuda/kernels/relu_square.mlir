// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An activation, quantized without being stored: amax and cast compute it.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xbf16>) -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %r = arith.maximumf %in, %zero : bf16
    %p = arith.mulf %r, %r : bf16
    linalg.yield %p : bf16
  } -> tensor<?x?xbf16>
  %a = fp8.amax %h : tensor<?x?xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %h scale %s : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  %t = fp8.transpose %q : tensor<?x?xf8E4M3FN>
  return %q, %t, %d : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>
}
