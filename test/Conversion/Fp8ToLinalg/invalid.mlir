// RUN: fp8-opt --convert-fp8-to-linalg --split-input-file --verify-diagnostics %s

func.func @amax_block(%x: tensor<4x4xf32>) -> tensor<4x1xf32> {
  // expected-error @below {{'fp8.amax' op expects granularity <tensor>, <rowwise> or <colwise>, the ones with a lowering, but got #fp8.granularity<block 1x128>}}
  %0 = fp8.amax %x granularity <block 1x128> : tensor<4x4xf32> -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

func.func @cast_block(%x: tensor<4x4xf32>, %s: tensor<4x1xf32>) -> tensor<4x4xf8E5M2> {
  // expected-error @below {{'fp8.cast' op expects granularity <tensor>, <rowwise> or <colwise>, the ones with a lowering, but got #fp8.granularity<block 1x128>}}
  %0 = fp8.cast %x scale %s granularity <block 1x128> : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x4xf8E5M2>
  return %0 : tensor<4x4xf8E5M2>
}
