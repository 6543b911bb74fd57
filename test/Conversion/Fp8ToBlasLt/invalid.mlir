// RUN: fp8-opt --convert-fp8-to-blaslt --split-input-file --verify-diagnostics %s

func.func @blocks(%a: tensor<64x128xf8E4M3FN>, %b: tensor<16x128xf8E4M3FN>, %d: tensor<64x1xf32>, %e: tensor<1x1xf32>) -> tensor<64x16xf32> {
  // expected-error @below {{'fp8.scaled_mm' op expects granularity <tensor>, <rowwise> or <colwise>, but got #fp8.granularity<block 1x128>}}
  %y = fp8.scaled_mm %a, %b descales %d, %e trans_b granularity_a <block 1x128> granularity_b <block 128x128> : tensor<64x128xf8E4M3FN>, tensor<16x128xf8E4M3FN>, tensor<64x1xf32>, tensor<1x1xf32> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

func.func @e8m0(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f8E8M0FNU>) -> tensor<64x16xf32> {
  // expected-error @below {{'fp8.scaled_mm' op expects f32 descales, but got 'tensor<f8E8M0FNU>'}}
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
