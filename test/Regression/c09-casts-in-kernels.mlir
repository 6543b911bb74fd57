// C09: a cast to a type that the chip's converts lack is integer code, and has no
// fp8 left in it; the chip's own types use the convert.
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 %s | FileCheck %s --check-prefixes=OCP --implicit-check-not="arith.truncf {{.*}}f8E"
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=gfx950 %s | FileCheck %s --check-prefixes=OCP --implicit-check-not="arith.truncf {{.*}}f8E"
// RUN: fp8-opt --fp8-generate-gpu-kernels=target=gfx942 %s | FileCheck %s --check-prefixes=FNUZ --implicit-check-not="arith.truncf {{.*}}f8E"

#id = affine_map<(d0) -> (d0)>
//  OCP-LABEL: gpu.func @e4m3fn
//        OCP:   {{nvvm.convert.f32x2.to.f8x2|rocdl.cvt.pk.fp8.f32}}
//        OCP:   gpu.return
// FNUZ-LABEL: gpu.func @e4m3fn
//   FNUZ-NOT:   rocdl.cvt
//       FNUZ:   gpu.return
func.func private @e4m3fn(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>) attributes {fp8.kernel} {
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf8E4M3FN>) {
  ^bb0(%in: f32, %out: f8E4M3FN):
    %c = arith.minimumf %in, %high : f32
    %d = arith.maximumf %c, %low : f32
    %t = arith.truncf %d : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}

//  OCP-LABEL: gpu.func @e4m3fnuz
//    OCP-NOT:   {{nvvm.convert|rocdl.cvt}}
//        OCP:   gpu.return
// FNUZ-LABEL: gpu.func @e4m3fnuz
//       FNUZ:   rocdl.cvt.pk.fp8.f32
//       FNUZ:   gpu.return
func.func private @e4m3fnuz(%x: memref<?xf32>, %y: memref<?xf8E4M3FNUZ>) attributes {fp8.kernel} {
  %high = arith.constant 240.0 : f32
  %low = arith.constant -240.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf8E4M3FNUZ>) {
  ^bb0(%in: f32, %out: f8E4M3FNUZ):
    %c = arith.minimumf %in, %high : f32
    %d = arith.maximumf %c, %low : f32
    %t = arith.truncf %d : f32 to f8E4M3FNUZ
    linalg.yield %t : f8E4M3FNUZ
  }
  return
}
