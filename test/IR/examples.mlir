// The examples of the op descriptions, word for word (utils/check-examples.py).
// RUN: fp8-opt --verify-roundtrip %s | FileCheck %s --implicit-check-not=error

// CHECK-LABEL: func @amax
func.func @amax(%x: tensor<64x?xbf16>) {
  %a = fp8.amax %x : tensor<64x?xbf16> -> tensor<f32>
  %r = fp8.amax %x granularity <rowwise>
      : tensor<64x?xbf16> -> tensor<64x1xf32>
  return
}

// CHECK-LABEL: func @scale
func.func @scale(%a: tensor<f32>) {
  %s, %d = fp8.scale %a for f8E4M3FN
      : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// CHECK-LABEL: func @cast
func.func @cast(%x: tensor<64x?xbf16>, %s: tensor<f32>) {
  %q = fp8.cast %x scale %s
      : tensor<64x?xbf16>, tensor<f32> -> tensor<64x?xf8E4M3FN>
  return
}

// CHECK-LABEL: func @transpose
func.func @transpose(%q: tensor<128x32xf8E4M3FN>) {
  %t = fp8.transpose %q : tensor<128x32xf8E4M3FN>
  return
}

// CHECK-LABEL: func @matmul
func.func @matmul(%x: tensor<64x?xbf16>, %w: tensor<128x?xbf16>, %b: tensor<128xbf16>, %dy: tensor<64x128xbf16>) {
  %y = fp8.matmul %x, %w bias %b trans_b name "c_fc"
      : tensor<64x?xbf16>, tensor<128x?xbf16> bias tensor<128xbf16>
      -> tensor<64x128xbf16>
  %dw = fp8.matmul %dy, %x trans_a role wgrad gradient a
      : tensor<64x128xbf16>, tensor<64x?xbf16> -> tensor<128x?xbf16>
  return
}

// CHECK-LABEL: func @scaled_mm
func.func @scaled_mm(%a: tensor<64x?xf8E4M3FN>, %b: tensor<128x?xf8E4M3FN>, %da: tensor<f32>, %db: tensor<f32>) {
  %y = fp8.scaled_mm %a, %b descales %da, %db trans_b fast_accum
      : tensor<64x?xf8E4M3FN>, tensor<128x?xf8E4M3FN>, tensor<f32>,
        tensor<f32> -> tensor<64x128xbf16>
  return
}

// The attributes, by themselves, print as they are written.
// CHECK-LABEL: func private @attributes
//  CHECK-SAME:   {block = #fp8.granularity<block 128x128>, both = #fp8.policy<eps = 1.000000e-09, pow2 = down>, default = #fp8.policy<>, down = #fp8.policy<pow2 = down>, eps = #fp8.policy<eps = 1.000000e-01>, off = #fp8.policy<>}
func.func private @attributes() attributes {
  block = #fp8.granularity<block 128x128>,
  both = #fp8.policy<pow2 = down, eps = 1.0e-9>,
  default = #fp8.policy<>,
  down = #fp8.policy<pow2 = down>,
  eps = #fp8.policy<eps = 0.1>,
  off = #fp8.policy<pow2 = off>
}
