// C27: the bias runs along N. A vector along the rows is no bias, though with M = N
// it has the right size; its gradient is the sum over the rows.
// RUN: fp8-opt --fp8-raise-matmuls --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-raise-matmuls --fp8-derive-backward --split-input-file %s | FileCheck %s --check-prefix=GRAD

// CHECK-LABEL: func @columns
//       CHECK:   fp8.matmul {{.*}} bias %arg2
//   CHECK-NOT:   linalg.generic
// GRAD-DAG: affine_map<(d0, d1) -> (d1)>
// GRAD-LABEL: func @columns
// GRAD: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
func.func @columns(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %bias: tensor<2xf32>) -> tensor<2x2xf32> {
  %cst = arith.constant dense<0.0> : tensor<2x2xf32>
  %y = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%cst : tensor<2x2xf32>) -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// -----

// Negative: along the rows.
// CHECK-LABEL: func @rows
//   CHECK-NOT:   bias
//       CHECK:   linalg.generic
// GRAD-LABEL: func @rows
func.func @rows(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %bias: tensor<2xf32>) -> tensor<2x2xf32> {
  %cst = arith.constant dense<0.0> : tensor<2x2xf32>
  %y = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%cst : tensor<2x2xf32>) -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}
