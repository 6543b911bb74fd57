// RUN: fp8-opt --convert-fp8-to-linalg --split-input-file %s | FileCheck %s

// The reduction starts at 0.0 in f32 and keeps a NaN.
// CHECK-LABEL: func @amax
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x?xbf16>)
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
//   CHECK-DAG:   %[[E:.+]] = tensor.empty() : tensor<f32>
//       CHECK:   %[[I:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]]
//       CHECK:   linalg.generic {indexing_maps = [#{{.+}}, #{{.+}}], iterator_types = ["reduction", "reduction"]} ins(%[[X]] : {{.*}}) outs(%[[I]] :
//       CHECK:   ^bb0(%[[IN:[a-z_0-9]+]]: bf16, %[[MAX:.+]]: f32):
//  CHECK-NEXT:     %[[F:.+]] = arith.extf %[[IN]] : bf16 to f32
//  CHECK-NEXT:     %[[A:.+]] = math.absf %[[F]] : f32
//  CHECK-NEXT:     %[[R:.+]] = arith.maximumf %[[MAX]], %[[A]] : f32
//  CHECK-NEXT:     linalg.yield %[[R]]
func.func @amax(%x: tensor<64x?xbf16>) -> tensor<f32> {
  %0 = fp8.amax %x : tensor<64x?xbf16> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// f32 is read as it is, f64 rounded first; rank 0 has no loops.
// CHECK-LABEL: func @amax_f32
//       CHECK:   ^bb0(%[[IN:[a-z_0-9]+]]: f32,
//  CHECK-NEXT:     math.absf %[[IN]] : f32
//       CHECK:   iterator_types = []
//       CHECK:   ^bb0(%[[IN:[a-z_0-9]+]]: f64,
//  CHECK-NEXT:     %[[T:.+]] = arith.truncf %[[IN]] : f64 to f32
//  CHECK-NEXT:     math.absf %[[T]] : f32
func.func @amax_f32(%x: tensor<4xf32>, %y: tensor<f64>) -> (tensor<f32>, tensor<f32>) {
  %0 = fp8.amax %x : tensor<4xf32> -> tensor<f32>
  %1 = fp8.amax %y : tensor<f64> -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// The division in f64, one rounding; the reciprocal of what was rounded.
// CHECK-LABEL: func @scale
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : tensor<4x1xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x1xf32>, tensor<4x1xf32>)
//       CHECK:   ^bb0(%[[IN:[a-z_0-9]+]]: f32,
//   CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
//   CHECK-DAG:     %[[EPS:.+]] = arith.constant 9.9999999999999998E-13 : f64
//   CHECK-DAG:     %[[A:.+]] = arith.extf %[[IN]] : f32 to f64
//       CHECK:     %[[F:.+]] = arith.maximumf %[[A]], %[[EPS]] : f64
//       CHECK:     %[[M:.+]] = arith.constant 4.480000e+02 : f64
//       CHECK:     %[[Q:.+]] = arith.divf %[[M]], %[[F]] : f64
//       CHECK:     %[[S:.+]] = arith.truncf %[[Q]] : f64 to f32
//       CHECK:     %[[D:.+]] = arith.divf %[[ONE]], %[[S]] : f32
//       CHECK:     linalg.yield %[[S]], %[[D]]
func.func @scale(%a: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<4x1xf32> -> tensor<4x1xf32>, tensor<4x1xf32>
  return %s, %d : tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

// A power of two: the mantissa is cleared where the scale is finite.
// CHECK-LABEL: func @scale_pow2
//   CHECK-DAG:     arith.constant 1.000000e-09 : f64
//       CHECK:     %[[S:.+]] = arith.truncf %{{.*}} : f64 to f32
//       CHECK:     %[[B:.+]] = arith.bitcast %[[S]] : f32 to i32
//       CHECK:     %[[INF:.+]] = arith.constant 2139095040 : i32
//       CHECK:     %[[E:.+]] = arith.andi %[[B]], %[[INF]]
//       CHECK:     %[[INF2:.+]] = arith.constant 2139095040 : i32
//       CHECK:     %[[FIN:.+]] = arith.cmpi ne, %[[E]], %[[INF2]]
//       CHECK:     %[[MASK:.+]] = arith.constant -8388608 : i32
//       CHECK:     %[[M:.+]] = arith.andi %[[B]], %[[MASK]]
//       CHECK:     %[[P:.+]] = arith.bitcast %[[M]] : i32 to f32
//       CHECK:     %[[R:.+]] = arith.select %[[FIN]], %[[P]], %[[S]]
//       CHECK:     %[[D:.+]] = arith.divf %{{.*}}, %[[R]] : f32
//       CHECK:     linalg.yield %[[R]], %[[D]]
func.func @scale_pow2(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %s, %d = fp8.scale %a for f8E5M2 policy <eps = 1.0e-9, pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  return %s, %d : tensor<f32>, tensor<f32>
}

// -----

// The maxima of the four types.
// CHECK-LABEL: func @maxima
//       CHECK:   arith.constant 4.480000e+02 : f64
//       CHECK:   arith.constant 5.734400e+04 : f64
//       CHECK:   arith.constant 2.400000e+02 : f64
//       CHECK:   arith.constant 5.734400e+04 : f64
func.func @maxima(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %s0, %d0 = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %s1, %d1 = fp8.scale %a for f8E5M2 : tensor<f32> -> tensor<f32>, tensor<f32>
  %s2, %d2 = fp8.scale %a for f8E4M3FNUZ : tensor<f32> -> tensor<f32>, tensor<f32>
  %s3, %d3 = fp8.scale %a for f8E5M2FNUZ : tensor<f32> -> tensor<f32>, tensor<f32>
  return %s0, %s1, %s2, %s3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// No fast-math flag, and min and max that keep a NaN.
// CHECK-LABEL: func @cast
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x?xbf16>, %[[S:.+]]: tensor<f32>)
//       CHECK:   linalg.generic {indexing_maps = [#[[ID:.+]], #{{.+}}, #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[S]] : {{.*}}) outs(%{{.*}} : tensor<64x?xf8E4M3FN>)
//       CHECK:   ^bb0(%[[IN:[a-z_0-9]+]]: bf16, %[[SC:.+]]: f32, %{{.*}}: f8E4M3FN):
//   CHECK-DAG:     %[[F:.+]] = arith.extf %[[IN]] : bf16 to f32
//   CHECK-DAG:     %[[HI:.+]] = arith.constant 4.480000e+02 : f32
//   CHECK-DAG:     %[[P:.+]] = arith.mulf %[[F]], %[[SC]] : f32
//       CHECK:     %[[L:.+]] = arith.minimumf %[[P]], %[[HI]] : f32
//       CHECK:     %[[LO:.+]] = arith.constant -4.480000e+02 : f32
//       CHECK:     %[[C:.+]] = arith.maximumf %[[L]], %[[LO]] : f32
//       CHECK:     %[[R:.+]] = arith.truncf %[[C]] : f32 to f8E4M3FN
//       CHECK:     linalg.yield %[[R]]
func.func @cast(%x: tensor<64x?xbf16>, %s: tensor<f32>) -> tensor<64x?xf8E4M3FN> {
  %q = fp8.cast %x scale %s : tensor<64x?xbf16>, tensor<f32> -> tensor<64x?xf8E4M3FN>
  return %q : tensor<64x?xf8E4M3FN>
}

// -----

// CHECK-LABEL: func @transpose
//  CHECK-SAME:   (%[[Q:.+]]: tensor<2x?x8xf8E4M3FN>)
//       CHECK:   %[[N:.+]] = tensor.dim %[[Q]], %c1
//       CHECK:   %[[E:.+]] = tensor.empty(%[[N]]) : tensor<2x8x?xf8E4M3FN>
//       CHECK:   linalg.transpose ins(%[[Q]] : {{.*}}) outs(%[[E]] : {{.*}}) permutation = [0, 2, 1]
func.func @transpose(%q: tensor<2x?x8xf8E4M3FN>) -> tensor<2x8x?xf8E4M3FN> {
  %t = fp8.transpose %q : tensor<2x?x8xf8E4M3FN>
  return %t : tensor<2x8x?xf8E4M3FN>
}

// -----

// A scale a row: a vector in the loops, M x 1 outside.
// CHECK-DAG:   #[[$ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[$ROW:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @rowwise
//  CHECK-SAME:   (%[[X:.+]]: tensor<2x?x8xf32>, %[[S:.+]]: tensor<2x?x1xf32>)
//       CHECK:   linalg.fill {{.*}} -> tensor<2x?xf32>
//       CHECK:   %[[A:.+]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]]], iterator_types = ["parallel", "parallel", "reduction"]}
//       CHECK:   tensor.expand_shape %[[A]] {{\[}}[0], [1, 2]{{\]}} {{.*}} into tensor<2x?x1xf32>
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[S]] {{\[}}[0], [1, 2]{{\]}}
//       CHECK:   linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]], #[[$ID]]], {{.*}} ins(%[[X]], %[[C]] :
func.func @rowwise(%x: tensor<2x?x8xf32>, %s: tensor<2x?x1xf32>) -> (tensor<2x?x1xf32>, tensor<2x?x8xf8E4M3FN>) {
  %a = fp8.amax %x granularity <rowwise> : tensor<2x?x8xf32> -> tensor<2x?x1xf32>
  %q = fp8.cast %x scale %s granularity <rowwise> : tensor<2x?x8xf32>, tensor<2x?x1xf32> -> tensor<2x?x8xf8E4M3FN>
  return %a, %q : tensor<2x?x1xf32>, tensor<2x?x8xf8E4M3FN>
}

// -----

// A scale a column.
// CHECK-DAG:   #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @colwise
//       CHECK:   linalg.generic {indexing_maps = [#[[$ID]], #[[$COLUMN]]], iterator_types = ["reduction", "parallel"]}
//       CHECK:   tensor.expand_shape {{.*}} {{\[}}[0, 1]{{\]}} {{.*}} into tensor<1x8xf32>
//       CHECK:   linalg.generic {indexing_maps = [#[[$ID]], #[[$COLUMN]], #[[$ID]]]
func.func @colwise(%x: tensor<4x8xf32>, %s: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<4x8xf8E4M3FN>) {
  %a = fp8.amax %x granularity <colwise> : tensor<4x8xf32> -> tensor<1x8xf32>
  %q = fp8.cast %x scale %s granularity <colwise> : tensor<4x8xf32>, tensor<1x8xf32> -> tensor<4x8xf8E4M3FN>
  return %a, %q : tensor<1x8xf32>, tensor<4x8xf8E4M3FN>
}

// -----

// CHECK-LABEL: func @scale_e8m0
//       CHECK:   %[[D:.+]] = arith.divf %{{.+}}, %[[S:.+]] : f32
//       CHECK:   %[[E:.+]] = arith.truncf %[[D]] : f32 to f8E8M0FNU
//       CHECK:   linalg.yield %[[S]], %[[E]] : f32, f8E8M0FNU
func.func @scale_e8m0(%a: tensor<4x1xf32>) -> tensor<4x1xf8E8M0FNU> {
  %s, %d = fp8.scale %a for f8E4M3FN policy <pow2 = down> : tensor<4x1xf32> -> tensor<4x1xf32>, tensor<4x1xf8E8M0FNU>
  return %d : tensor<4x1xf8E8M0FNU>
}

// -----

// Negative: matmuls go to the library.
// CHECK-LABEL: func @matmuls
//       CHECK:   fp8.matmul
//       CHECK:   fp8.scaled_mm
func.func @matmuls(%x: tensor<4x4xf32>, %q: tensor<4x4xf8E4M3FN>, %d: tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = fp8.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = fp8.scaled_mm %q, %q descales %d, %d : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
