// RUN: fp8-opt --fp8-add-runtime-arguments --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %{{.*}}: memref<?xf32> {fp8.donated}, %{{.*}}: memref<?xi8>, %{{.*}}: !llvm.ptr {fp8.context}, %{{.*}}: !llvm.ptr {fp8.stream}) -> i32
//       CHECK:   %[[STATUS:.+]] = memref.alloca() {fp8.status} : memref<i32>
//       CHECK:   %[[ZERO:.+]] = arith.constant 0 : i32
//       CHECK:   memref.store %[[ZERO]], %[[STATUS]][]
//       CHECK:   %[[R:.+]] = memref.load %[[STATUS]][]
//       CHECK:   return %[[R]] : i32
// CHECK-LABEL: func.func @main_prepare(
//  CHECK-SAME:   %{{.*}}: memref<?xf32>, %{{.*}}: !llvm.ptr {fp8.context}) -> i32 attributes {fp8.companion}
//       CHECK:   %[[STATUS:.+]] = memref.alloca() {fp8.status} : memref<i32>
//       CHECK:   %[[R:.+]] = memref.load %[[STATUS]][]
//       CHECK:   return %[[R]] : i32
func.func @main(%x: memref<?xf32> {fp8.donated}, %w: memref<?xi8>) {
  return
}

// -----

// Negative: private functions, declarations and companions stay as they are.
// CHECK-LABEL: func.func private @private() {
// CHECK-LABEL: func.func private @declared(memref<4xf32>)
// CHECK-LABEL: func.func @main_workspace() -> i64
//   CHECK-NOT: _prepare
func.func private @private() {
  return
}
func.func private @declared(memref<4xf32>)
func.func @main_workspace() -> i64 attributes {fp8.companion} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}
