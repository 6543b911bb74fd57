// C15: a division stays one, correctly rounded, and no product with a reciprocal;
// denormals are kept. (Both forms' bytes are in values.py.)
// RUN: fp8-opt --canonicalize --cse %s | FileCheck %s --implicit-check-not=fastmath
// RUN: fp8-opt --fp8-outline-kernels --fp8-generate-gpu-kernels=target=sm_90 %s | fp8-opt - --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm,reconcile-unrealized-casts,canonicalize,cse),gpu-module-to-binary{format=isa})" | sed -e 's/\\0A/\n/g' -e 's/\\09/ /g' | FileCheck %s --check-prefix=PTX --implicit-check-not=rcp. --implicit-check-not=div.full --implicit-check-not=.ftz --implicit-check-not=approx

// CHECK: arith.divf
//   PTX: div.rn.f32
#id = affine_map<(d0) -> (d0)>
func.func @divide(%x: memref<?xf32>, %s: memref<?xf32>, %q: memref<?xf8E4M3FN>) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<?xf32>, memref<?xf32>) outs(%q : memref<?xf8E4M3FN>) {
  ^bb0(%in: f32, %scale: f32, %out: f8E4M3FN):
    %d = arith.divf %in, %scale : f32
    %t = arith.truncf %d : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}
