// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization with a scale a row.
func.func @main(%x: tensor<?x?xbf16>) -> (tensor<?x?xf8E4M3FN>, tensor<?x1xf32>) {
  %a = fp8.amax %x granularity <rowwise> : tensor<?x?xbf16> -> tensor<?x1xf32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<?x1xf32> -> tensor<?x1xf32>, tensor<?x1xf32>
  %q = fp8.cast %x scale %s granularity <rowwise> : tensor<?x?xbf16>, tensor<?x1xf32> -> tensor<?x?xf8E4M3FN>
  return %q, %d : tensor<?x?xf8E4M3FN>, tensor<?x1xf32>
}
