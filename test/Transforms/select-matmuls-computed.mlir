// RUN: fp8-opt --fp8-select-matmuls --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-select-matmuls=computed=true --split-input-file %s | FileCheck %s --check-prefix=ALL --implicit-check-not=fp8.convert

// CHECK-LABEL: func @attention
//       CHECK:   name "q" :
//       CHECK:   fp8.matmul {{.*}} {fp8.convert = "never", fp8.reason = "both operands are computed, as in attention"}
//       CHECK:   fp8.matmul {{.*}} {fp8.convert = "never", fp8.reason = "both operands are computed, as in attention"}
//       CHECK:   name "o" :
//         ALL:   func @attention
func.func @attention(%x: tensor<2x8x16xbf16>, %w: tensor<2x16x16xbf16>) -> tensor<2x8x16xbf16> {
  %q = fp8.matmul %x, %w name "q" : tensor<2x8x16xbf16>, tensor<2x16x16xbf16> -> tensor<2x8x16xbf16>
  %k = math.tanh %q : tensor<2x8x16xbf16>
  %s = fp8.matmul %q, %k trans_b : tensor<2x8x16xbf16>, tensor<2x8x16xbf16> -> tensor<2x8x8xbf16>
  %p = math.exp %s : tensor<2x8x8xbf16>
  %v = fp8.matmul %p, %k : tensor<2x8x8xbf16>, tensor<2x8x16xbf16> -> tensor<2x8x16xbf16>
  %o = fp8.matmul %v, %w name "o" : tensor<2x8x16xbf16>, tensor<2x16x16xbf16> -> tensor<2x8x16xbf16>
  return %o : tensor<2x8x16xbf16>
}

// -----

// One head and no batch: both operands depend on a matmul.
// CHECK-LABEL: func @one_head
//       CHECK:   fp8.matmul {{.*}} {fp8.convert = "never", fp8.reason = "both operands are computed, as in attention"}
func.func @one_head(%x: tensor<8x16xbf16>, %w: tensor<16x16xbf16>) -> tensor<8x8xbf16> {
  %q = fp8.matmul %x, %w : tensor<8x16xbf16>, tensor<16x16xbf16> -> tensor<8x16xbf16>
  %k = math.tanh %q : tensor<8x16xbf16>
  %s = fp8.matmul %q, %k trans_b : tensor<8x16xbf16>, tensor<8x16xbf16> -> tensor<8x8xbf16>
  return %s : tensor<8x8xbf16>
}

// -----

// Negative: a normalized weight is computed too, but not from a matmul; a
// reshaped, transposed or rounded weight is a weight.
// CHECK-LABEL: func @weights
//   CHECK-NOT:   fp8.convert
//       CHECK:   return
func.func @weights(%x: tensor<8x16xbf16>, %w: tensor<16x16xbf16>, %v: tensor<4x4x16xbf16>, %e: tensor<16x16xbf16>) -> tensor<8x16xbf16> {
  %x1 = math.tanh %x : tensor<8x16xbf16>
  %w1 = math.tanh %w : tensor<16x16xbf16>
  %0 = fp8.matmul %x1, %w1 : tensor<8x16xbf16>, tensor<16x16xbf16> -> tensor<8x16xbf16>
  %1 = math.tanh %0 : tensor<8x16xbf16>
  %c = tensor.collapse_shape %v [[0, 1], [2]] : tensor<4x4x16xbf16> into tensor<16x16xbf16>
  %t = linalg.transpose ins(%c : tensor<16x16xbf16>) outs(%e : tensor<16x16xbf16>) permutation = [1, 0]
  %2 = fp8.matmul %1, %t : tensor<8x16xbf16>, tensor<16x16xbf16> -> tensor<8x16xbf16>
  return %2 : tensor<8x16xbf16>
}

// -----

// Negative: a weight to which a product of two others was added (LoRA).
// CHECK-LABEL: func @merged_weight
//   CHECK-NOT:   fp8.convert
//       CHECK:   return
func.func @merged_weight(%x: tensor<8x16xbf16>, %w: tensor<16x16xbf16>, %a: tensor<16x2xbf16>, %b: tensor<2x16xbf16>) -> tensor<8x16xbf16> {
  %x1 = math.tanh %x : tensor<8x16xbf16>
  %ab = fp8.matmul %a, %b : tensor<16x2xbf16>, tensor<2x16xbf16> -> tensor<16x16xbf16>
  %w1 = arith.addf %w, %ab : tensor<16x16xbf16>
  %0 = fp8.matmul %x1, %w1 : tensor<8x16xbf16>, tensor<16x16xbf16> -> tensor<8x16xbf16>
  return %0 : tensor<8x16xbf16>
}

// -----

// In a step that was differentiated elsewhere the gradients follow.
// CHECK-LABEL: func @joint
//       CHECK:   fp8.matmul {{.*}} trans_b {fp8.convert = "never"
//       CHECK:   fp8.matmul {{.*}} role dgrad gradient a {fp8.convert = "never", fp8.reason = "both operands are computed, as in attention"}
//       CHECK:   fp8.matmul {{.*}} role wgrad gradient a {fp8.convert = "never", fp8.reason = "both operands are computed, as in attention"}
func.func @joint(%x: tensor<2x8x16xbf16>, %dy: tensor<2x8x8xbf16>) -> (tensor<2x8x8xbf16>, tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) {
  %q = math.exp %x : tensor<2x8x16xbf16>
  %k = math.tanh %x : tensor<2x8x16xbf16>
  %s = fp8.matmul %q, %k trans_b : tensor<2x8x16xbf16>, tensor<2x8x16xbf16> -> tensor<2x8x8xbf16>
  %dq = fp8.matmul %dy, %k role dgrad gradient a : tensor<2x8x8xbf16>, tensor<2x8x16xbf16> -> tensor<2x8x16xbf16>
  %dk = fp8.matmul %dy, %q trans_a role wgrad gradient a : tensor<2x8x8xbf16>, tensor<2x8x16xbf16> -> tensor<2x8x16xbf16>
  return %s, %dq, %dk : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>, tensor<2x8x16xbf16>
}
