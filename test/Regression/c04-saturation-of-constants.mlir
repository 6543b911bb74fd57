// C04: overflow, infinities and NaN follow one rule, in constants too. fp8.cast
// saturates; NaN stays NaN. The bytes are those of the case's table.
// RUN: fp8-opt --canonicalize --mlir-print-elementsattrs-with-hex-if-larger=0 %s | FileCheck %s --implicit-check-not=fp8.cast

// 256, 448, 464, 464 + 2^-15, 465, 1000, inf, -inf, NaN.
// CHECK-LABEL: func @e4m3fn
//       CHECK:   dense<"0x787E7E7E7E7E7EFE7F"> : tensor<9xf8E4M3FN>
func.func @e4m3fn() -> tensor<9xf8E4M3FN> {
  %x = arith.constant dense<[256.0, 448.0, 464.0, 0x43E80001, 465.0, 1000.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %q = fp8.cast %x scale %s : tensor<9xf32>, tensor<f32> -> tensor<9xf8E4M3FN>
  return %q : tensor<9xf8E4M3FN>
}

// 61439, 61440, inf, NaN. E5M2 has three codes for NaN.
// CHECK-LABEL: func @e5m2
//       CHECK:   dense<"0x7B7B7B7{{[DEF]}}"> : tensor<4xf8E5M2>
func.func @e5m2() -> tensor<4xf8E5M2> {
  %x = arith.constant dense<[61439.0, 61440.0, 0x7F800000, 0x7FC00000]> : tensor<4xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %q = fp8.cast %x scale %s : tensor<4xf32>, tensor<f32> -> tensor<4xf8E5M2>
  return %q : tensor<4xf8E5M2>
}

// 247, 248, inf, -NaN.
// CHECK-LABEL: func @e4m3fnuz
//       CHECK:   dense<"0x7F7F7F80"> : tensor<4xf8E4M3FNUZ>
func.func @e4m3fnuz() -> tensor<4xf8E4M3FNUZ> {
  %x = arith.constant dense<[247.0, 248.0, 0x7F800000, 0xFFC00000]> : tensor<4xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %q = fp8.cast %x scale %s : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FNUZ>
  return %q : tensor<4xf8E4M3FNUZ>
}
