func.func @quantized(%x: tensor<64x32xbf16>, %w: tensor<16x32xf8E5M2>, %d: tensor<1x16xf32>) -> tensor<64x16xf32> {
  %amax = fp8.amax %x granularity <rowwise> : tensor<64x32xbf16> -> tensor<64x1xf32>
  %scale, %descale = fp8.scale %amax for f8E4M3FN : tensor<64x1xf32> -> tensor<64x1xf32>, tensor<64x1xf32>
  %q = fp8.cast %x scale %scale granularity <rowwise> : tensor<64x32xbf16>, tensor<64x1xf32> -> tensor<64x32xf8E4M3FN>
  %t = fp8.transpose %w : tensor<16x32xf8E5M2>
  %y = fp8.scaled_mm %q, %w descales %descale, %d trans_b fast_accum granularity_a <rowwise> granularity_b <colwise> name "w" : tensor<64x32xf8E4M3FN>, tensor<16x32xf8E5M2>, tensor<64x1xf32>, tensor<1x16xf32> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
