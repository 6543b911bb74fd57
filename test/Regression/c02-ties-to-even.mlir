// C02: ties go to the even neighbour, and a mantissa that overflows carries into
// the exponent.
// RUN: fp8-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func @constants
//   CHECK-DAG:   arith.constant dense<[8.000000e+00, 1.200000e+01, 1.000000e+00, 1.500000e+00, 1.200000e+01, 1.600000e+01]> : tensor<6xf8E5M2>
//   CHECK-DAG:   arith.constant dense<[1.280000e+02, 2.000000e+00, 1.000000e+00, 1.250000e+00, 1.280000e+02]> : tensor<5xf8E4M3FN>
func.func @constants() -> (tensor<6xf8E5M2>, tensor<5xf8E4M3FN>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %x = arith.constant dense<[9.0, 11.0, 1.125, 1.375, 13.0, 15.0]> : tensor<6xf32>
  %y = arith.constant dense<[126.24, 1.9375, 1.0625, 1.1875, 124.0]> : tensor<5xf32>
  %q = fp8.cast %x scale %one : tensor<6xf32>, tensor<f32> -> tensor<6xf8E5M2>
  %r = fp8.cast %y scale %one : tensor<5xf32>, tensor<f32> -> tensor<5xf8E4M3FN>
  return %q, %r : tensor<6xf8E5M2>, tensor<5xf8E4M3FN>
}
