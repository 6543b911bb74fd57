// An operand of several matmuls is quantized once after CSE.
// RUN: fp8-opt --fp8-quantize-matmuls --cse %s | FileCheck %s

// CHECK-LABEL: func @shared_x
//  CHECK-SAME:   (%[[X:[^:]+]]: tensor<64x32xbf16>
// CHECK-COUNT-1: fp8.amax %[[X]]
//   CHECK-NOT:   fp8.amax %[[X]]
// CHECK-LABEL: func @shared_dy
func.func @shared_x(%x: tensor<64x32xbf16>, %w0: tensor<16x32xbf16>, %w1: tensor<16x32xbf16>) -> (tensor<64x16xbf16>, tensor<64x16xbf16>) {
  %0 = fp8.matmul %x, %w0 trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  %1 = fp8.matmul %x, %w1 trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %0, %1 : tensor<64x16xbf16>, tensor<64x16xbf16>
}

//  CHECK-SAME:   (%[[DY:[^:]+]]: tensor<64x16xbf16>
//       CHECK:   %[[Q:.+]] = fp8.cast %[[DY]]
//   CHECK-NOT:   fp8.cast %[[DY]]
//       CHECK:   fp8.scaled_mm %[[Q]],
//   CHECK-NOT:   fp8.cast %[[DY]]
//       CHECK:   fp8.scaled_mm %[[Q]], {{.*}} trans_a
// CHECK-LABEL: func @two_types
func.func @shared_dy(%dy: tensor<64x16xbf16>, %w: tensor<16x32xbf16>, %x: tensor<64x32xbf16>) -> (tensor<64x32xbf16>, tensor<16x32xbf16>) {
  %0 = fp8.matmul %dy, %w role dgrad gradient a : tensor<64x16xbf16>, tensor<16x32xbf16> -> tensor<64x32xbf16>
  %1 = fp8.matmul %dy, %x trans_a role wgrad gradient a : tensor<64x16xbf16>, tensor<64x32xbf16> -> tensor<16x32xbf16>
  return %0, %1 : tensor<64x32xbf16>, tensor<16x32xbf16>
}

// Negative: as a gradient and as an activation it has two casts, one amax.
//  CHECK-SAME:   (%[[X:[^:]+]]: tensor<64x32xbf16>
//       CHECK:   %[[A:.+]] = fp8.amax %[[X]]
//   CHECK-NOT:   fp8.amax %[[X]]
//       CHECK:   fp8.cast %[[X]] {{.*}} -> tensor<64x32xf8E4M3FN>
//   CHECK-NOT:   fp8.amax %[[X]]
//       CHECK:   fp8.cast %[[X]] {{.*}} -> tensor<64x32xf8E5M2>
//       CHECK:   return
func.func @two_types(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>) -> (tensor<64x16xbf16>, tensor<64x16xbf16>) {
  %0 = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  %1 = fp8.matmul %x, %w trans_b role dgrad gradient a : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %0, %1 : tensor<64x16xbf16>, tensor<64x16xbf16>
}
