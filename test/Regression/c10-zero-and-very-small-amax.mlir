// C10 (a, c): an amax of zero, and one so small that 448 / amax is beyond f32,
// give a finite scale, and data that stays zero.
// RUN: fp8-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func @constants
//   CHECK-DAG:   %[[S:.+]] = arith.constant dense<4.480000e+14> : tensor<f32>
//   CHECK-DAG:   %[[Z:.+]] = arith.constant dense<0.000000e+00> : tensor<4x4xf8E4M3FN>
//   CHECK-DAG:   %[[T:.+]] = arith.constant dense<[0.000000e+00, -0.000000e+00]> : tensor<2xf8E4M3FN>
//       CHECK:   return %[[S]], %[[Z]], %[[S]], %[[T]]
func.func @constants() -> (tensor<f32>, tensor<4x4xf8E4M3FN>, tensor<f32>, tensor<2xf8E4M3FN>) {
  %zeros = arith.constant dense<0.0> : tensor<4x4xf32>
  %tiny = arith.constant dense<[1.0e-40, -6.3e-38]> : tensor<2xf32>
  %a0 = fp8.amax %zeros : tensor<4x4xf32> -> tensor<f32>
  %s0, %d0 = fp8.scale %a0 for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q0 = fp8.cast %zeros scale %s0 : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf8E4M3FN>
  %a1 = fp8.amax %tiny : tensor<2xf32> -> tensor<f32>
  %s1, %d1 = fp8.scale %a1 for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q1 = fp8.cast %tiny scale %s1 : tensor<2xf32>, tensor<f32> -> tensor<2xf8E4M3FN>
  return %s0, %q0, %s1, %q1 : tensor<f32>, tensor<4x4xf8E4M3FN>, tensor<f32>, tensor<2xf8E4M3FN>
}
