// RUN: fp8-opt --fp8-quantize-matmuls --remarks-filter=fp8 --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func @converted
//       CHECK:   fp8.scaled_mm
func.func @converted(%x: tensor<64x?xf32>, %w: tensor<16x?xf32>) -> tensor<64x16xf32> {
  // expected-remark @below {{[Passed] QuantizeMatmuls | Category:fp8 | Reason="c_fc (forward, 64x?x16) converted, recipe tensorwise"}}
  %y = fp8.matmul %x, %w trans_b name "c_fc" : tensor<64x?xf32>, tensor<16x?xf32> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func @never
//  CHECK-NEXT:   fp8.matmul
//  CHECK-NEXT:   return
func.func @never(%dy: tensor<64x16xf32>, %x: tensor<64x32xf32>) -> tensor<16x32xf32> {
  // expected-remark @below {{[Missed] QuantizeMatmuls | Category:fp8 | Reason="matmul (wgrad, 16x64x32) kept wide: fp8.convert is "never""}}
  %y = fp8.matmul %dy, %x trans_a role wgrad gradient a {fp8.convert = "never"} : tensor<64x16xf32>, tensor<64x32xf32> -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

// CHECK-LABEL: func @f64
//  CHECK-NEXT:   fp8.matmul
//  CHECK-NEXT:   return
func.func @f64(%x: tensor<64x32xf64>, %w: tensor<32x16xf64>) -> tensor<64x16xf64> {
  // expected-remark @below {{[Missed] QuantizeMatmuls | Category:fp8 | Reason="matmul (forward, 64x32x16) kept wide: f64 is no candidate for fp8"}}
  %y = fp8.matmul %x, %w {fp8.convert = "always"} : tensor<64x32xf64>, tensor<32x16xf64> -> tensor<64x16xf64>
  return %y : tensor<64x16xf64>
}
