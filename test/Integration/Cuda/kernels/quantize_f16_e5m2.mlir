// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same from f16.
func.func @main(%x: tensor<?x?xf16>) -> (tensor<?x?xf8E5M2>, tensor<?x?xf8E5M2>, tensor<f32>) {
  %a = fp8.amax %x : tensor<?x?xf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E5M2 : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s : tensor<?x?xf16>, tensor<f32> -> tensor<?x?xf8E5M2>
  %t = fp8.transpose %q : tensor<?x?xf8E5M2>
  return %q, %t, %d : tensor<?x?xf8E5M2>, tensor<?x?xf8E5M2>, tensor<f32>
}
