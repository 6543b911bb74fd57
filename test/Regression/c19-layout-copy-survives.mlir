// C19: a layout copy survives clean-up, and there is one however many read it.
// RUN: fp8-opt --canonicalize --cse --fp8-assign-layouts=target=sm_90 --split-input-file %s -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fp8-opt --canonicalize --cse --fp8-assign-layouts=target=sm_90 --split-input-file %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// Transposed and back: one copy is left.
// CHECK-LABEL: func @there_and_back
//  CHECK-SAME:   (%[[A:.+]]: tensor<16x32xf8E4M3FN>, %[[B:.+]]: tensor<32x24xf8E4M3FN>,
//  CHECK-NEXT:   %[[T:.+]] = fp8.transpose %[[B]]
//  CHECK-NEXT:   fp8.scaled_mm %[[A]], %[[T]] {{.*}} trans_b :
func.func @there_and_back(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x24xf8E4M3FN>, %s: tensor<f32>) -> tensor<16x24xf32> {
  %0 = fp8.transpose %b : tensor<32x24xf8E4M3FN>
  %1 = fp8.transpose %0 : tensor<24x32xf8E4M3FN>
  %2 = fp8.scaled_mm %a, %1 descales %s, %s : tensor<16x32xf8E4M3FN>, tensor<32x24xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x24xf32>
  return %2 : tensor<16x24xf32>
}

// -----

// CHECK-LABEL: func @two_readers
//  CHECK-SAME:   (%[[A:.+]]: tensor<16x32xf8E4M3FN>, %[[B:.+]]: tensor<32x24xf8E4M3FN>,
//  CHECK-NEXT:   %[[T:.+]] = fp8.transpose %[[B]]
//  CHECK-NEXT:   fp8.scaled_mm %[[A]], %[[T]]
//  CHECK-NEXT:   fp8.scaled_mm %[[A]], %[[T]]
func.func @two_readers(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x24xf8E4M3FN>, %s: tensor<f32>) -> (tensor<16x24xf32>, tensor<16x24xbf16>) {
  %0 = fp8.scaled_mm %a, %b descales %s, %s : tensor<16x32xf8E4M3FN>, tensor<32x24xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x24xf32>
  %1 = fp8.scaled_mm %a, %b descales %s, %s : tensor<16x32xf8E4M3FN>, tensor<32x24xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x24xbf16>
  return %0, %1 : tensor<16x24xf32>, tensor<16x24xbf16>
}

// -----

// Copies of several arguments keep their order from run to run.
// CHECK-LABEL: func @both_operands
// CHECK-COUNT-2: fp8.transpose
//   CHECK-NOT:   fp8.transpose
//       CHECK:   return
func.func @both_operands(%a: tensor<32x16xf8E4M3FN>, %b: tensor<32x24xf8E4M3FN>, %s: tensor<f32>) -> tensor<16x24xf32> {
  %0 = fp8.scaled_mm %a, %b descales %s, %s trans_a : tensor<32x16xf8E4M3FN>, tensor<32x24xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x24xf32>
  return %0 : tensor<16x24xf32>
}

// -----

// A reshape in the place of a copy stays one reshape.
// CHECK-LABEL: func @vector
// CHECK-COUNT-1: tensor.collapse_shape
//   CHECK-NOT:   collapse_shape
//   CHECK-NOT:   fp8.transpose
//       CHECK:   return
func.func @vector(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x1xf8E4M3FN>, %s: tensor<f32>) -> tensor<16x1xf32> {
  %0 = fp8.scaled_mm %a, %b descales %s, %s : tensor<16x32xf8E4M3FN>, tensor<32x1xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x1xf32>
  return %0 : tensor<16x1xf32>
}
