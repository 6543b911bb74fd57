// C23: the token count is the inner size of the weight gradient, and need not be
// a multiple of 16. All three matmuls are padded behind the cast, and the results
// are slices; on sm_90, where M may be any, only the weight gradient is; for the
// CPU nothing.
// RUN: fp8-opt --fp8-train=target=sm_89 --canonicalize %s | FileCheck %s
// RUN: fp8-opt --fp8-train=target=sm_90 --canonicalize %s | FileCheck %s --check-prefix=SM90
// RUN: fp8-opt --fp8-train=target=cpu --canonicalize %s | FileCheck %s --check-prefix=CPU --implicit-check-not=tensor.pad
// RUN: fp8-opt --fp8-train=target=sm_90 --canonicalize %s -o %t.once
// RUN: fp8-opt --fp8-pad-matmuls=target=sm_90 --fp8-assign-layouts=target=sm_90 --canonicalize %t.once -o %t.twice
// RUN: diff %t.once %t.twice

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @static
//       CHECK:   fp8.amax %arg0
//       CHECK:   %[[QX:.+]] = fp8.cast %arg0
//       CHECK:   %[[X:.+]] = tensor.pad %[[QX]] low[0, 0] high[15, 0]
//       CHECK:   %[[XT:.+]] = fp8.transpose %[[X]]
//       CHECK:   %[[Y:.+]] = fp8.scaled_mm %[[X]], {{.*}} -> tensor<32x32xf32>
//       CHECK:   tensor.extract_slice %[[Y]][0, 0] [17, 32] [1, 1]
//       CHECK:   fp8.amax %arg2
//       CHECK:   %[[QG:.+]] = fp8.cast %arg2
//       CHECK:   %[[G:.+]] = tensor.pad %[[QG]] low[0, 0] high[15, 0]
//       CHECK:   %[[GT:.+]] = fp8.transpose %[[G]]
//       CHECK:   %[[DX:.+]] = fp8.scaled_mm %[[G]], {{.*}} -> tensor<32x16xbf16>
//       CHECK:   tensor.extract_slice %[[DX]][0, 0] [17, 16] [1, 1]
//       CHECK:   fp8.scaled_mm %[[GT]], %[[XT]] {{.*}} : tensor<32x32xf8E5M2>, tensor<16x32xf8E4M3FN>, {{.*}} -> tensor<32x16xbf16>
//  SM90-LABEL: func @static
//       SM90:   %[[QX:.+]] = fp8.cast %arg0
//       SM90:   %[[X:.+]] = tensor.pad %[[QX]] low[0, 0] high[15, 0]
//       SM90:   %[[XT:.+]] = fp8.transpose %[[X]]
//       SM90:   %[[Y:.+]] = fp8.scaled_mm %[[QX]], {{.*}} -> tensor<17x32xf32>
//       SM90:   %[[QG:.+]] = fp8.cast %arg2
//       SM90:   %[[G:.+]] = tensor.pad %[[QG]] low[0, 0] high[15, 0]
//       SM90:   %[[GT:.+]] = fp8.transpose %[[G]]
//       SM90:   %[[DX:.+]] = fp8.scaled_mm %[[QG]], {{.*}} -> tensor<17x16xbf16>
//       SM90:   %[[DW:.+]] = fp8.scaled_mm %[[GT]], %[[XT]] {{.*}} : tensor<32x32xf8E5M2>, tensor<16x32xf8E4M3FN>
//   SM90-NOT:   tensor.extract_slice
//       SM90:   return %[[Y]], %[[DX]], %[[DW]]
//   CPU-LABEL: func @static
//         CPU:   fp8.scaled_mm {{.*}} -> tensor<17x32xf32>
func.func @static(%x: tensor<17x16xbf16>, %w: tensor<32x16xbf16>) -> tensor<17x32xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x32xf32>
  %o = linalg.fill ins(%cst : f32) outs(%e : tensor<17x32xf32>) -> tensor<17x32xf32>
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<17x16xbf16>, tensor<32x16xbf16>) outs(%o : tensor<17x32xf32>) -> tensor<17x32xf32>
  return %0 : tensor<17x32xf32>
}

// `outs` is an accumulator: it is padded and added, and its gradient is dy.
// CHECK-LABEL: func @dynamic
//       CHECK:   %[[M:.+]] = tensor.dim %arg2, %c0
//       CHECK:   %[[MORE:.+]] = affine.apply {{.*}}%[[M]]]
//       CHECK:   %[[ACC:.+]] = tensor.pad %arg2 low[0, 0] high[%[[MORE]], 0]
//       CHECK:   %[[Y:.+]] = fp8.scaled_mm {{.*}} acc %[[ACC]]
//       CHECK:   tensor.extract_slice %[[Y]][0, 0] [%{{.+}}, 32] [1, 1]
//       CHECK:   return %{{.+}}, %{{.+}}, %{{.+}}, %arg3
//   CPU-LABEL: func @dynamic
//         CPU:   fp8.scaled_mm {{.*}} acc %arg2
func.func @dynamic(%x: tensor<?x16xbf16>, %w: tensor<32x16xbf16>, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x16xbf16>, tensor<32x16xbf16>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// y keeps its rank.
// CHECK-LABEL: func @rank_3
//  CHECK-SAME:   -> (tensor<1x17x32xf32>, tensor<1x17x16xbf16>{{.*}}, tensor<32x16xbf16>
//       CHECK:   fp8.scaled_mm {{.*}} : tensor<32x16xf8E4M3FN>, tensor<32x16xf8E4M3FN>
//   CPU-LABEL: func @rank_3
func.func @rank_3(%x: tensor<1x17x16xbf16>, %w: tensor<32x16xbf16>) -> tensor<1x17x32xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x17x32xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<1x17x32xf32>) -> tensor<1x17x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x17x16xbf16>, tensor<32x16xbf16>) outs(%z : tensor<1x17x32xf32>) {
  ^bb0(%in: bf16, %in_0: bf16, %out: f32):
    %a = arith.extf %in : bf16 to f32
    %b = arith.extf %in_0 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x17x32xf32>
  return %0 : tensor<1x17x32xf32>
}
