// C28: with row scales the gradient of x is not dy times the forward's bytes: it is
// a wide matmul on the wide W, for another quantization.
// RUN: fp8-opt --fp8-derive-backward --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: func @rowwise(
//  CHECK-SAME:   %[[X:[^:]+]]: tensor<4x2xf32>, %[[W:[^:]+]]: tensor<2x2xf32>, %[[DY:[^:]+]]: tensor<4x2xf32>
// CHECK-COUNT-1: fp8.scaled_mm
//   CHECK-DAG:   fp8.matmul %[[DY]], %[[W]] role dgrad gradient a
//   CHECK-DAG:   fp8.matmul %[[DY]], %[[X]] trans_a role wgrad gradient a
//   CHECK-NOT:   fp8.scaled_mm
//       CHECK:   return
func.func @rowwise(%x: tensor<4x2xf32>, %w: tensor<2x2xf32>) -> tensor<4x2xf32> {
  %ax = fp8.amax %x granularity <rowwise> : tensor<4x2xf32> -> tensor<4x1xf32>
  %sx, %dx = fp8.scale %ax for f8E4M3FN : tensor<4x1xf32> -> tensor<4x1xf32>, tensor<4x1xf32>
  %qx = fp8.cast %x scale %sx granularity <rowwise> : tensor<4x2xf32>, tensor<4x1xf32> -> tensor<4x2xf8E4M3FN>
  %aw = fp8.amax %w : tensor<2x2xf32> -> tensor<f32>
  %sw, %dw = fp8.scale %aw for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %qw = fp8.cast %w scale %sw : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf8E4M3FN>
  %y = fp8.scaled_mm %qx, %qw descales %dx, %dw trans_b granularity_a <rowwise> : tensor<4x2xf8E4M3FN>, tensor<2x2xf8E4M3FN>, tensor<4x1xf32>, tensor<f32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
