// RUN: fp8-opt --fp8-add-size-functions --split-input-file --verify-diagnostics %s | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
// Only arithmetic on sizes is left of the function.
// CHECK-LABEL: func.func @dynamic(
// CHECK-LABEL: func.func @dynamic_sizes(
//  CHECK-SAME:   %[[X:.+]]: tensor<?x8xf32>, %[[N:.+]]: tensor<4xf32>) -> (index, index) attributes {fp8.companion}
//   CHECK-DAG:   %[[C8:.+]] = arith.constant 8 : index
//   CHECK-DAG:   %[[M:.+]] = tensor.dim %[[X]]
//   CHECK-NOT:   linalg
//       CHECK:   return %[[M]], %[[C8]] : index, index
func.func @dynamic(%x: tensor<?x8xf32>, %n: tensor<4xf32>) -> tensor<?x8xf32> {
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %s = arith.mulf %o, %o : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Static results need no look at the body; a scalar has no size.
// CHECK-LABEL: func.func @static_sizes(%{{.+}}: tensor<4x8xf32>) -> (index, index)
//   CHECK-DAG:   %[[C4:.+]] = arith.constant 4 : index
//   CHECK-DAG:   %[[C8:.+]] = arith.constant 8 : index
//       CHECK:   return %[[C4]], %[[C8]]
func.func @static(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<f32>) {
  %a = fp8.amax %x : tensor<4x8xf32> -> tensor<f32>
  return %x, %a : tensor<4x8xf32>, tensor<f32>
}

// -----

// Negative: a size that is read from a tensor.
func.func @value(%x: tensor<1xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tensor.extract' op expects result sizes that follow from the sizes of the arguments, but one depends on this op}}
  %n = tensor.extract %x[%c0] : tensor<1xindex>
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
