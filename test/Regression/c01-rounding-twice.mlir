// C01: just above the midpoint of two fp8 numbers goes up; through f16 it would
// land on the midpoint and go down. (test/Integration/Cpu/cast.py takes all floats.)
// RUN: fp8-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func @constants
//   CHECK-DAG:   arith.constant dense<[1.125000e+00, 1.000000e+00]> : tensor<2xf8E4M3FN>
//   CHECK-DAG:   arith.constant dense<1.250000e+00> : tensor<1xf8E5M2>
func.func @constants() -> (tensor<2xf8E4M3FN>, tensor<1xf8E5M2>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %x = arith.constant dense<[0x3F880001, 0x3F880000]> : tensor<2xf32>
  %y = arith.constant dense<[0x3F900001]> : tensor<1xf32>
  %q = fp8.cast %x scale %one : tensor<2xf32>, tensor<f32> -> tensor<2xf8E4M3FN>
  %r = fp8.cast %y scale %one : tensor<1xf32>, tensor<f32> -> tensor<1xf8E5M2>
  return %q, %r : tensor<2xf8E4M3FN>, tensor<1xf8E5M2>
}
