// C31: a frozen layer pays for no gradient of its own, and the incoming
// gradient is measured and cast once whatever reads it.
// RUN: fp8-opt --fp8-derive-backward --canonicalize --cse --fp8-quantize-matmuls --canonicalize --cse --split-input-file %s | FileCheck %s

// All gradients: two matmuls in the backward pass, one amax and cast of %dy.
// CHECK-LABEL: func @all
//  CHECK-SAME:   %[[DY:[^:]+]]: tensor<64x16xbf16>)
//       CHECK:   fp8.scaled_mm
//       CHECK:   fp8.amax %[[DY]]
//       CHECK:   %[[Q:.+]] = fp8.cast %[[DY]]
//       CHECK:   fp8.scaled_mm %[[Q]]
//   CHECK-NOT:   fp8.amax
//   CHECK-NOT:   fp8.cast
//       CHECK:   fp8.scaled_mm %[[Q]]
//   CHECK-NOT:   fp8.scaled_mm
//       CHECK:   return
func.func @all(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @frozen_weight
//  CHECK-SAME:   -> (tensor<64x16xbf16>, tensor<64x32xbf16>)
// CHECK-COUNT-2: fp8.scaled_mm
//   CHECK-NOT:   fp8.scaled_mm
//       CHECK:   return
func.func @frozen_weight(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16> {fp8.frozen}) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @frozen_input
//  CHECK-SAME:   -> (tensor<64x16xbf16>, tensor<16x32xbf16>)
// CHECK-COUNT-2: fp8.scaled_mm
//   CHECK-NOT:   fp8.scaled_mm
//       CHECK:   return
func.func @frozen_input(%x: tensor<64x32xbf16> {fp8.frozen}, %w: tensor<16x32xbf16>) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}
