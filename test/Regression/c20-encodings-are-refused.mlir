// C20: bufferization drops encodings in silence, so our ops take none.
// RUN: fp8-opt --split-input-file --verify-diagnostics %s

#col = affine_map<(d0, d1) -> (d1, d0)>
func.func @amax(%x: tensor<2x3xf8E4M3FN, #col>) {
  // expected-error @below {{'fp8.amax' op operand #0 must be ranked tensor of bf16, f16, f32, f64 or an fp8 type without an encoding, but got 'tensor<2x3xf8E4M3FN, affine_map<(d0, d1) -> (d1, d0)>>'}}
  %0 = fp8.amax %x : tensor<2x3xf8E4M3FN, #col> -> tensor<f32>
  return
}

// -----

#col = affine_map<(d0, d1) -> (d1, d0)>
func.func @scale(%a: tensor<2x1xf32, #col>) {
  // expected-error @below {{'fp8.scale' op operand #0 must be ranked tensor of f32 without an encoding, but got 'tensor<2x1xf32, affine_map<(d0, d1) -> (d1, d0)>>'}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<2x1xf32, #col> -> tensor<2x1xf32>, tensor<2x1xf32>
  return
}

// -----

#col = affine_map<(d0, d1) -> (d1, d0)>
func.func @cast(%x: tensor<2x3xbf16>, %s: tensor<f32>) {
  // expected-error @below {{'fp8.cast' op result #0 must be ranked tensor of f8E4M3FN, f8E5M2, f8E4M3FNUZ or f8E5M2FNUZ without an encoding, but got 'tensor<2x3xf8E4M3FN, affine_map<(d0, d1) -> (d1, d0)>>'}}
  %q = fp8.cast %x scale %s : tensor<2x3xbf16>, tensor<f32> -> tensor<2x3xf8E4M3FN, #col>
  return
}

// -----

#col = affine_map<(d0, d1) -> (d1, d0)>
func.func @transpose(%q: tensor<2x3xf8E4M3FN, #col>) {
  // expected-error @below {{'fp8.transpose' op operand #0 must be ranked tensor of bf16, f16, f32, f64 or an fp8 type without an encoding, but got 'tensor<2x3xf8E4M3FN, affine_map<(d0, d1) -> (d1, d0)>>'}}
  %t = fp8.transpose %q : tensor<2x3xf8E4M3FN, #col>
  return
}

// -----

#col = affine_map<(d0, d1) -> (d1, d0)>
func.func @matmul(%a: tensor<2x3xbf16>, %b: tensor<3x4xbf16, #col>) {
  // expected-error @below {{'fp8.matmul' op operand #1 must be ranked tensor of bf16, f16, f32 or f64 without an encoding, but got 'tensor<3x4xbf16, affine_map<(d0, d1) -> (d1, d0)>>'}}
  %d = fp8.matmul %a, %b : tensor<2x3xbf16>, tensor<3x4xbf16, #col> -> tensor<2x4xbf16>
  return
}

// -----

#col = affine_map<(d0, d1) -> (d1, d0)>
func.func @scaled_mm(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x4xf8E4M3FN, #col>, %s: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op operand #1 must be ranked tensor of f8E4M3FN, f8E5M2, f8E4M3FNUZ or f8E5M2FNUZ without an encoding, but got 'tensor<3x4xf8E4M3FN, affine_map<(d0, d1) -> (d1, d0)>>'}}
  %d = fp8.scaled_mm %a, %b descales %s, %s : tensor<2x3xf8E4M3FN>, tensor<3x4xf8E4M3FN, #col>, tensor<f32>, tensor<f32> -> tensor<2x4xf32>
  return
}
