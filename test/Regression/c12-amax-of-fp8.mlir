// C12: the amax of a tensor that is fp8 already. The reduction runs in f32 from
// 0.0; no fp8 type can hold a start of -inf.
// RUN: fp8-opt --canonicalize --split-input-file %s | FileCheck %s --check-prefix=FOLD
// RUN: fp8-opt --convert-fp8-to-linalg --split-input-file %s | FileCheck %s --check-prefix=LOWER

// Bytes 26 35 (0.21875, 0.8125), then A6 B5, then none.
// FOLD-LABEL: func @constants
//   FOLD-DAG:   %[[V:.+]] = arith.constant dense<8.125000e-01> : tensor<f32>
//   FOLD-DAG:   %[[Z:.+]] = arith.constant dense<0.000000e+00> : tensor<f32>
//       FOLD:   return %[[V]], %[[V]], %[[Z]]
func.func @constants() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = arith.constant dense<"0x2635"> : tensor<2xf8E4M3FN>
  %y = arith.constant dense<"0xA6B5"> : tensor<2xf8E4M3FN>
  %z = arith.constant dense<> : tensor<0xf8E4M3FN>
  %0 = fp8.amax %x : tensor<2xf8E4M3FN> -> tensor<f32>
  %1 = fp8.amax %y : tensor<2xf8E4M3FN> -> tensor<f32>
  %2 = fp8.amax %z : tensor<0xf8E4M3FN> -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// LOWER-LABEL: func @argument
//       LOWER:   %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
//       LOWER:   linalg.fill ins(%[[ZERO]] : f32)
//   LOWER-NOT:   constant {{.*}} : f8E4M3FN
//       LOWER:   arith.extf %{{.*}} : f8E4M3FN to f32
//       LOWER:   arith.maximumf %{{.*}} : f32
//   LOWER-NOT:   constant {{.*}} : f8E4M3FN
//       LOWER:   return
func.func @argument(%x: tensor<2xf8E4M3FN>) -> tensor<f32> {
  %0 = fp8.amax %x : tensor<2xf8E4M3FN> -> tensor<f32>
  return %0 : tensor<f32>
}
