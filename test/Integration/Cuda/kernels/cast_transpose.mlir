// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel: both results of a cast with a scale that is given.
func.func @main(%x: tensor<?x?xbf16>, %s: tensor<f32>) -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) {
  %q = fp8.cast %x scale %s : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  %t = fp8.transpose %q : tensor<?x?xf8E4M3FN>
  return %q, %t : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>
}
