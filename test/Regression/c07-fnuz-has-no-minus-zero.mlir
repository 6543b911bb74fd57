// C07: a small negative number that rounds to zero is 0x00 in FNUZ, not 0x80,
// which is its NaN; a NaN stays one and its amax is NaN.
// RUN: fp8-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func @constants
//   CHECK-DAG:   arith.constant dense<[0.000000e+00, 0.000000e+00, -9.765620e-04, -9.765620e-04]> : tensor<4xf8E4M3FNUZ>
//   CHECK-DAG:   arith.constant dense<0x80> : tensor<1xf8E4M3FNUZ>
//   CHECK-DAG:   arith.constant dense<0x7FC00000> : tensor<f32>
func.func @constants() -> (tensor<4xf8E4M3FNUZ>, tensor<1xf8E4M3FNUZ>, tensor<f32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %x = arith.constant dense<[-1.0e-5, -4.8828125e-4, 0xBA000004, -9.765625e-4]> : tensor<4xf32>
  %nan = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  %q = fp8.cast %x scale %one : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FNUZ>
  %r = fp8.cast %nan scale %one : tensor<1xf32>, tensor<f32> -> tensor<1xf8E4M3FNUZ>
  %stored = arith.constant dense<[0x80]> : tensor<1xf8E4M3FNUZ>
  %a = fp8.amax %stored : tensor<1xf8E4M3FNUZ> -> tensor<f32>
  return %q, %r, %a : tensor<4xf8E4M3FNUZ>, tensor<1xf8E4M3FNUZ>, tensor<f32>
}
