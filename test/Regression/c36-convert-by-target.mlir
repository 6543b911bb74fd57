// C36: which chip and PTX version have the convert to fp8: sm_90 from 7.8, sm_89
// from 8.1, older ones never. The others get integer code.
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_90 ptx-version=78" %s | FileCheck %s --check-prefixes=CHECK,HAS,SM90
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_90 ptx-version=80" %s | FileCheck %s --check-prefixes=CHECK,HAS
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_90 ptx-version=85" %s | FileCheck %s --check-prefixes=CHECK,HAS
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_89 ptx-version=81" %s | FileCheck %s --check-prefixes=CHECK,HAS
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_89 ptx-version=85" %s | FileCheck %s --check-prefixes=CHECK,HAS
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_89 ptx-version=78" %s | FileCheck %s --check-prefixes=CHECK,LACKS
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_89 ptx-version=80" %s | FileCheck %s --check-prefixes=CHECK,LACKS
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_80 ptx-version=85" %s | FileCheck %s --check-prefixes=CHECK,LACKS
// By default the version is one that has it.
// RUN: fp8-opt --fp8-generate-gpu-kernels="target=sm_89" %s | FileCheck %s --check-prefixes=CHECK,HAS

// SM90: chip = "sm_90", features = "+ptx78"
// CHECK-LABEL: gpu.func @cast
//         HAS:   nvvm.convert.f32x2.to.f8x2
//   LACKS-NOT:   nvvm.convert
//   CHECK-NOT:   arith.truncf {{.*}} f8E4M3FN
//       CHECK:   gpu.return
#id = affine_map<(d0) -> (d0)>
func.func private @cast(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>) attributes {fp8.kernel} {
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
