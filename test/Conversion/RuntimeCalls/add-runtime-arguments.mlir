// RUN: fp8-opt --fp8-add-runtime-arguments --split-input-file %s | FileCheck %s

// A function without a call has a status too. NAME_prepare takes the buffers but
// for the workspace.
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %{{.+}}: memref<4xf32>, %{{.+}}: memref<?xi8>, %{{.+}}: !llvm.ptr {fp8.context}, %{{.+}}: !llvm.ptr {fp8.stream}) -> i32
//       CHECK:   %[[SLOT:.+]] = memref.alloca() {fp8.status} : memref<i32>
//       CHECK:   %[[ZERO:.+]] = arith.constant 0 : i32
//       CHECK:   memref.store %[[ZERO]], %[[SLOT]]
//       CHECK:   %[[R:.+]] = memref.load %[[SLOT]]
//       CHECK:   return %[[R]] : i32
// CHECK-LABEL: func.func @main_prepare(
//  CHECK-SAME:   %{{.+}}: memref<4xf32>, %{{.+}}: !llvm.ptr {fp8.context}) -> i32 attributes {fp8.companion}
func.func @main(%a: memref<4xf32>, %w: memref<?xi8>) {
  return
}

// -----

// Negative: private functions and companions are left alone.
// CHECK-LABEL: func.func private @helper(%{{.+}}: memref<4xf32>, %{{.+}}: memref<?xi8>) {
// CHECK-LABEL: func.func @main_workspace(%{{.+}}: memref<4xf32>) -> i64
//   CHECK-NOT: _prepare
func.func private @helper(%a: memref<4xf32>, %w: memref<?xi8>) {
  return
}
func.func @main_workspace(%a: memref<4xf32>) -> i64 attributes {fp8.companion} {
  %c = arith.constant 0 : i64
  return %c : i64
}
