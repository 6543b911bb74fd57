// RUN: fp8-opt --fp8-assign-roles=tangents=0 %s | FileCheck %s
// RUN: not fp8-opt --fp8-assign-roles=tangents=3 %s 2>&1 | FileCheck %s --check-prefix=ERROR

// The tangent comes first here; its first dimension is summed over, so this is a
// gradient of a weight.
//       ERROR: assign-roles-options.mlir:[[#@LINE+3]]:1: error: 'func.func' op expects tangents among its 2 arguments, but got 3
// CHECK-LABEL: func @one
//       CHECK:   fp8.matmul {{.*}} trans_a role wgrad gradient a
func.func @one(%dy: tensor<8x32xf32>, %x: tensor<8x16xf32>) -> tensor<32x16xf32> {
  %dw = fp8.matmul %dy, %x trans_a : tensor<8x32xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
  return %dw : tensor<32x16xf32>
}
