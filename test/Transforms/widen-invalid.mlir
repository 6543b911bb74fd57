// RUN: fp8-opt --fp8-widen --split-input-file --verify-diagnostics %s

func.func @quantized(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @below {{'fp8.amax' op expects a program before quantization, whose only fp8 op is fp8.matmul}}
  %0 = fp8.amax %x : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @bits(%x: f32) -> i32 {
  // expected-error @below {{'arith.bitcast' op expects no use of the bits of a float, which change in f64}}
  %0 = arith.bitcast %x : f32 to i32
  return %0 : i32
}

// -----

func.func @resource() -> tensor<4xf32> {
  // expected-error @below {{'arith.constant' op expects a dense constant, but got dense_resource<blob> : tensor<4xf32>}}
  %0 = arith.constant dense_resource<blob> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
