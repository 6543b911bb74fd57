// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 --remarks-filter=fp8 --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0, d1) -> ()>

// A tile takes its amax on the way: with the barrier that it has anyway, and an
// atomic for a block that has something to raise.
// REMARK: Function=cast_amax | Reason="tile, 256 threads a block"
// CHECK-LABEL: gpu.func @cast_amax(
//       CHECK:   scf.if
// CHECK-COUNT-32:  nvvm.convert.f32x2.to.f8x2
//       CHECK:     gpu.subgroup_reduce maxsi
//       CHECK:     gpu.barrier
//   CHECK-NOT:     gpu.barrier
//       CHECK:     llvm.atomicrmw max {{.*}} syncscope("device") monotonic
//       CHECK:   else
//       CHECK:     scf.for
//       CHECK:     gpu.subgroup_reduce maxsi
//       CHECK:     gpu.barrier
//   CHECK-NOT:     gpu.barrier
//       CHECK:     llvm.atomicrmw max
func.func private @cast_amax(%x: memref<?x?xf32>, %used: memref<f32>, %q: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E4M3FN>, %a: memref<f32>) attributes {fp8.kernel} {
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  linalg.generic {indexing_maps = [#id, #one, #id, #swap, #one], iterator_types = ["reduction", "reduction"]} ins(%x, %used : memref<?x?xf32>, memref<f32>) outs(%q, %t, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>, memref<f32>) {
  ^bb0(%in: f32, %s: f32, %o0: f8E4M3FN, %o1: f8E4M3FN, %old: f32):
    %p = arith.mulf %in, %s : f32
    %l = arith.minimumf %p, %high : f32
    %h = arith.maximumf %l, %low : f32
    %c = arith.truncf %h : f32 to f8E4M3FN
    %b = math.absf %in : f32
    %m = arith.maximumf %old, %b : f32
    linalg.yield %c, %c, %m : f8E4M3FN, f8E4M3FN, f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0, d1) -> ()>

// All is behind the condition, which is computed once; few blocks take the tiles
// in turn, and wait before the next one uses the shared memory.
// REMARK: Function=redo | Reason="redo, 256 threads a block"
// CHECK-LABEL: func @host
//       CHECK:   %[[FEW:.+]] = arith.constant 264 : index
//       CHECK:   %[[BLOCKS:.+]] = arith.minui %{{.+}}, %[[FEW]]
//       CHECK:   gpu.launch_func @fp8_kernels::@redo
//       CHECK: llvm.mlir.global internal @redo_shared0() {{.*}} !llvm.array<16384 x i8>
//   CHECK-NOT: llvm.mlir.global
//       CHECK: gpu.func @redo(
//   CHECK-NOT:   scf
//       CHECK:   %[[WRONG:.+]] = arith.cmpi ne, %{{.+}}, %{{.+}} : i32
//       CHECK:   scf.if %[[WRONG]] {
//  CHECK-NEXT:     arith.
//       CHECK:     scf.for
//       CHECK:       scf.if
// CHECK-COUNT-32:      nvvm.convert.f32x2.to.f8x2
//       CHECK:         gpu.barrier
//       CHECK:         gpu.barrier
//       CHECK:       gpu.barrier
//   CHECK-NOT:   gpu.barrier
//       CHECK:   scf.if
//       CHECK:     llvm.store
//       CHECK:   gpu.return
func.func @host(%x: memref<?x?xf32>, %s: memref<f32>, %next: memref<f32>, %u: memref<f32>, %q: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E4M3FN>) {
  call @redo(%x, %s, %next, %u, %q, %t) : (memref<?x?xf32>, memref<f32>, memref<f32>, memref<f32>, memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) -> ()
  return
}
func.func private @redo(%x: memref<?x?xf32>, %s: memref<f32>, %next: memref<f32>, %used: memref<f32>, %q: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E4M3FN>) attributes {fp8.kernel} {
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%s : memref<f32>) outs(%next : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #one, #one, #id, #swap], iterator_types = ["parallel", "parallel"]} ins(%x, %next, %used : memref<?x?xf32>, memref<f32>, memref<f32>) outs(%q, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %o0: f8E4M3FN, %o1: f8E4M3FN):
    %r = arith.bitcast %right : f32 to i32
    %w = arith.bitcast %tried : f32 to i32
    %wrong = arith.cmpi ne, %r, %w : i32
    %p = arith.mulf %in, %right : f32
    %l = arith.minimumf %p, %high : f32
    %h = arith.maximumf %l, %low : f32
    %c = arith.truncf %h : f32 to f8E4M3FN
    %s0 = arith.select %wrong, %c, %o0 : f8E4M3FN
    %s1 = arith.select %wrong, %c, %o1 : f8E4M3FN
    linalg.yield %s0, %s1 : f8E4M3FN, f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Negative: what is kept element by element has to be read.
// REMARK: Function=masked | Reason="elementwise, 256 threads a block"
// CHECK-LABEL: gpu.func @masked(
//       CHECK:   arith.select
func.func private @masked(%x: memref<?xf32>, %y: memref<?xf32>) attributes {fp8.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %old: f32):
    %c = arith.cmpf une, %in, %zero : f32
    %r = arith.select %c, %in, %old : f32
    linalg.yield %r : f32
  }
  return
}
