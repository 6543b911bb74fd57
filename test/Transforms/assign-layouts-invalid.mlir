// RUN: fp8-opt --fp8-assign-layouts=target=sm_80 --split-input-file --verify-diagnostics %s
// RUN: not fp8-opt --fp8-assign-layouts=target=tpu %s 2>&1 | FileCheck %s

// CHECK: error: expects a target among cpu, sm_80, sm_89, sm_90, sm_100, sm_120, gfx942, gfx950, but got 'tpu'

func.func @no_fp8(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>) -> tensor<64x16xbf16> {
  // expected-error @below {{'fp8.scaled_mm' op expects a target with fp8 matrix units, but sm_80 has none}}
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// Negative: without an fp8 matmul there is nothing to refuse.
func.func @wide(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %y = fp8.matmul %a, %b : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
