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
//       CHECK:   %[[BYTES:.+]] = call @main_workspace_on_buffers(%[[X]], %[[R]])
//       CHECK:   %[[FITS:.+]] = arith.cmpi sge, %[[BYTES]], %{{.+}} : i64
//       CHECK:   cf.cond_br %[[FITS]], ^[[HOLDS:.+]], ^[[LARGE:.+]]
//       CHECK: ^[[STOP]](%[[A:.+]]: i32):
//       CHECK:   return %[[A]]
//       CHECK: ^[[HOLDS]]:
//       CHECK:   %[[W:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?xi8>
//       CHECK:   call @main_on_buffers(%[[X]], %[[R]], %[[W]], %[[CTX]], %[[STREAM]])
//       CHECK: ^[[LARGE]]:
//       CHECK:   %[[TEXT:.+]] = llvm.mlir.addressof @fp8_workspace_too_large
//       CHECK:   %[[A:.+]] = llvm.call @fp8rt_fail(%[[TEXT]])
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
//       CHECK:   arith.cmpi sge, %[[B]]
//       CHECK:   llvm.store %[[B]], %[[BYTES]]
//       CHECK:   llvm.call @fp8rt_fail
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
// Static sizes need no check.
// CHECK-LABEL: func.func @step(
//   CHECK-NOT:   call @step_workspace_on_buffers
//       CHECK:   call @step_on_buffers
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

// Sizes that follow from those of the arguments: of results, and of a tangent, which
// has its result's. They are checked before anything is done, once for each function
// but NAME_sizes itself.
// CHECK-LABEL: func.func @sizes(
//  CHECK-SAME:   %[[T:.+]]: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr)
//       CHECK:   %[[N:.+]]:3 = call @sizes_sizes_on_buffers
//       CHECK:   %[[INDICES:.+]] = llvm.alloca
//       CHECK:   %[[TANGENT:.+]] = llvm.mlir.constant(1 : i64)
//       CHECK:   llvm.store %[[TANGENT]]
//       CHECK:   %[[RESULT:.+]] = llvm.mlir.constant(2 : i64)
//       CHECK:   llvm.store %[[RESULT]]
//   CHECK-NOT:   llvm.mlir.constant(3 : i64)
//       CHECK:   %[[SIZES:.+]] = llvm.alloca
//       CHECK:   arith.index_cast %[[N]]#0
//       CHECK:   arith.index_cast %[[N]]#1
//       CHECK:   arith.index_cast %[[N]]#0
//       CHECK:   arith.index_cast %[[N]]#1
//   CHECK-NOT:   arith.index_cast
//       CHECK:   %[[COUNT:.+]] = llvm.mlir.constant(2 : i64)
//       CHECK:   %[[S:.+]] = llvm.call @fp8rt_check_sizes(%[[T]], %{{.+}}, %[[INDICES]], %[[COUNT]], %[[SIZES]])
//       CHECK:   cf.cond_br %{{.+}}, ^{{.+}}, ^{{.+}}(%[[S]] : i32)
//       CHECK:   call @sizes_on_buffers
// CHECK-LABEL: func.func @sizes_workspace(
//       CHECK:   llvm.call @fp8rt_check_sizes
// CHECK-LABEL: func.func @sizes_prepare(
//       CHECK:   llvm.call @fp8rt_check_sizes
// CHECK-LABEL: func.func @sizes_sizes(
//   CHECK-NOT:   call @fp8rt_check_sizes
func.func @sizes(%x: memref<?x8xf32>, %t: memref<?x4xf32> {fp8.tangent = 0 : i64}, %y: memref<?x4xf32> {fp8.result}, %z: memref<2xf32> {fp8.result}, %w: memref<?xi8>, %context: !llvm.ptr, %stream: !llvm.ptr) -> i32 {
  %s = arith.constant 0 : i32
  return %s : i32
}
func.func @sizes_workspace(%x: memref<?x8xf32>, %t: memref<?x4xf32>, %y: memref<?x4xf32>, %z: memref<2xf32>) -> i64 attributes {fp8.companion} {
  %b = arith.constant 256 : i64
  return %b : i64
}
func.func @sizes_prepare(%x: memref<?x8xf32>, %t: memref<?x4xf32>, %y: memref<?x4xf32>, %z: memref<2xf32>, %context: !llvm.ptr) -> i32 attributes {fp8.companion} {
  %s = arith.constant 0 : i32
  return %s : i32
}
func.func @sizes_sizes(%x: memref<?x8xf32>, %t: memref<?x4xf32>) -> (index, index, index) attributes {fp8.companion} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %m = memref.dim %x, %c0 : memref<?x8xf32>
  return %m, %c4, %c2 : index, index, index
}

// -----

// In the backward function of two a tangent's number is that of a result of the
// step, and not of this function: only results are checked. It may read no more
// than tangents.
// CHECK-LABEL: func.func @part_backward(
//       CHECK:   call @part_backward_sizes_on_buffers
//       CHECK:   llvm.alloca
//       CHECK:   %[[RESULT:.+]] = llvm.mlir.constant(1 : i64)
//  CHECK-NEXT:   %{{.+}} = llvm.getelementptr
//  CHECK-NEXT:   llvm.store %[[RESULT]]
//       CHECK:   %[[COUNT:.+]] = llvm.mlir.constant(1 : i64)
//       CHECK:   llvm.call @fp8rt_check_sizes(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}})
func.func @part_backward(%t: memref<?x4xf32> {fp8.tangent = 0 : i64}, %y: memref<?xf32> {fp8.result}, %w: memref<?xi8>, %context: !llvm.ptr, %stream: !llvm.ptr) -> i32 attributes {fp8.backward} {
  %s = arith.constant 0 : i32
  return %s : i32
}
func.func @part_backward_workspace(%t: memref<?x4xf32>, %y: memref<?xf32>) -> i64 attributes {fp8.companion} {
  %b = arith.constant 256 : i64
  return %b : i64
}
func.func @part_backward_prepare(%t: memref<?x4xf32>, %y: memref<?xf32>, %context: !llvm.ptr) -> i32 attributes {fp8.companion} {
  %s = arith.constant 0 : i32
  return %s : i32
}
func.func @part_backward_sizes(%t: memref<?x4xf32>) -> index attributes {fp8.companion} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %t, %c0 : memref<?x4xf32>
  return %m : index
}

// -----

// Negative: a private function is nobody's interface.
// CHECK-LABEL: func.func private @helper(%{{.+}}: memref<4xf32>)
//   CHECK-NOT: fp8rt_check_tensors
func.func private @helper(%x: memref<4xf32>) {
  return
}
