// RUN: fp8-opt --fp8-assign-layouts=target=sm_90 --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-assign-layouts --split-input-file %s | FileCheck %s --check-prefix=ANY
// RUN: fp8-opt --fp8-assign-layouts=target=sm_100 --split-input-file %s | FileCheck %s --check-prefix=ANY

// Whatever the form, cpu and sm_100 need no copy.
//     ANY-NOT: fp8.transpose
// ANY-COUNT-10: fp8.scaled_mm
//     ANY-NOT: fp8.transpose

// Negative: op(A) as stored with op(B) transposed is how sm_90 reads.
// CHECK-LABEL: func @nt
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xf8E4M3FN>, %[[B:.+]]: tensor<16x32xf8E4M3FN>,
//  CHECK-NEXT:   fp8.scaled_mm %[[A]], %[[B]] {{.*}} trans_b :
func.func @nt(%a: tensor<64x32xf8E4M3FN>, %b: tensor<16x32xf8E4M3FN>, %d: tensor<f32>) -> tensor<64x16xbf16> {
  %y = fp8.scaled_mm %a, %b descales %d, %d trans_b : tensor<64x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @nn
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xf8E4M3FN>, %[[B:.+]]: tensor<32x16xf8E4M3FN>,
//  CHECK-NEXT:   %[[T:.+]] = fp8.transpose %[[B]]
//  CHECK-NEXT:   fp8.scaled_mm %[[A]], %[[T]] {{.*}} trans_b :
func.func @nn(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>) -> tensor<64x16xbf16> {
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @tn
//  CHECK-SAME:   (%[[A:.+]]: tensor<32x64xf8E4M3FN>, %[[B:.+]]: tensor<32x16xf8E4M3FN>,
//   CHECK-DAG:   %[[TA:.+]] = fp8.transpose %[[A]]
//   CHECK-DAG:   %[[TB:.+]] = fp8.transpose %[[B]]
//       CHECK:   fp8.scaled_mm %[[TA]], %[[TB]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_b :
func.func @tn(%a: tensor<32x64xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %d: tensor<f32>) -> tensor<64x16xbf16> {
  %y = fp8.scaled_mm %a, %b descales %d, %d trans_a : tensor<32x64xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @tt
//  CHECK-SAME:   (%[[A:.+]]: tensor<32x64xf8E4M3FN>, %[[B:.+]]: tensor<16x32xf8E4M3FN>,
//       CHECK:   %[[T:.+]] = fp8.transpose %[[A]]
//       CHECK:   fp8.scaled_mm %[[T]], %[[B]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_b :
func.func @tt(%a: tensor<32x64xf8E4M3FN>, %b: tensor<16x32xf8E4M3FN>, %d: tensor<f32>) -> tensor<64x16xbf16> {
  %y = fp8.scaled_mm %a, %b descales %d, %d trans_a trans_b : tensor<32x64xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// A transpose that is there already is looked through and goes.
// CHECK-LABEL: func @existing_transpose
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xf8E4M3FN>, %[[B:.+]]: tensor<16x32xf8E4M3FN>,
//  CHECK-NEXT:   fp8.scaled_mm %[[A]], %[[B]] {{.*}} trans_b :
func.func @existing_transpose(%a: tensor<64x32xf8E4M3FN>, %b: tensor<16x32xf8E4M3FN>, %d: tensor<f32>) -> tensor<64x16xbf16> {
  %t = fp8.transpose %b : tensor<16x32xf8E4M3FN>
  %y = fp8.scaled_mm %a, %t descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// One copy for all readers, where the tensor is made.
// CHECK-LABEL: func @shared_copy
//       CHECK:   %[[Q:.+]] = fp8.cast
//  CHECK-NEXT:   %[[T:.+]] = fp8.transpose %[[Q]]
//   CHECK-NOT:   fp8.transpose
//       CHECK:   fp8.scaled_mm %{{.*}}, %[[T]]
//       CHECK:   fp8.scaled_mm %{{.*}}, %[[T]]
func.func @shared_copy(%a: tensor<64x32xf8E4M3FN>, %w: tensor<32x16xbf16>, %s: tensor<f32>, %d: tensor<f32>) -> (tensor<64x16xbf16>, tensor<64x16xf32>) {
  %b = fp8.cast %w scale %s : tensor<32x16xbf16>, tensor<f32> -> tensor<32x16xf8E4M3FN>
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  %z = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xf32>
  return %y, %z : tensor<64x16xbf16>, tensor<64x16xf32>
}

// -----

// A row is a column: a reshape does.
// CHECK-LABEL: func @one_column
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xf8E4M3FN>, %[[B:.+]]: tensor<32x1xf8E4M3FN>,
//   CHECK-NOT:   fp8.transpose
//       CHECK:   %[[V:.+]] = tensor.collapse_shape %[[B]]
//       CHECK:   %[[T:.+]] = tensor.expand_shape %[[V]] {{.*}} into tensor<1x32xf8E4M3FN>
//       CHECK:   fp8.scaled_mm %[[A]], %[[T]] {{.*}} trans_b :
func.func @one_column(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x1xf8E4M3FN>, %d: tensor<f32>) -> tensor<64x1xbf16> {
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x1xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x1xbf16>
  return %y : tensor<64x1xbf16>
}

// -----

// Negative: batches of columns are not stored as one row each.
// CHECK-LABEL: func @batches_of_columns
//       CHECK:   fp8.transpose %{{.*}} : tensor<2x32x1xf8E4M3FN>
func.func @batches_of_columns(%a: tensor<2x64x32xf8E4M3FN>, %b: tensor<2x32x1xf8E4M3FN>, %d: tensor<f32>) -> tensor<2x64x1xbf16> {
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<2x64x32xf8E4M3FN>, tensor<2x32x1xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<2x64x1xbf16>
  return %y : tensor<2x64x1xbf16>
}

// -----

// Negative: nor is a single batch a vector.
// CHECK-LABEL: func @one_batch
//       CHECK:   fp8.transpose %{{.*}} : tensor<1x32x16xf8E4M3FN>
func.func @one_batch(%a: tensor<1x64x32xf8E4M3FN>, %b: tensor<1x32x16xf8E4M3FN>, %d: tensor<f32>) -> tensor<1x64x16xbf16> {
  %y = fp8.scaled_mm %a, %b descales %d, %d : tensor<1x64x32xf8E4M3FN>, tensor<1x32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<1x64x16xbf16>
  return %y : tensor<1x64x16xbf16>
}
