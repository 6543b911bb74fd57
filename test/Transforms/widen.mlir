// RUN: fp8-opt --fp8-widen --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @types
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x?xf64>, %[[W:.+]]: tensor<16x?xf64>, %[[I:.+]]: tensor<4xi64>, %[[S:.+]]: f64) -> tensor<64x16xf64>
//  CHECK-NEXT:   fp8.matmul %[[X]], %[[W]] trans_b : tensor<64x?xf64>, tensor<16x?xf64> -> tensor<64x16xf64>
func.func @types(%x: tensor<64x?xbf16>, %w: tensor<16x?xbf16>, %i: tensor<4xi64>, %s: f32) -> tensor<64x16xf32> {
  %y = fp8.matmul %x, %w trans_b : tensor<64x?xbf16>, tensor<16x?xbf16> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func @casts
//  CHECK-SAME:   (%[[X:.+]]: f64)
//  CHECK-NEXT:   %[[N:.+]] = math.exp %[[X]] : f64
//  CHECK-NEXT:   return %[[N]] : f64
func.func @casts(%x: bf16) -> bf16 {
  %0 = arith.extf %x : bf16 to f32
  %1 = math.exp %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}

// -----

// Negative: a conversion of an integer is no cast between floats.
// CHECK-LABEL: func @from_integer
//       CHECK:   arith.sitofp %{{.*}} : i32 to f64
func.func @from_integer(%x: i32) -> f32 {
  %0 = arith.sitofp %x : i32 to f32
  return %0 : f32
}

// -----

// 0.1 in bf16 is 0.10009765625, and no nearer to 0.1 in f64.
// CHECK-LABEL: func @constants
//   CHECK-DAG:   dense<[0.10009765625, -2.000000e+00]> : tensor<2xf64>
//   CHECK-DAG:   constant 0.10000000149011612 : f64
//   CHECK-DAG:   dense<3> : tensor<2xi32>
func.func @constants() -> (tensor<2xbf16>, f32, tensor<2xi32>) {
  %0 = arith.constant dense<[0.1, -2.0]> : tensor<2xbf16>
  %1 = arith.constant 0.1 : f32
  %2 = arith.constant dense<3> : tensor<2xi32>
  return %0, %1, %2 : tensor<2xbf16>, f32, tensor<2xi32>
}

// -----

// Bodies, their arguments, and calls.
// CHECK-LABEL: func private @callee(f64) -> f64
// CHECK-LABEL: func @regions
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf64>) outs(%{{.*}} : tensor<4xf64>)
//       CHECK:   ^bb0(%[[IN:.+]]: f64, %{{.*}}: f64):
//       CHECK:     %[[R:.+]] = func.call @callee(%[[IN]]) : (f64) -> f64
//       CHECK:     linalg.yield %[[R]] : f64
func.func private @callee(f32) -> f32
func.func @regions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = func.call @callee(%in) : (f32) -> f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
