func.func @f(%a: tensor<4x4xf8E4M3FN>) {
  %0 = "fp8.scaled_mm"(%a, %a, %a, %a) <{operandSegmentSizes = array<i32: 2, 2, 0, 0, 0, 0>}> : (tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>) -> tensor<4x4xbf16>
  return
}
