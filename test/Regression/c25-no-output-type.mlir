// C25 (c): a matmul states its output type.
// RUN: fp8-opt --split-input-file --verify-diagnostics %s

func.func @no_type(%a: tensor<16x16xf8E4M3FN>, %d: tensor<f32>) {
  // expected-error @below {{expected '->'}}
  %y = fp8.scaled_mm %a, %a descales %d, %d : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @no_result(%a: tensor<16x16xf8E4M3FN>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op requires one result}}
  "fp8.scaled_mm"(%a, %a, %d, %d) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<f32>, tensor<f32>) -> ()
  return
}

// -----

func.func @fp8_result(%a: tensor<16x16xf8E4M3FN>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op result #0 must be ranked tensor of bf16, f16, f32 or f64 without an encoding, but got 'tensor<16x16xf8E4M3FN>'}}
  %y = fp8.scaled_mm %a, %a descales %d, %d : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x16xf8E4M3FN>
  return
}
