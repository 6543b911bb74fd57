// C25 (d): on sm_80 every matmul stays wide, and says why.
// RUN: fp8-opt --fp8-quantize=target=sm_80 --remarks-filter=fp8 --verify-diagnostics %s | FileCheck %s

// CHECK-NOT: f8E
//     CHECK: fp8.matmul {{.*}} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
// CHECK-NOT: f8E
func.func @main(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-remark @below {{[Missed] QuantizeMatmuls | Category:fp8 | Reason="arg1 (forward, 16x16x16) kept wide: target sm_80 has no fp8 matrix units"}}
  %y = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%cst : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}
