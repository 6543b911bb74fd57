// RUN: fp8-opt --fp8-derive-backward --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-derive-backward --split-input-file --mlir-print-local-scope %s | FileCheck %s --check-prefix=LOCAL

// Of the output's dialects the input has fp8 only.
// CHECK-LABEL: func @linear
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x32xbf16>, %[[W:.+]]: tensor<16x32xbf16>, %[[DY:.+]]: tensor<64x16xbf16> {fp8.tangent = 0 : i64})
//  CHECK-SAME:   -> (tensor<64x16xbf16>, tensor<64x32xbf16> {fp8.gradient = 0 : i64}, tensor<16x32xbf16> {fp8.gradient = 1 : i64})
//       CHECK:   %[[Y:.+]] = fp8.matmul %[[X]], %[[W]] trans_b name "fc" {fp8.convert = "always"}
//       CHECK:   %[[DX:.+]] = fp8.matmul %[[DY]], %[[W]] role dgrad gradient a name "fc" {fp8.convert = "always"}
//       CHECK:   %[[DW:.+]] = fp8.matmul %[[DY]], %[[X]] trans_a role wgrad gradient a name "fc" {fp8.convert = "always"}
//       CHECK:   return %[[Y]], %[[DX]], %[[DW]]
func.func @linear(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w trans_b name "fc" {fp8.convert = "always"} : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @forms
//  CHECK-SAME:   (%[[A:.+]]: tensor<4x3xf32>, %[[B:.+]]: tensor<4x5xf32>, %[[C:.+]]: tensor<3x4xf32>, %[[D:.+]]: tensor<5x4xf32>, %[[DY:.+]]: tensor<3x5xf32> {fp8.tangent = 0 : i64}, %[[DZ:.+]]: tensor<3x5xf32> {fp8.tangent = 1 : i64}, %[[DU:.+]]: tensor<3x5xf32> {fp8.tangent = 2 : i64})
//       CHECK:   fp8.matmul %[[D]], %[[DU]] trans_a trans_b role dgrad gradient b
//       CHECK:   fp8.matmul %[[DU]], %[[A]] trans_a trans_b role wgrad gradient a
//       CHECK:   fp8.matmul %[[DZ]], %[[B]] trans_b role dgrad gradient a
//       CHECK:   fp8.matmul %[[C]], %[[DZ]] trans_a role wgrad gradient b
//       CHECK:   fp8.matmul %[[B]], %[[DY]] trans_b role dgrad gradient b
//       CHECK:   fp8.matmul %[[A]], %[[DY]] role wgrad gradient b
func.func @forms(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>, %c: tensor<3x4xf32>, %d: tensor<5x4xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %y = fp8.matmul %a, %b trans_a : tensor<4x3xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  %z = fp8.matmul %c, %b : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  %u = fp8.matmul %a, %d trans_a trans_b : tensor<4x3xf32>, tensor<5x4xf32> -> tensor<3x5xf32>
  return %y, %z, %u : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// The bias gradient is a sum in f32 with one rounding; acc gets dY.
// CHECK-LABEL: func @bias_and_acc
//  CHECK-SAME:   %[[DY:[^:]+]]: tensor<2x3x5xbf16> {fp8.tangent = 0 : i64})
//       CHECK:   %[[SUM:.+]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "parallel"]} ins(%[[DY]]
//       CHECK:     arith.extf %{{.+}} : bf16 to f32
//       CHECK:     arith.addf %{{.+}} : f32
//       CHECK:   %[[DBIAS:.+]] = linalg.generic {{.*}} ins(%[[SUM]]
//       CHECK:     arith.truncf %{{.+}} : f32 to bf16
//       CHECK:   return %{{.+}}, %{{.+}}, %{{.+}}, %[[DY]], %[[DBIAS]]
func.func @bias_and_acc(%a: tensor<2x3x4xbf16>, %b: tensor<2x4x5xbf16>, %c: tensor<2x3x5xbf16>, %d: tensor<5xbf16>) -> tensor<2x3x5xbf16> {
  %y = fp8.matmul %a, %b acc %c bias %d : tensor<2x3x4xbf16>, tensor<2x4x5xbf16> acc tensor<2x3x5xbf16> bias tensor<5xbf16> -> tensor<2x3x5xbf16>
  return %y : tensor<2x3x5xbf16>
}

// -----

// A gradient in f32 meets an operand in bf16: the operand is extended.
// CHECK-LABEL: func @wide_result
//  CHECK-SAME:   (%[[X:.+]]: tensor<8x4xbf16>, %[[W:.+]]: tensor<4x2xbf16>, %[[DY:.+]]: tensor<8x2xf32> {fp8.tangent = 0 : i64})
//       CHECK:   %[[W32:.+]] = linalg.generic {{.*}} ins(%[[W]]
//  CHECK-NEXT:   ^
//  CHECK-NEXT:     arith.extf
//       CHECK:   fp8.matmul %[[DY]], %[[W32]] trans_b role dgrad gradient a : tensor<8x2xf32>, tensor<4x2xf32> -> tensor<8x4xbf16>
func.func @wide_result(%x: tensor<8x4xbf16>, %w: tensor<4x2xbf16>) -> tensor<8x2xf32> {
  %y = fp8.matmul %x, %w : tensor<8x4xbf16>, tensor<4x2xbf16> -> tensor<8x2xf32>
  return %y : tensor<8x2xf32>
}

// -----

// A frozen weight has no gradient matmul and no result.
// CHECK-LABEL: func @frozen_weight
//  CHECK-SAME:   -> (tensor<64x16xbf16>, tensor<64x32xbf16> {fp8.gradient = 0 : i64})
//       CHECK:   fp8.matmul
//  CHECK-NEXT:   fp8.matmul {{.*}} role dgrad
//  CHECK-NEXT:   return
func.func @frozen_weight(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16> {fp8.frozen}) -> tensor<64x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// Attributes of arguments and results stay with them.
// CHECK-LABEL: func @frozen_input
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x32xbf16> {fp8.frozen, fp8.name = "x"}, %{{.+}}: tensor<16x32xbf16> {fp8.donated}, %[[DY:.+]]: tensor<64x16xbf16> {fp8.tangent = 0 : i64}) -> (tensor<64x16xbf16> {test.result}, tensor<16x32xbf16> {fp8.gradient = 1 : i64})
//       CHECK:   fp8.matmul
//  CHECK-NEXT:   fp8.matmul %[[DY]], %[[X]] trans_a role wgrad
//  CHECK-NEXT:   return
func.func @frozen_input(%x: tensor<64x32xbf16> {fp8.frozen, fp8.name = "x"}, %w: tensor<16x32xbf16> {fp8.donated}) -> (tensor<64x16xbf16> {test.result}) {
  %y = fp8.matmul %x, %w trans_b : tensor<64x32xbf16>, tensor<16x32xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// scaled_mm is differentiated through its casts, as the matmul would be.
// CHECK-LABEL: func @scaled_mm
//  CHECK-SAME:   (%[[X:.+]]: tensor<64x32xbf16>, %[[W:.+]]: tensor<16x32xbf16>, %[[DY:.+]]: tensor<64x16xbf16> {fp8.tangent = 0 : i64})
//       CHECK:   fp8.scaled_mm
//  CHECK-NEXT:   %[[DX:.+]] = fp8.matmul %[[DY]], %[[W]] role dgrad gradient a name "fc" {fp8.convert = "always"} : tensor<64x16xbf16>, tensor<16x32xbf16> -> tensor<64x32xbf16>
//  CHECK-NEXT:   %[[DW:.+]] = fp8.matmul %[[DY]], %[[X]] trans_a role wgrad gradient a name "fc" {fp8.convert = "always"} : tensor<64x16xbf16>, tensor<64x32xbf16> -> tensor<16x32xbf16>
//  CHECK-NEXT:   return %{{.+}}, %[[DX]], %[[DW]]
func.func @scaled_mm(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x16xbf16> {
  %ax = fp8.amax %x : tensor<64x32xbf16> -> tensor<f32>
  %sx, %dx = fp8.scale %ax for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %qx = fp8.cast %x scale %sx : tensor<64x32xbf16>, tensor<f32> -> tensor<64x32xf8E4M3FN>
  %aw = fp8.amax %w : tensor<16x32xbf16> -> tensor<f32>
  %sw, %dw = fp8.scale %aw for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %qw = fp8.cast %w scale %sw : tensor<16x32xbf16>, tensor<f32> -> tensor<16x32xf8E4M3FN>
  %y = fp8.scaled_mm %qx, %qw descales %dx, %dw trans_b name "fc" {fp8.convert = "always"} : tensor<64x32xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// Scales are constants: what reads them passes nothing on.
// CHECK-LABEL: func @scale_is_constant
//       CHECK:   %[[DX:.+]] = linalg.fill
//       CHECK:   return %{{.+}}, %[[DX]]
func.func @scale_is_constant(%x: tensor<4x4xf32>) -> tensor<f32> {
  %a = fp8.amax %x : tensor<4x4xf32> -> tensor<f32>
  return %a : tensor<f32>
}

// -----

// CHECK-LABEL: func @transpose
//  CHECK-SAME:   %[[DY:[^:]+]]: tensor<5x4xbf16> {fp8.tangent = 0 : i64})
//       CHECK:   %[[DX:.+]] = fp8.transpose %[[DY]]
//       CHECK:   return %{{.+}}, %[[DX]]
func.func @transpose(%x: tensor<4x5xbf16>) -> tensor<5x4xbf16> {
  %y = fp8.transpose %x : tensor<4x5xbf16>
  return %y : tensor<5x4xbf16>
}

// -----

// Two readers: contributions in f32, one sum, one rounding. The body computes
// in f32 without the primal's rounding to bf16 between its ops.
// CHECK-LABEL: func @fan_in
//       CHECK:   linalg.generic
//       CHECK:   linalg.generic
//       CHECK:   %[[FIRST:.+]] = linalg.generic
//       CHECK:     arith.negf %{{.+}} : f32
//  CHECK-NEXT:     linalg.yield %{{.+}} : f32
//       CHECK:   %[[SECOND:.+]] = linalg.generic
//       CHECK:   ^bb0(%{{.+}}: bf16, %[[A:.+]]: bf16, %{{.+}}: f32):
//       CHECK:     %[[X:.+]] = arith.extf %[[A]] : bf16 to f32
//       CHECK:     math.tanh %[[X]] : f32
//   CHECK-NOT:     truncf
//       CHECK:   } -> tensor<4xf32>
//       CHECK:   linalg.generic {{.*}} ins(%[[FIRST]], %[[SECOND]] : tensor<4xf32>, tensor<4xf32>)
//  CHECK-NEXT:   ^
//  CHECK-NEXT:     arith.addf %{{.+}} : f32
//  CHECK-NEXT:     arith.truncf %{{.+}} : f32 to bf16
#id = affine_map<(d0) -> (d0)>
func.func @fan_in(%x: tensor<4xbf16>) -> (tensor<4xbf16>, tensor<4xbf16>) {
  %e = tensor.empty() : tensor<4xbf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xbf16>) outs(%e : tensor<4xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %t = math.tanh %a : bf16
    %u = arith.mulf %t, %t : bf16
    linalg.yield %u : bf16
  } -> tensor<4xbf16>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xbf16>) outs(%e : tensor<4xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %t = arith.negf %a : bf16
    linalg.yield %t : bf16
  } -> tensor<4xbf16>
  return %y, %z : tensor<4xbf16>, tensor<4xbf16>
}

// -----

// Negative: one reader gets no f32 copy; it rounds in its body.
// CHECK-LABEL: func @no_fan_in
//       CHECK:   linalg.generic
//       CHECK:   linalg.generic
//       CHECK:     arith.truncf %{{.+}} : f32 to bf16
//       CHECK:   } -> tensor<4xbf16>
//  CHECK-NEXT:   return
#id = affine_map<(d0) -> (d0)>
func.func @no_fan_in(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %e = tensor.empty() : tensor<4xbf16>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xbf16>) outs(%e : tensor<4xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %t = arith.negf %a : bf16
    linalg.yield %t : bf16
  } -> tensor<4xbf16>
  return %z : tensor<4xbf16>
}

// -----

// One operand read twice through one map is one input.
// CHECK-LABEL: func @square
//  CHECK-SAME:   (%[[X:.+]]: tensor<4xf32>, %[[DY:.+]]: tensor<4xf32> {fp8.tangent = 0 : i64})
//       CHECK:   linalg.generic
//       CHECK:   %[[DX:.+]] = linalg.generic {{.*}} ins(%[[DY]], %[[X]] : tensor<4xf32>, tensor<4xf32>)
//  CHECK-NEXT:   ^bb0(%[[G:.+]]: f32, %[[A:.+]]: f32, %{{.+}}: f32):
//  CHECK-NEXT:     %[[P:.+]] = arith.mulf %[[G]], %[[A]]
//  CHECK-NEXT:     %[[Q:.+]] = arith.mulf %[[G]], %[[A]]
//  CHECK-NEXT:     arith.addf %[[P]], %[[Q]]
//       CHECK:   return %{{.+}}, %[[DX]]
#id = affine_map<(d0) -> (d0)>
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// x² as fpowi: g · (2 · x), exact in f32 but for its own products.
// CHECK-LABEL: func @fpowi_2
//       CHECK:   math.fpowi
//   CHECK-NOT:   math.fpowi
//       CHECK:   arith.constant 2.0
//       CHECK:   %[[TWICE:.+]] = arith.mulf %{{.+}}, %{{.+}} : f32
//       CHECK:   arith.mulf %{{.+}}, %[[TWICE]] : f32
func.func @fpowi_2(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %n = arith.constant dense<2> : tensor<4xi64>
  %y = math.fpowi %x, %n : tensor<4xbf16>, tensor<4xi64>
  return %y : tensor<4xbf16>
}

// -----

// A sum over a bf16 dimension read by broadcasting: f32 until the end, with
// the dimension of size 1 put back.
// LOCAL-LABEL: func @keepdim
//       LOCAL:   linalg.generic
//       LOCAL:   %[[SUM:.+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
//       LOCAL:     arith.addf %{{.+}} : f32
//       LOCAL:   } -> tensor<3xf32>
//       LOCAL:   %[[ROUNDED:.+]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<3xf32>)
//       LOCAL:     arith.truncf
//       LOCAL:   tensor.expand_shape %[[ROUNDED]] {{\[\[}}0, 1]] output_shape [3, 1] : tensor<3xbf16> into tensor<3x1xbf16>
func.func @keepdim(%x: tensor<3x1xbf16>) -> tensor<3x4xbf16> {
  %e = tensor.empty() : tensor<3x4xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x1xbf16>) outs(%e : tensor<3x4xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    linalg.yield %a : bf16
  } -> tensor<3x4xbf16>
  return %y : tensor<3x4xbf16>
}

// -----

// An integer result and the mask it gives have no cotangent; a body in f64
// is differentiated in f64.
// LOCAL-LABEL: func @f64_inside
//       LOCAL:   linalg.generic
//       LOCAL:   linalg.generic
//       LOCAL:     arith.extf %{{.+}} : f32 to f64
//       LOCAL:     math.cos %{{.+}} : f64
//       LOCAL:     arith.truncf %{{.+}} : f64 to f32
func.func @f64_inside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.extf %a : f32 to f64
    %s = math.sin %d : f64
    %t = arith.truncf %s : f64 to f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Ties of a maximum: counted, then each gets its share.
// LOCAL-LABEL: func @reduce_max
//       LOCAL:   %[[Y:.+]] = linalg.reduce
//       LOCAL:   %[[TIES:.+]] = linalg.generic {{.*}} ins(%[[Y]], %{{.+}} : tensor<3xf32>, tensor<3x4xf32>)
//       LOCAL:     arith.cmpf oeq
//       LOCAL:     arith.addf
//       LOCAL:   linalg.generic {{.*}} ins(%{{.+}}, %[[TIES]], %[[Y]], %{{.+}} : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>)
//       LOCAL:     arith.cmpf oeq
//       LOCAL:     arith.divf
//       LOCAL:     arith.select
//       LOCAL:   } -> tensor<3x4xf32>
func.func @reduce_max(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %y = linalg.reduce { arith.maximumf } ins(%x : tensor<3x4xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
  return %y : tensor<3xf32>
}

// -----

// Gradients of arguments that no result depends on; an integer argument and a
// scalar have none.
// CHECK-LABEL: func @unused
//  CHECK-SAME:   (%{{.+}}: tensor<4xf32>, %[[B:.+]]: tensor<?xbf16>, %{{.+}}: tensor<4xi32>, %{{.+}}: f32, %[[DY:.+]]: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}, tensor<?xbf16> {fp8.gradient = 1 : i64})
//       CHECK:   %[[SIZE:.+]] = tensor.dim %[[B]]
//       CHECK:   %[[EMPTY:.+]] = tensor.empty(%[[SIZE]])
//       CHECK:   %[[ZERO:.+]] = linalg.fill ins(%{{.+}} : bf16) outs(%[[EMPTY]]
//       CHECK:   return %{{.+}}, %[[DY]], %[[ZERO]]
func.func @unused(%a: tensor<4xf32>, %b: tensor<?xbf16>, %c: tensor<4xi32>, %s: f32) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// Private callees are inlined, then go; what is not called stays.
// CHECK-NOT:   func.func private @square
//     CHECK:   func.func private @other
// CHECK-NOT:   func.func private @square
// CHECK-LABEL: func @calls
//   CHECK-NOT:   call
//       CHECK:   return {{.*}} : tensor<4xf32>, tensor<4xf32>
func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.mulf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = call @square(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// What is not on a path from a trained argument to a result needs no
// derivative: a loop for its size only, an external call on a frozen one.
// CHECK-LABEL: func @off_the_path
//       CHECK:   return %{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xf32>
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func @off_the_path(%x: tensor<4xf32>, %f: tensor<4xf32> {fp8.frozen}) -> tensor<4xf32> {
  %g = call @external(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %h = call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y = arith.mulf %x, %g : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Nothing is in the slice of an empty operand, nor is there a place for it.
// CHECK-LABEL: func @concat_of_nothing
//       CHECK:   %[[Y:.+]] = tensor.concat
//   CHECK-DAG:   %[[G:.+]] = tensor.extract_slice
//   CHECK-DAG:   %[[E:.+]] = tensor.empty() : tensor<0x3xf32>
//       CHECK:   return %[[Y]], %[[G]], %[[E]]
func.func @concat_of_nothing(%a: tensor<2x3xf32>, %b: tensor<0x3xf32>) -> tensor<2x3xf32> {
  %y = tensor.concat dim(0) %a, %b : (tensor<2x3xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// And of an argument that holds nothing no column has a place.
// CHECK-LABEL: func @column_of_nothing
//       CHECK:   %[[Z:.+]] = linalg.fill {{.*}} -> tensor<0x3xf32>
//   CHECK-NOT:   tensor.insert_slice
//       CHECK:   return %{{.+}}, %[[Z]] :
#column = affine_map<(i) -> (i, 1)>
#same = affine_map<(i) -> (i)>
func.func @column_of_nothing(%a: tensor<0x3xf32>) -> tensor<0xf32> {
  %e = tensor.empty() : tensor<0xf32>
  %y = linalg.generic {indexing_maps = [#column, #same], iterator_types = ["parallel"]} ins(%a : tensor<0x3xf32>) outs(%e : tensor<0xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<0xf32>
  return %y : tensor<0xf32>
}
