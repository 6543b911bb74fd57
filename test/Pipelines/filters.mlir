// One decision for the three matmuls of a layer, with one reason.
// RUN: fp8-opt --fp8-train=exclude=router --remarks-filter=fp8 %s 2>&1 | FileCheck %s

// CHECK-DAG: "moe.router (forward, 16x32x4) kept wide: its name matches 'router'"
// CHECK-DAG: "moe.router (dgrad, 16x4x32) kept wide: its name matches 'router'"
// CHECK-DAG: "moe.router (wgrad, 32x16x4) kept wide: its name matches 'router'"
// CHECK-LABEL: func @main
//   CHECK-NOT: fp8.scaled_mm
//       CHECK: return
func.func @main(%x: tensor<16x32xbf16>, %w: tensor<32x4xbf16> {fp8.name = "moe.router"}) -> tensor<16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x4xf32>) -> tensor<16x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<16x32xbf16>, tensor<32x4xbf16>) outs(%z : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %m : tensor<16x4xf32>
}
