// RUN: fp8-opt --fp8-add-cast-statistics --split-input-file %s | FileCheck %s

// Three counts a cast, behind the results: beyond 448, at most half of 2^-9 and
// not zero, and all.
// CHECK-LABEL: func @main
//  CHECK-SAME:   -> (tensor<4x8xf8E4M3FN>, tensor<f64> {fp8.statistic = "arg0 in f8E4M3FN"}, tensor<f64> {{{.*}}}, tensor<f64> {{{.*}}})
//       CHECK:   %[[Q:.+]] = fp8.cast
//       CHECK:   %[[N:.+]]:3 = linalg.generic
//       CHECK:     %[[P:.+]] = arith.mulf
//       CHECK:     %[[A:.+]] = math.absf %[[P]]
//       CHECK:     %[[MAX:.+]] = arith.constant 4.480000e+02
//       CHECK:     arith.cmpf ogt, %[[A]], %[[MAX]]
//       CHECK:     %[[HALF:.+]] = arith.constant 9.765625E-4
//       CHECK:     arith.cmpf ole, %[[A]], %[[HALF]]
//       CHECK:     arith.cmpf one
//       CHECK:   return %[[Q]], %[[N]]#0, %[[N]]#1, %[[N]]#2
func.func @main(%x: tensor<4x8xbf16>, %s: tensor<f32>) -> tensor<4x8xf8E4M3FN> {
  %q = fp8.cast %x scale %s : tensor<4x8xbf16>, tensor<f32> -> tensor<4x8xf8E4M3FN>
  return %q : tensor<4x8xf8E4M3FN>
}

// -----

// Negative: a cast with a scale a row has no one share.
// CHECK-LABEL: func @rowwise
//  CHECK-SAME:   -> tensor<4x8xf8E4M3FN> {
func.func @rowwise(%x: tensor<4x8xbf16>, %s: tensor<4x1xf32>) -> tensor<4x8xf8E4M3FN> {
  %q = fp8.cast %x scale %s granularity <rowwise> : tensor<4x8xbf16>, tensor<4x1xf32> -> tensor<4x8xf8E4M3FN>
  return %q : tensor<4x8xf8E4M3FN>
}
