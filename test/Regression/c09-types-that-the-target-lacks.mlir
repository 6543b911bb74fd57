// C09: a matmul of types that the target lacks is refused, and so is, C25 (a), one
// of two e5m2 operands where the library has none. The CPU takes them all.
// RUN: fp8-opt --fp8-assign-layouts=target=cpu --split-input-file %s -o /dev/null
// RUN: not fp8-opt --fp8-assign-layouts=target=sm_90 --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SM90 --implicit-check-not=error:
// RUN: not fp8-opt --fp8-assign-layouts=target=gfx942 --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=GFX942 --implicit-check-not=error:
// RUN: not fp8-opt --fp8-assign-layouts=target=gfx950 --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=GFX950 --implicit-check-not=error:

// GFX942: :[[#@LINE+2]]:8: error: 'fp8.scaled_mm' op expects operands of 'f8E4M3FNUZ' or 'f8E5M2FNUZ', the types of gfx942, but a is of 'f8E4M3FN'
func.func @ocp(%a: tensor<16x16xf8E4M3FN>, %b: tensor<16x16xf8E5M2>, %s: tensor<f32>) -> tensor<16x16xbf16> {
  %0 = fp8.scaled_mm %a, %b descales %s, %s trans_b : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E5M2>, tensor<f32>, tensor<f32> -> tensor<16x16xbf16>
  return %0 : tensor<16x16xbf16>
}

// -----

// SM90: error: 'fp8.scaled_mm' op expects operands of 'f8E4M3FN' or 'f8E5M2', the types of sm_90, but a is of 'f8E4M3FNUZ'
// GFX950: error: 'fp8.scaled_mm' op expects operands of 'f8E4M3FN' or 'f8E5M2', the types of gfx950, but a is of 'f8E4M3FNUZ'
func.func @fnuz(%a: tensor<16x16xf8E4M3FNUZ>, %b: tensor<16x16xf8E5M2FNUZ>, %s: tensor<f32>) -> tensor<16x16xbf16> {
  %0 = fp8.scaled_mm %a, %b descales %s, %s trans_b : tensor<16x16xf8E4M3FNUZ>, tensor<16x16xf8E5M2FNUZ>, tensor<f32>, tensor<f32> -> tensor<16x16xbf16>
  return %0 : tensor<16x16xbf16>
}

// -----

// SM90: error: 'fp8.scaled_mm' op expects operands of 'f8E4M3FN' or 'f8E5M2', the types of sm_90, but b is of 'f8E4M3FNUZ'
// GFX942: error: 'fp8.scaled_mm' op expects operands of 'f8E4M3FNUZ' or 'f8E5M2FNUZ', the types of gfx942, but a is of 'f8E4M3FN'
// GFX950: error: 'fp8.scaled_mm' op expects operands of 'f8E4M3FN' or 'f8E5M2', the types of gfx950, but b is of 'f8E4M3FNUZ'
func.func @mixed(%a: tensor<16x16xf8E4M3FN>, %b: tensor<16x16xf8E4M3FNUZ>, %s: tensor<f32>) -> tensor<16x16xbf16> {
  %0 = fp8.scaled_mm %a, %b descales %s, %s trans_b : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FNUZ>, tensor<f32>, tensor<f32> -> tensor<16x16xbf16>
  return %0 : tensor<16x16xbf16>
}

// -----

// SM90: error: 'fp8.scaled_mm' op expects an operand of 'f8E4M3FN', as the library of sm_90 has no matmul of two of 'f8E5M2'
// GFX942: error: 'fp8.scaled_mm' op expects operands of 'f8E4M3FNUZ' or 'f8E5M2FNUZ', the types of gfx942, but a is of 'f8E5M2'
func.func @two_gradients(%a: tensor<16x16xf8E5M2>, %s: tensor<f32>) -> tensor<16x16xbf16> {
  %0 = fp8.scaled_mm %a, %a descales %s, %s trans_b : tensor<16x16xf8E5M2>, tensor<16x16xf8E5M2>, tensor<f32>, tensor<f32> -> tensor<16x16xbf16>
  return %0 : tensor<16x16xbf16>
}
