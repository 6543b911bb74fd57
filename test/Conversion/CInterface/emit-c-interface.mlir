// RUN: fp8-opt --fp8-emit-c-interface --split-input-file %s | FileCheck %s

// What each tensor has to be: names, sizes (-1 takes any), ranks and types.
//   CHECK-DAG: @fp8_main_tensor_name_0("x\00")
//   CHECK-DAG: @fp8_main_tensor_name_1("result0\00")
//   CHECK-DAG: llvm.mlir.global internal constant @fp8_main_tensors() {{.*}} : !llvm.array<2 x struct<(ptr, ptr, i32, i32)>>
// CHECK-LABEL: func.func private @main_on_buffers(
//  CHECK-SAME:   %{{.+}}: memref<?x32xbf16>, %{{.+}}: memref<f32>, %{{.+}}: memref<?xi8>, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr) -> i32 attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %[[T:.+]]: !llvm.ptr, %[[CTX:.+]]: !llvm.ptr, %[[WS:.+]]: !llvm.ptr, %[[STREAM:.+]]: !llvm.ptr) -> i32
//       CHECK:   %[[N:.+]] = llvm.mlir.constant(2 : i64)
//       CHECK:   %[[DATA:.+]] = llvm.mlir.constant(1 : i32)
//       CHECK:   %[[S:.+]] = llvm.call @fp8rt_check_tensors(%[[T]], %{{.+}}, %[[N]], %[[DATA]])
//       CHECK:   %[[GOOD:.+]] = arith.cmpi eq, %[[S]]
//       CHECK:   cf.cond_br %[[GOOD]], ^[[GO:.+]], ^[[STOP:.+]](%[[S]] : i32)
//       CHECK: ^[[GO]]:
//       CHECK:   %[[X:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?x32xbf16>
//       CHECK:   %[[R:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<f32>
//       CHECK:   %[[W:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?xi8>
//       CHECK:   call @main_on_buffers(%[[X]], %[[R]], %[[W]], %[[CTX]], %[[STREAM]])
//       CHECK: ^[[STOP]](%[[A:.+]]: i32):
//       CHECK:   return %[[A]]
// CHECK-LABEL: func.func @main_tensors(
//  CHECK-SAME:   %[[SPECS:.+]]: !llvm.ptr, %[[ARGS:.+]]: !llvm.ptr, %[[RESULTS:.+]]: !llvm.ptr) -> i32
//       CHECK:   %[[A:.+]] = llvm.mlir.addressof @fp8_main_tensors
//       CHECK:   llvm.store %[[A]], %[[SPECS]]
//       CHECK:   %[[NA:.+]] = llvm.mlir.constant(1 : i64)
//       CHECK:   llvm.store %[[NA]], %[[ARGS]]
//       CHECK:   %[[NR:.+]] = llvm.mlir.constant(1 : i64)
//       CHECK:   llvm.store %[[NR]], %[[RESULTS]]
// Sizes only: no data is asked for.
// CHECK-LABEL: func.func @main_workspace(
//  CHECK-SAME:   %{{.+}}: !llvm.ptr, %[[BYTES:.+]]: !llvm.ptr) -> i32
//       CHECK:   llvm.mlir.constant(0 : i32)
//       CHECK:   llvm.call @fp8rt_check_tensors
//       CHECK:   %[[B:.+]] = call @main_workspace_on_buffers
//       CHECK:   llvm.store %[[B]], %[[BYTES]]
// CHECK-LABEL: func.func @main_prepare(
//       CHECK:   call @main_prepare_on_buffers
// The sizes of results take the arguments alone.
// CHECK-LABEL: func.func @main_sizes(
//       CHECK:   llvm.mlir.constant(1 : i64)
//       CHECK:   llvm.call @fp8rt_check_tensors
//       CHECK:   call @main_sizes_on_buffers(%{{[^,]+}}) : (memref<?x32xbf16>) -> index
func.func @main(%x: memref<?x32xbf16> {fp8.name = "x"}, %y: memref<f32> {fp8.result}, %w: memref<?xi8>, %context: !llvm.ptr, %stream: !llvm.ptr) -> i32 {
  %s = arith.constant 0 : i32
  return %s : i32
}
func.func @main_workspace(%x: memref<?x32xbf16>, %y: memref<f32>) -> i64 attributes {fp8.companion} {
  %b = arith.constant 256 : i64
  return %b : i64
}
func.func @main_prepare(%x: memref<?x32xbf16>, %y: memref<f32>, %context: !llvm.ptr) -> i32 attributes {fp8.companion} {
  %s = arith.constant 0 : i32
  return %s : i32
}
func.func @main_sizes(%x: memref<?x32xbf16>) -> index attributes {fp8.companion} {
  %s = arith.constant 7 : index
  return %s : index
}

// -----

// A tangent is called as the result that it belongs to, an argument without a
// name by its number.
//   CHECK-DAG: @fp8_step_tensor_name_0("arg0\00")
//   CHECK-DAG: @fp8_step_tensor_name_1("d_result3\00")
//   CHECK-DAG: @fp8_step_tensor_name_2("result0\00")
//   CHECK-DAG: @fp8_step_tensor_name_3("result1\00")
// CHECK-LABEL: func.func @step_tensors(
//       CHECK:   llvm.mlir.constant(2 : i64)
//       CHECK:   llvm.mlir.constant(2 : i64)
func.func @step(%x: memref<f32>, %t: memref<f32> {fp8.tangent = 3 : i64}, %y: memref<f32> {fp8.result}, %z: memref<f32> {fp8.result}, %w: memref<?xi8>, %context: !llvm.ptr, %stream: !llvm.ptr) -> i32 {
  %s = arith.constant 0 : i32
  return %s : i32
}
func.func @step_workspace(%x: memref<f32>, %t: memref<f32>, %y: memref<f32>, %z: memref<f32>) -> i64 attributes {fp8.companion} {
  %b = arith.constant 256 : i64
  return %b : i64
}
func.func @step_prepare(%x: memref<f32>, %t: memref<f32>, %y: memref<f32>, %z: memref<f32>, %context: !llvm.ptr) -> i32 attributes {fp8.companion} {
  %s = arith.constant 0 : i32
  return %s : i32
}

// -----

// Negative: a private function is nobody's interface.
// CHECK-LABEL: func.func private @helper(%{{.+}}: memref<4xf32>)
//   CHECK-NOT: fp8rt_check_tensors
func.func private @helper(%x: memref<4xf32>) {
  return
}
