// RUN: fp8-opt --fp8-copy-strided-operands --split-input-file %s | FileCheck %s

// No leading dimension says where every other column is.
// CHECK-LABEL: func @step
//  CHECK-SAME:   %[[A:.+]]: memref<4x8xf32, strided<[16, 2]>>, %[[B:.+]]: memref<8x4xf32>
//       CHECK:   %[[C:.+]] = memref.alloc() : memref<4x8xf32>
//       CHECK:   memref.copy %[[A]], %[[C]]
//       CHECK:   blaslt.matmul ins(%[[C]], %[[B]] :
func.func @step(%a: memref<4x8xf32, strided<[16, 2]>>, %b: memref<8x4xf32>, %d: memref<4x4xf32>) {
  blaslt.matmul ins(%a, %b : memref<4x8xf32, strided<[16, 2]>>, memref<8x4xf32>) outs(%d : memref<4x4xf32>)
  return
}

// -----

// Negative: padded rows, a transpose, and one row of elements that are apart, which
// is one column of rows that are.
// CHECK-LABEL: func @describable
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @describable(%a: memref<4x8xf32, strided<[16, 1]>>, %b: memref<8x4xf32, strided<[1, 8]>>, %row: memref<1x8xf32, strided<[128, 16]>>, %d: memref<4x4xf32, strided<[32, 1]>>, %e: memref<1x4xf32>) {
  blaslt.matmul ins(%a, %b : memref<4x8xf32, strided<[16, 1]>>, memref<8x4xf32, strided<[1, 8]>>) outs(%d : memref<4x4xf32, strided<[32, 1]>>)
  blaslt.matmul ins(%row, %b : memref<1x8xf32, strided<[128, 16]>>, memref<8x4xf32, strided<[1, 8]>>) outs(%e : memref<1x4xf32>)
  return
}

// -----

// In fp8 a target may read operands one way only, which is chosen by now.
// CHECK-LABEL: func @fp8
//  CHECK-SAME:   %[[A:.+]]: memref<1x16xf8E4M3FN, strided<[64, 4]>>, %[[B:.+]]: memref<8x16xf8E4M3FN, strided<[32, 1]>>
//       CHECK:   %[[C:.+]] = memref.alloc() : memref<1x16xf8E4M3FN>
//       CHECK:   memref.copy %[[A]], %[[C]]
//       CHECK:   blaslt.matmul ins(%[[C]], %[[B]] :
func.func @fp8(%a: memref<1x16xf8E4M3FN, strided<[64, 4]>>, %b: memref<8x16xf8E4M3FN, strided<[32, 1]>>, %s: memref<f32>, %d: memref<1x8xf32>) {
  blaslt.matmul ins(%a, %b : memref<1x16xf8E4M3FN, strided<[64, 4]>>, memref<8x16xf8E4M3FN, strided<[32, 1]>>) descales(%s, %s : memref<f32>, memref<f32>) outs(%d : memref<1x8xf32>) trans_b
  return
}

// -----

// A result is copied behind the call, an accumulator and a bias in front of it.
// CHECK-LABEL: func @others
//  CHECK-SAME:   %[[C:[^:]+]]: memref<4x4xf32, strided<[1, 4]>>, %[[BIAS:.+]]: memref<4xf32, strided<[2]>>, %[[D:.+]]: memref<4x4xf32, strided<[8, 2]>>
//   CHECK-DAG:   memref.copy %[[C]], %[[ACC:.+]] :
//   CHECK-DAG:   memref.copy %[[BIAS]], %[[VECTOR:.+]] :
//       CHECK:   blaslt.matmul {{.*}} acc(%[[ACC]] : memref<4x4xf32>) bias(%[[VECTOR]] : memref<4xf32>) outs(%[[OUT:.+]] : memref<4x4xf32>)
//  CHECK-NEXT:   memref.copy %[[OUT]], %[[D]] :
func.func @others(%a: memref<4x4xf32>, %c: memref<4x4xf32, strided<[1, 4]>>, %bias: memref<4xf32, strided<[2]>>, %d: memref<4x4xf32, strided<[8, 2]>>) {
  blaslt.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) acc(%c : memref<4x4xf32, strided<[1, 4]>>) bias(%bias : memref<4xf32, strided<[2]>>) outs(%d : memref<4x4xf32, strided<[8, 2]>>)
  return
}

// -----

// Batches that are not at one distance; sizes come from those of the arguments.
// CHECK-LABEL: func @batches
//  CHECK-SAME:   %[[X:.+]]: memref<2x6x?x4xf32>, %[[N:.+]]: index,
//       CHECK:   %[[VIEW:.+]] = memref.subview %[[X]]
//       CHECK:   %[[COPY:.+]] = memref.alloc(%[[N]]) : memref<2x3x?x4xf32>
//       CHECK:   memref.copy %[[VIEW]], %[[COPY]]
//       CHECK:   blaslt.matmul ins(%[[COPY]],
func.func @batches(%x: memref<2x6x?x4xf32>, %n: index, %b: memref<2x3x4x4xf32>, %d: memref<2x3x?x4xf32>) {
  %a = memref.subview %x[0, 0, 0, 0] [2, 3, %n, 4] [1, 1, 1, 1] : memref<2x6x?x4xf32> to memref<2x3x?x4xf32, strided<[?, ?, 4, 1]>>
  blaslt.matmul ins(%a, %b : memref<2x3x?x4xf32, strided<[?, ?, 4, 1]>>, memref<2x3x4x4xf32>) outs(%d : memref<2x3x?x4xf32>)
  return
}

// -----

// Negative: tensors have no strides yet.
// CHECK-LABEL: func @tensors
//   CHECK-NOT:   memref
func.func @tensors(%a: tensor<4x4xf32>, %d: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = blaslt.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
