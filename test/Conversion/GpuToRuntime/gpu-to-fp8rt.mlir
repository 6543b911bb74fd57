// RUN: fp8-opt --convert-gpu-to-fp8rt %s | FileCheck %s

// A constant with the image and the names of the kernels, in the order of their
// first launch.
// CHECK-LABEL: llvm.mlir.global internal constant @fp8rt_binary()
//   CHECK-DAG:   llvm.mlir.constant(32 : i64)
//   CHECK-DAG:   llvm.mlir.constant(2 : i32)
//   CHECK-DAG:   llvm.mlir.addressof @fp8rt_images
//   CHECK-DAG:   llvm.mlir.addressof @fp8rt_kernel_names
//       CHECK: @fp8rt_kernel_names()
//       CHECK:   %[[NAME0:.+]] = llvm.mlir.addressof @[[FIRST:.+]] : !llvm.ptr
//       CHECK:   llvm.insertvalue %[[NAME0]], %{{.+}}[0]
//       CHECK:   %[[NAME1:.+]] = llvm.mlir.addressof @[[SECOND:.+]] : !llvm.ptr
//       CHECK:   llvm.insertvalue %[[NAME1]], %{{.+}}[1]
//   CHECK-DAG: @[[FIRST]]("second\00")
//   CHECK-DAG: @[[SECOND]]("first\00")
//       CHECK: @fp8rt_images()
//   CHECK-DAG:   llvm.mlir.addressof @fp8rt_image
//   CHECK-DAG:   llvm.mlir.constant(5 : i64)
//   CHECK-DAG:   llvm.mlir.constant(90 : i32)
//       CHECK: @fp8rt_image("cubin") {addr_space = 0 : i32, alignment = 16 : i64}
module attributes {gpu.container_module} {
  // CHECK-LABEL: func @main
  //  CHECK-SAME:   %[[X:.+]]: memref<?xi8>, %[[P:.+]]: !llvm.ptr<1>, %[[CONTEXT:.+]]: !llvm.ptr {{.*}}, %[[STREAM:.+]]: !llvm.ptr
  //       CHECK:   %[[DIMS:.+]] = llvm.alloca %{{.+}} x !llvm.struct<(i64, i32, i32, i32, i32, i32, i32, i32, i32)>
  //       CHECK:   %[[VALUES:.+]] = llvm.alloca %{{.+}} x !llvm.array<2 x i64>
  //       CHECK:   %[[ARGS:.+]] = llvm.alloca %{{.+}} x !llvm.array<2 x ptr>
  //       CHECK:   llvm.call @fp8rt_memset(%[[CONTEXT]], %{{.+}}, %{{.+}}, %{{.+}}, %[[STREAM]])
  //       CHECK:   llvm.store %[[P]], %{{.+}} : !llvm.ptr<1>, !llvm.ptr
  //       CHECK:   %[[BINARY:.+]] = llvm.mlir.addressof @fp8rt_binary
  //       CHECK:   %[[ZERO:.+]] = llvm.mlir.constant(0 : i32) : i32
  //       CHECK:   llvm.call @fp8rt_launch(%[[CONTEXT]], %[[BINARY]], %[[ZERO]], %[[DIMS]], %[[ARGS]], %[[STREAM]])
  //       CHECK:   llvm.mlir.addressof @fp8rt_binary
  //  CHECK-NEXT:   %[[ONE:.+]] = llvm.mlir.constant(1 : i32) : i32
  //       CHECK:   llvm.call @fp8rt_launch(%[[CONTEXT]], %{{.+}}, %[[ONE]], %[[DIMS]], %[[ARGS]], %[[STREAM]])
  //   CHECK-NOT:   gpu.
  func.func @main(%x: memref<?xi8>, %p: !llvm.ptr<1>, %context: !llvm.ptr {fp8.context}, %stream: !llvm.ptr {fp8.stream}) -> i32 {
    %status = memref.alloca() {fp8.status} : memref<i32>
    %c0_i8 = arith.constant 0 : i8
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %n = arith.constant 7 : i64
    gpu.memset %x, %c0_i8 : memref<?xi8>, i8
    gpu.launch_func @kernels::@second blocks in (%c64, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : !llvm.ptr<1>, %n : i64)
    gpu.launch_func @kernels::@first blocks in (%c64, %c1, %c1) threads in (%c64, %c1, %c1) args(%p : !llvm.ptr<1>)
    %r = memref.load %status[] : memref<i32>
    return %r : i32
  }
  // CHECK-LABEL: func @main_prepare
  //       CHECK:   llvm.call @fp8rt_binary_prepare
  //       CHECK:   memref.load
  func.func @main_prepare(%x: memref<?xi8>, %context: !llvm.ptr {fp8.context}) -> i32 attributes {fp8.companion} {
    %status = memref.alloca() {fp8.status} : memref<i32>
    %r = memref.load %status[] : memref<i32>
    return %r : i32
  }
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "cubin">]
}
