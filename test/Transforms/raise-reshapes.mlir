// RUN: fp8-opt --fp8-raise-matmuls --canonicalize --split-input-file %s | FileCheck %s

// A batch of one is no batch.
// CHECK-LABEL: func @unit_batch
//  CHECK-SAME:   (%[[A:.+]]: tensor<8x16xbf16>, %[[W:.+]]: tensor<32x16xbf16>
//       CHECK:   %[[Y:.+]] = fp8.matmul %[[A]], %[[W]] trans_b name "arg1" : {{.*}} -> tensor<8x32xbf16>
//       CHECK:   tensor.expand_shape %[[Y]] {{.*}} output_shape [1, 8, 32]
func.func @unit_batch(%a: tensor<8x16xbf16>, %w: tensor<32x16xbf16>, %e: tensor<1x8x32xbf16>) -> tensor<1x8x32xbf16> {
  %cst = arith.constant 0.0 : f32
  %a1 = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 8, 16] : tensor<8x16xbf16> into tensor<1x8x16xbf16>
  %w1 = tensor.expand_shape %w [[0, 1], [2]] output_shape [1, 32, 16] : tensor<32x16xbf16> into tensor<1x32x16xbf16>
  %e0 = tensor.empty() : tensor<1x16x32xbf16>
  %t = linalg.transpose ins(%w1 : tensor<1x32x16xbf16>) outs(%e0 : tensor<1x16x32xbf16>) permutation = [0, 2, 1]
  %e1 = tensor.empty() : tensor<1x8x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e1 : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %m = linalg.batch_matmul ins(%a1, %t : tensor<1x8x16xbf16>, tensor<1x16x32xbf16>) outs(%z : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m : tensor<1x8x32xf32>) outs(%e : tensor<1x8x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %r = arith.truncf %in : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x8x32xbf16>
  return %y : tensor<1x8x32xbf16>
}

// -----

// Negative: a batch of two is one, and one row of a matmul stays a row.
// CHECK-LABEL: func @batch
//       CHECK:   fp8.matmul {{.*}} : tensor<2x1x16xf32>, tensor<2x16x32xf32> -> tensor<2x1x32xf32>
func.func @batch(%a: tensor<2x1x16xf32>, %w: tensor<2x16x32xf32>) -> tensor<2x1x32xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<2x1x32xf32>) -> tensor<2x1x32xf32>
  %m = linalg.batch_matmul ins(%a, %w : tensor<2x1x16xf32>, tensor<2x16x32xf32>) outs(%z : tensor<2x1x32xf32>) -> tensor<2x1x32xf32>
  return %m : tensor<2x1x32xf32>
}

// -----

// The rounding behind a reshape, and a bias behind that.
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func @epilogue_behind_reshape
//  CHECK-SAME:   %[[B:[^:]+]]: tensor<32xbf16>
//       CHECK:   %[[Y:.+]] = fp8.matmul {{.*}} bias %[[B]] {{.*}} -> tensor<8x32xbf16>
//       CHECK:   %[[R:.+]] = tensor.expand_shape %[[Y]] {{.*}} output_shape [2, 4, 32]
//       CHECK:   return %[[R]]
func.func @epilogue_behind_reshape(%a: tensor<8x16xbf16>, %w: tensor<16x32xbf16>, %b: tensor<32xbf16>) -> tensor<2x4x32xbf16> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %m = linalg.matmul ins(%a, %w : tensor<8x16xbf16>, tensor<16x32xbf16>) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = tensor.expand_shape %m [[0, 1], [2]] output_shape [2, 4, 32] : tensor<8x32xf32> into tensor<2x4x32xf32>
  %e3 = tensor.empty() : tensor<2x4x32xbf16>
  %t = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r : tensor<2x4x32xf32>) outs(%e3 : tensor<2x4x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %c = arith.truncf %in : f32 to bf16
    linalg.yield %c : bf16
  } -> tensor<2x4x32xbf16>
  %y = linalg.generic {indexing_maps = [#map3, affine_map<(d0, d1, d2) -> (d2)>, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %b : tensor<2x4x32xbf16>, tensor<32xbf16>) outs(%e3 : tensor<2x4x32xbf16>) {
  ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
    %s = arith.addf %in, %in_0 : bf16
    linalg.yield %s : bf16
  } -> tensor<2x4x32xbf16>
  return %y : tensor<2x4x32xbf16>
}

// -----

// Negative: what is added along the rows of a reshaped result is no bias.
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func @bias_along_rows
//       CHECK:   fp8.matmul
//   CHECK-NOT:   bias
//       CHECK:   arith.addf
func.func @bias_along_rows(%a: tensor<8x16xf32>, %w: tensor<16x32xf32>, %b: tensor<4xf32>) -> tensor<2x4x32xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %m = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = tensor.expand_shape %m [[0, 1], [2]] output_shape [2, 4, 32] : tensor<8x32xf32> into tensor<2x4x32xf32>
  %e3 = tensor.empty() : tensor<2x4x32xf32>
  %y = linalg.generic {indexing_maps = [#map3, affine_map<(d0, d1, d2) -> (d1)>, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r, %b : tensor<2x4x32xf32>, tensor<4xf32>) outs(%e3 : tensor<2x4x32xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %s = arith.addf %in, %in_0 : f32
    linalg.yield %s : f32
  } -> tensor<2x4x32xf32>
  return %y : tensor<2x4x32xf32>
}

// -----

// collapse(transpose(w)) is the transpose of a collapse: no copy.
// CHECK-LABEL: func @collapse_of_transpose
//  CHECK-SAME:   %[[W:[^:]+]]: tensor<32x4x4xf32>
//   CHECK-NOT:   linalg.transpose
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[W]] {{\[\[}}0], [1, 2]]
//       CHECK:   fp8.matmul %{{.+}}, %[[C]] trans_b name "arg1"
func.func @collapse_of_transpose(%a: tensor<8x16xf32>, %w: tensor<32x4x4xf32>) -> tensor<8x32xf32> {
  %cst = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x4x32xf32>
  %t = linalg.transpose ins(%w : tensor<32x4x4xf32>) outs(%e0 : tensor<4x4x32xf32>) permutation = [1, 2, 0]
  %c = tensor.collapse_shape %t [[0, 1], [2]] : tensor<4x4x32xf32> into tensor<16x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %m = linalg.matmul ins(%a, %c : tensor<8x16xf32>, tensor<16x32xf32>) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %m : tensor<8x32xf32>
}

// -----

// Negative: here the collapsed dimensions do not lie side by side in w.
// CHECK-LABEL: func @collapse_of_other_transpose
//       CHECK:   linalg.transpose
//       CHECK:   fp8.matmul
func.func @collapse_of_other_transpose(%a: tensor<8x16xf32>, %w: tensor<4x32x4xf32>) -> tensor<8x32xf32> {
  %cst = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x4x32xf32>
  %t = linalg.transpose ins(%w : tensor<4x32x4xf32>) outs(%e0 : tensor<4x4x32xf32>) permutation = [0, 2, 1]
  %c = tensor.collapse_shape %t [[0, 1], [2]] : tensor<4x4x32xf32> into tensor<16x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %m = linalg.matmul ins(%a, %c : tensor<8x16xf32>, tensor<16x32xf32>) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %m : tensor<8x32xf32>
}

// -----

// expand(transpose(w)) is the transpose of an expand.
// CHECK-LABEL: func @expand_of_transpose
//  CHECK-SAME:   %[[W:[^:]+]]: tensor<32x16xf32>
//   CHECK-NOT:   linalg.transpose
//       CHECK:   fp8.matmul %{{.+}}, %[[W]] trans_b name "arg1"
#a = affine_map<(m, n, k0, k1) -> (m, k0, k1)>
#b = affine_map<(m, n, k0, k1) -> (k0, k1, n)>
#d = affine_map<(m, n, k0, k1) -> (m, n)>
func.func @expand_of_transpose(%a: tensor<8x4x4xf32>, %w: tensor<32x16xf32>) -> tensor<8x32xf32> {
  %cst = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16x32xf32>
  %t = linalg.transpose ins(%w : tensor<32x16xf32>) outs(%e0 : tensor<16x32xf32>) permutation = [1, 0]
  %x = tensor.expand_shape %t [[0, 1], [2]] output_shape [4, 4, 32] : tensor<16x32xf32> into tensor<4x4x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %m = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %x : tensor<8x4x4xf32>, tensor<4x4x32xf32>) outs(%z : tensor<8x32xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %p = arith.mulf %in, %in_0 : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  return %m : tensor<8x32xf32>
}

// -----

// A weight repeated for each batch: the batches are rows.
// CHECK-LABEL: func @repeated_weight
//  CHECK-SAME:   (%[[A:.+]]: tensor<?x?x16xf32>, %[[W:.+]]: tensor<16x32xf32>
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2]]
//       CHECK:   fp8.matmul %[[C]], %[[W]] acc %{{.+}} name "arg1" : tensor<?x16xf32>
func.func @repeated_weight(%a: tensor<?x?x16xf32>, %w: tensor<16x32xf32>, %e0: tensor<?x16x32xf32>, %z: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
  %b = linalg.broadcast ins(%w : tensor<16x32xf32>) outs(%e0 : tensor<?x16x32xf32>) dimensions = [0]
  %m = linalg.batch_matmul ins(%a, %b : tensor<?x?x16xf32>, tensor<?x16x32xf32>) outs(%z : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  return %m : tensor<?x?x32xf32>
}

// -----

// Negative: an input repeated for stacked weights. One matmul would have to
// transpose all of them, and its result.
// CHECK-LABEL: func @repeated_input
//   CHECK-NOT:   linalg.transpose
//       CHECK:   fp8.matmul {{.*}} : tensor<4x8x16xf32>, tensor<4x16x32xf32>
func.func @repeated_input(%a: tensor<8x16xf32>, %w: tensor<4x16x32xf32>) -> tensor<4x8x32xf32> {
  %cst = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8x16xf32>
  %b = linalg.broadcast ins(%a : tensor<8x16xf32>) outs(%e0 : tensor<4x8x16xf32>) dimensions = [0]
  %e = tensor.empty() : tensor<4x8x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  %m = linalg.batch_matmul ins(%b, %w : tensor<4x8x16xf32>, tensor<4x16x32xf32>) outs(%z : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  return %m : tensor<4x8x32xf32>
}

// -----

// A transpose that moves nothing but a dimension of size 1 copies nothing.
// CHECK-LABEL: func @transpose_of_unit_dim
//   CHECK-NOT:   linalg.transpose
//       CHECK:   tensor.expand_shape {{.*}} : tensor<4x8xf32> into tensor<4x8x1xf32>
func.func @transpose_of_unit_dim(%a: tensor<4x1x8xf32>, %e: tensor<4x8x1xf32>) -> tensor<4x8x1xf32> {
  %t = linalg.transpose ins(%a : tensor<4x1x8xf32>) outs(%e : tensor<4x8x1xf32>) permutation = [0, 2, 1]
  return %t : tensor<4x8x1xf32>
}

// -----

// Negative: this one moves the others too.
// CHECK-LABEL: func @transpose_of_more
//       CHECK:   linalg.transpose
func.func @transpose_of_more(%a: tensor<4x1x8xf32>, %e: tensor<8x4x1xf32>) -> tensor<8x4x1xf32> {
  %t = linalg.transpose ins(%a : tensor<4x1x8xf32>) outs(%e : tensor<8x4x1xf32>) permutation = [2, 0, 1]
  return %t : tensor<8x4x1xf32>
}
