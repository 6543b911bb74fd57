// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization with a scale a column.
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf8E4M3FN>, tensor<1x?xf32>) {
  %a = fp8.amax %x granularity <colwise> : tensor<?x?xf32> -> tensor<1x?xf32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<1x?xf32> -> tensor<1x?xf32>, tensor<1x?xf32>
  %q = fp8.cast %x scale %s granularity <colwise> : tensor<?x?xf32>, tensor<1x?xf32> -> tensor<?x?xf8E4M3FN>
  return %q, %d : tensor<?x?xf8E4M3FN>, tensor<1x?xf32>
}
