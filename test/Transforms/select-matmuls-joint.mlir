// RUN: fp8-opt --fp8-select-matmuls=exclude=w1 %s | FileCheck %s

// Two layers read x. The gradient of w2 has no name, and shares x with both; that
// it belongs to w2 follows from its gradient, which w2's other gradient reads.
// CHECK-LABEL: func @step
//       CHECK:   name "w1" {fp8.convert = "never"
//       CHECK:   name "w2" :
//       CHECK:   role wgrad gradient b :
//       CHECK:   role dgrad gradient a :
//       CHECK:   role wgrad gradient b {fp8.convert = "never", fp8.reason = "its name matches 'w1'"} :
//       CHECK:   role dgrad gradient a {fp8.convert = "never", fp8.reason = "its name matches 'w1'"} :
func.func @step(%x: tensor<8x16xf32>, %w1: tensor<16x32xf32>, %w2: tensor<16x32xf32>, %d1: tensor<8x32xf32>, %d2: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<16x32xf32>, tensor<8x16xf32>, tensor<16x32xf32>, tensor<8x16xf32>) {
  %y1 = fp8.matmul %x, %w1 name "w1" : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %y2 = fp8.matmul %x, %w2 name "w2" : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %dw2 = fp8.matmul %x, %d2 trans_a role wgrad gradient b : tensor<8x16xf32>, tensor<8x32xf32> -> tensor<16x32xf32>
  %dx2 = fp8.matmul %d2, %w2 trans_b role dgrad gradient a : tensor<8x32xf32>, tensor<16x32xf32> -> tensor<8x16xf32>
  %dw1 = fp8.matmul %x, %d1 trans_a role wgrad gradient b : tensor<8x16xf32>, tensor<8x32xf32> -> tensor<16x32xf32>
  %dx1 = fp8.matmul %d1, %w1 trans_b role dgrad gradient a : tensor<8x32xf32>, tensor<16x32xf32> -> tensor<8x16xf32>
  return %y1, %y2, %dw2, %dx2, %dw1, %dx1 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<16x32xf32>, tensor<8x16xf32>, tensor<16x32xf32>, tensor<8x16xf32>
}
