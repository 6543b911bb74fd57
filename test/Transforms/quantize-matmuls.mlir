// RUN: fp8-opt --fp8-quantize-matmuls=target=sm_90 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,OCP,FAST
// RUN: fp8-opt --fp8-quantize-matmuls --split-input-file %s | FileCheck %s --check-prefixes=CHECK,OCP,SLOW
// RUN: fp8-opt --fp8-quantize-matmuls=target=gfx950 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,OCP,SLOW
// RUN: fp8-opt --fp8-quantize-matmuls=target=gfx942 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,FNUZ,SLOW

// CHECK-LABEL: func @forward
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x32xbf16>, %[[W:.+]]: tensor<16x32xbf16>, %[[B:.+]]: tensor<16xbf16>, %[[C:.+]]: tensor<64x16xf32>)
//  CHECK-NEXT:   %[[AX:.+]] = fp8.amax %[[X]] : tensor<64x32xbf16> -> tensor<f32>
//    OCP-NEXT:   %[[SX:.+]], %[[DX:.+]] = fp8.scale %[[AX]] for f8E4M3FN :
//   FNUZ-NEXT:   %[[SX:.+]], %[[DX:.+]] = fp8.scale %[[AX]] for f8E4M3FNUZ :
//  CHECK-NEXT:   %[[QX:.+]] = fp8.cast %[[X]] scale %[[SX]]
//  CHECK-NEXT:   %[[AW:.+]] = fp8.amax %[[W]] : tensor<16x32xbf16> -> tensor<f32>
//    OCP-NEXT:   %[[SW:.+]], %[[DW:.+]] = fp8.scale %[[AW]] for f8E4M3FN :
//   FNUZ-NEXT:   %[[SW:.+]], %[[DW:.+]] = fp8.scale %[[AW]] for f8E4M3FNUZ :
//  CHECK-NEXT:   %[[QW:.+]] = fp8.cast %[[W]] scale %[[SW]]
//   FAST-NEXT:   fp8.scaled_mm %[[QX]], %[[QW]] descales %[[DX]], %[[DW]] acc %[[C]] bias %[[B]] trans_b fast_accum name "c_fc" :
//   SLOW-NEXT:   fp8.scaled_mm %[[QX]], %[[QW]] descales %[[DX]], %[[DW]] acc %[[C]] bias %[[B]] trans_b name "c_fc" :
func.func @forward(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>, %b: tensor<16xbf16>, %c: tensor<64x16xf32>) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w acc %c bias %b trans_b name "c_fc" : tensor<64x32xbf16>, tensor<16x32xbf16> acc tensor<64x16xf32> bias tensor<16xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// The gradient is e5m2; no fast accumulation, on any target.
// CHECK-LABEL: func @gradient_a
//  CHECK-SAME:   (%[[DY:.+]]: tensor<64x16xbf16>, %[[W:.+]]: tensor<16x32xbf16>)
//         OCP:   %[[A:.+]] = fp8.cast %[[DY]] {{.*}} -> tensor<64x16xf8E5M2>
//        FNUZ:   %[[A:.+]] = fp8.cast %[[DY]] {{.*}} -> tensor<64x16xf8E5M2FNUZ>
//         OCP:   %[[B:.+]] = fp8.cast %[[W]] {{.*}} -> tensor<16x32xf8E4M3FN>
//        FNUZ:   %[[B:.+]] = fp8.cast %[[W]] {{.*}} -> tensor<16x32xf8E4M3FNUZ>
//       CHECK:   fp8.scaled_mm %[[A]], %[[B]] descales %{{[^ ]+}}, %{{[^ ]+}} :
func.func @gradient_a(%dy: tensor<64x16xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x32xbf16> {
  %dx = fp8.matmul %dy, %w role dgrad gradient a : tensor<64x16xbf16>, tensor<16x32xbf16> -> tensor<64x32xbf16>
  return %dx : tensor<64x32xbf16>
}

// -----

// CHECK-LABEL: func @gradient_b
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x32xbf16>, %[[DY:.+]]: tensor<64x16xbf16>)
//         OCP:   %[[A:.+]] = fp8.cast %[[X]] {{.*}} -> tensor<64x32xf8E4M3FN>
//        FNUZ:   %[[A:.+]] = fp8.cast %[[X]] {{.*}} -> tensor<64x32xf8E4M3FNUZ>
//         OCP:   %[[B:.+]] = fp8.cast %[[DY]] {{.*}} -> tensor<64x16xf8E5M2>
//        FNUZ:   %[[B:.+]] = fp8.cast %[[DY]] {{.*}} -> tensor<64x16xf8E5M2FNUZ>
//       CHECK:   fp8.scaled_mm %[[A]], %[[B]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_a :
func.func @gradient_b(%x: tensor<64x32xbf16>, %dy: tensor<64x16xbf16>) -> tensor<32x16xbf16> {
  %dw = fp8.matmul %x, %dy trans_a role wgrad gradient b : tensor<64x32xbf16>, tensor<64x16xbf16> -> tensor<32x16xbf16>
  return %dw : tensor<32x16xbf16>
}

// -----

// What was widened exactly is quantized from the narrow tensor.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @widened
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x64xbf16>,
//       CHECK:   fp8.amax %[[X]]
//       CHECK:   fp8.cast %[[X]]
func.func @widened(%x: tensor<64x64xbf16>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xbf16>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %y = fp8.matmul %f, %w : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Negative: widened and transposed is another tensor.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @widened_and_transposed
//       CHECK:   %[[F:.+]] = linalg.generic
//       CHECK:   fp8.amax %[[F]]
//       CHECK:   fp8.cast %[[F]]
func.func @widened_and_transposed(%x: tensor<64x64xbf16>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xbf16>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %y = fp8.matmul %f, %w : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Negative: a tensor that comes from fp8 is quantized as the wide one it became.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @widened_from_fp8
//       CHECK:   %[[F:.+]] = linalg.generic
//       CHECK:   fp8.cast %[[F]]
func.func @widened_from_fp8(%x: tensor<64x64xf8E5M2>, %w: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xbf16>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf8E5M2>) outs(%e : tensor<64x64xbf16>) {
  ^bb0(%in: f8E5M2, %out: bf16):
    %0 = arith.extf %in : f8E5M2 to bf16
    linalg.yield %0 : bf16
  } -> tensor<64x64xbf16>
  %y = fp8.matmul %f, %w : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
