// C28: with M = N the axis of a vector of scales would be a guess, so row scales
// are M x 1 and column scales 1 x N, and the granularity says which.
// RUN: fp8-opt --split-input-file --verify-diagnostics %s

// Negative: the two shapes that are right.
func.func @right(%q: tensor<2x2xf8E4M3FN>, %r: tensor<2x1xf32>, %c: tensor<1x2xf32>) {
  %0 = fp8.scaled_mm %q, %q descales %r, %c granularity_a <rowwise> granularity_b <colwise> : tensor<2x2xf8E4M3FN>, tensor<2x2xf8E4M3FN>, tensor<2x1xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @vector(%q: tensor<2x2xf8E4M3FN>, %v: tensor<2xf32>, %c: tensor<1x2xf32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects descale_a of shape 'tensor<2x1xf32>' for granularity #fp8.granularity<rowwise>, but got 'tensor<2xf32>'}}
  %0 = fp8.scaled_mm %q, %q descales %v, %c granularity_a <rowwise> granularity_b <colwise> : tensor<2x2xf8E4M3FN>, tensor<2x2xf8E4M3FN>, tensor<2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @column_for_row(%q: tensor<2x2xf8E4M3FN>, %c: tensor<1x2xf32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects descale_a of shape 'tensor<2x1xf32>' for granularity #fp8.granularity<rowwise>, but got 'tensor<1x2xf32>'}}
  %0 = fp8.scaled_mm %q, %q descales %c, %c granularity_a <rowwise> granularity_b <colwise> : tensor<2x2xf8E4M3FN>, tensor<2x2xf8E4M3FN>, tensor<1x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  return
}

// -----

// Row scales of W lie along the inner dimension of dy · W: they cannot be undone.
func.func @inner_dimension(%dy: tensor<1x2xf8E5M2>, %w: tensor<2x2xf8E4M3FN>, %d: tensor<1x1xf32>, %r: tensor<2x1xf32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects a granularity of op(B) that can leave the sum over k, but got #fp8.granularity<rowwise>}}
  %0 = fp8.scaled_mm %dy, %w descales %d, %r granularity_a <rowwise> granularity_b <rowwise> : tensor<1x2xf8E5M2>, tensor<2x2xf8E4M3FN>, tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x2xf32>
  return
}
