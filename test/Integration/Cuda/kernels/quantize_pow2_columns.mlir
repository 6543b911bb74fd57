// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales that are powers of two, batches, and nothing but the transposed copy.
func.func @main(%x: tensor<?x?x?xf32>) -> (tensor<?x?x?xf8E4M3FN>, tensor<f32>) {
  %a = fp8.amax %x : tensor<?x?x?xf32> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s : tensor<?x?x?xf32>, tensor<f32> -> tensor<?x?x?xf8E4M3FN>
  %t = fp8.transpose %q : tensor<?x?x?xf8E4M3FN>
  return %t, %d : tensor<?x?x?xf8E4M3FN>, tensor<f32>
}
