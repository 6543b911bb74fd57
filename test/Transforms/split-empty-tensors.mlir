// RUN: fp8-opt --fp8-split-empty-tensors --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @empties
//       CHECK:   %[[E0:.+]] = tensor.empty
//       CHECK:   linalg.exp ins(%{{.+}} : tensor<4xf32>) outs(%[[E0]]
//       CHECK:   %[[E1:.+]] = tensor.empty
//       CHECK:   linalg.exp ins(%{{.+}} : tensor<4xf32>) outs(%[[E1]]
func.func @empties(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @fills
//       CHECK:   %[[Z0:.+]] = linalg.fill
//       CHECK:   linalg.matmul {{.*}} outs(%[[Z0]]
//       CHECK:   %[[E1:.+]] = tensor.empty
//       CHECK:   %[[Z1:.+]] = linalg.fill {{.*}} outs(%[[E1]]
//       CHECK:   linalg.matmul {{.*}} outs(%[[Z1]]
func.func @fills(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %x = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// Negative: a tensor that holds something is not computed twice, and a fill that
// is read is one.
// CHECK-LABEL: func @values
//       CHECK:   linalg.fill
//   CHECK-NOT:   linalg.fill
//       CHECK:   return
func.func @values(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 0.0 : f32
  %z = linalg.fill ins(%c : f32) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %x = linalg.add ins(%a, %z : tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.add ins(%x, %z : tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  return %x, %y : tensor<4xf32>, tensor<4xf32>
}
