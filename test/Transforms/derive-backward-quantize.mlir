// Differentiating what is quantized already, and quantizing the gradients
// then, gives the same as quantizing what was differentiated, to the byte.
// RUN: fp8-opt %s --fp8-derive-backward --canonicalize --cse --fp8-quantize-matmuls --canonicalize --cse -o %t.derive-first
// RUN: fp8-opt %s --fp8-quantize-matmuls --canonicalize --cse --fp8-derive-backward --canonicalize --cse --fp8-quantize-matmuls --canonicalize --cse -o %t.quantize-first
// RUN: diff %t.derive-first %t.quantize-first
// RUN: FileCheck %s --input-file %t.quantize-first

// CHECK-COUNT-6: fp8.scaled_mm
//     CHECK-NOT: fp8.matmul
func.func @mlp(%x: tensor<64x32xbf16>, %w1: tensor<48x32xbf16>, %b: tensor<48xbf16>, %w2: tensor<16x48xbf16>) -> tensor<64x16xbf16> {
  %h = fp8.matmul %x, %w1 bias %b trans_b name "fc" : tensor<64x32xbf16>, tensor<48x32xbf16> bias tensor<48xbf16> -> tensor<64x48xbf16>
  %e = tensor.empty() : tensor<64x48xbf16>
  %zero = arith.constant 0.0 : bf16
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<64x48xbf16>) outs(%e : tensor<64x48xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %c = arith.cmpf ugt, %in, %zero : bf16
    %r = arith.select %c, %in, %zero : bf16
    linalg.yield %r : bf16
  } -> tensor<64x48xbf16>
  %y = fp8.matmul %a, %w2 trans_b name "proj" : tensor<64x48xbf16>, tensor<16x48xbf16> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}
