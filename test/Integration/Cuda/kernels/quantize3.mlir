// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three tensors: one amax and one launch for all casts with both results.
func.func @main(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>, %d: tensor<?x?xbf16>) -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>, tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>, tensor<?x?xf8E5M2>, tensor<?x?xf8E5M2>, tensor<f32>) {
  %ax = fp8.amax %x : tensor<?x?xbf16> -> tensor<f32>
  %aw = fp8.amax %w : tensor<?x?xbf16> -> tensor<f32>
  %ad = fp8.amax %d : tensor<?x?xbf16> -> tensor<f32>
  %sx, %dx = fp8.scale %ax for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %sw, %dw = fp8.scale %aw for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %sd, %dd = fp8.scale %ad for f8E5M2 : tensor<f32> -> tensor<f32>, tensor<f32>
  %qx = fp8.cast %x scale %sx : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  %tx = fp8.transpose %qx : tensor<?x?xf8E4M3FN>
  %qw = fp8.cast %w scale %sw : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  %tw = fp8.transpose %qw : tensor<?x?xf8E4M3FN>
  %qd = fp8.cast %d scale %sd : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E5M2>
  %td = fp8.transpose %qd : tensor<?x?xf8E5M2>
  return %qx, %tx, %dx, %qw, %tw, %dw, %qd, %td, %dd : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>, tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>, tensor<?x?xf8E5M2>, tensor<?x?xf8E5M2>, tensor<f32>
}
