// RUN: fp8-opt --convert-fp8-to-blaslt --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @matmul
//  CHECK-SAME:   (%[[A:.+]]: tensor<32x64xbf16>, %[[B:.+]]: tensor<16x32xbf16>, %[[C:.+]]: tensor<64x16xf32>, %[[BIAS:.+]]: tensor<16xbf16>)
//  CHECK-NEXT:   %[[E:.+]] = tensor.empty() : tensor<64x16xbf16>
//  CHECK-NEXT:   blaslt.matmul ins(%[[A]], %[[B]] : {{.*}}) acc(%[[C]] : tensor<64x16xf32>) bias(%[[BIAS]] : tensor<16xbf16>) outs(%[[E]] : {{.*}}) trans_a trans_b name "q" -> tensor<64x16xbf16>
func.func @matmul(%a: tensor<32x64xbf16>, %b: tensor<16x32xbf16>, %c: tensor<64x16xf32>, %bias: tensor<16xbf16>) -> tensor<64x16xbf16> {
  %y = fp8.matmul %a, %b acc %c bias %bias trans_a trans_b name "q" : tensor<32x64xbf16>, tensor<16x32xbf16> acc tensor<64x16xf32> bias tensor<16xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

// CHECK-LABEL: func @scaled_mm
//  CHECK-SAME:   (%[[A:.+]]: tensor<64x32xf8E4M3FN>, %[[B:.+]]: tensor<16x32xf8E5M2>, %[[DA:.+]]: tensor<64x1xf32>, %[[DB:.+]]: tensor<1x16xf32>, %[[C:.+]]: tensor<64x16xf32>, %[[BIAS:.+]]: tensor<16xbf16>)
//       CHECK:   blaslt.matmul ins(%[[A]], %[[B]] : {{.*}}) descales(%[[DA]], %[[DB]] : {{.*}}) acc(%[[C]] : {{.*}}) bias(%[[BIAS]] : {{.*}}) outs(%{{.*}}) trans_b fast_accum granularity_a <rowwise> granularity_b <colwise> name "q" -> tensor<64x16xf32>
func.func @scaled_mm(%a: tensor<64x32xf8E4M3FN>, %b: tensor<16x32xf8E5M2>, %da: tensor<64x1xf32>, %db: tensor<1x16xf32>, %c: tensor<64x16xf32>, %bias: tensor<16xbf16>) -> tensor<64x16xf32> {
  %y = fp8.scaled_mm %a, %b descales %da, %db acc %c bias %bias trans_b fast_accum granularity_a <rowwise> granularity_b <colwise> name "q" : tensor<64x32xf8E4M3FN>, tensor<16x32xf8E5M2>, tensor<64x1xf32>, tensor<1x16xf32> acc tensor<64x16xf32> bias tensor<16xbf16> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

// Rows are a's columns with trans_a, columns b's rows with trans_b.
// CHECK-LABEL: func @dynamic_transposed
//  CHECK-SAME:   (%[[A:.+]]: tensor<2x32x?xbf16>, %[[B:.+]]: tensor<2x?x32xbf16>)
//   CHECK-DAG:   %[[M:.+]] = tensor.dim %[[A]], %c2
//   CHECK-DAG:   %[[N:.+]] = tensor.dim %[[B]], %c1
//       CHECK:   tensor.empty(%[[M]], %[[N]]) : tensor<2x?x?xf32>
func.func @dynamic_transposed(%a: tensor<2x32x?xbf16>, %b: tensor<2x?x32xbf16>) -> tensor<2x?x?xf32> {
  %y = fp8.matmul %a, %b trans_a trans_b : tensor<2x32x?xbf16>, tensor<2x?x32xbf16> -> tensor<2x?x?xf32>
  return %y : tensor<2x?x?xf32>
}

// -----

// CHECK-LABEL: func @dynamic
//  CHECK-SAME:   (%[[A:.+]]: tensor<?x32xbf16>, %[[B:.+]]: tensor<32x?xbf16>)
//   CHECK-DAG:   %[[M:.+]] = tensor.dim %[[A]], %c0
//   CHECK-DAG:   %[[N:.+]] = tensor.dim %[[B]], %c1
//       CHECK:   tensor.empty(%[[M]], %[[N]]) : tensor<?x?xf32>
func.func @dynamic(%a: tensor<?x32xbf16>, %b: tensor<32x?xbf16>) -> tensor<?x?xf32> {
  %y = fp8.matmul %a, %b : tensor<?x32xbf16>, tensor<32x?xbf16> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// The result keeps its type where it states less than the operands, or more.
// CHECK-LABEL: func @sizes_of_the_result
//       CHECK:   tensor.empty(%{{.*}}) : tensor<?x16xf32>
//       CHECK:   blaslt.matmul {{.*}} -> tensor<?x16xf32>
//       CHECK:   tensor.empty() : tensor<64x16xf32>
//       CHECK:   blaslt.matmul {{.*}} -> tensor<64x16xf32>
func.func @sizes_of_the_result(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %c: tensor<?x32xf32>) -> (tensor<?x16xf32>, tensor<64x16xf32>) {
  %0 = fp8.matmul %a, %b : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<?x16xf32>
  %1 = fp8.matmul %c, %b : tensor<?x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
  return %0, %1 : tensor<?x16xf32>, tensor<64x16xf32>
}

// -----

// Negative: the glue has a conversion of its own.
// CHECK-LABEL: func @glue
//       CHECK:   fp8.amax
func.func @glue(%a: tensor<64x32xf32>) -> tensor<f32> {
  %0 = fp8.amax %a : tensor<64x32xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
