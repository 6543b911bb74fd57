// RUN: fp8-opt --convert-fp8-to-linalg --fp8-fuse-glue=target=sm_90 --split-input-file %s | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// An amax and its cast are to be one kernel if the scale is a power of two
// (fp8-predict-scales), and so they are one reader: exp goes into both.
// CHECK-LABEL: func @one_kernel
//       CHECK:   linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]
//       CHECK:     math.exp
//       CHECK:   linalg.generic {{.*}} iterator_types = []
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
//       CHECK:     math.exp
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @one_kernel(%x: tensor<4x8xf32>) -> (tensor<4x8xf8E4M3FN>, tensor<f32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = math.exp %in : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %a = fp8.amax %h : tensor<4x8xf32> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %h scale %s : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf8E4M3FN>
  return %q, %d : tensor<4x8xf8E4M3FN>, tensor<f32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Negative: with any other scale they are two kernels, and exp is stored.
// CHECK-LABEL: func @two_kernels
//       CHECK:     math.exp
//   CHECK-NOT:     math.exp
//       CHECK:   return
func.func @two_kernels(%x: tensor<4x8xf32>) -> (tensor<4x8xf8E4M3FN>, tensor<f32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = math.exp %in : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  %a = fp8.amax %h : tensor<4x8xf32> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %h scale %s : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf8E4M3FN>
  return %q, %d : tensor<4x8xf8E4M3FN>, tensor<f32>
}
