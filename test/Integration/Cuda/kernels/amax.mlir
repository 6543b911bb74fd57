// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reduction.
func.func @main(%x: tensor<?x?xbf16>) -> tensor<f32> {
  %a = fp8.amax %x : tensor<?x?xbf16> -> tensor<f32>
  return %a : tensor<f32>
}
