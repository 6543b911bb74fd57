// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a squared relu, from two inputs, with a scale that is a power
// of two.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%g: tensor<?x?xbf16>, %x: tensor<?x?xbf16>) -> (tensor<?x?xf8E5M2>, tensor<?x?xf8E5M2>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %x : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%grad: bf16, %in: bf16, %out: bf16):
    %gf = arith.extf %grad : bf16 to f32
    %xf = arith.extf %in : bf16 to f32
    %r = arith.maximumf %xf, %zero : f32
    %r2 = arith.mulf %r, %two : f32
    %p = arith.mulf %gf, %r2 : f32
    %b = arith.truncf %p : f32 to bf16
    linalg.yield %b : bf16
  } -> tensor<?x?xbf16>
  %a = fp8.amax %h : tensor<?x?xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E5M2 policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %h scale %s : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E5M2>
  %t = fp8.transpose %q : tensor<?x?xf8E5M2>
  return %q, %t, %d : tensor<?x?xf8E5M2>, tensor<?x?xf8E5M2>, tensor<f32>
}
