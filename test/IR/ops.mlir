// RUN: fp8-opt --verify-roundtrip --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @amax
//       CHECK:   fp8.amax %{{.*}} : tensor<64x?xbf16> -> tensor<f32>
//       CHECK:   fp8.amax %{{.*}} granularity <rowwise> : tensor<64x?xbf16> -> tensor<64x1xf32>
//       CHECK:   fp8.amax %{{.*}} granularity <block 32x128> : tensor<64x?xbf16> -> tensor<2x?xf32>
//       CHECK:   fp8.amax %{{.*}} : tensor<2xf8E4M3FN> -> tensor<f32>
func.func @amax(%x: tensor<64x?xbf16>, %q: tensor<2xf8E4M3FN>) {
  %0 = fp8.amax %x : tensor<64x?xbf16> -> tensor<f32>
  %1 = fp8.amax %x granularity <rowwise> : tensor<64x?xbf16> -> tensor<64x1xf32>
  %2 = fp8.amax %x granularity <block 32x128> : tensor<64x?xbf16> -> tensor<2x?xf32>
  %3 = fp8.amax %q : tensor<2xf8E4M3FN> -> tensor<f32>
  return
}

// -----

// CHECK-LABEL: func @scale
//       CHECK:   fp8.scale %{{.*}} for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
//       CHECK:   fp8.scale %{{.*}} for f8E5M2 policy <pow2 = down> : tensor<f32>
//       CHECK:   fp8.scale %{{.*}} for f8E4M3FN policy <eps = 1.000000e-09, pow2 = down> : tensor<f32>
//       CHECK:   fp8.scale %{{.*}} for f8E4M3FN policy <pow2 = down> : tensor<4x1xf32> -> tensor<4x1xf32>, tensor<4x1xf8E8M0FNU>
func.func @scale(%a: tensor<f32>, %b: tensor<4x1xf32>) {
  %s0, %d0 = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %s1, %d1 = fp8.scale %a for f8E5M2 policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %s2, %d2 = fp8.scale %a for f8E4M3FN policy <eps = 1.0e-9, pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %s3, %d3 = fp8.scale %b for f8E4M3FN policy <pow2 = down> : tensor<4x1xf32> -> tensor<4x1xf32>, tensor<4x1xf8E8M0FNU>
  return
}

// -----

// CHECK-LABEL: func @cast
//       CHECK:   fp8.cast %{{.*}} scale %{{.*}} : tensor<64x?xbf16>, tensor<f32> -> tensor<64x?xf8E4M3FN>
//       CHECK:   fp8.cast %{{.*}} scale %{{.*}} granularity <colwise> : tensor<64x?xbf16>, tensor<1x?xf32> -> tensor<64x?xf8E5M2FNUZ>
func.func @cast(%x: tensor<64x?xbf16>, %s: tensor<f32>, %c: tensor<1x?xf32>) {
  %0 = fp8.cast %x scale %s : tensor<64x?xbf16>, tensor<f32> -> tensor<64x?xf8E4M3FN>
  %1 = fp8.cast %x scale %c granularity <colwise> : tensor<64x?xbf16>, tensor<1x?xf32> -> tensor<64x?xf8E5M2FNUZ>
  return
}

// -----

// CHECK-LABEL: func @transpose
//       CHECK:   fp8.transpose %{{.*}} : tensor<128x32xf8E4M3FN>
//       CHECK:   fp8.transpose %{{.*}} : tensor<2x4x?xf8E5M2>
func.func @transpose(%q: tensor<128x32xf8E4M3FN>, %b: tensor<2x4x?xf8E5M2>) -> (tensor<32x128xf8E4M3FN>, tensor<2x?x4xf8E5M2>) {
  %0 = fp8.transpose %q : tensor<128x32xf8E4M3FN>
  %1 = fp8.transpose %b : tensor<2x4x?xf8E5M2>
  return %0, %1 : tensor<32x128xf8E4M3FN>, tensor<2x?x4xf8E5M2>
}

// -----

// CHECK-LABEL: func @matmul
//       CHECK:   fp8.matmul %{{.*}}, %{{.*}} bias %{{.*}} trans_b name "c_fc" : tensor<64x?xbf16>, tensor<128x?xbf16> bias tensor<128xbf16> -> tensor<64x128xbf16>
//       CHECK:   fp8.matmul %{{.*}}, %{{.*}} trans_a role dgrad gradient a : tensor<64x128xbf16>, tensor<64x?xbf16> -> tensor<128x?xbf16>
//       CHECK:   fp8.matmul %{{.*}}, %{{.*}} acc %{{.*}} bias %{{.*}} trans_b : tensor<64x?xbf16>, tensor<128x?xbf16> acc tensor<64x128xf32> bias tensor<128xbf16> -> tensor<64x128xf32>
func.func @matmul(%x: tensor<64x?xbf16>, %w: tensor<128x?xbf16>, %b: tensor<128xbf16>, %c: tensor<64x128xf32>, %dy: tensor<64x128xbf16>) {
  %0 = fp8.matmul %x, %w bias %b trans_b name "c_fc" : tensor<64x?xbf16>, tensor<128x?xbf16> bias tensor<128xbf16> -> tensor<64x128xbf16>
  %1 = fp8.matmul %dy, %x trans_a role dgrad gradient a : tensor<64x128xbf16>, tensor<64x?xbf16> -> tensor<128x?xbf16>
  %2 = fp8.matmul %x, %w acc %c bias %b trans_b : tensor<64x?xbf16>, tensor<128x?xbf16> acc tensor<64x128xf32> bias tensor<128xbf16> -> tensor<64x128xf32>
  return
}

// -----

// CHECK-LABEL: func @scaled_mm
//       CHECK:   fp8.scaled_mm %{{.*}}, %{{.*}} descales %{{.*}}, %{{.*}} trans_b fast_accum : tensor<64x?xf8E4M3FN>, tensor<128x?xf8E5M2>, tensor<f32>, tensor<f32> -> tensor<64x128xbf16>
//       CHECK:   fp8.scaled_mm {{.*}} trans_b granularity_a <rowwise> granularity_b <colwise> name "q" :
func.func @scaled_mm(%a: tensor<64x?xf8E4M3FN>, %b: tensor<128x?xf8E5M2>, %d: tensor<f32>, %da: tensor<64x1xf32>, %db: tensor<1x128xf32>) {
  %0 = fp8.scaled_mm %a, %b descales %d, %d trans_b fast_accum : tensor<64x?xf8E4M3FN>, tensor<128x?xf8E5M2>, tensor<f32>, tensor<f32> -> tensor<64x128xbf16>
  %1 = fp8.scaled_mm %a, %b descales %da, %db trans_b granularity_a <rowwise> granularity_b <colwise> name "q" : tensor<64x?xf8E4M3FN>, tensor<128x?xf8E5M2>, tensor<64x1xf32>, tensor<1x128xf32> -> tensor<64x128xbf16>
  return
}
