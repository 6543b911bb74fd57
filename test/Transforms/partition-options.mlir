// RUN: fp8-opt --fp8-partition=keep-joint %s | FileCheck %s --check-prefix=KEEP
// RUN: fp8-opt --fp8-partition=recompute-arguments %s | FileCheck %s --check-prefix=AGAIN
// RUN: fp8-opt --fp8-partition=max-bytes=2060 %s | FileCheck %s --check-prefix=LIMIT
// RUN: not fp8-opt --fp8-partition=max-bytes=7 %s 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: fp8-opt --fp8-partition=forward-only %s | FileCheck %s --check-prefix=EVAL --implicit-check-not=tangent

// KEEP-DAG: func.func @linear(
// KEEP-DAG: func.func @linear_forward(
// KEEP-DAG: func.func @linear_backward(

// The casts of arguments are done again, from the saved scales.
// AGAIN-LABEL: func @linear_forward
//  AGAIN-SAME:   tensor<f32> {fp8.saved = "scale of x"}, tensor<f32> {fp8.saved = "descale of x"}, tensor<f32> {fp8.saved = "scale of w"}, tensor<f32> {fp8.saved = "descale of w"})
// AGAIN-LABEL: func @linear_backward
//   AGAIN-NOT:   fp8.amax %arg{{.*}}bf16
//       AGAIN:   fp8.cast %[[X:.+]] scale
//       AGAIN:   fp8.cast %[[W:.+]] scale
//       AGAIN:   fp8.amax
//   AGAIN-NOT:   fp8.amax

// Saving both takes 2048 + 4096 + 8 bytes. The larger cast is done again, and its
// scale is saved in its place: 2048 + 12.
// LIMIT-LABEL: func @linear_forward
//  LIMIT-SAME:   tensor<f32> {fp8.saved = "descale of x"}, tensor<32x64xf8E4M3FN> {fp8.saved = "x in f8E4M3FN"}, tensor<f32> {fp8.saved = "scale of w"}, tensor<f32> {fp8.saved = "descale of w"})
// LIMIT-LABEL: func @linear_backward

// LEAST: error: 'func.func' op expects residuals of at most 7 bytes, but without computing matmuls and reductions again it takes 8{{$}}

// EVAL-LABEL: func @linear(
//  EVAL-SAME:   %[[X:.+]]: tensor<32x64xbf16> {fp8.name = "x"}, %[[W:.+]]: tensor<64x64xbf16> {fp8.name = "w"}) -> tensor<32x64xbf16>
// EVAL-COUNT-1:  fp8.scaled_mm
//   EVAL-NOT:   fp8.scaled_mm
//       EVAL:   return
func.func @linear(%x: tensor<32x64xbf16> {fp8.name = "x"}, %w: tensor<64x64xbf16> {fp8.name = "w"}, %dy: tensor<32x64xbf16> {fp8.tangent = 0 : i64}) -> (tensor<32x64xbf16>, tensor<32x64xbf16> {fp8.gradient = 0 : i64}, tensor<64x64xbf16> {fp8.gradient = 1 : i64}) {
  %ax = fp8.amax %x : tensor<32x64xbf16> -> tensor<f32>
  %sx, %ix = fp8.scale %ax for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %qx = fp8.cast %x scale %sx : tensor<32x64xbf16>, tensor<f32> -> tensor<32x64xf8E4M3FN>
  %aw = fp8.amax %w : tensor<64x64xbf16> -> tensor<f32>
  %sw, %iw = fp8.scale %aw for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %qw = fp8.cast %w scale %sw : tensor<64x64xbf16>, tensor<f32> -> tensor<64x64xf8E4M3FN>
  %y = fp8.scaled_mm %qx, %qw descales %ix, %iw trans_b : tensor<32x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<32x64xbf16>
  %a = fp8.amax %dy : tensor<32x64xbf16> -> tensor<f32>
  %s, %i = fp8.scale %a for f8E5M2 : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %dy scale %s : tensor<32x64xbf16>, tensor<f32> -> tensor<32x64xf8E5M2>
  %dx = fp8.scaled_mm %q, %qw descales %i, %iw : tensor<32x64xf8E5M2>, tensor<64x64xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<32x64xbf16>
  %dw = fp8.scaled_mm %q, %qx descales %i, %ix trans_a : tensor<32x64xf8E5M2>, tensor<32x64xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x64xbf16>
  return %y, %dx, %dw : tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<64x64xbf16>
}
