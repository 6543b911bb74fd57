// RUN: fp8-opt --fp8-raise-matmuls --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @plain
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xbf16>, %[[B:.+]]: tensor<32x16xbf16>)
//  CHECK-NEXT:   %[[Y:.+]] = fp8.matmul %[[A]], %[[B]] name "arg1" : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
//  CHECK-NEXT:   return %[[Y]]
func.func @plain(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%z : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func @transposed_weight
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xbf16>, %[[W:.+]]: tensor<16x32xbf16>
//  CHECK-NEXT:   fp8.matmul %[[A]], %[[W]] trans_b name "c_fc"
//   CHECK-NOT:   linalg
func.func @transposed_weight(%a: tensor<64x32xbf16>, %w: tensor<16x32xbf16> {fp8.name = "c_fc"}) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %e = tensor.empty() : tensor<32x16xbf16>
  %t = linalg.transpose ins(%w : tensor<16x32xbf16>) outs(%e : tensor<32x16xbf16>) permutation = [1, 0]
  %y = linalg.matmul ins(%a, %t : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func @transposed_by_generic
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xbf16>, %[[W:.+]]: tensor<16x32xbf16>
//       CHECK:   fp8.matmul %[[A]], %[[W]] trans_b
//   CHECK-NOT:   linalg
func.func @transposed_by_generic(%a: tensor<64x32xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %e = tensor.empty() : tensor<32x16xbf16>
  %t = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<16x32xbf16>) outs(%e : tensor<32x16xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<32x16xbf16>
  %y = linalg.matmul ins(%a, %t : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// A matmul that reads its operands transposed, in named form.
// CHECK-LABEL: func @transposed_by_maps
//  CHECK-SAME:   (%[[A:.+]]: tensor<32x64xbf16>, %[[W:.+]]: tensor<16x32xbf16>
//  CHECK-NEXT:   fp8.matmul %[[A]], %[[W]] trans_a trans_b
func.func @transposed_by_maps(%a: tensor<32x64xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %w : tensor<32x64xbf16>, tensor<16x32xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// A generic, whose body multiplies in the other order and widens.
// CHECK-LABEL: func @generic
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xbf16>, %[[W:.+]]: tensor<16x32xbf16>
//  CHECK-NEXT:   fp8.matmul %[[A]], %[[W]] trans_b
//   CHECK-NOT:   linalg
func.func @generic(%a: tensor<64x32xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<64x32xbf16>, tensor<16x32xbf16>) outs(%cst : tensor<64x16xf32>) {
  ^bb0(%i: bf16, %j: bf16, %out: f32):
    %x = arith.extf %i : bf16 to f32
    %y = arith.extf %j : bf16 to f32
    %m = arith.mulf %y, %x : f32
    %s = arith.addf %m, %out : f32
    linalg.yield %s : f32
  } -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @widened_operands
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xbf16>, %[[B:.+]]: tensor<32x16xbf16>
//  CHECK-NEXT:   fp8.matmul %[[A]], %[[B]] name "arg1" : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xf32>
func.func @widened_operands(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %e0 = tensor.empty() : tensor<64x32xf32>
  %fa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x32xbf16>) outs(%e0 : tensor<64x32xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<64x32xf32>
  %e1 = tensor.empty() : tensor<32x16xf32>
  %fb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<32x16xbf16>) outs(%e1 : tensor<32x16xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<32x16xf32>
  %y = linalg.matmul ins(%fa, %fb : tensor<64x32xf32>, tensor<32x16xf32>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// Negative: only one operand is widened, so both stay f32.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @one_widened_operand
//  CHECK-SAME:   %[[B:[^:]+]]: tensor<32x16xf32>)
//       CHECK:   %[[A:.+]] = linalg.generic
//       CHECK:   fp8.matmul %[[A]], %[[B]] name "arg1" : tensor<64x32xf32>, tensor<32x16xf32>
func.func @one_widened_operand(%a: tensor<64x32xbf16>, %b: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %e0 = tensor.empty() : tensor<64x32xf32>
  %fa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x32xbf16>) outs(%e0 : tensor<64x32xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<64x32xf32>
  %y = linalg.matmul ins(%fa, %b : tensor<64x32xf32>, tensor<32x16xf32>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// Negative: fp8.matmul takes wide operands; what comes from fp8 stays widened.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @widened_from_fp8
//       CHECK:   %[[A:.+]] = linalg.generic
//       CHECK:   fp8.matmul %[[A]], %[[A]] trans_b : tensor<64x32xf32>, tensor<64x32xf32>
func.func @widened_from_fp8(%a: tensor<64x32xf8E4M3FN>) -> tensor<64x64xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x64xf32>
  %e0 = tensor.empty() : tensor<64x32xf32>
  %fa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x32xf8E4M3FN>) outs(%e0 : tensor<64x32xf32>) {
  ^bb0(%in: f8E4M3FN, %out: f32):
    %0 = arith.extf %in : f8E4M3FN to f32
    linalg.yield %0 : f32
  } -> tensor<64x32xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%fa, %fa : tensor<64x32xf32>, tensor<64x32xf32>) outs(%cst : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// The sum is kept in f32 and rounded once.
// CHECK-LABEL: func @bf16_accumulator
//  CHECK-NEXT:   fp8.matmul {{.*}} : tensor<64x32xbf16>, tensor<32x16xbf16> -> tensor<64x16xbf16>
func.func @bf16_accumulator(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<64x16xbf16> {
  %cst = arith.constant dense<0.0> : tensor<64x16xbf16>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xbf16>) -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @accumulator
//  CHECK-SAME:   %[[C:[^:]+]]: tensor<64x16xf32>)
//  CHECK-NEXT:   fp8.matmul %{{.+}}, %{{.+}} acc %[[C]] name "arg1" : tensor<64x32xbf16>, tensor<32x16xbf16> acc tensor<64x16xf32> -> tensor<64x16xf32>
func.func @accumulator(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// Negative: ones are no zeros.
// CHECK-LABEL: func @filled_with_ones
//       CHECK:   %[[C:.+]] = linalg.fill
//       CHECK:   fp8.matmul {{.*}} acc %[[C]]
func.func @filled_with_ones(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<64x16xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64x16xf32>
  %c = linalg.fill ins(%one : f32) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// What is broadcast along the columns into `outs` is a bias.
// CHECK-LABEL: func @bias_as_init
//  CHECK-SAME:   %[[BIAS:[^:]+]]: tensor<16xf32>)
//  CHECK-NEXT:   fp8.matmul %{{.+}}, %{{.+}} bias %[[BIAS]] name
//   CHECK-NOT:   linalg
func.func @bias_as_init(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>, %bias: tensor<16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %c = linalg.broadcast ins(%bias : tensor<16xf32>) outs(%e : tensor<64x16xf32>) dimensions = [0]
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// Negative: one value a row is no bias along the columns.
// CHECK-LABEL: func @rows_as_init
//       CHECK:   %[[C:.+]] = linalg.broadcast
//       CHECK:   fp8.matmul {{.*}} acc %[[C]]
func.func @rows_as_init(%a: tensor<16x32xbf16>, %b: tensor<32x16xbf16>, %bias: tensor<16xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %c = linalg.broadcast ins(%bias : tensor<16xf32>) outs(%e : tensor<16x16xf32>) dimensions = [1]
  %y = linalg.matmul ins(%a, %b : tensor<16x32xbf16>, tensor<32x16xbf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @bias_before_rounding
//  CHECK-SAME:   %[[BIAS:[^:]+]]: tensor<16xf32>)
//  CHECK-NEXT:   fp8.matmul %{{.+}}, %{{.+}} bias %[[BIAS]] {{.*}} bias tensor<16xf32> -> tensor<64x16xbf16>
//  CHECK-NEXT:   return
func.func @bias_before_rounding(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>, %bias: tensor<16xf32>) -> tensor<64x16xbf16> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  %e = tensor.empty() : tensor<64x16xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<64x16xf32>, tensor<16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<64x16xf32>
  %e1 = tensor.empty() : tensor<64x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<64x16xf32>) outs(%e1 : tensor<64x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<64x16xbf16>
  return %r : tensor<64x16xbf16>
}

// -----

// The rounding before the bias is dropped.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @bias_after_rounding
//  CHECK-SAME:   %[[BIAS:[^:]+]]: tensor<16xbf16>)
//  CHECK-NEXT:   fp8.matmul %{{.+}}, %{{.+}} bias %[[BIAS]] {{.*}} bias tensor<16xbf16> -> tensor<64x16xbf16>
//  CHECK-NEXT:   return
func.func @bias_after_rounding(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>, %bias: tensor<16xbf16>) -> tensor<64x16xbf16> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  %e = tensor.empty() : tensor<64x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<64x16xf32>) outs(%e : tensor<64x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<64x16xbf16>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%bias, %r : tensor<16xbf16>, tensor<64x16xbf16>) outs(%e : tensor<64x16xbf16>) {
  ^bb0(%i: bf16, %j: bf16, %out: bf16):
    %0 = arith.addf %i, %j : bf16
    linalg.yield %0 : bf16
  } -> tensor<64x16xbf16>
  return %s : tensor<64x16xbf16>
}

// -----

// Negative: the sum without the bias has a reader of its own.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @two_readers
//       CHECK:   %[[Y:.+]] = fp8.matmul {{.*}} -> tensor<64x16xf32>
//   CHECK-NOT:   bias
//       CHECK:   %[[S:.+]] = linalg.generic
//       CHECK:   return %[[Y]], %[[S]]
func.func @two_readers(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>, %bias: tensor<16xf32>) -> (tensor<64x16xf32>, tensor<64x16xf32>) {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  %e = tensor.empty() : tensor<64x16xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<64x16xf32>, tensor<16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<64x16xf32>
  return %y, %s : tensor<64x16xf32>, tensor<64x16xf32>
}

// -----

// Negative: a vector along the rows is added afterwards.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @bias_along_rows
//       CHECK:   %[[Y:.+]] = fp8.matmul
//   CHECK-NOT:   bias
//       CHECK:   linalg.generic {{.*}} ins(%[[Y]]
func.func @bias_along_rows(%a: tensor<16x32xbf16>, %b: tensor<32x16xbf16>, %bias: tensor<16xf32>) -> tensor<16x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<16x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<16x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<16x16xf32>, tensor<16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}

// -----

// Negative: the model's own rounding to fp8 is not the matmul's.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @rounded_to_fp8
//       CHECK:   fp8.matmul {{.*}} -> tensor<64x16xf32>
//       CHECK:   arith.truncf %{{.*}} : f32 to f8E4M3FN
func.func @rounded_to_fp8(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<64x16xf8E4M3FN> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  %e = tensor.empty() : tensor<64x16xf8E4M3FN>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<64x16xf32>) outs(%e : tensor<64x16xf8E4M3FN>) {
  ^bb0(%in: f32, %out: f8E4M3FN):
    %0 = arith.truncf %in : f32 to f8E4M3FN
    linalg.yield %0 : f8E4M3FN
  } -> tensor<64x16xf8E4M3FN>
  return %r : tensor<64x16xf8E4M3FN>
}

// -----

// The first operand is the one whose dimension comes first in the result.
// CHECK-LABEL: func @weight_on_the_left
//  CHECK-SAME:   (%[[W:.+]]: tensor<16x32xbf16>, %[[X:.+]]: tensor<64x32xbf16>)
//  CHECK-NEXT:   fp8.matmul %[[X]], %[[W]] trans_b name "arg0" : {{.*}} -> tensor<64x16xf32>
func.func @weight_on_the_left(%w: tensor<16x32xbf16>, %x: tensor<64x32xbf16>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<16x32xbf16>, tensor<64x32xbf16>) outs(%cst : tensor<64x16xf32>) {
  ^bb0(%i: bf16, %j: bf16, %out: f32):
    %m = arith.mulf %i, %j : bf16
    %f = arith.extf %m : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// Kept and contracted dimensions are collapsed where they are stored together.
// CHECK-LABEL: func @several_dimensions
//  CHECK-SAME:   (%[[A:.+]]: tensor<2x4x3x5xbf16>, %[[B:.+]]: tensor<3x5x7xbf16>
//       CHECK:   %[[CA:.+]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2, 3]] : tensor<2x4x3x5xbf16> into tensor<8x15xbf16>
//       CHECK:   %[[CB:.+]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2]] : tensor<3x5x7xbf16> into tensor<15x7xbf16>
//       CHECK:   %[[Y:.+]] = fp8.matmul %[[CA]], %[[CB]] {{.*}} -> tensor<8x7xf32>
//       CHECK:   tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2]] output_shape [2, 4, 7]
//   CHECK-NOT:   linalg.transpose
func.func @several_dimensions(%a: tensor<2x4x3x5xbf16>, %b: tensor<3x5x7xbf16>) -> tensor<2x4x7xf32> {
  %cst = arith.constant dense<0.0> : tensor<2x4x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(p, q, n, k, l) -> (p, q, k, l)>, affine_map<(p, q, n, k, l) -> (k, l, n)>, affine_map<(p, q, n, k, l) -> (p, q, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<2x4x3x5xbf16>, tensor<3x5x7xbf16>) outs(%cst : tensor<2x4x7xf32>) {
  ^bb0(%i: bf16, %j: bf16, %out: f32):
    %m = arith.mulf %i, %j : bf16
    %f = arith.extf %m : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<2x4x7xf32>
  return %y : tensor<2x4x7xf32>
}

// -----

// Negative: dimensions that are not stored together cost a copy.
// CHECK-LABEL: func @scattered_dimensions
//       CHECK:   %[[T:.+]] = linalg.transpose ins(%{{.*}} : tensor<3x7x5xbf16>) {{.*}} permutation = [0, 2, 1]
//       CHECK:   tensor.collapse_shape %[[T]]
//       CHECK:   fp8.matmul
func.func @scattered_dimensions(%a: tensor<8x3x5xbf16>, %b: tensor<3x7x5xbf16>) -> tensor<8x7xf32> {
  %cst = arith.constant dense<0.0> : tensor<8x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n, l)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x3x5xbf16>, tensor<3x7x5xbf16>) outs(%cst : tensor<8x7xf32>) {
  ^bb0(%i: bf16, %j: bf16, %out: f32):
    %m = arith.mulf %i, %j : bf16
    %f = arith.extf %m : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<8x7xf32>
  return %y : tensor<8x7xf32>
}

// -----

// A result that is stored the other way round is transposed at the end.
// CHECK-LABEL: func @interleaved_result
//       CHECK:   %[[Y:.+]] = fp8.matmul {{.*}} -> tensor<8x7xf32>
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[Y]] {{.*}} output_shape [2, 4, 7]
//       CHECK:   linalg.transpose ins(%[[E]] : tensor<2x4x7xf32>) outs(%{{.*}} : tensor<2x7x4xf32>) permutation = [0, 2, 1]
func.func @interleaved_result(%a: tensor<2x4x3xbf16>, %b: tensor<3x7xbf16>) -> tensor<2x7x4xf32> {
  %cst = arith.constant dense<0.0> : tensor<2x7x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(p, n, q, k) -> (p, q, k)>, affine_map<(p, n, q, k) -> (k, n)>, affine_map<(p, n, q, k) -> (p, n, q)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x4x3xbf16>, tensor<3x7xbf16>) outs(%cst : tensor<2x7x4xf32>) {
  ^bb0(%i: bf16, %j: bf16, %out: f32):
    %m = arith.mulf %i, %j : bf16
    %f = arith.extf %m : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  } -> tensor<2x7x4xf32>
  return %y : tensor<2x7x4xf32>
}

// -----

// A weight that is broadcast over the batch is one matrix: the batch joins the
// rows.
// CHECK-LABEL: func @broadcast_weight
//  CHECK-SAME:   (%[[X:.+]]: tensor<2x4x32xbf16>, %[[W:.+]]: tensor<32x16xbf16>)
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
//       CHECK:   %[[Y:.+]] = fp8.matmul %[[C]], %[[W]] name "arg1" : tensor<8x32xbf16>, tensor<32x16xbf16>
//       CHECK:   tensor.expand_shape %[[Y]] {{.*}} output_shape [2, 4, 16]
//   CHECK-NOT:   linalg.broadcast
func.func @broadcast_weight(%x: tensor<2x4x32xbf16>, %w: tensor<32x16xbf16>) -> tensor<2x4x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<2x4x16xf32>
  %e = tensor.empty() : tensor<2x32x16xbf16>
  %b = linalg.broadcast ins(%w : tensor<32x16xbf16>) outs(%e : tensor<2x32x16xbf16>) dimensions = [0]
  %y = linalg.batch_matmul ins(%x, %b : tensor<2x4x32xbf16>, tensor<2x32x16xbf16>) outs(%cst : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// Negative: a weight of every batch stays a batch matmul.
// CHECK-LABEL: func @batches
//  CHECK-NEXT:   fp8.matmul {{.*}} : tensor<2x4x32xbf16>, tensor<2x32x16xbf16> -> tensor<2x4x16xf32>
//  CHECK-NEXT:   return
func.func @batches(%x: tensor<2x4x32xbf16>, %w: tensor<2x32x16xbf16>) -> tensor<2x4x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<2x4x16xf32>
  %y = linalg.batch_matmul ins(%x, %w : tensor<2x4x32xbf16>, tensor<2x32x16xbf16>) outs(%cst : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// Sizes that only the result states are stated by the fp8.matmul too.
// CHECK-LABEL: func @static_result
//  CHECK-NEXT:   %[[Y:.+]] = fp8.matmul {{.*}} acc {{.*}} -> tensor<64x16xf32>
//  CHECK-NEXT:   return %[[Y]]
func.func @static_result(%a: tensor<?x32xf32>, %b: tensor<32x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<?x32xf32>, tensor<32x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func @dynamic_rows
//       CHECK:   %[[Y:.+]] = fp8.matmul %{{.*}}, %{{.*}} : tensor<?x32xbf16>, tensor<32x16xbf16> -> tensor<?x16xf32>
//       CHECK:   tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2]] output_shape [%{{.*}}, 4, 16] : tensor<?x16xf32> into tensor<?x4x16xf32>
func.func @dynamic_rows(%x: tensor<?x4x32xbf16>, %w: tensor<32x16xbf16>, %z: tensor<?x4x16xf32>, %n: index) -> tensor<?x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%z : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %e = tensor.empty(%n) : tensor<?x32x16xbf16>
  %b = linalg.broadcast ins(%w : tensor<32x16xbf16>) outs(%e : tensor<?x32x16xbf16>) dimensions = [0]
  %y = linalg.batch_matmul {fp8.convert = "always"} ins(%x, %b : tensor<?x4x32xbf16>, tensor<?x32x16xbf16>) outs(%c : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  return %y : tensor<?x4x16xf32>
}

// -----

// CHECK-LABEL: func @convert_attribute
//       CHECK:   fp8.matmul {{.*}} {fp8.convert = "never"}
func.func @convert_attribute(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul {fp8.convert = "never"} ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// Negative: a bias that is added in a loop is no reason to multiply there.
// CHECK-LABEL: func @bias_in_a_loop
//       CHECK:   %[[Y:.+]] = fp8.matmul
//       CHECK:   scf.for
//       CHECK:     linalg.generic {{.*}} ins(%[[Y]],
func.func @bias_in_a_loop(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %bias: tensor<6xf32>, %n: index) -> tensor<8x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant dense<0.0> : tensor<8x6xf32>
  %y = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%cst : tensor<8x6xf32>) -> tensor<8x6xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %cst) -> tensor<8x6xf32> {
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<8x6xf32>, tensor<6xf32>) outs(%acc : tensor<8x6xf32>) {
    ^bb0(%i0: f32, %i1: f32, %out: f32):
      %0 = arith.addf %i0, %i1 : f32
      linalg.yield %0 : f32
    } -> tensor<8x6xf32>
    scf.yield %s : tensor<8x6xf32>
  }
  return %r : tensor<8x6xf32>
}

// -----

// Sizes that one operand states and the other does not: the result decides.
// CHECK-LABEL: func @static_collapsed
//       CHECK:   %[[Y:.+]] = fp8.matmul {{.*}} -> tensor<8x6xf32>
//       CHECK:   tensor.expand_shape %[[Y]] {{.*}} : tensor<8x6xf32> into tensor<2x4x6xf32>
func.func @static_collapsed(%a: tensor<?x4x3xf32>, %b: tensor<3x6xf32>, %c: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  %y = linalg.contract indexing_maps = [affine_map<(p, m, n, k) -> (p, m, k)>, affine_map<(p, m, n, k) -> (k, n)>, affine_map<(p, m, n, k) -> (p, m, n)>] ins(%a, %b : tensor<?x4x3xf32>, tensor<3x6xf32>) outs(%c : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  return %y : tensor<2x4x6xf32>
}

// -----

// Negative: there is room for one bias; the second is added afterwards.
#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @two_biases
//  CHECK-SAME:   %[[B0:[^:]+]]: tensor<6xf32>, %[[B1:[^:]+]]: tensor<6xf32>)
//       CHECK:   %[[Y:.+]] = fp8.matmul {{.*}} bias %[[B0]]
//       CHECK:   linalg.generic {{.*}} ins(%[[Y]], %[[B1]] :
func.func @two_biases(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %b0: tensor<6xf32>, %b1: tensor<6xf32>) -> tensor<8x6xf32> {
  %cst = arith.constant dense<0.0> : tensor<8x6xf32>
  %y = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%cst : tensor<8x6xf32>) -> tensor<8x6xf32>
  %s = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %b0 : tensor<8x6xf32>, tensor<6xf32>) outs(%cst : tensor<8x6xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<8x6xf32>
  %t = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b1 : tensor<8x6xf32>, tensor<6xf32>) outs(%cst : tensor<8x6xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<8x6xf32>
  return %t : tensor<8x6xf32>
}

// -----

// Negative: the sum is read transposed when the bias is added, and when it is
// rounded.
#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func @transposed_epilogues
//       CHECK:   fp8.matmul %{{.*}}, %{{.*}} name "arg1" : {{.*}} -> tensor<8x8xf32>
//       CHECK:   arith.addf
//       CHECK:   fp8.matmul %{{.*}}, %{{.*}} name "arg1" : {{.*}} -> tensor<8x8xf32>
//       CHECK:   arith.truncf
func.func @transposed_epilogues(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %bias: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8x8xbf16>) {
  %cst = arith.constant dense<0.0> : tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xbf16>
  %y = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%cst : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#swap, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<8x8xf32>, tensor<8xf32>) outs(%cst : tensor<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %z = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%cst : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%z : tensor<8x8xf32>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%i: f32, %out: bf16):
    %0 = arith.truncf %i : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8x8xbf16>
  return %s, %t : tensor<8x8xf32>, tensor<8x8xbf16>
}

// -----

// What generalization makes of a fill is zero too.
// CHECK-LABEL: func @generic_zero
//       CHECK:   fp8.matmul %{{.*}}, %{{.*}} name
//  CHECK-NEXT:   return
func.func @generic_zero(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x6xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x6xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<8x6xf32>
  %y = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%z : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

// A transpose of three dimensions is no swap: its permutation has a direction.
// CHECK-LABEL: func @rotated
//  CHECK-SAME:   (%[[A:.+]]: tensor<4x2x3xbf16>, %[[B:.+]]: tensor<4x5xbf16>)
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[A]] {{\[\[}}0], [1, 2]] : tensor<4x2x3xbf16> into tensor<4x6xbf16>
//       CHECK:   fp8.matmul %[[C]], %[[B]] trans_a {{.*}} -> tensor<6x5xf32>
func.func @rotated(%a: tensor<4x2x3xbf16>, %b: tensor<4x5xbf16>) -> tensor<2x3x5xf32> {
  %cst = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %e = tensor.empty() : tensor<2x3x4xbf16>
  %t = linalg.transpose ins(%a : tensor<4x2x3xbf16>) outs(%e : tensor<2x3x4xbf16>) permutation = [1, 2, 0]
  %y = linalg.contract indexing_maps = [affine_map<(p, m, n, k) -> (p, m, k)>, affine_map<(p, m, n, k) -> (k, n)>, affine_map<(p, m, n, k) -> (p, m, n)>] ins(%t, %b : tensor<2x3x4xbf16>, tensor<4x5xbf16>) outs(%cst : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// Negative: another reader comes before the one that adds the bias.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @two_readers_bias_last
//       CHECK:   %[[Y:.+]] = fp8.matmul %{{.*}}, %{{.*}} name {{.*}} -> tensor<64x16xf32>
//       CHECK:   linalg.exp ins(%[[Y]]
//       CHECK:   linalg.generic {{.*}} ins(%[[Y]],
func.func @two_readers_bias_last(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>, %bias: tensor<16xf32>) -> (tensor<64x16xf32>, tensor<64x16xf32>) {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  %r = linalg.exp ins(%y : tensor<64x16xf32>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<64x16xf32>, tensor<16xf32>) outs(%cst : tensor<64x16xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<64x16xf32>
  return %r, %s : tensor<64x16xf32>, tensor<64x16xf32>
}

// -----

// The sum with the bias states one size less than the matmul does.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @less_static_epilogue
//       CHECK:   %[[Y:.+]] = fp8.matmul {{.*}} bias %{{.*}} -> tensor<64x16xf32>
//       CHECK:   %[[C:.+]] = tensor.cast %[[Y]] : tensor<64x16xf32> to tensor<?x16xf32>
//       CHECK:   return %[[C]]
func.func @less_static_epilogue(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %bias: tensor<16xf32>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x16xf32>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<64x16xf32>, tensor<16xf32>) outs(%o : tensor<?x16xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32
  } -> tensor<?x16xf32>
  return %s : tensor<?x16xf32>
}

// -----

// Negative: what has an encoding, or is read along a diagonal, is not looked
// through to.
// CHECK-LABEL: func @opaque_operands
//       CHECK:   %[[A:.+]] = linalg.transpose ins(%{{.*}} : tensor<32x64xf32, "x">)
//       CHECK:   %[[B:.+]] = linalg.generic
//       CHECK:   fp8.matmul %[[A]], %[[B]] {{.*}} : tensor<64x32xf32>, tensor<32x16xf32>
func.func @opaque_operands(%a: tensor<32x64xf32, "x">, %b: tensor<32x32xf32>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %e = tensor.empty() : tensor<64x32xf32>
  %t = linalg.transpose ins(%a : tensor<32x64xf32, "x">) outs(%e : tensor<64x32xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<32x16xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<32x32xf32>) outs(%f : tensor<32x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<32x16xf32>
  %y = linalg.matmul ins(%t, %d : tensor<64x32xf32>, tensor<32x16xf32>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
