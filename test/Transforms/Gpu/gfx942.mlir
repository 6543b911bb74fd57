// The same kernels on an AMD device, linked: FNUZ converts, subgroups of 64,
// accesses of 16 bytes. No part of ROCm is needed but an empty folder.
// RUN: rm -rf %t && mkdir -p %t/amdgcn/bitcode %t/llvm/bin && ln -s %lld %t/llvm/bin/ld.lld
// RUN: fp8-opt --fp8-outline-kernels --fp8-generate-gpu-kernels=target=gfx942 %s | fp8-opt - --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-rocdl{chipset=gfx942},reconcile-unrealized-casts,canonicalize,cse))" -o %t/rocdl.mlir
// RUN: fp8-opt %t/rocdl.mlir --gpu-module-to-binary="format=isa toolkit=%t" | sed -e 's/\\0A/\n/g' -e 's/\\09/ /g' | FileCheck %s
// RUN: fp8-opt %t/rocdl.mlir --gpu-module-to-binary="format=bin toolkit=%t" | FileCheck %s --check-prefix=BINARY

// BINARY: gpu.binary @fp8_kernels [#gpu.object<#rocdl.target<O = 3, chip = "gfx942">, bin = "\7FELF

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: {{^}}amax:
//       CHECK:   global_load_dwordx4
//       CHECK:   global_atomic_smax
// CHECK-LABEL: {{^}}cast_transpose:
//       CHECK:   global_load_dwordx4
//       CHECK:   v_cvt_pk_fp8_f32
//       CHECK:   global_store_dwordx4
//       CHECK:   s_barrier
//       CHECK:   ds_read_b128
//       CHECK:   global_store_dwordx4
// CHECK-COUNT-2: .vgpr_spill_count: 0
func.func @main(%x: memref<?x?xbf16>, %a: memref<f32>, %s: memref<f32>, %q: memref<?x?xf8E4M3FNUZ>, %t: memref<?x?xf8E4M3FNUZ>) {
  %high = arith.constant 240.0 : f32
  %low = arith.constant -240.0 : f32
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xbf16>) outs(%a : memref<f32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %b = math.absf %f : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [#id, #none, #id, #swap], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<?x?xbf16>, memref<f32>) outs(%q, %t : memref<?x?xf8E4M3FNUZ>, memref<?x?xf8E4M3FNUZ>) {
  ^bb0(%in: bf16, %scale: f32, %out: f8E4M3FNUZ, %out2: f8E4M3FNUZ):
    %f = arith.extf %in : bf16 to f32
    %p = arith.mulf %f, %scale : f32
    %c = arith.minimumf %p, %high : f32
    %d = arith.maximumf %c, %low : f32
    %r = arith.truncf %d : f32 to f8E4M3FNUZ
    linalg.yield %r, %r : f8E4M3FNUZ, f8E4M3FNUZ
  }
  return
}
