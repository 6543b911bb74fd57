// RUN: fp8-opt --fp8-train="target=sm_90 partition" --split-input-file %s | FileCheck %s

// C31: what is saved is fp8, with its descale, and only what a gradient needs.

// All gradients: xᵀ and Wᵀ.
// CHECK-LABEL: func @all_forward
//  CHECK-SAME:   -> (tensor<32x16xbf16>, tensor<f32> {fp8.saved = "descale of arg0"}, tensor<64x32xf8E4M3FN> {fp8.saved = "arg0 in f8E4M3FN, transposed"}, tensor<f32> {fp8.saved = "descale of arg1"}, tensor<64x16xf8E4M3FN> {fp8.saved = "arg1 in f8E4M3FN, transposed"})
// CHECK-LABEL: func @all_backward
//  CHECK-SAME:   -> (tensor<32x64xbf16> {fp8.gradient = 0 : i64}, tensor<16x64xbf16> {fp8.gradient = 1 : i64})
func.func @all(%x: tensor<32x64xbf16>, %w: tensor<16x64xbf16>) -> tensor<32x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<32x64xbf16>, tensor<16x64xbf16> -> tensor<32x16xbf16>
  return %y : tensor<32x16xbf16>
}

// -----

// W frozen: nothing of x, and no transpose of dy.
// CHECK-LABEL: func @w_frozen_forward
//  CHECK-SAME:   -> (tensor<32x16xbf16>, tensor<f32> {fp8.saved = "descale of arg1"}, tensor<64x16xf8E4M3FN> {fp8.saved = "arg1 in f8E4M3FN, transposed"})
// CHECK-LABEL: func @w_frozen_backward
//   CHECK-NOT:   fp8.transpose
//       CHECK:   return
func.func @w_frozen(%x: tensor<32x64xbf16>, %w: tensor<16x64xbf16> {fp8.frozen}) -> tensor<32x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<32x64xbf16>, tensor<16x64xbf16> -> tensor<32x16xbf16>
  return %y : tensor<32x16xbf16>
}

// -----

// x frozen: nothing of W.
// CHECK-LABEL: func @x_frozen_forward
//  CHECK-SAME:   -> (tensor<32x16xbf16>, tensor<f32> {fp8.saved = "descale of arg0"}, tensor<64x32xf8E4M3FN> {fp8.saved = "arg0 in f8E4M3FN, transposed"})
// CHECK-LABEL: func @x_frozen_backward
//  CHECK-SAME:   -> (tensor<16x64xbf16> {fp8.gradient = 1 : i64})
func.func @x_frozen(%x: tensor<32x64xbf16> {fp8.frozen}, %w: tensor<16x64xbf16>) -> tensor<32x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<32x64xbf16>, tensor<16x64xbf16> -> tensor<32x16xbf16>
  return %y : tensor<32x16xbf16>
}
