// RUN: fp8-opt --fp8-copy-to-linalg --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @strided
//  CHECK-SAME:   %[[A:.+]]: memref<4x8xf32, strided<[16, 1]>>, %[[B:.+]]: memref<4x8xf32>
//       CHECK:   linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[B]] :
//  CHECK-NEXT:   ^bb0(%[[IN:.+]]: f32,
//  CHECK-NEXT:     linalg.yield %[[IN]]
//   CHECK-NOT:   memref.copy
func.func @strided(%a: memref<4x8xf32, strided<[16, 1]>>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// -----

// Negative: a buffer without a rank has no loops.
// CHECK-LABEL: func @unranked
//       CHECK:   memref.copy
func.func @unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}
