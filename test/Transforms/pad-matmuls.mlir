// RUN: fp8-opt --fp8-pad-matmuls=target=sm_89 --cse --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-pad-matmuls=alignment=16 --cse --split-input-file %s | FileCheck %s
// RUN: fp8-opt --fp8-pad-matmuls=target=sm_90 --cse --split-input-file %s | FileCheck %s --check-prefix=SM90
// RUN: fp8-opt --fp8-pad-matmuls=target=cpu --split-input-file %s | FileCheck %s --check-prefix=CPU --implicit-check-not=tensor.pad
// RUN: fp8-opt --fp8-pad-matmuls=target=sm_89 --canonicalize --cse --split-input-file %s -o %t.once
// RUN: fp8-opt --fp8-pad-matmuls=target=sm_89 --canonicalize --cse --split-input-file %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func @static
//  CHECK-SAME:   (%[[A:.+]]: tensor<17x20xf8E4M3FN>, %[[B:.+]]: tensor<33x20xf8E5M2>, %[[S:[^:]+]]: tensor<f32>, %[[BIAS:[^:]+]]: tensor<33xbf16>
//   CHECK-DAG:   %[[ZA:.+]] = arith.constant 0.000000e+00 : f8E4M3FN
//   CHECK-DAG:   %[[PA:.+]] = tensor.pad %[[A]] low[0, 0] high[15, 12] {
//   CHECK-DAG:   tensor.yield %[[ZA]] : f8E4M3FN
//   CHECK-DAG:   %[[PB:.+]] = tensor.pad %[[B]] low[0, 0] high[15, 12] {
//   CHECK-DAG:   %[[PBIAS:.+]] = tensor.pad %[[BIAS]] low[0] high[15] {
//       CHECK:   %[[Y:.+]] = fp8.scaled_mm %[[PA]], %[[PB]] descales %[[S]], %[[S]] bias %[[PBIAS]] trans_b fast_accum name "l" : tensor<32x32xf8E4M3FN>, tensor<48x32xf8E5M2>, {{.*}} bias tensor<48xbf16> -> tensor<32x48xbf16>
//       CHECK:   tensor.extract_slice %[[Y]][0, 0] [17, 33] [1, 1] : tensor<32x48xbf16> to tensor<17x33xbf16>
//   CPU-LABEL: func @static
func.func @static(%a: tensor<17x20xf8E4M3FN>, %b: tensor<33x20xf8E5M2>, %s: tensor<f32>, %bias: tensor<33xbf16>) -> tensor<17x33xbf16> {
  %y = fp8.scaled_mm %a, %b descales %s, %s bias %bias trans_b fast_accum name "l" : tensor<17x20xf8E4M3FN>, tensor<33x20xf8E5M2>, tensor<f32>, tensor<f32> bias tensor<33xbf16> -> tensor<17x33xbf16>
  return %y : tensor<17x33xbf16>
}

// -----

// Negative: multiples of 16 stay as they are.
// CHECK-LABEL: func @aligned
//   CHECK-NOT:   tensor.pad
//       CHECK:   return
func.func @aligned(%a: tensor<3x16x32xf8E4M3FN>, %b: tensor<3x32x48xf8E4M3FN>, %s: tensor<f32>) -> tensor<3x16x48xbf16> {
  %y = fp8.scaled_mm %a, %b descales %s, %s : tensor<3x16x32xf8E4M3FN>, tensor<3x32x48xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<3x16x48xbf16>
  return %y : tensor<3x16x48xbf16>
}

// -----

// Sizes that are not known, an accumulator, and a batch, which stays.
// CHECK-LABEL: func @dynamic
//  CHECK-SAME:   (%[[A:.+]]: tensor<3x?x?xf8E4M3FN>, %[[B:.+]]: tensor<3x16x?xf8E4M3FN>, %{{.+}}: tensor<f32>, %[[C:.+]]: tensor<3x?x16xf32>
//   CHECK-DAG:   %[[K:.+]] = tensor.dim %[[A]], %c1
//   CHECK-DAG:   %[[M:.+]] = tensor.dim %[[A]], %c2
//   CHECK-DAG:   %[[MK:.+]] = affine.apply {{.+}}%[[K]]]
//   CHECK-DAG:   %[[MM:.+]] = affine.apply {{.+}}%[[M]]]
//   CHECK-DAG:   %[[PA:.+]] = tensor.pad %[[A]] low[0, 0, 0] high[0, %[[MK]], %[[MM]]] {
//   CHECK-DAG:   %[[PB:.+]] = tensor.pad %[[B]] low[0, 0, 0] high[0, 0, %{{.+}}] {
//   CHECK-DAG:   %[[PC:.+]] = tensor.pad %[[C]] low[0, 0, 0] high[0, %{{.+}}, 0] {
//       CHECK:   %[[Y:.+]] = fp8.scaled_mm %[[PA]], %[[PB]] {{.*}} acc %[[PC]] trans_a trans_b : {{.*}} -> tensor<3x?x16xf32>
//       CHECK:   tensor.extract_slice %[[Y]][0, 0, 0] [3, %[[M]], 16] [1, 1, 1]
func.func @dynamic(%a: tensor<3x?x?xf8E4M3FN>, %b: tensor<3x16x?xf8E4M3FN>, %s: tensor<f32>, %c: tensor<3x?x16xf32>) -> tensor<3x?x16xf32> {
  %y = fp8.scaled_mm %a, %b descales %s, %s acc %c trans_a trans_b : tensor<3x?x?xf8E4M3FN>, tensor<3x16x?xf8E4M3FN>, tensor<f32>, tensor<f32> acc tensor<3x?x16xf32> -> tensor<3x?x16xf32>
  return %y : tensor<3x?x16xf32>
}

// -----

// Descales of rows and columns get one for each new row and column; A is stored
// transposed, and its descales are not.
// CHECK-LABEL: func @rowwise
//  CHECK-SAME:   %[[DA:[^:]+]]: tensor<17x1xf32>, %[[DB:[^:]+]]: tensor<1x?xf32>
//   CHECK-DAG:   tensor.pad %[[DA]] low[0, 0] high[15, 0] {
//   CHECK-DAG:   tensor.pad %[[DB]] low[0, 0] high[0, %{{.+}}] {
//       CHECK:   fp8.scaled_mm {{.*}} : tensor<16x32xf8E4M3FN>, tensor<16x?xf8E4M3FN>, tensor<32x1xf32>, tensor<1x?xf32>
func.func @rowwise(%a: tensor<16x17xf8E4M3FN>, %b: tensor<16x?xf8E4M3FN>, %da: tensor<17x1xf32>, %db: tensor<1x?xf32>) -> tensor<17x?xbf16> {
  %y = fp8.scaled_mm %a, %b descales %da, %db trans_a granularity_a <rowwise> granularity_b <colwise> : tensor<16x17xf8E4M3FN>, tensor<16x?xf8E4M3FN>, tensor<17x1xf32>, tensor<1x?xf32> -> tensor<17x?xbf16>
  return %y : tensor<17x?xbf16>
}

// -----

// Blocks along K: 120 more elements are in the block that is there; 1x128 blocks
// have one row each.
// CHECK-LABEL: func @blocks
//   CHECK-DAG:   tensor.pad %{{.+}} low[0, 0] high[15, 8] {
//   CHECK-DAG:   tensor.pad %arg2 low[0, 0] high[15, 0] {
//       CHECK:   fp8.scaled_mm %{{.+}}, %{{.+}} descales %{{.+}}, %arg3 {{.*}} tensor<32x2xf32>, tensor<2x1xf32>
func.func @blocks(%a: tensor<17x136xf8E4M3FN>, %b: tensor<136x16xf8E4M3FN>, %da: tensor<17x2xf32>, %db: tensor<2x1xf32>) -> tensor<17x16xbf16> {
  %y = fp8.scaled_mm %a, %b descales %da, %db granularity_a <block 1x128> granularity_b <block 128x128> : tensor<17x136xf8E4M3FN>, tensor<136x16xf8E4M3FN>, tensor<17x2xf32>, tensor<2x1xf32> -> tensor<17x16xbf16>
  return %y : tensor<17x16xbf16>
}

// -----

// One padded tensor for two readers. On sm_90 M may be any, so nothing is padded.
// SM90-LABEL: func @shared
//   SM90-NOT:   tensor.{{pad|extract_slice}}
//       SM90:   return
// CHECK-LABEL: func @shared
//       CHECK:   %[[P:.+]] = tensor.pad %arg0
//   CHECK-NOT:   tensor.pad %arg0
//       CHECK:   fp8.scaled_mm %[[P]]
//   CHECK-NOT:   tensor.pad %arg0
//       CHECK:   fp8.scaled_mm %[[P]]
func.func @shared(%a: tensor<17x16xf8E4M3FN>, %b: tensor<16x16xf8E4M3FN>, %c: tensor<16x32xf8E4M3FN>, %s: tensor<f32>) -> (tensor<17x16xbf16>, tensor<17x32xbf16>) {
  %0 = fp8.scaled_mm %a, %b descales %s, %s : tensor<17x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<17x16xbf16>
  %1 = fp8.scaled_mm %a, %c descales %s, %s : tensor<17x16xf8E4M3FN>, tensor<16x32xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<17x32xbf16>
  return %0, %1 : tensor<17x16xbf16>, tensor<17x32xbf16>
}

// -----

// The zeros stand behind the cast, where one kernel can do both.
// CHECK-LABEL: func @behind_the_cast
//       CHECK:   fp8.cast %arg0
//       CHECK:   tensor.pad
//       CHECK:   fp8.amax %arg1
//       CHECK:   fp8.scaled_mm
func.func @behind_the_cast(%x: tensor<17x16xbf16>, %w: tensor<16x16xf8E4M3FN>, %s: tensor<f32>) -> (tensor<17x16xbf16>, tensor<f32>) {
  %q = fp8.cast %x scale %s : tensor<17x16xbf16>, tensor<f32> -> tensor<17x16xf8E4M3FN>
  %a = fp8.amax %w : tensor<16x16xf8E4M3FN> -> tensor<f32>
  %0 = fp8.scaled_mm %q, %w descales %a, %a : tensor<17x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<17x16xbf16>
  return %0, %a : tensor<17x16xbf16>, tensor<f32>
}

// -----

// An empty result needs no library.
// CHECK-LABEL: func @no_rows
//   CHECK-NOT:   tensor.pad
//       CHECK:   return
func.func @no_rows(%a: tensor<0x7xf8E4M3FN>, %b: tensor<7x5xf8E4M3FN>, %s: tensor<f32>) -> tensor<0x5xbf16> {
  %y = fp8.scaled_mm %a, %b descales %s, %s : tensor<0x7xf8E4M3FN>, tensor<7x5xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<0x5xbf16>
  return %y : tensor<0x5xbf16>
}

// -----

// An empty sum is padded without a pad, which would not bufferize.
// CHECK-LABEL: func @no_sum
//   CHECK-NOT:   tensor.pad
//   CHECK-DAG:   %[[A:.+]] = tensor.empty() : tensor<16x0xf8E4M3FN>
//   CHECK-DAG:   %[[B:.+]] = tensor.empty() : tensor<0x16xf8E4M3FN>
//       CHECK:   fp8.scaled_mm %[[A]], %[[B]] {{.*}} -> tensor<16x16xbf16>
func.func @no_sum(%a: tensor<7x0xf8E4M3FN>, %b: tensor<0x5xf8E4M3FN>, %s: tensor<f32>) -> tensor<7x5xbf16> {
  %y = fp8.scaled_mm %a, %b descales %s, %s : tensor<7x0xf8E4M3FN>, tensor<0x5xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<7x5xbf16>
  return %y : tensor<7x5xbf16>
}
