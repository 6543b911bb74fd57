// RUN: fp8-opt --fp8-fuse-glue=target=sm_90 --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-fuse-glue=target=cpu --split-input-file %s | FileCheck %s --check-prefix=CPU
// RUN: fp8-opt --fp8-fuse-glue=target=sm_90 --remarks-filter=fp8 --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>

// REMARK: [Analysis] FuseGlue | Category:fp8 | Function=cast_and_transpose | Reason="1 kernels between matmuls move 132 bytes"
// CHECK-LABEL: func @cast_and_transpose
//       CHECK:   %[[R:.+]]:2 = linalg.generic {indexing_maps = [#[[ID:.+]], #{{.+}}, #[[ID]], #{{.+}}], iterator_types = ["parallel", "parallel"]}
//       CHECK:     linalg.yield %[[Q:.+]], %[[Q]] : f8E4M3FN, f8E4M3FN
//       CHECK:   -> (tensor<4x8xf8E4M3FN>, tensor<8x4xf8E4M3FN>)
//       CHECK:   return %[[R]]#0, %[[R]]#1
// CPU-LABEL: func @cast_and_transpose
//       CPU:   linalg.transpose
func.func @cast_and_transpose(%x: tensor<4x8xbf16>, %s: tensor<f32>) -> (tensor<4x8xf8E4M3FN>, tensor<8x4xf8E4M3FN>) {
  %e = tensor.empty() : tensor<4x8xf8E4M3FN>
  %q = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xbf16>, tensor<f32>) outs(%e : tensor<4x8xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %out: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %p = arith.mulf %f, %scale : f32
    %t = arith.truncf %p : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  } -> tensor<4x8xf8E4M3FN>
  %et = tensor.empty() : tensor<8x4xf8E4M3FN>
  %t = linalg.transpose ins(%q : tensor<4x8xf8E4M3FN>) outs(%et : tensor<8x4xf8E4M3FN>) permutation = [1, 0]
  return %q, %t : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E4M3FN>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Nobody reads the result as it is: one result is left.
// CHECK-LABEL: func @only_transposed
//       CHECK:   %[[R:.+]] = linalg.generic {indexing_maps = [#[[ID:.+]], #[[SWAP:.+]]], iterator_types = ["parallel", "parallel"]}
//       CHECK:   -> tensor<8x4xbf16>
//   CHECK-NOT:   linalg.transpose
//       CHECK:   return %[[R]]
func.func @only_transposed(%x: tensor<4x8xbf16>) -> tensor<8x4xbf16> {
  %e = tensor.empty() : tensor<4x8xbf16>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%e : tensor<4x8xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %m = arith.negf %in : bf16
    linalg.yield %m : bf16
  } -> tensor<4x8xbf16>
  %et = tensor.empty() : tensor<8x4xbf16>
  %t = linalg.transpose ins(%n : tensor<4x8xbf16>) outs(%et : tensor<8x4xbf16>) permutation = [1, 0]
  return %t : tensor<8x4xbf16>
}

// -----

// Negative: a transpose of an argument has no producer to join.
// CHECK-LABEL: func @transposed_argument
//       CHECK:   linalg.transpose
func.func @transposed_argument(%x: tensor<4x8xbf16>) -> tensor<8x4xbf16> {
  %et = tensor.empty() : tensor<8x4xbf16>
  %t = linalg.transpose ins(%x : tensor<4x8xbf16>) outs(%et : tensor<8x4xbf16>) permutation = [1, 0]
  return %t : tensor<8x4xbf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>

// An activation goes into both of its readers, with its rounding (C14).
// CHECK-LABEL: func @recompute
//       CHECK:   linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]
//       CHECK:     %[[P:.+]] = arith.mulf %{{.+}}, %{{.+}} : f32
//       CHECK:     %[[T:.+]] = arith.truncf %[[P]] : f32 to bf16
//       CHECK:     %[[W:.+]] = arith.extf %[[T]] : bf16 to f32
//       CHECK:     math.absf %[[W]]
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
//       CHECK:     arith.mulf
//       CHECK:     arith.truncf %{{.+}} : f32 to bf16
//       CHECK:     arith.truncf %{{.+}} : bf16 to f8E4M3FN
//   CHECK-NOT:   linalg.generic
func.func @recompute(%x: tensor<4x8xbf16>) -> (tensor<f32>, tensor<4x8xf8E4M3FN>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xbf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xbf16>) outs(%e : tensor<4x8xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %f = arith.extf %in : bf16 to f32
    %p = arith.mulf %f, %f : f32
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4x8xbf16>
  %es = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %a = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction", "reduction"]}
      ins(%h : tensor<4x8xbf16>) outs(%z : tensor<f32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %b = math.absf %f : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  %eq = tensor.empty() : tensor<4x8xf8E4M3FN>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x8xbf16>) outs(%eq : tensor<4x8xf8E4M3FN>) {
  ^bb0(%in: bf16, %out: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %t = arith.truncf %f : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  } -> tensor<4x8xf8E4M3FN>
  return %a, %q : tensor<f32>, tensor<4x8xf8E4M3FN>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Negative: exp is too much to compute twice.
// CHECK-LABEL: func @expensive
// CHECK-COUNT-3: linalg.generic
func.func @expensive(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = math.exp %in : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.negf %in : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.addf %in, %in : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Negative: what is returned is stored, and so it is read and not computed again.
// CHECK-LABEL: func @returned
// CHECK-COUNT-2: linalg.generic
func.func @returned(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.addf %in, %in : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.negf %in : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  return %h, %a : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @splat
//       CHECK:   linalg.fill
//   CHECK-NOT:   dense
func.func @splat() -> tensor<4x8xf32> {
  %c = arith.constant dense<1.0> : tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A size is no reader: of dynamic sizes as of static ones one kernel is left.
// CHECK-LABEL: func @dynamic
//  CHECK-SAME:   %[[X:.+]]: tensor<?xf32>
//       CHECK:   %[[D:.+]] = tensor.dim %[[X]]
//       CHECK:   tensor.empty(%[[D]])
//       CHECK:   linalg.generic
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.addf %in, %in : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %m = tensor.dim %h, %c0 : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.negf %in : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  return %a : tensor<?xf32>
}
