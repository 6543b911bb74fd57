// Constants are printed in hex: the bytes are what matters.
// RUN: fp8-opt --canonicalize --mlir-print-elementsattrs-with-hex-if-larger=0 --split-input-file %s | FileCheck %s

// C01: one rounding, where a detour over f16 ends at the even neighbour.
// CHECK-LABEL: func @cast_rounds_once
//   CHECK-DAG:   dense<"0x3938"> : tensor<2xf8E4M3FN>
//   CHECK-DAG:   dense<"0x3D3C"> : tensor<2xf8E5M2>
//   CHECK-NOT:   fp8.
func.func @cast_rounds_once() -> (tensor<2xf8E4M3FN>, tensor<2xf8E5M2>) {
  %x = arith.constant dense<[0x3F880001, 0x3F880000]> : tensor<2xf32>
  %y = arith.constant dense<[0x3F900001, 0x3F880000]> : tensor<2xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %0 = fp8.cast %x scale %s : tensor<2xf32>, tensor<f32> -> tensor<2xf8E4M3FN>
  %1 = fp8.cast %y scale %s : tensor<2xf32>, tensor<f32> -> tensor<2xf8E5M2>
  return %0, %1 : tensor<2xf8E4M3FN>, tensor<2xf8E5M2>
}

// -----

// C02: 9, 11, 1.125, 1.375, 13, 15; then 126.24, 1.9375, 1.0625, 1.1875, 124.
// CHECK-LABEL: func @cast_ties_to_even
//   CHECK-DAG:   dense<"0x484A3C3E4A4C"> : tensor<6xf8E5M2>
//   CHECK-DAG:   dense<"0x7040383A70"> : tensor<5xf8E4M3FN>
//   CHECK-NOT:   fp8.
func.func @cast_ties_to_even() -> (tensor<6xf8E5M2>, tensor<5xf8E4M3FN>) {
  %x = arith.constant dense<[9.0, 11.0, 1.125, 1.375, 13.0, 15.0]> : tensor<6xf32>
  %y = arith.constant dense<[126.24, 1.9375, 1.0625, 1.1875, 124.0]> : tensor<5xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %0 = fp8.cast %x scale %s : tensor<6xf32>, tensor<f32> -> tensor<6xf8E5M2>
  %1 = fp8.cast %y scale %s : tensor<5xf32>, tensor<f32> -> tensor<5xf8E4M3FN>
  return %0, %1 : tensor<6xf8E5M2>, tensor<5xf8E4M3FN>
}

// -----

// The product is rounded to f32 before it is rounded to fp8: 1.0625 + 2^-23 times
// 1 - 2^-24 is a little over 1.0625, and the tie 1.0625 in f32, which goes down;
// 1.1875 + 2^-23 times 1 - 2^-23 is a little under the tie 1.1875, which goes up.
// CHECK-LABEL: func @cast_product_in_f32
//   CHECK-DAG:   dense<1.000000e+00> : tensor<1xf8E4M3FN>
//   CHECK-DAG:   dense<1.250000e+00> : tensor<1xf8E4M3FN>
//   CHECK-NOT:   fp8.
func.func @cast_product_in_f32() -> (tensor<1xf8E4M3FN>, tensor<1xf8E4M3FN>) {
  %x = arith.constant dense<0x3F880001> : tensor<1xf32>
  %s = arith.constant dense<0x3F7FFFFF> : tensor<f32>
  %y = arith.constant dense<0x3F980001> : tensor<1xf32>
  %t = arith.constant dense<0x3F7FFFFE> : tensor<f32>
  %0 = fp8.cast %x scale %s : tensor<1xf32>, tensor<f32> -> tensor<1xf8E4M3FN>
  %1 = fp8.cast %y scale %t : tensor<1xf32>, tensor<f32> -> tensor<1xf8E4M3FN>
  return %0, %1 : tensor<1xf8E4M3FN>, tensor<1xf8E4M3FN>
}

// -----

// The scale multiplies.
// CHECK-LABEL: func @cast_multiplies
//       CHECK:   dense<"0x76FE"> : tensor<2xf8E4M3FN>
func.func @cast_multiplies() -> tensor<2xf8E4M3FN> {
  %x = arith.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %s = arith.constant dense<224.0> : tensor<f32>
  %0 = fp8.cast %x scale %s : tensor<2xf32>, tensor<f32> -> tensor<2xf8E4M3FN>
  return %0 : tensor<2xf8E4M3FN>
}

// -----

// A splat is folded once, however large.
// CHECK-LABEL: func @cast_splat
//       CHECK:   dense<5.000000e-01> : tensor<4096x4096xf8E5M2>
//   CHECK-NOT:   fp8.
func.func @cast_splat() -> tensor<4096x4096xf8E5M2> {
  %x = arith.constant dense<0.25> : tensor<4096x4096xbf16>
  %s = arith.constant dense<2.0> : tensor<f32>
  %0 = fp8.cast %x scale %s : tensor<4096x4096xbf16>, tensor<f32> -> tensor<4096x4096xf8E5M2>
  return %0 : tensor<4096x4096xf8E5M2>
}

// -----

// Negative: the value of a scale that is an argument is not known.
// CHECK-LABEL: func @cast_unknown_scale
//       CHECK:   fp8.cast
func.func @cast_unknown_scale(%s: tensor<f32>) -> tensor<2xf8E4M3FN> {
  %x = arith.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = fp8.cast %x scale %s : tensor<2xf32>, tensor<f32> -> tensor<2xf8E4M3FN>
  return %0 : tensor<2xf8E4M3FN>
}

// -----

// Negative: scales of rows are not folded.
// CHECK-LABEL: func @cast_rowwise
//       CHECK:   fp8.cast
func.func @cast_rowwise() -> tensor<2x1xf8E4M3FN> {
  %x = arith.constant dense<[[1.0], [-2.0]]> : tensor<2x1xf32>
  %s = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %0 = fp8.cast %x scale %s granularity <rowwise> : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf8E4M3FN>
  return %0 : tensor<2x1xf8E4M3FN>
}

// -----

// C07: -1e-5, -2^-11, -(2^-11 + 2^-30), -2^-10 and -0: there is no byte 80 but
// for a NaN.
// CHECK-LABEL: func @cast_fnuz
//       CHECK:   dense<"0x0000818100"> : tensor<5xf8E4M3FNUZ>
func.func @cast_fnuz() -> tensor<5xf8E4M3FNUZ> {
  %x = arith.constant dense<[-1.0e-5, 0xBA000000, 0xBA000001, 0xBA800000, -0.0]> : tensor<5xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %0 = fp8.cast %x scale %s : tensor<5xf32>, tensor<f32> -> tensor<5xf8E4M3FNUZ>
  return %0 : tensor<5xf8E4M3FNUZ>
}

// -----

// C07: byte 80 is a NaN and no -0.
// CHECK-LABEL: func @amax_fnuz_nan
//       CHECK:   dense<0x7FC00000> : tensor<f32>
func.func @amax_fnuz_nan() -> tensor<f32> {
  %x = arith.constant dense<"0x8000"> : tensor<2xf8E4M3FNUZ>
  %0 = fp8.amax %x : tensor<2xf8E4M3FNUZ> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The absolute value, and an infinity.
// CHECK-LABEL: func @amax_values
//   CHECK-DAG:   dense<3.500000e+00> : tensor<f32>
//   CHECK-DAG:   dense<0x7F800000> : tensor<f32>
//   CHECK-NOT:   fp8.amax
func.func @amax_values() -> (tensor<f32>, tensor<f32>) {
  %x = arith.constant dense<[1.0, -3.5]> : tensor<2xbf16>
  %y = arith.constant dense<[1.0, 0xFF800000]> : tensor<2xf32>
  %0 = fp8.amax %x : tensor<2xbf16> -> tensor<f32>
  %1 = fp8.amax %y : tensor<2xf32> -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// Negative: more than 1024 different values stay for the run time.
// CHECK-LABEL: func @amax_large
//       CHECK:   fp8.amax
func.func @amax_large() -> tensor<f32> {
  %x = arith.constant dense<"0x3840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038403840384038"> : tensor<1025xf8E4M3FN>
  %0 = fp8.amax %x : tensor<1025xf8E4M3FN> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// C10, C15a: 4.48e14 for 0 and for less than the floor, 224 for 2, 149.33333 for
// 3, and not the 149.0 of bf16.
// CHECK-LABEL: func @scale_values
//   CHECK-DAG:   dense<"0x10BACB570000604355551543"> : tensor<3x1xf32>
//   CHECK-DAG:   dense<4.480000e+14> : tensor<3x1xf32>
//   CHECK-NOT:   fp8.
func.func @scale_values() -> (tensor<3x1xf32>, tensor<3x1xf32>) {
  %a = arith.constant dense<[[0.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %b = arith.constant dense<[[6.3e-38], [1.0e-40], [0x00000001]]> : tensor<3x1xf32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<3x1xf32> -> tensor<3x1xf32>, tensor<3x1xf32>
  %t, %e = fp8.scale %b for f8E4M3FN : tensor<3x1xf32> -> tensor<3x1xf32>, tensor<3x1xf32>
  return %s, %t : tensor<3x1xf32>, tensor<3x1xf32>
}

// -----

// C10: zeros stay zeros.
// CHECK-LABEL: func @quantize_zeros
//       CHECK:   dense<0.000000e+00> : tensor<4x4xf8E4M3FN>
func.func @quantize_zeros() -> tensor<4x4xf8E4M3FN> {
  %x = arith.constant dense<0.0> : tensor<4x4xf32>
  %a = fp8.amax %x : tensor<4x4xf32> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf8E4M3FN>
  return %q : tensor<4x4xf8E4M3FN>
}

// -----

// Of 3, infinity and NaN: the scales are 149.33333, 0, NaN, the descales
// 0.0066964286, infinity, NaN; as powers of two 128, 0, NaN and 1/128, infinity,
// NaN.
// CHECK-LABEL: func @scale_not_finite
//   CHECK-DAG:   dense<"0x55551543000000000000C07F"> : tensor<3x1xf32>
//   CHECK-DAG:   dense<"0xB76DDB3B0000807F0000C07F"> : tensor<3x1xf32>
//   CHECK-DAG:   dense<"0x00000043000000000000C07F"> : tensor<3x1xf32>
//   CHECK-DAG:   dense<"0x0000003C0000807F0000C07F"> : tensor<3x1xf32>
func.func @scale_not_finite() -> (tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>) {
  %a = arith.constant dense<[[3.0], [0x7F800000], [0x7FC00000]]> : tensor<3x1xf32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<3x1xf32> -> tensor<3x1xf32>, tensor<3x1xf32>
  %t, %e = fp8.scale %a for f8E4M3FN policy <pow2 = down> : tensor<3x1xf32> -> tensor<3x1xf32>, tensor<3x1xf32>
  return %s, %d, %t, %e : tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>
}

// -----

// 57344 / 0.5, and a floor of 1.
// CHECK-LABEL: func @scale_eps
//   CHECK-DAG:   dense<1.146880e+05> : tensor<f32>
//   CHECK-DAG:   dense<5.734400e+04> : tensor<f32>
func.func @scale_eps() -> (tensor<f32>, tensor<f32>) {
  %a = arith.constant dense<0.5> : tensor<f32>
  %s, %d = fp8.scale %a for f8E5M2 : tensor<f32> -> tensor<f32>, tensor<f32>
  %t, %e = fp8.scale %a for f8E5M2 policy <eps = 1.0> : tensor<f32> -> tensor<f32>, tensor<f32>
  return %s, %t : tensor<f32>, tensor<f32>
}

// -----

// 448 / 3 is 128 rounded down.
// CHECK-LABEL: func @scale_e8m0
//       CHECK:   arith.constant dense<7.812500e-03> : tensor<1x1xf8E8M0FNU>
func.func @scale_e8m0() -> tensor<1x1xf8E8M0FNU> {
  %a = arith.constant dense<3.0> : tensor<1x1xf32>
  %s, %d = fp8.scale %a for f8E4M3FN policy <pow2 = down> : tensor<1x1xf32> -> tensor<1x1xf32>, tensor<1x1xf8E8M0FNU>
  return %d : tensor<1x1xf8E8M0FNU>
}

// -----

// CHECK-LABEL: func @transpose_twice
//  CHECK-SAME:   (%[[Q:.+]]: tensor<2x4x?xf8E4M3FN>)
//       CHECK:   return %[[Q]]
func.func @transpose_twice(%q: tensor<2x4x?xf8E4M3FN>) -> tensor<2x4x?xf8E4M3FN> {
  %0 = fp8.transpose %q : tensor<2x4x?xf8E4M3FN>
  %1 = fp8.transpose %0 : tensor<2x?x4xf8E4M3FN>
  return %1 : tensor<2x4x?xf8E4M3FN>
}

// -----

// Negative: one transpose is not the identity, not even on a square matrix.
// CHECK-LABEL: func @transpose_once
//       CHECK:   fp8.transpose
func.func @transpose_once(%q: tensor<32x32xf8E5M2>) -> tensor<32x32xf8E5M2> {
  %0 = fp8.transpose %q : tensor<32x32xf8E5M2>
  return %0 : tensor<32x32xf8E5M2>
}

// -----

// CHECK-LABEL: func @amax_of_transpose
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x8xbf16>)
//  CHECK-NEXT:   fp8.amax %[[X]] : tensor<4x8xbf16>
func.func @amax_of_transpose(%x: tensor<4x8xbf16>) -> tensor<f32> {
  %0 = fp8.transpose %x : tensor<4x8xbf16>
  %1 = fp8.amax %0 : tensor<8x4xbf16> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Negative: rows of the transpose are columns of x.
// CHECK-LABEL: func @rowwise_amax_of_transpose
//       CHECK:   %[[T:.+]] = fp8.transpose
//       CHECK:   fp8.amax %[[T]] granularity <rowwise>
func.func @rowwise_amax_of_transpose(%x: tensor<8x8xbf16>) -> tensor<8x1xf32> {
  %0 = fp8.transpose %x : tensor<8x8xbf16>
  %1 = fp8.amax %0 granularity <rowwise> : tensor<8x8xbf16> -> tensor<8x1xf32>
  return %1 : tensor<8x1xf32>
}
