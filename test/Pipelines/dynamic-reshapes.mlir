// RUN: fp8-opt --fp8-train --fp8-lower-to-cpu %s | FileCheck %s
// RUN: fp8-opt --fp8-train=target=sm_90 --fp8-lower-to-cpu %s | FileCheck %s

// A matmul of a computed tensor whose dimensions were folded into one, one of
// them dynamic: sizes of workspace and plans follow from those of the arguments.
// CHECK-LABEL: llvm.func @main(
// CHECK-LABEL: llvm.func @main_prepare(
// CHECK-LABEL: llvm.func @main_workspace(
// CHECK-LABEL: llvm.func @main_sizes(
#id = affine_map<(b, t, c) -> (b, t, c)>
func.func @main(%x: tensor<3x?x16xbf16>, %w: tensor<16x32xbf16>, %v: tensor<32x8xbf16>) -> tensor<3x?x8xbf16> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %t = tensor.dim %x, %c1 : tensor<3x?x16xbf16>
  %e = tensor.empty(%t) : tensor<3x?x16xbf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<3x?x16xbf16>) outs(%e : tensor<3x?x16xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.negf %in : bf16
    linalg.yield %0 : bf16
  } -> tensor<3x?x16xbf16>
  %flat = tensor.collapse_shape %h [[0, 1], [2]] : tensor<3x?x16xbf16> into tensor<?x16xbf16>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %flat, %c0 : tensor<?x16xbf16>
  %e1 = tensor.empty(%rows) : tensor<?x32xbf16>
  %f1 = linalg.fill ins(%zero : bf16) outs(%e1 : tensor<?x32xbf16>) -> tensor<?x32xbf16>
  %y1 = linalg.matmul ins(%flat, %w : tensor<?x16xbf16>, tensor<16x32xbf16>) outs(%f1 : tensor<?x32xbf16>) -> tensor<?x32xbf16>
  %wide = tensor.expand_shape %y1 [[0, 1], [2]] output_shape [3, %t, 32] : tensor<?x32xbf16> into tensor<3x?x32xbf16>
  %e2 = tensor.empty(%t) : tensor<3x?x32xbf16>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%wide : tensor<3x?x32xbf16>) outs(%e2 : tensor<3x?x32xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.negf %in : bf16
    linalg.yield %0 : bf16
  } -> tensor<3x?x32xbf16>
  %flat2 = tensor.collapse_shape %g [[0, 1], [2]] : tensor<3x?x32xbf16> into tensor<?x32xbf16>
  %e3 = tensor.empty(%rows) : tensor<?x8xbf16>
  %f3 = linalg.fill ins(%zero : bf16) outs(%e3 : tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %y2 = linalg.matmul ins(%flat2, %v : tensor<?x32xbf16>, tensor<32x8xbf16>) outs(%f3 : tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %y = tensor.expand_shape %y2 [[0, 1], [2]] output_shape [3, %t, 8] : tensor<?x8xbf16> into tensor<3x?x8xbf16>
  return %y : tensor<3x?x8xbf16>
}
