// C31: the backward of one linear has 2, 1 and 1 matmuls with all gradients, W
// frozen and x frozen; dy is measured and cast once in all three; with W frozen
// nothing is copied by columns but W.
// RUN: fp8-opt --fp8-train=target=sm_90 --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @all(
//  CHECK-SAME:   %[[X:[^:]+]]: tensor<64x32xbf16>, %[[W:[^:]+]]: tensor<16x32xbf16>, %[[DY:[^:]+]]: tensor<64x16xbf16> {fp8.tangent = 0 : i64})
//       CHECK:   fp8.scaled_mm {{.*}} fast_accum
//       CHECK:   fp8.amax %[[DY]]
//   CHECK-NOT:   fp8.amax
//       CHECK:   fp8.cast %[[DY]]
//   CHECK-NOT:   fp8.amax
//   CHECK-NOT:   fp8.cast
// CHECK-COUNT-2: fp8.scaled_mm
//   CHECK-NOT:   fp8.{{amax|cast|scaled_mm}}
//       CHECK:   return
func.func @all(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @w_frozen(
//  CHECK-SAME:   %[[X:[^:]+]]: tensor<64x32xbf16>, %[[W:[^:]+]]: tensor<16x32xbf16> {fp8.frozen}, %[[DY:[^:]+]]: tensor<64x16xbf16> {fp8.tangent = 0 : i64}) -> (tensor<64x16xbf16>, tensor<64x32xbf16> {fp8.gradient = 0 : i64})
//   CHECK-NOT:   fp8.transpose
//       CHECK:   %[[QW:.+]] = fp8.cast %[[W]]
//  CHECK-NEXT:   fp8.transpose %[[QW]]
//   CHECK-NOT:   fp8.transpose
//       CHECK:   fp8.scaled_mm {{.*}} fast_accum
//  CHECK-NEXT:   fp8.amax %[[DY]]
//  CHECK-NEXT:   fp8.scale
//  CHECK-NEXT:   fp8.cast %[[DY]]
//  CHECK-NEXT:   fp8.scaled_mm {{.*}} -> tensor<64x32xbf16>
//  CHECK-NEXT:   return
func.func @w_frozen(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16> {fp8.frozen}) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @x_frozen(
//  CHECK-SAME:   %[[X:[^:]+]]: tensor<64x32xbf16> {fp8.frozen}, %[[W:[^:]+]]: tensor<16x32xbf16>, %[[DY:[^:]+]]: tensor<64x16xbf16> {fp8.tangent = 0 : i64}) -> (tensor<64x16xbf16>, tensor<16x32xbf16> {fp8.gradient = 1 : i64})
//       CHECK:   %[[QX:.+]] = fp8.cast %[[X]]
//  CHECK-NEXT:   fp8.transpose %[[QX]]
//   CHECK-NOT:   fp8.transpose
//       CHECK:   fp8.scaled_mm {{.*}} fast_accum
//  CHECK-NEXT:   fp8.amax %[[DY]]
//  CHECK-NEXT:   fp8.scale
//  CHECK-NEXT:   %[[QDY:.+]] = fp8.cast %[[DY]]
//  CHECK-NEXT:   fp8.transpose %[[QDY]]
//  CHECK-NEXT:   fp8.scaled_mm {{.*}} -> tensor<16x32xbf16>
//  CHECK-NEXT:   return
func.func @x_frozen(%x: tensor<64x32xbf16> {fp8.frozen}, %w: tensor<16x32xbf16>) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}
