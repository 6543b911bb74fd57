// C35: a kernel that reads and writes each fp8 type has only bytes in it, down to
// the code of chips with and without converts.
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_80 %s | fp8-opt - --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm,reconcile-unrealized-casts,canonicalize,cse))" -o %t.sm_80
// RUN: FileCheck %s --input-file=%t.sm_80 --implicit-check-not=unrealized --implicit-check-not=f8E
// RUN: fp8-opt --gpu-module-to-binary=format=isa %t.sm_80 | FileCheck %s --check-prefix=CODE
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 %s | fp8-opt - --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm,reconcile-unrealized-casts,canonicalize,cse))" -o %t.sm_90
// RUN: FileCheck %s --input-file=%t.sm_90 --implicit-check-not=unrealized --implicit-check-not=f8E
// RUN: fp8-opt --gpu-module-to-binary=format=isa %t.sm_90 | FileCheck %s --check-prefix=CODE
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=gfx942 %s | fp8-opt - --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-rocdl{chipset=gfx942},reconcile-unrealized-casts,canonicalize,cse))" -o %t.gfx942
// RUN: FileCheck %s --input-file=%t.gfx942 --implicit-check-not=unrealized --implicit-check-not=f8E

// CHECK-COUNT-4: llvm.func @{{.*}}to_
// CODE: gpu.binary
#id = affine_map<(d0) -> (d0)>
func.func private @to_e4m3fn(%x: memref<?xf32>, %p: memref<?xf8E4M3FN>, %y: memref<?xf8E4M3FN>, %z: memref<?xf32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %p : memref<?xf32>, memref<?xf8E4M3FN>) outs(%y, %z : memref<?xf8E4M3FN>, memref<?xf32>) {
  ^bb0(%in: f32, %b: f8E4M3FN, %out: f8E4M3FN, %out2: f32):
    %t = arith.truncf %in : f32 to f8E4M3FN
    %s = arith.addf %t, %b : f8E4M3FN
    %a = math.absf %s : f8E4M3FN
    %lt = arith.cmpf olt, %a, %b : f8E4M3FN
    %r = arith.select %lt, %a, %b : f8E4M3FN
    %w = arith.extf %r : f8E4M3FN to f32
    linalg.yield %r, %w : f8E4M3FN, f32
  }
  return
}
func.func private @to_e5m2(%x: memref<?xf32>, %p: memref<?xf8E5M2>, %y: memref<?xf8E5M2>, %z: memref<?xf32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %p : memref<?xf32>, memref<?xf8E5M2>) outs(%y, %z : memref<?xf8E5M2>, memref<?xf32>) {
  ^bb0(%in: f32, %b: f8E5M2, %out: f8E5M2, %out2: f32):
    %t = arith.truncf %in : f32 to f8E5M2
    %s = arith.addf %t, %b : f8E5M2
    %a = math.absf %s : f8E5M2
    %lt = arith.cmpf olt, %a, %b : f8E5M2
    %r = arith.select %lt, %a, %b : f8E5M2
    %w = arith.extf %r : f8E5M2 to f32
    linalg.yield %r, %w : f8E5M2, f32
  }
  return
}
func.func private @to_e4m3fnuz(%x: memref<?xf32>, %p: memref<?xf8E4M3FNUZ>, %y: memref<?xf8E4M3FNUZ>, %z: memref<?xf32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %p : memref<?xf32>, memref<?xf8E4M3FNUZ>) outs(%y, %z : memref<?xf8E4M3FNUZ>, memref<?xf32>) {
  ^bb0(%in: f32, %b: f8E4M3FNUZ, %out: f8E4M3FNUZ, %out2: f32):
    %t = arith.truncf %in : f32 to f8E4M3FNUZ
    %s = arith.addf %t, %b : f8E4M3FNUZ
    %a = math.absf %s : f8E4M3FNUZ
    %lt = arith.cmpf olt, %a, %b : f8E4M3FNUZ
    %r = arith.select %lt, %a, %b : f8E4M3FNUZ
    %w = arith.extf %r : f8E4M3FNUZ to f32
    linalg.yield %r, %w : f8E4M3FNUZ, f32
  }
  return
}
func.func private @to_e5m2fnuz(%x: memref<?xf32>, %p: memref<?xf8E5M2FNUZ>, %y: memref<?xf8E5M2FNUZ>, %z: memref<?xf32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %p : memref<?xf32>, memref<?xf8E5M2FNUZ>) outs(%y, %z : memref<?xf8E5M2FNUZ>, memref<?xf32>) {
  ^bb0(%in: f32, %b: f8E5M2FNUZ, %out: f8E5M2FNUZ, %out2: f32):
    %t = arith.truncf %in : f32 to f8E5M2FNUZ
    %s = arith.addf %t, %b : f8E5M2FNUZ
    %a = math.absf %s : f8E5M2FNUZ
    %lt = arith.cmpf olt, %a, %b : f8E5M2FNUZ
    %r = arith.select %lt, %a, %b : f8E5M2FNUZ
    %w = arith.extf %r : f8E5M2FNUZ to f32
    linalg.yield %r, %w : f8E5M2FNUZ, f32
  }
  return
}
