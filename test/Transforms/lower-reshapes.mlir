// RUN: fp8-opt --fp8-lower-reshapes --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @dynamic
//  CHECK-SAME:   %[[A:.+]]: memref<?x8xf32>, %[[B:.+]]: index, %[[T:.+]]: index
//       CHECK:   %[[BASE:.+]], %{{.+}}, %{{.+}}:2, %{{.+}}:2 = memref.extract_strided_metadata %[[A]]
//       CHECK:   %[[S:.+]] = affine.apply #{{.*}}()[%[[T]]]
//       CHECK:   %[[C:.+]] = memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[B]], %[[T]], 8], strides: [%[[S]], 8, 1]
//       CHECK:   memref.cast %[[C]] : {{.*}} to memref<?x?x8xf32>
func.func @dynamic(%a: memref<?x8xf32>, %b: index, %t: index) -> memref<?x?x8xf32> {
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %t, 8] : memref<?x8xf32> into memref<?x?x8xf32>
  return %e : memref<?x?x8xf32>
}

// -----

// Rows with gaps between them, from an offset on, and columns of which two are
// made, too.
// CHECK-LABEL: func @strided
//  CHECK-SAME:   %[[A:.+]]: memref<?x?x{{.*}}, %[[B:.+]]: index, %[[T:.+]]: index, %[[C:.+]]: index
//       CHECK:   %[[BASE:.+]], %[[O:.+]], %{{.+}}:2, %[[STRIDES:.+]]:2 = memref.extract_strided_metadata %[[A]]
//   CHECK-DAG:   %[[ROW:.+]] = affine.apply #{{.*}}()[%[[STRIDES]]#0, %[[T]]]
//       CHECK:   memref.reinterpret_cast %[[BASE]] to offset: [%[[O]]], sizes: [%[[B]], %[[T]], %[[C]], 4], strides: [%[[ROW]], %[[STRIDES]]#0, 4, 1]
//       CHECK:   memref.cast %{{.*}} to memref<?x?x?x4xf32, strided<[?, ?, 4, 1], offset: ?>>
func.func @strided(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %b: index, %t: index, %c: index) -> memref<?x?x?x4xf32, strided<[?, ?, 4, 1], offset: ?>> {
  %e = memref.expand_shape %a [[0, 1], [2, 3]] output_shape [%b, %t, %c, 4] : memref<?x?xf32, strided<[?, 1], offset: ?>> into memref<?x?x?x4xf32, strided<[?, ?, 4, 1], offset: ?>>
  return %e : memref<?x?x?x4xf32, strided<[?, ?, 4, 1], offset: ?>>
}

// -----

// Negative: upstream lowers static sizes.
// CHECK-LABEL: func @static
//       CHECK:   memref.expand_shape
func.func @static(%a: memref<4x8xf32>) -> memref<2x2x8xf32> {
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 8] : memref<4x8xf32> into memref<2x2x8xf32>
  return %e : memref<2x2x8xf32>
}
