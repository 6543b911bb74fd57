// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel: a cast with a scale that is given.
func.func @main(%x: tensor<?x?xbf16>, %s: tensor<f32>) -> tensor<?x?xf8E5M2> {
  %q = fp8.cast %x scale %s : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E5M2>
  return %q : tensor<?x?xf8E5M2>
}
