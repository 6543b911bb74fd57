// RUN: fp8-opt --fp8-partition --split-input-file %s | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>

// The arguments are alive, and so nothing is saved.
//     CHECK-LABEL: func @wide_linear_forward
//      CHECK-SAME:   (%[[X:.+]]: tensor<8x4xf32> {fp8.name = "x"}, %[[W:.+]]: tensor<2x4xf32>) -> tensor<8x2xf32>
//           CHECK:   %[[Y:.+]] = fp8.matmul %[[X]], %[[W]] trans_b
//       CHECK-NOT:   fp8.matmul
//       CHECK-NOT:   fp8.backward
//           CHECK:   return %[[Y]] :
//     CHECK-LABEL: func @wide_linear_backward
//      CHECK-SAME:   (%[[X:.+]]: tensor<8x4xf32> {fp8.argument = 0 : i64, fp8.name = "x"}, %[[W:.+]]: tensor<2x4xf32> {fp8.argument = 1 : i64}, %[[DY:.+]]: tensor<8x2xf32> {fp8.tangent = 0 : i64})
//      CHECK-SAME:   -> (tensor<8x4xf32> {fp8.gradient = 0 : i64}, tensor<2x4xf32> {fp8.gradient = 1 : i64}) attributes {fp8.backward}
//           CHECK:   %[[DW:.+]] = fp8.matmul %[[DY]], %[[X]]
//           CHECK:   %[[DX:.+]] = fp8.matmul %[[DY]], %[[W]]
//           CHECK:   return %[[DX]], %[[DW]] :
//       CHECK-NOT: func @wide_linear
func.func @wide_linear(%x: tensor<8x4xf32> {fp8.name = "x"}, %w: tensor<2x4xf32>, %dy: tensor<8x2xf32> {fp8.tangent = 0 : i64}) -> (tensor<8x2xf32>, tensor<8x4xf32> {fp8.gradient = 0 : i64}, tensor<2x4xf32> {fp8.gradient = 1 : i64}) {
  %y = fp8.matmul %x, %w trans_b : tensor<8x4xf32>, tensor<2x4xf32> -> tensor<8x2xf32>
  %dw = fp8.matmul %dy, %x trans_a role wgrad gradient a : tensor<8x2xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  %dx = fp8.matmul %dy, %w role dgrad gradient a : tensor<8x2xf32>, tensor<2x4xf32> -> tensor<8x4xf32>
  return %y, %dx, %dw : tensor<8x2xf32>, tensor<8x4xf32>, tensor<2x4xf32>
}

// -----

// Negative: a frozen weight and no gradient of x, so that x is not kept.
// CHECK-LABEL: func @frozen_backward
//  CHECK-SAME:   (%{{.+}}: tensor<2x4xf32> {fp8.argument = 1 : i64, fp8.frozen}, %{{.+}}: tensor<8x2xf32> {fp8.tangent = 0 : i64})
func.func @frozen(%x: tensor<8x4xf32>, %w: tensor<2x4xf32> {fp8.frozen}, %dy: tensor<8x2xf32> {fp8.tangent = 0 : i64}) -> (tensor<8x2xf32>, tensor<8x4xf32> {fp8.gradient = 0 : i64}) {
  %y = fp8.matmul %x, %w trans_b : tensor<8x4xf32>, tensor<2x4xf32> -> tensor<8x2xf32>
  %dx = fp8.matmul %dy, %w role dgrad gradient a : tensor<8x2xf32>, tensor<2x4xf32> -> tensor<8x4xf32>
  return %y, %dx : tensor<8x2xf32>, tensor<8x4xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>

// The forward function may write a donated argument: a copy is saved.
// CHECK-LABEL: func @donated_forward
//  CHECK-SAME:   (%[[X:.+]]: tensor<4xf32> {fp8.donated}) -> (tensor<4xf32>, tensor<4xf32> {fp8.saved = "arg0"})
//       CHECK:   return %{{.+}}, %[[X]] :
// CHECK-LABEL: func @donated_backward
//  CHECK-SAME:   (%{{.+}}: tensor<4xf32> {fp8.residual = 1 : i64}, %{{.+}}: tensor<4xf32> {fp8.tangent = 0 : i64})
func.func @donated(%x: tensor<4xf32> {fp8.donated}, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  %y = arith.mulf %x, %x : tensor<4xf32>
  %dx = arith.mulf %x, %dy : tensor<4xf32>
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}

// -----

// The result is the caller's, too: it is passed on and not saved again.
// CHECK-LABEL: func @result_forward
//  CHECK-SAME:   -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-LABEL: func @result_backward
//  CHECK-SAME:   (%[[Y:.+]]: tensor<4xf32> {fp8.residual = 1 : i64}, %[[DY:.+]]: tensor<4xf32> {fp8.tangent = 1 : i64})
//   CHECK-NOT:   math.exp
//       CHECK:   arith.mulf %[[Y]], %[[DY]]
func.func @result(%x: tensor<4xf32> {fp8.donated}, %dy: tensor<4xf32> {fp8.tangent = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  %z = arith.negf %x : tensor<4xf32>
  %y = math.exp %x : tensor<4xf32>
  %dx = arith.mulf %y, %dy : tensor<4xf32>
  return %z, %y, %dx : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Both h and r = relu(h) are read; r is computed again.
// CHECK-LABEL: func @elementwise_forward
//  CHECK-SAME:   -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.saved = "result of h"})
// CHECK-LABEL: func @elementwise_backward
//  CHECK-SAME:   (%[[H:.+]]: tensor<4x4xf32> {fp8.residual = 1 : i64}, %[[DY:.+]]: tensor<4x4xf32> {{.*}})
//       CHECK:   %[[R:.+]] = math.absf %[[H]]
//       CHECK:   %[[D:.+]] = arith.mulf %[[DY]], %[[R]]
//       CHECK:   arith.mulf %[[D]], %[[H]]
func.func @elementwise(%x: tensor<4x4xf32>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.gradient = 0 : i64}) {
  %h = fp8.matmul %x, %x name "h" : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %r = math.absf %h : tensor<4x4xf32>
  %y = arith.mulf %r, %r : tensor<4x4xf32>
  %d = arith.mulf %dy, %r : tensor<4x4xf32>
  %dx = arith.mulf %d, %h : tensor<4x4xf32>
  return %y, %dx : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Negative: a matmul reads r from memory, which would take a kernel of its own.
// CHECK-LABEL: func @read_by_matmul_forward
//  CHECK-SAME:   -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.saved = "f(result of h)"})
// CHECK-LABEL: func @read_by_matmul_backward
//   CHECK-NOT:   math.absf
//       CHECK:   return
func.func @read_by_matmul(%x: tensor<4x4xf32>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.gradient = 0 : i64}) {
  %h = fp8.matmul %x, %x name "h" : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %r = math.absf %h : tensor<4x4xf32>
  %y = arith.mulf %r, %r : tensor<4x4xf32>
  %dx = fp8.matmul %dy, %r : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %y, %dx : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The same through a view: r is saved, although h has half the bytes.
// CHECK-LABEL: func @view_read_by_matmul_forward
//  CHECK-SAME:   -> (tensor<16xf32>, tensor<4x4xf32> {fp8.saved = "f(result of h)"})
func.func @view_read_by_matmul(%x: tensor<4x4xbf16>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<16xf32>, tensor<4x4xf32> {fp8.gradient = 0 : i64}) {
  %h = fp8.matmul %x, %x name "h" : tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<4x4xbf16>
  %c = tensor.collapse_shape %h [[0, 1]] : tensor<4x4xbf16> into tensor<16xbf16>
  %r = arith.extf %c : tensor<16xbf16> to tensor<16xf32>
  %y = arith.mulf %r, %r : tensor<16xf32>
  %e = tensor.expand_shape %r [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  %dx = fp8.matmul %dy, %e : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %y, %dx : tensor<16xf32>, tensor<4x4xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Negative: a sum of products reads r on its way, and so h is saved.
// CHECK-LABEL: func @read_by_sum_forward
//  CHECK-SAME:   -> (tensor<4x4xf32>, tensor<4x4xbf16> {fp8.saved = "result of h"})
func.func @read_by_sum(%x: tensor<4x4xbf16>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4x4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  %h = fp8.matmul %x, %x name "h" : tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<4x4xbf16>
  %r = arith.extf %h : tensor<4x4xbf16> to tensor<4x4xf32>
  %y = arith.mulf %r, %r : tensor<4x4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %dw = linalg.generic {indexing_maps = [#map, #map, #column], iterator_types = ["reduction", "parallel"]} ins(%r, %dy : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %y, %dw : tensor<4x4xf32>, tensor<4xf32>
}

// -----

// A gradient on no tangent is computed where it is written.
// CHECK-LABEL: func @gradient_on_no_tangent_forward
//  CHECK-SAME:   -> (tensor<4x4xf32>, tensor<4x4xbf16> {fp8.saved = "result of h"})
// CHECK-LABEL: func @gradient_on_no_tangent_backward
//       CHECK:   arith.extf
func.func @gradient_on_no_tangent(%x: tensor<4x4xbf16>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.gradient = 0 : i64}) {
  %h = fp8.matmul %x, %x name "h" : tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<4x4xbf16>
  %r = arith.extf %h : tensor<4x4xbf16> to tensor<4x4xf32>
  %y = arith.mulf %r, %r : tensor<4x4xf32>
  return %y, %r : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Two tensors cut this: what is chosen along the first path has to be undone.
// CHECK-LABEL: func @crossed_forward
//  CHECK-SAME:   -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.saved = "f(result of a)"}, tensor<4x4xf32> {fp8.saved = "f(result of b)"}, tensor<4x4xf32> {fp8.saved = "f(result of b)"}, tensor<4x4xf32> {fp8.saved = "f(result of a)"})
func.func @crossed(%x: tensor<4x4xf32>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.gradient = 0 : i64}) {
  %a = fp8.matmul %x, %x name "a" : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %b = fp8.matmul %x, %x trans_b name "b" : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %d = math.absf %a : tensor<4x4xf32>
  %c = arith.mulf %b, %a : tensor<4x4xf32>
  %e = fp8.matmul %x, %x trans_a name "a" : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %f = fp8.matmul %x, %x trans_a trans_b name "b" : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %g = math.absf %f : tensor<4x4xf32>
  %h = arith.mulf %e, %f : tensor<4x4xf32>
  %y = arith.addf %d, %g : tensor<4x4xf32>
  %0 = arith.mulf %dy, %c : tensor<4x4xf32>
  %1 = arith.mulf %0, %d : tensor<4x4xf32>
  %2 = arith.mulf %1, %g : tensor<4x4xf32>
  %3 = arith.mulf %2, %h : tensor<4x4xf32>
  return %y, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

#row = affine_map<(d0, d1) -> (d0, 0)>
#map = affine_map<(d0, d1) -> (d0, d1)>

// A norm saves its statistic, which is a reduction, and no tensor of x's size.
// CHECK-LABEL: func @norm_forward
//  CHECK-SAME:   -> (tensor<8x64xf32>, tensor<8x1xf32> {fp8.saved = "f(arg0)"})
// CHECK-LABEL: func @norm_backward
//  CHECK-SAME:   (%{{.+}}: tensor<8x1xf32> {fp8.residual = 1 : i64}, %{{.+}}: tensor<8x64xf32> {fp8.argument = 0 : i64}, %{{.+}}: tensor<8x64xf32> {fp8.tangent = 0 : i64})
func.func @norm(%x: tensor<8x64xf32>, %dy: tensor<8x64xf32> {fp8.tangent = 0 : i64}) -> (tensor<8x64xf32>, tensor<8x64xf32> {fp8.gradient = 0 : i64}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %e1 = tensor.empty() : tensor<8x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x1xf32>) -> tensor<8x1xf32>
  %s = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%f : tensor<8x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8x1xf32>
  %r = math.rsqrt %s : tensor<8x1xf32>
  %y = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x64xf32>, tensor<8x1xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %t = linalg.generic {indexing_maps = [#map, #map, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %dy : tensor<8x64xf32>, tensor<8x64xf32>) outs(%f : tensor<8x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8x1xf32>
  %dx = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]} ins(%y, %t : tensor<8x64xf32>, tensor<8x1xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  return %y, %dx : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// Of tensors of the same size the one nearest to the backward pass is saved.
// CHECK-LABEL: func @nearest_backward
//  CHECK-SAME:   (%[[S:.+]]: tensor<4x4xf32> {fp8.residual = 1 : i64}, %{{.+}}: tensor<4x4xf32> {fp8.tangent
//   CHECK-NOT:   math
//       CHECK:   arith.mulf %{{.+}}, %[[S]]
func.func @nearest(%x: tensor<4x4xf32>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.gradient = 0 : i64}) {
  %h = fp8.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %a = math.absf %h : tensor<4x4xf32>
  %b = math.sqrt %a : tensor<4x4xf32>
  %dx = arith.mulf %dy, %b : tensor<4x4xf32>
  %y = math.exp %b : tensor<4x4xf32>
  return %y, %dx : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What depends on no argument is computed on both sides, whatever reads it.
// CHECK-LABEL: func @constants_backward
//  CHECK-SAME:   (%[[DY:.+]]: tensor<4x4xf32> {fp8.tangent = 0 : i64})
//       CHECK:   %[[FILL:.+]] = linalg.fill
//       CHECK:   fp8.matmul %[[DY]], %[[FILL]]
func.func @constants(%x: tensor<4x4xf32>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.gradient = 0 : i64}) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = arith.addf %x, %f : tensor<4x4xf32>
  %dx = fp8.matmul %dy, %f : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %y, %dx : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A size is read of the argument, and no matmul is kept for it.
// CHECK-LABEL: func @size_forward
//  CHECK-SAME:   -> tensor<?x2xf32> {
// CHECK-LABEL: func @size_backward
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x?xf32> {fp8.argument = 0 : i64},
//       CHECK:   tensor.dim %[[X]], %c1
func.func @size(%x: tensor<4x?xf32>, %w: tensor<4x2xf32>, %dy: tensor<f32> {fp8.tangent = 0 : i64}) -> (tensor<?x2xf32>, tensor<?xf32> {fp8.gradient = 0 : i64}) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0 : index
  %s = tensor.splat %one : tensor<f32>
  %qx = fp8.cast %x scale %s : tensor<4x?xf32>, tensor<f32> -> tensor<4x?xf8E4M3FN>
  %t = fp8.transpose %qx : tensor<4x?xf8E4M3FN>
  %qw = fp8.cast %w scale %s : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf8E4M3FN>
  %h = fp8.scaled_mm %t, %qw descales %s, %s : tensor<?x4xf8E4M3FN>, tensor<4x2xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<?x2xf32>
  %y = arith.mulf %h, %h : tensor<?x2xf32>
  %n = tensor.dim %h, %zero : tensor<?x2xf32>
  %v = tensor.extract %dy[] : tensor<f32>
  %dx = tensor.splat %v[%n] : tensor<?xf32>
  return %y, %dx : tensor<?x2xf32>, tensor<?xf32>
}

// -----

// Side effects stay with what they look at.
// CHECK-LABEL: func @effects_forward
//       CHECK:   cf.assert %{{.+}}, "forward"
//   CHECK-NOT:   cf.assert
// CHECK-LABEL: func @effects_backward
//   CHECK-NOT:   "forward"
//       CHECK:   cf.assert %{{.+}}, "backward"
func.func @effects(%x: tensor<4xf32>, %ok: tensor<i1>, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  %i = arith.constant 0 : index
  %a = tensor.extract %ok[] : tensor<i1>
  cf.assert %a, "forward"
  %b = tensor.extract %dy[%i] : tensor<4xf32>
  %c = arith.cmpf ord, %b, %b : f32
  cf.assert %c, "backward"
  return %x, %dy : tensor<4xf32>, tensor<4xf32>
}

// -----

// An op of which one result is saved, and another one computed again.
// CHECK-LABEL: func @two_results_backward
//  CHECK-SAME:   (%[[Q:.+]]: tensor<4x4xf32> {fp8.residual = 1 : i64}, %{{.+}}: tensor<4x4xf32> {fp8.argument = 0 : i64}
//       CHECK:   %[[PQ:.+]]:2 = linalg.generic
//       CHECK:   fp8.matmul %{{.+}}, %[[Q]]
//       CHECK:   arith.addf %{{.+}}, %[[PQ]]#0
func.func @two_results(%x: tensor<4x4xf32>, %dy: tensor<4x4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4x4xf32>, tensor<4x4xf32> {fp8.gradient = 0 : i64}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %pq:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e, %e : tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %0 = math.exp %a : f32
    linalg.yield %0, %0 : f32, f32
  } -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %y = arith.mulf %pq#0, %pq#1 : tensor<4x4xf32>
  %d = fp8.matmul %dy, %pq#1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %dx = arith.addf %d, %pq#0 : tensor<4x4xf32>
  return %y, %dx : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Negative: what no gradient depends on is not kept, whatever it reads.
// CHECK-LABEL: func @dead_forward
//  CHECK-SAME:   -> tensor<4xf32> {
func.func @dead(%x: tensor<4x4xf32>, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  %i = arith.constant 0 : index
  %h = fp8.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %r = tensor.extract_slice %h[0, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
  %y = math.absf %r : tensor<4xf32>
  %dead = arith.mulf %dy, %r : tensor<4xf32>
  return %y, %dy : tensor<4xf32>, tensor<4xf32>
}
