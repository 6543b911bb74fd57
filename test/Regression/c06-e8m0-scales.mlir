// C06: block scales in f8E8M0FNU round the exponent up, so that the largest
// element does not clip; code 0 is 2^-127, 255 is NaN; a negative number is an
// error. (The numbers at run time are in values.py.)
// RUN: fp8-opt --canonicalize --mlir-print-elementsattrs-with-hex-if-larger=0 %s | FileCheck %s
// RUN: fp8-opt --fp8-expand-arith --canonicalize %s | FileCheck %s --check-prefix=WIDE
// RUN: not fp8-opt --fp8-expand-arith %S/Inputs/c06-negative.mlir 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// An amax of 4.8046875 has byte 121, 150 has 126, 448 has 127; of infinity and
// NaN there is none but NaN.
// CHECK-LABEL: func @scales
//       CHECK:   dense<"0x797E7FFFFF"> : tensor<5xf8E8M0FNU>
//   CHECK-NOT:   fp8.scale
//       CHECK:   return
func.func @scales() -> tensor<5xf8E8M0FNU> {
  %a = arith.constant dense<[4.8046875, 150.0, 448.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %s, %d = fp8.scale %a for f8E4M3FN policy <pow2 = down> : tensor<5xf32> -> tensor<5xf32>, tensor<5xf8E8M0FNU>
  return %d : tensor<5xf8E8M0FNU>
}

// The folder of arith.extf takes 255 for an infinity, so the expansion is first.
// WIDE-LABEL: func @codes
//   WIDE-DAG:   %[[ZERO:.+]] = arith.constant 5.87747175E-39 : f32
//   WIDE-DAG:   %[[B134:.+]] = arith.constant 1.280000e+02 : f32
//   WIDE-DAG:   %[[B254:.+]] = arith.constant 1.70141183E+38 : f32
//   WIDE-DAG:   %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
//       WIDE:   return %[[ZERO]], %[[B134]], %[[B254]], %[[NAN]]
func.func @codes() -> (f32, f32, f32, f32) {
  %0 = arith.constant 0x00 : f8E8M0FNU
  %1 = arith.constant 0x86 : f8E8M0FNU
  %2 = arith.constant 0xFE : f8E8M0FNU
  %3 = arith.constant 0xFF : f8E8M0FNU
  %4 = arith.extf %0 : f8E8M0FNU to f32
  %5 = arith.extf %1 : f8E8M0FNU to f32
  %6 = arith.extf %2 : f8E8M0FNU to f32
  %7 = arith.extf %3 : f8E8M0FNU to f32
  return %4, %5, %6, %7 : f32, f32, f32, f32
}

// NEGATIVE: c06-negative.mlir:3:8: error: 'arith.constant' op expects a number of 0 or more, but got -2.000000e+00 : f8E8M0FNU
