// C21: a matrix stored by columns is its transpose stored by rows: read as such it
// costs no copy, and a transpose of the transpose is the matrix. (Bytes: values.py.)
// RUN: fp8-opt --fp8-quantize=target=sm_90 --split-input-file %s | FileCheck %s

// x is stored by columns: linalg.transpose of it is the row-major matrix. On sm_90
// op(A) has to be stored as such, so this is the one copy, and it is of fp8.
// CHECK-LABEL: func @a_by_columns
//       CHECK:   %[[Q:.+]] = fp8.cast %arg0
//  CHECK-NEXT:   %[[T:.+]] = fp8.transpose %[[Q]] : tensor<32x16xf8E4M3FN>
//   CHECK-NOT:   transpose
//       CHECK:   fp8.scaled_mm %[[T]], %{{.+}} trans_b
//   CHECK-NOT:   transpose
//       CHECK:   return
#swap = affine_map<(m, n, k) -> (n, k)>
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @a_by_columns(%x: tensor<32x16xbf16>, %w: tensor<48x32xbf16>) -> tensor<16x48xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16x32xbf16>
  %t = linalg.transpose ins(%x : tensor<32x16xbf16>) outs(%e : tensor<16x32xbf16>) permutation = [1, 0]
  %0 = linalg.matmul indexing_maps = [#x, #swap, #y] ins(%t, %w : tensor<16x32xbf16>, tensor<48x32xbf16>) outs(%zero : tensor<16x48xf32>) -> tensor<16x48xf32>
  return %0 : tensor<16x48xf32>
}

// -----

// B stored by columns is what sm_90 wants: nothing is copied.
// CHECK-LABEL: func @b_by_columns
//   CHECK-NOT:   transpose
//       CHECK:   fp8.scaled_mm {{.*}} trans_b
//   CHECK-NOT:   transpose
//       CHECK:   return
func.func @b_by_columns(%x: tensor<16x32xbf16>, %w: tensor<48x32xbf16>) -> tensor<16x48xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x48xf32>
  %e = tensor.empty() : tensor<32x48xbf16>
  %t = linalg.transpose ins(%w : tensor<48x32xbf16>) outs(%e : tensor<32x48xbf16>) permutation = [1, 0]
  %0 = linalg.matmul ins(%x, %t : tensor<16x32xbf16>, tensor<32x48xbf16>) outs(%zero : tensor<16x48xf32>) -> tensor<16x48xf32>
  return %0 : tensor<16x48xf32>
}

// -----

// And back: no copy is left of two.
// CHECK-LABEL: func @and_back
//   CHECK-NOT:   transpose
//       CHECK:   fp8.scaled_mm {{.*}} trans_b
//   CHECK-NOT:   transpose
//       CHECK:   return
func.func @and_back(%x: tensor<16x32xf8E4M3FN>, %w: tensor<48x32xf8E4M3FN>, %s: tensor<f32>) -> tensor<16x48xf32> {
  %0 = fp8.transpose %x : tensor<16x32xf8E4M3FN>
  %1 = fp8.transpose %w : tensor<48x32xf8E4M3FN>
  %2 = fp8.scaled_mm %0, %1 descales %s, %s trans_a : tensor<32x16xf8E4M3FN>, tensor<32x48xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x48xf32>
  return %2 : tensor<16x48xf32>
}
