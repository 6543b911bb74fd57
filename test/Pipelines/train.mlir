// RUN: fp8-opt --fp8-train=target=sm_90 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,OCP,TN
// RUN: fp8-opt --fp8-train --split-input-file %s | FileCheck %s --check-prefixes=CHECK,OCP,ALL --implicit-check-not=fp8.transpose
// RUN: fp8-opt --fp8-train=target=sm_100 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,OCP --implicit-check-not=fp8.transpose
// RUN: fp8-opt --fp8-train=target=gfx942 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,FNUZ,ALL --implicit-check-not=fp8.transpose
// RUN: fp8-opt --fp8-train=recipe=none --split-input-file %s | FileCheck %s --check-prefix=WIDE --implicit-check-not=fp8.cast

// Each of x, w and dY is measured, scaled and cast once. The three copies serve
// the backward pass, the forward matmul reads what was cast.
// CHECK-LABEL: func @out_in_weight
//  CHECK-SAME:   (%[[X:[^:]+]]: tensor<64x32xbf16>, %[[W:[^:]+]]: tensor<16x32xbf16>, %[[DY:[^:]+]]: tensor<64x16xbf16> {fp8.tangent = 0 : i64}) -> (tensor<64x16xbf16>, tensor<64x32xbf16> {fp8.gradient = 0 : i64}, tensor<16x32xbf16> {fp8.gradient = 1 : i64})
//  CHECK-NEXT:   fp8.amax %[[X]] : tensor<64x32xbf16>
//    OCP-NEXT:   fp8.scale {{.*}} for f8E4M3FN :
//   FNUZ-NEXT:   fp8.scale {{.*}} for f8E4M3FNUZ :
//  CHECK-NEXT:   %[[QX:.+]] = fp8.cast %[[X]]
//     TN-NEXT:   %[[XT:.+]] = fp8.transpose %[[QX]]
//  CHECK-NEXT:   fp8.amax %[[W]]
//    OCP-NEXT:   fp8.scale {{.*}} for f8E4M3FN :
//   FNUZ-NEXT:   fp8.scale {{.*}} for f8E4M3FNUZ :
//  CHECK-NEXT:   %[[QW:.+]] = fp8.cast %[[W]]
//     TN-NEXT:   %[[WT:.+]] = fp8.transpose %[[QW]]
//     TN-NEXT:   %[[Y:.+]] = fp8.scaled_mm %[[QX]], %[[QW]] {{.*}} trans_b fast_accum name "arg1"
//    ALL-NEXT:   %[[Y:.+]] = fp8.scaled_mm %[[QX]], %[[QW]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_b name "arg1"
//       CHECK:   fp8.amax %[[DY]]
//    OCP-NEXT:   fp8.scale {{.*}} for f8E5M2 :
//   FNUZ-NEXT:   fp8.scale {{.*}} for f8E5M2FNUZ :
//  CHECK-NEXT:   %[[QDY:.+]] = fp8.cast %[[DY]]
//     TN-NEXT:   %[[DYT:.+]] = fp8.transpose %[[QDY]]
//     TN-NEXT:   fp8.scaled_mm %[[QDY]], %[[WT]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_b name "arg1"
//     TN-NEXT:   fp8.scaled_mm %[[DYT]], %[[XT]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_b name "arg1"
//    ALL-NEXT:   fp8.scaled_mm %[[QDY]], %[[QW]] descales %{{[^ ]+}}, %{{[^ ]+}} name "arg1"
//    ALL-NEXT:   fp8.scaled_mm %[[QDY]], %[[QX]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_a name "arg1"
//     TN-NEXT:   return
//    ALL-NEXT:   return
//  WIDE-LABEL: func @out_in_weight
// WIDE-COUNT-3:  fp8.matmul
//    WIDE-NOT:   fp8.matmul
//        WIDE:   return
func.func @out_in_weight(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x16xbf16> {
  %cst = arith.constant dense<0.0> : tensor<64x16xbf16>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<64x32xbf16>, tensor<16x32xbf16>) outs(%cst : tensor<64x16xbf16>) -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// A weight that is stored the other way round is copied for the forward matmul,
// x and dY for the backward one.
// CHECK-LABEL: func @in_out_weight
//  CHECK-SAME:   (%[[X:[^:]+]]: tensor<64x32xbf16>, %[[W:[^:]+]]: tensor<32x16xbf16>, %[[DY:[^:]+]]: tensor<64x16xbf16> {fp8.tangent = 0 : i64})
//       CHECK:   %[[QX:.+]] = fp8.cast %[[X]]
//     TN-NEXT:   %[[XT:.+]] = fp8.transpose %[[QX]]
//       CHECK:   %[[QW:.+]] = fp8.cast %[[W]]
//     TN-NEXT:   %[[WT:.+]] = fp8.transpose %[[QW]]
//     TN-NEXT:   fp8.scaled_mm %[[QX]], %[[WT]] {{.*}} trans_b fast_accum
//       CHECK:   %[[QDY:.+]] = fp8.cast %[[DY]]
//     TN-NEXT:   %[[DYT:.+]] = fp8.transpose %[[QDY]]
//     TN-NEXT:   fp8.scaled_mm %[[QDY]], %[[QW]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_b name
//     TN-NEXT:   fp8.scaled_mm %[[XT]], %[[DYT]] descales %{{[^ ]+}}, %{{[^ ]+}} trans_b name
//     TN-NEXT:   return
func.func @in_out_weight(%x: tensor<64x32xbf16>, %w: tensor<32x16xbf16>) -> tensor<64x16xbf16> {
  %cst = arith.constant dense<0.0> : tensor<64x16xbf16>
  %y = linalg.matmul ins(%x, %w : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xbf16>) -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}
