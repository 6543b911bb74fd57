// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three reductions of different types and sizes in one launch.
func.func @main(%x: tensor<?x?xbf16>, %y: tensor<?xf32>, %z: tensor<?x?x?xf16>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = fp8.amax %x : tensor<?x?xbf16> -> tensor<f32>
  %b = fp8.amax %y : tensor<?xf32> -> tensor<f32>
  %c = fp8.amax %z : tensor<?x?x?xf16> -> tensor<f32>
  return %a, %b, %c : tensor<f32>, tensor<f32>, tensor<f32>
}
