// RUN: fp8-opt --fp8-results-to-destinations --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-results-to-destinations --eliminate-empty-tensors --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --split-input-file %s | FileCheck %s --check-prefix=BUF

// The argument keeps its value: the squares go straight to the destination.
// CHECK-LABEL: func @square
//  CHECK-SAME:   (%{{.*}}: tensor<4xf32> {bufferization.writable = false}, %[[D:.+]]: memref<4xf32> {fp8.result}) {
//       CHECK:   %[[R:.+]] = linalg.mul
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[D]] : (tensor<4xf32>, memref<4xf32>) -> ()
//  CHECK-NEXT:   return{{$}}
//   BUF-LABEL: func @square
//    BUF-SAME:   (%[[X:.+]]: memref<4xf32>{{.*}}, %[[D:.+]]: memref<4xf32> {fp8.result})
//     BUF-NOT:   outs(%[[X]]
//         BUF:   linalg.mul ins(%[[X]], %[[X]] : {{.*}}) outs(%{{.*}} : memref<4xf32>)
//     BUF-NOT:   %[[X]]
//         BUF:   return
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.mul ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Negative: a donated argument may be written.
// CHECK-LABEL: func @donated
//  CHECK-SAME:   tensor<4xf32> {bufferization.writable = true, fp8.donated}
//   BUF-LABEL: func @donated
//    BUF-SAME:   (%[[X:.+]]: memref<4xf32>{{.*}}, %[[D:.+]]: memref<4xf32> {fp8.result})
//    BUF-NEXT:   linalg.mul ins(%[[X]], %[[X]] : {{.*}}) outs(%[[X]] :
//    BUF-NEXT:   memref.copy %[[X]], %[[D]]
func.func @donated(%x: tensor<4xf32> {fp8.donated}) -> tensor<4xf32> {
  %r = linalg.mul ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// An empty tensor becomes the destination: no temporary, no copy.
//   BUF-LABEL: func @in_place
//    BUF-SAME:   (%[[X:.+]]: memref<4xf32>{{.*}}, %[[D:.+]]: memref<4xf32> {fp8.result})
//    BUF-NEXT:   linalg.exp ins(%[[X]] : {{.*}}) outs(%[[D]] :
//    BUF-NEXT:   return
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Destinations come in the order of the results; a result that is an argument is
// copied, and may be given twice.
// CHECK-LABEL: func @several
//  CHECK-SAME:   (%[[X:.+]]: tensor<4xf32> {{{.*}}}, %[[Y:.+]]: tensor<?xbf16> {{{.*}}}, %[[I:.+]]: index, %[[D0:.+]]: memref<?xbf16> {fp8.result}, %[[D1:.+]]: memref<4xf32> {fp8.result}, %[[D2:.+]]: memref<4xf32> {fp8.result})
//       CHECK:   materialize_in_destination %[[Y]] in restrict writable %[[D0]]
//       CHECK:   materialize_in_destination %[[X]] in restrict writable %[[D1]]
//       CHECK:   materialize_in_destination %[[X]] in restrict writable %[[D2]]
func.func @several(%x: tensor<4xf32>, %y: tensor<?xbf16>, %i: index) -> (tensor<?xbf16>, tensor<4xf32>, tensor<4xf32>) {
  return %y, %x, %x : tensor<?xbf16>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Negative: private functions and declarations keep their results.
// CHECK-LABEL: func private @private
//  CHECK-SAME:   (%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func private @private(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
