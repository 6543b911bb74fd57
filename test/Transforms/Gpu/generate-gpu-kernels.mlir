// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 --remarks-filter=fp8 --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1) -> (d0, d1)>

// The host computes blocks from sizes and passes pointers and sizes.
// REMARK: Function=negate | Reason="elementwise, 256 threads a block"
// CHECK-LABEL: func @host
//  CHECK-SAME:   %[[X:.+]]: memref<?x?xf32>, %[[Y:.+]]: memref<?x?xf32>
//   CHECK-DAG:   %[[M:.+]] = memref.dim %[[X]], %{{.+}}
//   CHECK-DAG:   %[[N:.+]] = memref.dim %[[X]], %{{.+}}
//       CHECK:   arith.ceildivui
//       CHECK:   gpu.launch_func @fp8_kernels::@negate blocks in (%{{.+}}, %[[ONE:.+]], %[[ONE]]) threads in (%{{.+}}, %[[ONE]], %[[ONE]])
//  CHECK-SAME:     args(%{{.+}} : !llvm.ptr<1>, %{{.+}} : !llvm.ptr<1>, %{{.+}} : i64, %{{.+}} : i64)
//       CHECK: gpu.module @fp8_kernels [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">]
//       CHECK:   gpu.func @negate(%{{.+}}: !llvm.ptr<1>, %{{.+}}: !llvm.ptr<1>, %{{.+}}: i64, %{{.+}}: i64) kernel
//  CHECK-SAME:     known_block_size = array<i32: 256, 1, 1>
//       CHECK:     llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
//       CHECK:     llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
//       CHECK:   else
//       CHECK:     scf.for
func.func @host(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  call @negate(%x, %y) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
  return
}
func.func private @negate(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// A NaN is larger than all numbers as an integer; the atomic is only there for
// a block that has something to raise.
// REMARK: Function=amax | Reason="amax, 512 threads a block"
// CHECK-LABEL: gpu.func @amax
//       CHECK:   arith.maxsi
//       CHECK:   gpu.subgroup_reduce maxsi
//       CHECK:   gpu.barrier
//       CHECK:   %[[OLD:.+]] = llvm.load %[[P:.+]] : !llvm.ptr<1> -> i32
//       CHECK:   %[[MORE:.+]] = arith.cmpi slt, %[[OLD]], %[[NEW:.+]] : i32
//       CHECK:   scf.if %[[MORE]]
//  CHECK-NEXT:     llvm.atomicrmw max %[[P]], %[[NEW]] syncscope("device") monotonic
func.func private @amax(%x: memref<?x?xbf16>, %a: memref<f32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xbf16>) outs(%a : memref<f32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %b = math.absf %f : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#scalar = affine_map<() -> ()>

// The scale is computed on the way, without a branch, and its descale stored by
// one thread; the tile, of 256 rows and 128 columns, goes through shared memory.
// Threads beyond the end of the matrix load its last elements and store none.
// REMARK: Function=tile | Reason="tile, 512 threads a block"
// CHECK-LABEL: gpu.module
//       CHECK:   llvm.mlir.global internal @tile_shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32768 x i8>
//       CHECK:   gpu.func @tile(
// CHECK-COUNT-2:   arith.minsi
// CHECK-COUNT-8:   llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
//   CHECK-NOT:     arith.divf
//       CHECK:     nvvm.rcp.approx.ftz.f
// CHECK-COUNT-8:   nvvm.convert.f32x2.to.f8x2
//       CHECK:     scf.if %[[INSIDE:[0-9]+]] {
//       CHECK:       llvm.store {{.*}} {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<1>
// CHECK-COUNT-24:  nvvm.convert.f32x2.to.f8x2
//       CHECK:     scf.if %[[INSIDE]] {
//       CHECK:     gpu.barrier
//       CHECK:     scf.if
//       CHECK:       llvm.store {{.*}} {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<1>
//       CHECK:     scf.if
//       CHECK:       llvm.store {{.*}} : f32, !llvm.ptr<1>
func.func private @tile(%amax: memref<f32>, %descale: memref<f32>, %x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E4M3FN>) attributes {fp8.kernel} {
  %eps = arith.constant 1.0e-12 : f64
  %max = arith.constant 448.0 : f64
  %one = arith.constant 1.0 : f32
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  %scale = memref.alloca() : memref<f32>
  linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []} ins(%amax : memref<f32>) outs(%scale, %descale : memref<f32>, memref<f32>) {
  ^bb0(%in: f32, %out: f32, %out2: f32):
    %w = arith.extf %in : f32 to f64
    %f = arith.maximumf %w, %eps : f64
    %d = arith.divf %max, %f : f64
    %s = arith.truncf %d : f64 to f32
    %r = arith.divf %one, %s : f32
    linalg.yield %s, %r : f32, f32
  }
  linalg.generic {indexing_maps = [#id, #none, #id, #swap], iterator_types = ["parallel", "parallel"]} ins(%x, %scale : memref<?x?xbf16>, memref<f32>) outs(%q, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) {
  ^bb0(%in: bf16, %s: f32, %out: f8E4M3FN, %out2: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %p = arith.mulf %f, %s : f32
    %c = arith.minimumf %p, %high : f32
    %d = arith.maximumf %c, %low : f32
    %r = arith.truncf %d : f32 to f8E4M3FN
    linalg.yield %r, %r : f8E4M3FN, f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// With glue a thread has fewer registers to spare: 256 rows and 64 columns.
// REMARK: Function=glue_tile | Reason="tile, 256 threads a block"
// CHECK-LABEL: gpu.module
//       CHECK:   @glue_tile_shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16384 x i8>
func.func private @glue_tile(%s: memref<f32>, %x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E4M3FN>) attributes {fp8.kernel} {
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  linalg.generic {indexing_maps = [#id, #none, #id, #swap], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<?x?xbf16>, memref<f32>) outs(%q, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %out: f8E4M3FN, %out2: f8E4M3FN):
    %g = arith.mulf %in, %in : bf16
    %f = arith.extf %g : bf16 to f32
    %p = arith.mulf %f, %scale : f32
    %c = arith.minimumf %p, %high : f32
    %d = arith.maximumf %c, %low : f32
    %r = arith.truncf %d : f32 to f8E4M3FN
    linalg.yield %r, %r : f8E4M3FN, f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// REMARK-DAG: Function=rows | Reason="row-reduction, 256 threads a block"
// REMARK-DAG: Function=cols | Reason="column-reduction, 1024 threads a block"
// REMARK-DAG: Function=bf16_rows | Reason="sequential, 256 threads a block"
// CHECK-LABEL: gpu.func @rows
//       CHECK:   gpu.shuffle xor
// CHECK-LABEL: gpu.func @cols
//       CHECK:   gpu.barrier
// CHECK-LABEL: gpu.func @bf16_rows
//   CHECK-NOT:   gpu.shuffle
//       CHECK:   gpu.return
func.func private @rows(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  }
  return
}
func.func private @cols(%x: memref<?x?xbf16>, %y: memref<?xf32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : memref<?x?xbf16>) outs(%y : memref<?xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %s = arith.addf %out, %f : f32
    linalg.yield %s : f32
  }
  return
}
// Negative: a sum that is rounded to bf16 at each step has one order.
func.func private @bf16_rows(%x: memref<?x?xbf16>, %y: memref<?xbf16>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xbf16>) outs(%y : memref<?xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %s = arith.addf %out, %in : bf16
    linalg.yield %s : bf16
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// A cast that does not saturate is no job for the instruction, which does.
// CHECK-LABEL: gpu.func @wraps
//   CHECK-NOT:   nvvm.convert
//   CHECK-NOT:   arith.truncf {{.*}} to f8E4M3FN
//       CHECK:   gpu.return
func.func private @wraps(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf8E4M3FN>) {
  ^bb0(%in: f32, %out: f8E4M3FN):
    %t = arith.truncf %in : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// What is exact in f16, or rounds once, needs no f32.
// REMARK: Function=half |
// CHECK-LABEL: gpu.func @half
//       CHECK:   llvm.call_intrinsic "llvm.fabs.f16"
//       CHECK:   llvm.call_intrinsic "llvm.copysign.f16"
//       CHECK:   llvm.call_intrinsic "llvm.sqrt.f16"
//       CHECK:   llvm.call_intrinsic "llvm.fma.f16"
func.func private @half(%x: memref<7xf16>, %y: memref<7xf16>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<7xf16>) outs(%y : memref<7xf16>) {
  ^bb0(%in: f16, %out: f16):
    %a = math.absf %in : f16
    %c = math.copysign %a, %in : f16
    %s = math.sqrt %a : f16
    %f = math.fma %c, %s, %in : f16
    linalg.yield %f : f16
  }
  return
}
