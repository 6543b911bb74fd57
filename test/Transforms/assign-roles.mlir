// RUN: fp8-opt --fp8-assign-roles --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-assign-roles --split-input-file --remarks-filter=fp8 %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// One linear, weight [out, in]; the tangent is what y does not depend on.
// CHECK-LABEL: func @linear
//       CHECK:   fp8.matmul %{{.+}}, %{{.+}} trans_b name "w"
//       CHECK:   fp8.matmul {{.*}} trans_a role wgrad gradient a name "w"
//       CHECK:   fp8.matmul {{.*}} role dgrad gradient a name "w"
func.func @linear(%x: tensor<8x16xbf16>, %w: tensor<32x16xbf16>, %dy: tensor<8x32xbf16>) -> (tensor<8x32xbf16>, tensor<8x16xbf16>, tensor<32x16xbf16>) {
  %y = fp8.matmul %x, %w trans_b name "w" : tensor<8x16xbf16>, tensor<32x16xbf16> -> tensor<8x32xbf16>
  %dw = fp8.matmul %dy, %x trans_a name "x" : tensor<8x32xbf16>, tensor<8x16xbf16> -> tensor<32x16xbf16>
  %dx = fp8.matmul %dy, %w : tensor<8x32xbf16>, tensor<32x16xbf16> -> tensor<8x16xbf16>
  return %y, %dx, %dw : tensor<8x32xbf16>, tensor<8x16xbf16>, tensor<32x16xbf16>
}

// -----

// The gradient is the second operand; x and w are seen through a widening, a
// transpose and a reshape.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @through_views
//       CHECK:   fp8.matmul %{{.+}}, %{{.+}} name "w"
//       CHECK:   fp8.matmul {{.*}} role wgrad gradient b name "w"
//       CHECK:   fp8.matmul {{.*}} role dgrad gradient b name "w"
func.func @through_views(%x: tensor<2x4x16xbf16>, %w: tensor<16x32xbf16>, %dy: tensor<8x32xf32>, %e: tensor<16x8xbf16>, %e1: tensor<16x8xf32>, %e2: tensor<16x32xf32>) -> (tensor<8x32xbf16>, tensor<16x32xf32>, tensor<16x8xf32>) {
  %x2 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x4x16xbf16> into tensor<8x16xbf16>
  %y = fp8.matmul %x2, %w name "w" : tensor<8x16xbf16>, tensor<16x32xbf16> -> tensor<8x32xbf16>
  %xt = linalg.transpose ins(%x2 : tensor<8x16xbf16>) outs(%e : tensor<16x8xbf16>) permutation = [1, 0]
  %xw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xt : tensor<16x8xbf16>) outs(%e1 : tensor<16x8xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %c = arith.extf %in : bf16 to f32
    linalg.yield %c : f32
  } -> tensor<16x8xf32>
  %dw = fp8.matmul %xw, %dy : tensor<16x8xf32>, tensor<8x32xf32> -> tensor<16x32xf32>
  %ww = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<16x32xbf16>) outs(%e2 : tensor<16x32xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %c = arith.extf %in : bf16 to f32
    linalg.yield %c : f32
  } -> tensor<16x32xf32>
  %dxt = fp8.matmul %ww, %dy trans_b : tensor<16x32xf32>, tensor<8x32xf32> -> tensor<16x8xf32>
  return %y, %dw, %dxt : tensor<8x32xbf16>, tensor<16x32xf32>, tensor<16x8xf32>
}

// -----

// Attention: products of two computed tensors, with batches.
// CHECK-LABEL: func @attention
//       CHECK:   fp8.matmul %{{.+}}, %{{.+}} trans_b :
//       CHECK:   fp8.matmul %{{.+}}, %{{.+}} :
//       CHECK:   fp8.matmul {{.*}} trans_b role dgrad gradient a
//       CHECK:   fp8.matmul {{.*}} trans_a role wgrad gradient b
//       CHECK:   fp8.matmul {{.*}} role dgrad gradient a
//       CHECK:   fp8.matmul {{.*}} trans_a role wgrad gradient a
func.func @attention(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %do: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %s = fp8.matmul %q, %k trans_b : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  %p = math.exp %s : tensor<2x8x8xf32>
  %o = fp8.matmul %p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>
  %dp = fp8.matmul %do, %v trans_b : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  %dv = fp8.matmul %p, %do trans_a : tensor<2x8x8xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>
  %ds = arith.mulf %dp, %p : tensor<2x8x8xf32>
  %dq = fp8.matmul %ds, %k : tensor<2x8x8xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>
  %dk = fp8.matmul %ds, %q trans_a : tensor<2x8x8xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>
  return %o, %dq, %dk, %dv : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// -----

// Negative: one tensor for keys and values. P·K sums over what Q·Kᵀ keeps, but
// does not depend on the tangent.
// CHECK-LABEL: func @shared_keys
//       CHECK:   fp8.matmul %{{.+}}, %{{.+}} trans_b :
//       CHECK:   fp8.matmul %{{[^,]+}}, %{{[^ ]+}} :
//       CHECK:   fp8.matmul {{.*}} trans_b role dgrad gradient a
func.func @shared_keys(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %do: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x8xf32>) {
  %s = fp8.matmul %q, %k trans_b : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  %p = math.exp %s : tensor<2x8x8xf32>
  %o = fp8.matmul %p, %k : tensor<2x8x8xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>
  %dp = fp8.matmul %do, %k trans_b : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  return %o, %dp : tensor<2x8x16xf32>, tensor<2x8x8xf32>
}

// -----

// Negative: tied weights in a forward program.
// CHECK-LABEL: func @tied
//   CHECK-NOT:   role
//       CHECK:   return
func.func @tied(%x: tensor<8x16xf32>, %w: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %h = fp8.matmul %x, %w trans_b : tensor<8x16xf32>, tensor<32x16xf32> -> tensor<8x32xf32>
  %a = math.tanh %h : tensor<8x32xf32>
  %y = fp8.matmul %a, %w : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// Negative: nor in one that returns what is in between too.
// CHECK-LABEL: func @tied_two_results
//   CHECK-NOT:   role
//       CHECK:   return
func.func @tied_two_results(%x: tensor<8x16xf32>, %w: tensor<32x16xf32>) -> (tensor<8x32xf32>, tensor<8x16xf32>) {
  %h = fp8.matmul %x, %w trans_b : tensor<8x16xf32>, tensor<32x16xf32> -> tensor<8x32xf32>
  %a = math.tanh %h : tensor<8x32xf32>
  %y = fp8.matmul %a, %w : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  return %a, %y : tensor<8x32xf32>, tensor<8x16xf32>
}

// -----

// The gradient of a loss has no tangent. Two matmuls read %d2, one for each
// operand of the second layer; %d1 depends on one of them.
// CHECK-LABEL: func @loss
//       CHECK:   fp8.matmul %{{.+}}, %{{.+}} name "w1"
//       CHECK:   fp8.matmul %{{.+}}, %{{.+}} name "w2"
//       CHECK:   fp8.matmul {{.*}} trans_a role wgrad gradient b name "w2"
//       CHECK:   fp8.matmul {{.*}} trans_b role dgrad gradient a name "w2"
//       CHECK:   fp8.matmul {{.*}} trans_a role wgrad gradient b name "w1"
func.func @loss(%x: tensor<8x16xf32>, %w1: tensor<16x32xf32>, %w2: tensor<32x16xf32>) -> (tensor<f32>, tensor<16x32xf32>, tensor<32x16xf32>) {
  %h = fp8.matmul %x, %w1 name "w1" : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %a = math.tanh %h : tensor<8x32xf32>
  %y = fp8.matmul %a, %w2 name "w2" : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  %d2 = math.absf %y : tensor<8x16xf32>
  %loss = fp8.amax %y : tensor<8x16xf32> -> tensor<f32>
  %dw2 = fp8.matmul %a, %d2 trans_a : tensor<8x32xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
  %da = fp8.matmul %d2, %w2 trans_b : tensor<8x16xf32>, tensor<32x16xf32> -> tensor<8x32xf32>
  %d1 = arith.mulf %da, %a : tensor<8x32xf32>
  %dw1 = fp8.matmul %x, %d1 trans_a : tensor<8x16xf32>, tensor<8x32xf32> -> tensor<16x32xf32>
  return %loss, %dw1, %dw2 : tensor<f32>, tensor<16x32xf32>, tensor<32x16xf32>
}

// -----

// One layer and a loss: nothing but the result says that %dw is a gradient.
// CHECK-LABEL: func @loss_of_one_layer
//       CHECK:   fp8.matmul {{.*}} trans_a role wgrad gradient b
func.func @loss_of_one_layer(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> (tensor<f32>, tensor<16x32xf32>) {
  %y = fp8.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
  %d = math.absf %y : tensor<8x32xf32>
  %loss = fp8.amax %y : tensor<8x32xf32> -> tensor<f32>
  %dw = fp8.matmul %x, %d trans_a : tensor<8x16xf32>, tensor<8x32xf32> -> tensor<16x32xf32>
  return %loss, %dw : tensor<f32>, tensor<16x32xf32>
}

// -----

// A backward pass alone. The remark says which argument is taken.
//      REMARK: assign-roles.mlir:[[#@LINE+5]]:{{.*}}AssignRoles{{.*}}backward has gradient matmuls only; its last argument, 2, is taken as the tangent
// CHECK-LABEL: func @backward
//       CHECK:   fp8.matmul {{.*}} role dgrad gradient a
//       CHECK:   fp8.matmul {{.*}} trans_a role wgrad gradient a
//  REMARK-NOT: AssignRoles
func.func @backward(%x: tensor<8x16xf32>, %w: tensor<32x16xf32>, %dy: tensor<8x32xf32>) -> (tensor<8x16xf32>, tensor<32x16xf32>) {
  %dx = fp8.matmul %dy, %w : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  %dw = fp8.matmul %dy, %x trans_a : tensor<8x32xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
  return %dx, %dw : tensor<8x16xf32>, tensor<32x16xf32>
}

// -----

// Negative: roles that are there stay, wrong as these are.
// CHECK-LABEL: func @known
//       CHECK:   fp8.matmul {{.*}} role wgrad gradient b
//       CHECK:   fp8.matmul %{{.+}}, %{{.+}} trans_a :
func.func @known(%x: tensor<8x16xf32>, %w: tensor<32x16xf32>, %dy: tensor<8x32xf32>) -> (tensor<8x16xf32>, tensor<32x16xf32>) {
  %dx = fp8.matmul %dy, %w role wgrad gradient b : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  %dw = fp8.matmul %dy, %x trans_a : tensor<8x32xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
  return %dx, %dw : tensor<8x16xf32>, tensor<32x16xf32>
}
