// RUN: fp8-opt --convert-gpu-to-fp8rt --split-input-file --verify-diagnostics %s

func.func @not_prepared(%x: memref<?xi8>) {
  %c0 = arith.constant 0 : i8
  // expected-error @-2 {{'func.func' op expects a context and a status, which fp8-add-runtime-arguments adds, but has none}}
  gpu.memset %x, %c0 : memref<?xi8>, i8
  return
}

// -----

func.func @main(%x: memref<?xi8>, %context: !llvm.ptr {fp8.context}, %stream: !llvm.ptr {fp8.stream}) -> i32 {
  %status = memref.alloca() {fp8.status} : memref<i32>
  %c1 = arith.constant 1 : i8
  // expected-error @below {{'gpu.memset' op expects bytes of 0}}
  gpu.memset %x, %c1 : memref<?xi8>, i8
  %r = memref.load %status[] : memref<i32>
  return %r : i32
}
func.func @main_prepare(%x: memref<?xi8>, %context: !llvm.ptr {fp8.context}) -> i32 {
  %status = memref.alloca() {fp8.status} : memref<i32>
  %r = memref.load %status[] : memref<i32>
  return %r : i32
}

// -----

module attributes {gpu.container_module} {
  func.func @main(%p: !llvm.ptr, %context: !llvm.ptr {fp8.context}, %stream: !llvm.ptr {fp8.stream}) -> i32 {
    %status = memref.alloca() {fp8.status} : memref<i32>
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : !llvm.ptr)
    %r = memref.load %status[] : memref<i32>
    return %r : i32
  }
  // expected-error @below {{'gpu.binary' op expects an object for a target that the runtime loads kernels on, but got #rocdl.target<chip = "gfx942">}}
  gpu.binary @kernels [#gpu.object<#rocdl.target<chip = "gfx942">, bin = "elf">]
}
