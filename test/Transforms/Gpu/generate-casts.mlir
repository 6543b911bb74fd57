// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 --remarks-filter=fp8 --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>

// Blocks for the first cast, one at least, then those for the second. Each reads
// the scalars of its own cast, and the first of each stores them.
// REMARK: Function=casts | Reason="casts, 512 threads a block"
// CHECK-LABEL: func @host
//   CHECK-DAG:   %[[C1:.+]] = arith.constant 1 : index
//       CHECK:   %[[N1:.+]] = arith.maxui %{{.+}}, %[[C1]] : index
//       CHECK:   %[[N2:.+]] = arith.maxui %{{.+}}, %[[C1]] : index
//       CHECK:   arith.addi %[[N1]], %[[N2]] : index
//       CHECK:   gpu.launch_func @fp8_kernels::@casts
//       CHECK: llvm.mlir.global internal @casts_shared0() {{.*}} !llvm.array<32768 x i8>
//   CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: gpu.func @casts(
//  CHECK-SAME:   %[[AX:[^:]+]]: !llvm.ptr<1>, %[[SX:[^:]+]]: !llvm.ptr<1>, %[[AW:[^:]+]]: !llvm.ptr<1>, %[[SW:[^:]+]]: !llvm.ptr<1>,
//  CHECK-SAME:   nvvm.minctasm = 2 : i32
//       CHECK:   %[[THREAD:.+]] = arith.index_castui %thread_id_x
//       CHECK:   %[[BLOCK:.+]] = arith.index_castui %block_id_x
//       CHECK:   %[[MORE:.+]] = arith.maxui %{{.+}}, %{{.+}} : i64
//       CHECK:   %[[COUNT:.+]] = arith.trunci %[[MORE]] : i64 to i32
//       CHECK:   %[[FIRST:.+]] = arith.cmpi slt, %[[BLOCK]], %[[COUNT]] : i32
//       CHECK:   scf.if %[[FIRST]] {
//   CHECK-NOT:     %[[AW]]
//       CHECK:     llvm.load %[[AX]]
//   CHECK-NOT:     %[[AW]]
//       CHECK:     nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E4M3FN)
//   CHECK-NOT:     f8E5M2
//       CHECK:     %[[ANY:.+]] = arith.ori %[[THREAD]], %[[BLOCK]] : i32
//       CHECK:     %[[ONE:.+]] = arith.cmpi eq, %[[ANY]]
//       CHECK:     scf.if %[[ONE]] {
//       CHECK:       llvm.store %{{.+}}, %[[SX]] : f32
//       CHECK:   } else {
//       CHECK:     %[[NUMBER:.+]] = arith.subi %[[BLOCK]], %[[COUNT]] : i32
//       CHECK:     arith.remui %[[NUMBER]]
//       CHECK:     llvm.load %[[AW]]
//       CHECK:     nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E5M2)
//       CHECK:     %[[ANY:.+]] = arith.ori %[[THREAD]], %[[NUMBER]] : i32
//       CHECK:     %[[ONE:.+]] = arith.cmpi eq, %[[ANY]]
//       CHECK:     scf.if %[[ONE]] {
//       CHECK:       llvm.store %{{.+}}, %[[SW]] : f32
func.func @host(%ax: memref<f32>, %sx: memref<f32>, %aw: memref<f32>, %sw: memref<f32>, %x: memref<?x?xbf16>, %qx: memref<?x?xf8E4M3FN>, %tx: memref<?x?xf8E4M3FN>, %w: memref<?x?xbf16>, %qw: memref<?x?xf8E5M2>, %tw: memref<?x?xf8E5M2>) {
  call @casts(%ax, %sx, %aw, %sw, %x, %qx, %tx, %w, %qw, %tw) : (memref<f32>, memref<f32>, memref<f32>, memref<f32>, memref<?x?xbf16>, memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>, memref<?x?xbf16>, memref<?x?xf8E5M2>, memref<?x?xf8E5M2>) -> ()
  return
}
func.func private @casts(%ax: memref<f32>, %sx: memref<f32>, %aw: memref<f32>, %sw: memref<f32>, %x: memref<?x?xbf16>, %qx: memref<?x?xf8E4M3FN>, %tx: memref<?x?xf8E4M3FN>, %w: memref<?x?xbf16>, %qw: memref<?x?xf8E5M2>, %tw: memref<?x?xf8E5M2>) attributes {fp8.kernel} {
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  %high2 = arith.constant 57344.0 : f32
  %low2 = arith.constant -57344.0 : f32
  linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%ax : memref<f32>) outs(%sx : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %in : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%aw : memref<f32>) outs(%sw : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %in : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#id, #one, #id, #swap], iterator_types = ["parallel", "parallel"]} ins(%x, %sx : memref<?x?xbf16>, memref<f32>) outs(%qx, %tx : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %o0: f8E4M3FN, %o1: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %l = arith.minimumf %m, %high : f32
    %h = arith.maximumf %l, %low : f32
    %c = arith.truncf %h : f32 to f8E4M3FN
    linalg.yield %c, %c : f8E4M3FN, f8E4M3FN
  }
  linalg.generic {indexing_maps = [#id, #one, #id, #swap], iterator_types = ["parallel", "parallel"]} ins(%w, %sw : memref<?x?xbf16>, memref<f32>) outs(%qw, %tw : memref<?x?xf8E5M2>, memref<?x?xf8E5M2>) {
  ^bb0(%in: bf16, %scale: f32, %o0: f8E5M2, %o1: f8E5M2):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %l = arith.minimumf %m, %high2 : f32
    %h = arith.maximumf %l, %low2 : f32
    %c = arith.truncf %h : f32 to f8E5M2
    linalg.yield %c, %c : f8E5M2, f8E5M2
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>

// Negative: one cast alone leaves registers to the compiler.
// REMARK: Function=alone | Reason="tile, 512 threads a block"
// CHECK-LABEL: gpu.func @alone(
//   CHECK-NOT:   minctasm
//       CHECK:   gpu.return
func.func private @alone(%s: memref<f32>, %x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E4M3FN>) attributes {fp8.kernel} {
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  linalg.generic {indexing_maps = [#id, #one, #id, #swap], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<?x?xbf16>, memref<f32>) outs(%q, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %o0: f8E4M3FN, %o1: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %l = arith.minimumf %m, %high : f32
    %h = arith.maximumf %l, %low : f32
    %c = arith.truncf %h : f32 to f8E4M3FN
    linalg.yield %c, %c : f8E4M3FN, f8E4M3FN
  }
  return
}
