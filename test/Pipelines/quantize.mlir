// A step that is differentiated already gets no backward pass.
// RUN: fp8-opt --fp8-quantize=target=sm_90 %s | FileCheck %s
// RUN: fp8-opt --fp8-quantize=recipe=none %s | FileCheck %s --check-prefix=NONE
// RUN: not fp8-opt --fp8-quantize=recipe=delayed %s 2>&1 | FileCheck %s --check-prefix=RECIPE

// NONE: fp8.matmul
// RECIPE: error: expects a recipe among {{.*}}, but got 'delayed'

// Private functions are inlined first: the names are those of the public one.
//   CHECK-NOT: func private
// CHECK-LABEL: func @main(
//  CHECK-SAME:   %{{[^:]+}}: tensor<64x32xbf16>, %[[W:[^:]+]]: tensor<32x16xbf16> {fp8.name = "proj"}) -> tensor<64x16xbf16>
//       CHECK:   %[[Q:.+]] = fp8.cast %[[W]]
//       CHECK:   %[[T:.+]] = fp8.transpose %[[Q]]
//       CHECK:   fp8.scaled_mm %{{.*}}, %[[T]] {{.*}} trans_b fast_accum name "proj"
//   CHECK-NOT:   fp8.scaled_mm
//       CHECK:   return
func.func @main(%x: tensor<64x32xbf16>, %w: tensor<32x16xbf16> {fp8.name = "proj"}) -> tensor<64x16xbf16> {
  %y = call @linear(%x, %w) : (tensor<64x32xbf16>, tensor<32x16xbf16>) -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}
func.func private @linear(%x: tensor<64x32xbf16>, %w: tensor<32x16xbf16>) -> tensor<64x16xbf16> {
  %cst = arith.constant dense<0.0> : tensor<64x16xbf16>
  %y = linalg.matmul ins(%x, %w : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%cst : tensor<64x16xbf16>) -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}
