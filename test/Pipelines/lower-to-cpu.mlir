// RUN: fp8-opt --fp8-train --fp8-lower-to-cpu %s | FileCheck %s --implicit-check-not=malloc --implicit-check-not=blaslt --implicit-check-not=linalg --implicit-check-not=memref. --implicit-check-not=unrealized --implicit-check-not=f8E

// Three calls, with the caller's context and stream, one status, all behind one
// C interface.
// CHECK-LABEL: llvm.func internal @main_on_buffers(
//  CHECK-SAME:   %[[CTX:[^:]+]]: !llvm.ptr, %[[STREAM:[^:]+]]: !llvm.ptr) -> i32
//       CHECK:   llvm.call @fp8rt_matmul(%[[CTX]], %{{.+}}, %{{.+}}, %[[STREAM]])
//       CHECK:   llvm.call @fp8rt_matmul(%[[CTX]], %{{.+}}, %{{.+}}, %[[STREAM]])
//       CHECK:   llvm.call @fp8rt_matmul(%[[CTX]], %{{.+}}, %{{.+}}, %[[STREAM]])
//   CHECK-NOT:   llvm.call @fp8rt_matmul(
//       CHECK:   llvm.return %{{.*}} : i32
// CHECK-LABEL: llvm.func @main(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr) -> i32
//       CHECK:   llvm.call @fp8rt_check_tensors
//       CHECK:   llvm.call @main_on_buffers
// CHECK-LABEL: llvm.func internal @main_prepare_on_buffers
// CHECK-COUNT-3: llvm.call @fp8rt_matmul_prepare
// CHECK-LABEL: llvm.func @main_prepare(%arg0: !llvm.ptr, %arg1: !llvm.ptr) -> i32
// The three fp8 tensors and the scales; results go where the caller says.
// CHECK-LABEL: llvm.func internal @main_workspace_on_buffers
//       CHECK:   llvm.mlir.constant(4608 : i64)
// CHECK-LABEL: llvm.func @main_workspace(%arg0: !llvm.ptr, %arg1: !llvm.ptr) -> i32
// CHECK-LABEL: llvm.func @main_sizes(%arg0: !llvm.ptr, %arg1: !llvm.ptr) -> i32
func.func @main(%x: tensor<64x32xf32>, %w: tensor<16x32xf32>) -> tensor<64x16xf32> {
  %cst = arith.constant dense<0.0> : tensor<64x16xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<64x32xf32>, tensor<16x32xf32>) outs(%cst : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
