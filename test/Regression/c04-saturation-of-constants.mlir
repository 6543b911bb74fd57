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

// arith.truncf does not saturate: what is too large after rounding is NaN, or
// infinity in E5M2. 464 is a tie and goes to 448.
// RUN: fp8-opt --fp8-expand-arith --canonicalize %s | FileCheck %s --check-prefix=TRUNC
// TRUNC-LABEL: func @truncated
//   TRUNC-DAG:   %[[M:.+]] = arith.constant 4.480000e+02 : f8E4M3FN
//   TRUNC-DAG:   %[[N:.+]] = arith.constant 0x7F : f8E4M3FN
//   TRUNC-DAG:   %[[L:.+]] = arith.constant 0xFF : f8E4M3FN
//   TRUNC-DAG:   %[[I:.+]] = arith.constant 0x7C : f8E5M2
//   TRUNC-DAG:   %[[Z:.+]] = arith.constant 0x80 : f8E4M3FNUZ
//       TRUNC:   return %[[M]], %[[N]], %[[L]], %[[I]], %[[Z]]
func.func @truncated() -> (f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E5M2, f8E4M3FNUZ) {
  %tie = arith.constant 464.0 : f32
  %above = arith.constant 0x43E80001 : f32
  %low = arith.constant 0xFF800000 : f32
  %e5m2 = arith.constant 61440.0 : f32
  %fnuz = arith.constant 248.0 : f32
  %0 = arith.truncf %tie : f32 to f8E4M3FN
  %1 = arith.truncf %above : f32 to f8E4M3FN
  %2 = arith.truncf %low : f32 to f8E4M3FN
  %3 = arith.truncf %e5m2 : f32 to f8E5M2
  %4 = arith.truncf %fnuz : f32 to f8E4M3FNUZ
  return %0, %1, %2, %3, %4 : f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E5M2, f8E4M3FNUZ
}
