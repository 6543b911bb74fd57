// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales that are powers of two.
func.func @main(%x: tensor<?x?xbf16>) -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>) {
  %a = fp8.amax %x : tensor<?x?xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  %t = fp8.transpose %q : tensor<?x?xf8E4M3FN>
  return %q, %t, %d : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>
}
