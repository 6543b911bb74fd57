// RUN: fp8-opt --split-input-file --verify-diagnostics %s

func.func @amax_c1_rank(%x: tensor<64xbf16>) {
  // expected-error @below {{'fp8.amax' op expects rank 2 or more for granularity #fp8.granularity<rowwise>, but got rank 1}}
  %0 = fp8.amax %x granularity <rowwise> : tensor<64xbf16> -> tensor<64xf32>
  return
}

// -----

func.func @amax_c2_shape(%x: tensor<64x32xbf16>) {
  // expected-error @below {{'fp8.amax' op expects a result of shape 'tensor<64x1xf32>' for granularity #fp8.granularity<rowwise>, but got 'tensor<64xf32>'}}
  %0 = fp8.amax %x granularity <rowwise> : tensor<64x32xbf16> -> tensor<64xf32>
  return
}

// -----

func.func @amax_c2_partial_blocks_count(%x: tensor<65x200xbf16>) {
  // expected-error @below {{'fp8.amax' op expects a result of shape 'tensor<3x2xf32>' for granularity #fp8.granularity<block 32x128>, but got 'tensor<2x1xf32>'}}
  %0 = fp8.amax %x granularity <block 32x128> : tensor<65x200xbf16> -> tensor<2x1xf32>
  return
}

// -----

func.func @amax_element_type(%x: tensor<4xi8>) {
  // expected-error @below {{'fp8.amax' op operand #0 must be ranked tensor of bf16, f16, f32, f64 or an fp8 type without an encoding, but got 'tensor<4xi8>'}}
  %0 = fp8.amax %x : tensor<4xi8> -> tensor<f32>
  return
}

// -----

// An f16 amax would lose the range.
func.func @amax_result_type(%x: tensor<4xf16>) {
  // expected-error @below {{'fp8.amax' op result #0 must be ranked tensor of f32 without an encoding, but got 'tensor<f16>'}}
  %0 = fp8.amax %x : tensor<4xf16> -> tensor<f16>
  return
}

// -----

func.func @scale_c1_type(%a: tensor<f32>) {
  // expected-error @below {{'fp8.scale' op expects an fp8 type to scale for, but got 'bf16'}}
  %s, %d = fp8.scale %a for bf16 : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @scale_c1_e8m0(%a: tensor<f32>) {
  // expected-error @below {{'fp8.scale' op expects an fp8 type to scale for, but got 'f8E8M0FNU'}}
  %s, %d = fp8.scale %a for f8E8M0FNU : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @scale_c2_e8m0_needs_pow2(%a: tensor<4x1xf32>) {
  // expected-error @below {{'fp8.scale' op expects a policy with 'pow2 = down' for descales of type 'f8E8M0FNU', but got #fp8.policy<>}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<4x1xf32> -> tensor<4x1xf32>, tensor<4x1xf8E8M0FNU>
  return
}

// -----

func.func @scale_shapes(%a: tensor<4x1xf32>) {
  // expected-error @below {{'fp8.scale' op failed to verify that all of {amax, scale, descale} have same shape}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<4x1xf32> -> tensor<4x1xf32>, tensor<f32>
  return
}

// -----

func.func @cast_c1_shape(%x: tensor<64x32xbf16>, %s: tensor<f32>) {
  // expected-error @below {{'fp8.cast' op expects a scale of shape 'tensor<64x1xf32>' for granularity #fp8.granularity<rowwise>, but got 'tensor<f32>'}}
  %q = fp8.cast %x scale %s granularity <rowwise> : tensor<64x32xbf16>, tensor<f32> -> tensor<64x32xf8E4M3FN>
  return
}

// -----

func.func @cast_c1_rank(%x: tensor<64xbf16>, %s: tensor<64xf32>) {
  // expected-error @below {{'fp8.cast' op expects rank 2 or more for granularity #fp8.granularity<colwise>, but got rank 1}}
  %q = fp8.cast %x scale %s granularity <colwise> : tensor<64xbf16>, tensor<64xf32> -> tensor<64xf8E4M3FN>
  return
}

// -----

func.func @cast_c2_direction(%x: tensor<4xbf16>, %a: tensor<f32>) {
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  // expected-error @below {{'fp8.cast' op expects the scale of an fp8.scale, but got its descale}}
  %q = fp8.cast %x scale %d : tensor<4xbf16>, tensor<f32> -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @cast_c3_type(%x: tensor<4xbf16>, %a: tensor<f32>) {
  %s, %d = fp8.scale %a for f8E5M2 : tensor<f32> -> tensor<f32>, tensor<f32>
  // expected-error @below {{'fp8.cast' op expects a scale for 'f8E4M3FN', but got one for 'f8E5M2'}}
  %q = fp8.cast %x scale %s : tensor<4xbf16>, tensor<f32> -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @cast_shapes(%x: tensor<4xbf16>, %s: tensor<f32>) {
  // expected-error @below {{'fp8.cast' op failed to verify that all of {input, result} have same shape}}
  %q = fp8.cast %x scale %s : tensor<4xbf16>, tensor<f32> -> tensor<?xf8E4M3FN>
  return
}

// -----

func.func @cast_narrow_input(%x: tensor<4xf8E5M2>, %s: tensor<f32>) {
  // expected-error @below {{'fp8.cast' op operand #0 must be ranked tensor of bf16, f16, f32 or f64 without an encoding, but got 'tensor<4xf8E5M2>'}}
  %q = fp8.cast %x scale %s : tensor<4xf8E5M2>, tensor<f32> -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @cast_e8m0_result(%x: tensor<4xbf16>, %s: tensor<f32>) {
  // expected-error @below {{'fp8.cast' op result #0 must be ranked tensor of f8E4M3FN, f8E5M2, f8E4M3FNUZ or f8E5M2FNUZ without an encoding, but got 'tensor<4xf8E8M0FNU>'}}
  %q = fp8.cast %x scale %s : tensor<4xbf16>, tensor<f32> -> tensor<4xf8E8M0FNU>
  return
}

// -----

func.func @transpose_c1_rank(%q: tensor<4xf8E4M3FN>) {
  // expected-error @below {{expects rank 2 or more, but got 'tensor<4xf8E4M3FN>'}}
  %t = fp8.transpose %q : tensor<4xf8E4M3FN>
  return
}

// -----

func.func @transpose_result(%q: tensor<4x8xf8E4M3FN>) {
  // expected-error @+2 {{'fp8.transpose' op inferred type(s) 'tensor<8x4xf8E4M3FN>' are incompatible with return type(s) of operation 'tensor<4x8xf8E4M3FN>'}}
  // expected-error @+1 {{'fp8.transpose' op failed to infer returned types}}
  %t = "fp8.transpose"(%q) : (tensor<4x8xf8E4M3FN>) -> tensor<4x8xf8E4M3FN>
  return
}

// -----

func.func @matmul_c1_rank(%a: tensor<2x64x32xf32>, %b: tensor<32x16xf32>) {
  // expected-error @below {{'fp8.matmul' op expects a, b and the result of one rank, 2 or more, but got ranks 3, 2 and 3}}
  %d = fp8.matmul %a, %b : tensor<2x64x32xf32>, tensor<32x16xf32> -> tensor<2x64x16xf32>
  return
}

// -----

func.func @matmul_c2_contracting_dims(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) {
  // expected-error @below {{'fp8.matmul' op expects equal contracting dimensions, but op(A) has 64 columns and op(B) has 32 rows}}
  %d = fp8.matmul %a, %b trans_a : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<32x16xf32>
  return
}

// -----

func.func @matmul_c3_batch(%a: tensor<2x64x32xf32>, %b: tensor<3x32x16xf32>) {
  // expected-error @below {{'fp8.matmul' op expects equal batch dimensions, but got 'tensor<2x64x32xf32>' and 'tensor<3x32x16xf32>'}}
  %d = fp8.matmul %a, %b : tensor<2x64x32xf32>, tensor<3x32x16xf32> -> tensor<2x64x16xf32>
  return
}

// -----

func.func @matmul_c4_result(%a: tensor<64x?xf32>, %b: tensor<16x?xf32>) {
  // expected-error @below {{'fp8.matmul' op expects a result of shape 'tensor<64x16xf32>', but got 'tensor<16x64xf32>'}}
  %d = fp8.matmul %a, %b trans_b : tensor<64x?xf32>, tensor<16x?xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @matmul_c5_acc(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %c: tensor<16x64xf32>) {
  // expected-error @below {{'fp8.matmul' op expects an accumulator of the result's shape 'tensor<64x16xf32>', but got 'tensor<16x64xf32>'}}
  %d = fp8.matmul %a, %b acc %c : tensor<64x32xf32>, tensor<32x16xf32> acc tensor<16x64xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @matmul_c6_bias(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %c: tensor<64xf32>) {
  // expected-error @below {{'fp8.matmul' op expects a bias along the 16 columns of the result, but got 'tensor<64xf32>'}}
  %d = fp8.matmul %a, %b bias %c : tensor<64x32xf32>, tensor<32x16xf32> bias tensor<64xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @matmul_c6_bias_rank(%a: tensor<64x32xf32>, %b: tensor<32x?xf32>, %c: tensor<1x16xf32>) {
  // expected-error @below {{'fp8.matmul' op expects a bias along the ? columns of the result, but got 'tensor<1x16xf32>'}}
  %d = fp8.matmul %a, %b bias %c : tensor<64x32xf32>, tensor<32x?xf32> bias tensor<1x16xf32> -> tensor<64x?xf32>
  return
}

// -----

func.func @matmul_c7_element_types(%a: tensor<64x32xf32>, %b: tensor<32x16xbf16>) {
  // expected-error @below {{'fp8.matmul' op expects operands of one element type, but got 'f32' and 'bf16'}}
  %d = fp8.matmul %a, %b : tensor<64x32xf32>, tensor<32x16xbf16> -> tensor<64x16xf32>
  return
}

// -----

func.func @matmul_c8_f64(%a: tensor<64x32xf64>, %b: tensor<32x16xf64>) {
  // expected-error @below {{'fp8.matmul' op expects an f64 result for f64 operands and no other, but got 'f64' operands and an 'f32' result}}
  %d = fp8.matmul %a, %b : tensor<64x32xf64>, tensor<32x16xf64> -> tensor<64x16xf32>
  return
}

// -----

func.func @matmul_c9_forward_gradient(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) {
  // expected-error @below {{'fp8.matmul' op expects no gradient operand in role 'forward', but got 'b'}}
  %d = fp8.matmul %a, %b gradient b : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @matmul_c10_no_gradient(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) {
  // expected-error @below {{'fp8.matmul' op expects 'gradient a' or 'gradient b' in role 'wgrad', but got none}}
  %d = fp8.matmul %a, %b role wgrad : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @matmul_narrow_operand(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>) {
  // expected-error @below {{'fp8.matmul' op operand #0 must be ranked tensor of bf16, f16, f32 or f64 without an encoding, but got 'tensor<64x32xf8E4M3FN>'}}
  %d = fp8.matmul %a, %b : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c1_rank(%a: tensor<32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects a, b and the result of one rank, 2 or more, but got ranks 1, 2 and 1}}
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16xf32>
  return
}

// -----

func.func @scaled_mm_c2_contracting_dims(%a: tensor<64x32xf8E4M3FN>, %b: tensor<16x128xf8E4M3FN>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects equal contracting dimensions, but op(A) has 32 columns and op(B) has 16 rows}}
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<16x128xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x128xf32>
  return
}

// -----

func.func @scaled_mm_c3_batch(%a: tensor<2x64x32xf8E4M3FN>, %b: tensor<3x32x16xf8E4M3FN>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects equal batch dimensions, but got 'tensor<2x64x32xf8E4M3FN>' and 'tensor<3x32x16xf8E4M3FN>'}}
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<2x64x32xf8E4M3FN>, tensor<3x32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<2x64x16xf32>
  return
}

// -----

func.func @scaled_mm_c4_result(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects a result of shape 'tensor<64x16xf32>', but got 'tensor<64x32xf32>'}}
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x32xf32>
  return
}

// -----

func.func @scaled_mm_c5_acc(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>, %c: tensor<64xf32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects an accumulator of the result's shape 'tensor<64x16xf32>', but got 'tensor<64xf32>'}}
  %y = fp8.scaled_mm %a, %b descales %d, %d acc %c : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> acc tensor<64xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c6_bias(%a: tensor<64x32xf8E4M3FN>, %b: tensor<16x32xf8E4M3FN>, %d: tensor<f32>, %c: tensor<32xf32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects a bias along the 16 columns of the result, but got 'tensor<32xf32>'}}
  %y = fp8.scaled_mm %a, %b descales %d, %d bias %c trans_b : tensor<64x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32> bias tensor<32xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c7_descale_a(%a: tensor<32x64xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %r: tensor<32x1xf32>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects descale_a of shape 'tensor<64x1xf32>' for granularity #fp8.granularity<rowwise>, but got 'tensor<32x1xf32>'}}
  %y = fp8.scaled_mm %a, %b descales %r, %d trans_a granularity_a <rowwise> : tensor<32x64xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<32x1xf32>, tensor<f32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c7_descale_b(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>, %r: tensor<16xf32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects descale_b of shape 'tensor<1x16xf32>' for granularity #fp8.granularity<colwise>, but got 'tensor<16xf32>'}}
  %y = fp8.scaled_mm %a, %b descales %d, %r granularity_b <colwise> : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<16xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c8_direction_a(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %m: tensor<f32>) {
  %s, %d = fp8.scale %m for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  // expected-error @below {{'fp8.scaled_mm' op expects the descale of an fp8.scale as descale_a, but got its scale}}
  %y = fp8.scaled_mm %a, %b descales %s, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c8_direction_b(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %m: tensor<f32>) {
  %s, %d = fp8.scale %m for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  // expected-error @below {{'fp8.scaled_mm' op expects the descale of an fp8.scale as descale_b, but got its scale}}
  %y = fp8.scaled_mm %a, %b descales %d, %s : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c9_type(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E5M2>, %m: tensor<f32>) {
  %s, %d = fp8.scale %m for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  // expected-error @below {{'fp8.scaled_mm' op expects descale_b for 'f8E5M2', but got one for 'f8E4M3FN'}}
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E5M2>, tensor<f32>, tensor<f32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c10_colwise_a(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %c: tensor<1x32xf32>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects a granularity of op(A) that can leave the sum over k, but got #fp8.granularity<colwise>}}
  %y = fp8.scaled_mm %a, %b descales %c, %d granularity_a <colwise> : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<1x32xf32>, tensor<f32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c11_rowwise_b(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>, %r: tensor<32x1xf32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects a granularity of op(B) that can leave the sum over k, but got #fp8.granularity<rowwise>}}
  %y = fp8.scaled_mm %a, %b descales %d, %r granularity_b <rowwise> : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<32x1xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @scaled_mm_c12_f64(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>) {
  // expected-error @below {{'fp8.scaled_mm' op expects a bf16, f16 or f32 result, but got 'tensor<64x16xf64>'}}
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xf64>
  return
}

// -----

func.func @granularity_unknown(%x: tensor<64x32xbf16>) {
  // expected-error @below {{expects 'tensor', 'rowwise', 'colwise' or 'block RxC' as granularity, but got 'column'}}
  %0 = fp8.amax %x granularity <column> : tensor<64x32xbf16> -> tensor<64x1xf32>
  return
}

// -----

func.func @granularity_one_size(%x: tensor<64x32xbf16>) {
  // expected-error @below {{expects two sizes for a block, but got 1}}
  %0 = fp8.amax %x granularity <block 32> : tensor<64x32xbf16> -> tensor<2x1xf32>
  return
}

// -----

func.func @granularity_three_sizes(%x: tensor<64x32xbf16>) {
  // expected-error @below {{expects two sizes for a block, but got 3}}
  %0 = fp8.amax %x granularity <block 1x2x3> : tensor<64x32xbf16> -> tensor<2x1xf32>
  return
}

// -----

func.func @granularity_empty_block(%x: tensor<64x32xbf16>) {
  // expected-error @below {{expects a block of at least 1x1, but got 0x32}}
  %0 = fp8.amax %x granularity <block 0x32> : tensor<64x32xbf16> -> tensor<2x1xf32>
  return
}

// -----

func.func @policy_field(%a: tensor<f32>) {
  // expected-error @below {{expects 'eps' or 'pow2' in a policy, but got 'epsilon'}}
  %s, %d = fp8.scale %a for f8E4M3FN policy <epsilon = 1.0> : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @policy_pow2(%a: tensor<f32>) {
  // expected-error @below {{expects 'off' or 'down' for pow2, but got 'up'}}
  %s, %d = fp8.scale %a for f8E4M3FN policy <pow2 = up> : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

// With a smaller floor 57344 / eps overflows f32.
func.func @policy_eps_small(%a: tensor<f32>) {
  // expected-error @below {{expects eps between 1e-30 and 1, but got 0.000000e+00}}
  %s, %d = fp8.scale %a for f8E4M3FN policy <eps = 0.0> : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @policy_eps_large(%a: tensor<f32>) {
  // expected-error @below {{expects eps between 1e-30 and 1, but got 2.000000e+00}}
  %s, %d = fp8.scale %a for f8E4M3FN policy <eps = 2.0> : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @matmul_segments_without_a(%b: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  // expected-error @below {{'fp8.matmul' op failed to verify that operandSegmentSizes gives one value to a}}
  %d = "fp8.matmul"(%b, %b) <{operandSegmentSizes = array<i32: 0, 1, 1, 0>}> : (tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  return %d : tensor<32x32xbf16>
}

// -----

func.func @scaled_mm_segments_without_descale_b(%a: tensor<32x32xf8E4M3FN>, %s: tensor<f32>, %c: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  // expected-error @below {{'fp8.scaled_mm' op failed to verify that operandSegmentSizes gives one value to descale_b}}
  %d = "fp8.scaled_mm"(%a, %a, %s, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<32x32xf8E4M3FN>, tensor<32x32xf8E4M3FN>, tensor<f32>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  return %d : tensor<32x32xbf16>
}
