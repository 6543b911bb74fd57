// RUN: fp8-opt --fp8-lower-reshapes --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @dynamic
//  CHECK-SAME:   %[[A:.+]]: memref<?x8xf32>, %[[B:.+]]: index, %[[T:.+]]: index
//       CHECK:   %[[S:.+]] = affine.apply #{{.*}}()[%[[T]]]
//       CHECK:   %[[C:.+]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[B]], %[[T]], 8], strides: [%[[S]], 8, 1]
//       CHECK:   memref.cast %[[C]] : {{.*}} to memref<?x?x8xf32>
func.func @dynamic(%a: memref<?x8xf32>, %b: index, %t: index) -> memref<?x?x8xf32> {
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %t, 8] : memref<?x8xf32> into memref<?x?x8xf32>
  return %e : memref<?x?x8xf32>
}

// -----

// Negative: upstream lowers static sizes.
// CHECK-LABEL: func @static
//       CHECK:   memref.expand_shape
func.func @static(%a: memref<4x8xf32>) -> memref<2x2x8xf32> {
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 8] : memref<4x8xf32> into memref<2x2x8xf32>
  return %e : memref<2x2x8xf32>
}

// -----

// Negative: a buffer with gaps.
// CHECK-LABEL: func @strided
//       CHECK:   memref.expand_shape
func.func @strided(%a: memref<?x8xf32, strided<[16, 1]>>, %b: index, %t: index) -> memref<?x?x8xf32, strided<[?, 16, 1]>> {
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %t, 8] : memref<?x8xf32, strided<[16, 1]>> into memref<?x?x8xf32, strided<[?, 16, 1]>>
  return %e : memref<?x?x8xf32, strided<[?, 16, 1]>>
}
