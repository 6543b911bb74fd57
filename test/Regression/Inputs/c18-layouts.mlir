// The second half of C18: an operand not read as the target takes it gets one
// copy, and one of size 1 none.

// CHECK-LABEL: func @one_copy
//       CHECK:   %[[T:.+]] = fp8.transpose %arg1
//   CHECK-NOT:   fp8.transpose
//       CHECK:   fp8.scaled_mm %arg0, %[[T]]
func.func @one_copy(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x48xf8E4M3FN>, %s: tensor<f32>) -> tensor<16x48xbf16> {
  %0 = fp8.scaled_mm %a, %b descales %s, %s : tensor<16x32xf8E4M3FN>, tensor<32x48xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x48xbf16>
  return %0 : tensor<16x48xbf16>
}

// CHECK-LABEL: func @size_one
//   CHECK-NOT:   fp8.transpose
//       CHECK:   fp8.scaled_mm {{.*}} trans_b {{.*}} tensor<1x16xf8E4M3FN>, tensor<1x16xf8E4M3FN>
func.func @size_one(%a: tensor<16x1xf8E4M3FN>, %b: tensor<16x1xf8E4M3FN>, %s: tensor<f32>) -> tensor<1x1xbf16> {
  %0 = fp8.scaled_mm %a, %b descales %s, %s trans_a : tensor<16x1xf8E4M3FN>, tensor<16x1xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<1x1xbf16>
  return %0 : tensor<1x1xbf16>
}
