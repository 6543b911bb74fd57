// RUN: fp8-opt --fp8-fold-empty-tensors --canonicalize --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-lower-to-cpu --split-input-file %s -o /dev/null

// A dimension of a dynamic one and one of size 0: buffers of it do not verify.
// CHECK-LABEL: func @collapse
//       CHECK:   %[[E:.+]] = tensor.empty() : tensor<0x5xf32>
//       CHECK:   %[[D:.+]] = tensor.cast %[[E]] : tensor<0x5xf32> to tensor<?x5xf32>
//       CHECK:   return %[[D]]
func.func @collapse(%a: tensor<?x0x5xf32>) -> tensor<?x5xf32> {
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x0x5xf32> into tensor<?x5xf32>
  return %c : tensor<?x5xf32>
}

// -----

// Sizes that are not 0 stay what they are.
// CHECK-LABEL: func @other_dimension
//  CHECK-SAME:   %[[A:.+]]: tensor<?x3x0xf32>
//       CHECK:   %[[M:.+]] = tensor.dim %[[A]]
//       CHECK:   %[[N:.+]] = affine.apply {{.*}}[%[[M]]]
//       CHECK:   tensor.empty(%[[N]]) : tensor<?x0xf32>
func.func @other_dimension(%a: tensor<?x3x0xf32>) -> tensor<?x0xf32> {
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x3x0xf32> into tensor<?x0xf32>
  return %c : tensor<?x0xf32>
}

// -----

// Negative: this one may hold something.
// CHECK-LABEL: func @dynamic
//       CHECK:   tensor.collapse_shape
func.func @dynamic(%a: tensor<?x?x5xf32>) -> tensor<?x5xf32> {
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x?x5xf32> into tensor<?x5xf32>
  return %c : tensor<?x5xf32>
}

// -----

// CHECK-LABEL: func @concat
//  CHECK-SAME:   %[[A:.+]]: tensor<4x3xf32>, %{{.+}}: tensor<0x3xf32>, %[[B:.+]]: tensor<?x3xf32>
//       CHECK:   %[[D:.+]] = tensor.concat dim(0) %[[A]], %[[B]] :
//       CHECK:   return %[[D]]
func.func @concat(%a: tensor<4x3xf32>, %e: tensor<0x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %d = tensor.concat dim(0) %a, %b, %e : (tensor<4x3xf32>, tensor<?x3xf32>, tensor<0x3xf32>) -> tensor<?x3xf32>
  return %d : tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func @concat_of_one
//  CHECK-SAME:   %[[A:.+]]: tensor<?x3xf32>
//       CHECK:   %[[D:.+]] = tensor.cast %[[A]] : tensor<?x3xf32> to tensor<4x3xf32>
//       CHECK:   return %[[D]]
func.func @concat_of_one(%a: tensor<?x3xf32>, %e: tensor<0x3xf32>) -> tensor<4x3xf32> {
  %d = tensor.concat dim(0) %a, %e : (tensor<?x3xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  return %d : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func @concat_of_nothing
//       CHECK:   tensor.empty() : tensor<4x0xf32>
//   CHECK-NOT:   tensor.concat
func.func @concat_of_nothing(%e: tensor<2x0xf32>) -> tensor<4x0xf32> {
  %d = tensor.concat dim(0) %e, %e : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<4x0xf32>
  return %d : tensor<4x0xf32>
}

// -----

// All of it is padding; the constant moves out of the body.
// CHECK-LABEL: func @pad
//   CHECK-DAG:   %[[E:.+]] = tensor.empty() : tensor<4x3xf32>
//   CHECK-DAG:   %[[TWO:.+]] = arith.constant 2.0
//       CHECK:   linalg.fill ins(%[[TWO]] : f32) outs(%[[E]] :
func.func @pad(%a: tensor<0x3xf32>) -> tensor<4x3xf32> {
  %d = tensor.pad %a low[4, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %two = arith.constant 2.0 : f32
    tensor.yield %two : f32
  } : tensor<0x3xf32> to tensor<4x3xf32>
  return %d : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func @pad_to_nothing
//       CHECK:   tensor.empty() : tensor<0x5xf32>
//   CHECK-NOT:   tensor.pad
func.func @pad_to_nothing(%a: tensor<0x3xf32>) -> tensor<0x5xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<0x3xf32> to tensor<0x5xf32>
  return %d : tensor<0x5xf32>
}

// -----

// Negative: what is there stays.
// CHECK-LABEL: func @something
//       CHECK:   tensor.pad
//       CHECK:   tensor.concat
func.func @something(%a: tensor<1x3xf32>) -> tensor<6x3xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[4, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<1x3xf32> to tensor<5x3xf32>
  %d = tensor.concat dim(0) %p, %a : (tensor<5x3xf32>, tensor<1x3xf32>) -> tensor<6x3xf32>
  return %d : tensor<6x3xf32>
}
