// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two tensors whose casts are done again in one launch, each if it has to.
func.func @main(%x: tensor<?x?xbf16>, %w: tensor<?x?xf32>) -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>, tensor<?x?xf8E5M2>, tensor<f32>) {
  %ax = fp8.amax %x : tensor<?x?xbf16> -> tensor<f32>
  %sx, %dx = fp8.scale %ax for f8E4M3FN policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %qx = fp8.cast %x scale %sx : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  %tx = fp8.transpose %qx : tensor<?x?xf8E4M3FN>
  %aw = fp8.amax %w : tensor<?x?xf32> -> tensor<f32>
  %sw, %dw = fp8.scale %aw for f8E5M2 policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %qw = fp8.cast %w scale %sw : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf8E5M2>
  return %qx, %tx, %dx, %qw, %dw : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>, tensor<?x?xf8E5M2>, tensor<f32>
}
