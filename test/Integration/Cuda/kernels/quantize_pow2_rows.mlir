// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales that are powers of two, and no transposed copy.
func.func @main(%x: tensor<?x?xbf16>) -> (tensor<?x?xf8E5M2>, tensor<f32>) {
  %a = fp8.amax %x : tensor<?x?xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E5M2 policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E5M2>
  return %q, %d : tensor<?x?xf8E5M2>, tensor<f32>
}
