// What is a contraction and stays one has a remark that says why.
// RUN: fp8-opt --fp8-raise-matmuls --remarks-filter=fp8 --split-input-file --verify-diagnostics %s | FileCheck %s --implicit-check-not=fp8.matmul

// CHECK-LABEL: func @mixed_types
//       CHECK:   linalg.matmul
func.func @mixed_types(%a: tensor<64x32xbf16>, %b: tensor<32x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: the operands have different element types"}}
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func @integers
func.func @integers(%a: tensor<64x32xi8>, %b: tensor<32x16xi8>, %c: tensor<64x16xi32>) -> tensor<64x16xi32> {
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: the element type is not bf16, f16 or f32"}}
  %y = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x16xi8>) outs(%c : tensor<64x16xi32>) -> tensor<64x16xi32>
  return %y : tensor<64x16xi32>
}

// -----

// CHECK-LABEL: func @f64_sum
func.func @f64_sum(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %c: tensor<64x16xf64>) -> tensor<64x16xf64> {
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: the type of the sum is not bf16, f16 or f32"}}
  %y = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x16xf32>) outs(%c : tensor<64x16xf64>) -> tensor<64x16xf64>
  return %y : tensor<64x16xf64>
}

// -----

// CHECK-LABEL: func @matvec
func.func @matvec(%a: tensor<64x32xf32>, %b: tensor<32xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: it is no product of two matrices"}}
  %y = linalg.matvec ins(%a, %b : tensor<64x32xf32>, tensor<32xf32>) outs(%c : tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// Upstream calls this a contraction.
// CHECK-LABEL: func @exp_in_body
//       CHECK:   math.exp
func.func @exp_in_body(%a: tensor<64x32xf32>, %w: tensor<16x32xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: the body does more than multiply and add"}}
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<64x32xf32>, tensor<16x32xf32>) outs(%c : tensor<64x16xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %e = math.exp %i : f32
    %m = arith.mulf %e, %j : f32
    %s = arith.addf %m, %out : f32
    linalg.yield %s : f32
  } -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// A rounding of an operand is not the matmul's to drop.
// CHECK-LABEL: func @rounded_operand
func.func @rounded_operand(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %c: tensor<64x16xbf16>) -> tensor<64x16xbf16> {
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: the body does more than multiply and add"}}
  %y = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x16xf32>) outs(%c : tensor<64x16xbf16>) -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @operand_without_k
func.func @operand_without_k(%a: tensor<64xf32>, %b: tensor<32x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %w = linalg.broadcast ins(%a : tensor<64xf32>) outs(%e : tensor<64x32xf32>) dimensions = [1]
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: an operand is summed along a dimension of its own"}}
  %y = linalg.matmul ins(%w, %b : tensor<64x32xf32>, tensor<32x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func @left_has_k_alone
func.func @left_has_k_alone(%a: tensor<64x32xf32>, %b: tensor<16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<32x16xf32>
  %w = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<32x16xf32>) dimensions = [0]
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: an operand is summed along a dimension of its own"}}
  %y = linalg.matmul ins(%a, %w : tensor<64x32xf32>, tensor<32x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func @both_broadcast
func.func @both_broadcast(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %c: tensor<2x64x16xf32>) -> tensor<2x64x16xf32> {
  %e = tensor.empty() : tensor<2x64x32xf32>
  %x = linalg.broadcast ins(%a : tensor<64x32xf32>) outs(%e : tensor<2x64x32xf32>) dimensions = [0]
  %f = tensor.empty() : tensor<2x32x16xf32>
  %w = linalg.broadcast ins(%b : tensor<32x16xf32>) outs(%f : tensor<2x32x16xf32>) dimensions = [0]
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: a dimension of the result is in no operand"}}
  %y = linalg.batch_matmul ins(%x, %w : tensor<2x64x32xf32>, tensor<2x32x16xf32>) outs(%c : tensor<2x64x16xf32>) -> tensor<2x64x16xf32>
  return %y : tensor<2x64x16xf32>
}

// -----

// CHECK-LABEL: func @encoding
func.func @encoding(%a: tensor<64x32xf32, "x">, %b: tensor<32x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-remark @below {{[Missed] RaiseMatmuls | Category:fp8 | Reason="not raised: a tensor has an encoding"}}
  %y = linalg.matmul ins(%a, %b : tensor<64x32xf32, "x">, tensor<32x16xf32>) outs(%c : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// Negative: what is no contraction has no remark.
// CHECK-LABEL: func @elementwise
func.func @elementwise(%a: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %y = linalg.add ins(%a, %a : tensor<64xf32>, tensor<64xf32>) outs(%c : tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}
