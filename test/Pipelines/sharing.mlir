// RUN: fp8-opt --fp8-train=target=sm_90 %inputs/torch_nanochat_block.mlir | FileCheck %s --check-prefix=BLOCK
// RUN: fp8-opt --fp8-train=target=sm_90 %inputs/torch_llama_ffn.mlir | FileCheck %s --check-prefix=FFN
// RUN: fp8-opt --fp8-quantize=target=sm_90 %s | FileCheck %s

// Q, K and V read one quantization of x: what is cast first, but for a reshape.
// BLOCK-LABEL: func @main
//       BLOCK:   %[[X:.+]] = tensor.collapse_shape
//       BLOCK:   %[[QX:.+]] = fp8.cast %[[X]] scale
//   BLOCK-NOT:   fp8.cast %[[X]] scale
//       BLOCK:   fp8.scaled_mm %[[QX]], {{.*}} name "arg1"
//   BLOCK-NOT:   fp8.cast %[[X]] scale
//       BLOCK:   fp8.scaled_mm %[[QX]], {{.*}} name "arg2"
//   BLOCK-NOT:   fp8.cast %[[X]] scale
//       BLOCK:   fp8.scaled_mm %[[QX]], {{.*}} name "arg3"
//   BLOCK-NOT:   fp8.cast %[[X]] scale
//       BLOCK:   return

// So do gate and up; and the two gradients of a layer one of dY.
// FFN-LABEL: func @main
//       FFN:   %[[QX:.+]] = fp8.cast %[[X:.+]] scale
//   FFN-NOT:   fp8.cast %[[X]] scale
//       FFN:   fp8.scaled_mm %[[QX]], {{.*}} name "arg2"
//   FFN-NOT:   fp8.cast %[[X]] scale
//       FFN:   fp8.scaled_mm %[[QX]], {{.*}} name "arg3"
//       FFN:   %[[QG:.+]] = fp8.cast %arg5 scale
//   FFN-NOT:   fp8.cast %arg5
//       FFN:   %[[GT:.+]] = fp8.transpose %[[QG]]
//   FFN-DAG:   fp8.scaled_mm %[[QG]], {{.*}} name "arg4"
//   FFN-DAG:   fp8.scaled_mm %[[GT]], {{.*}} name "arg4"
//   FFN-NOT:   fp8.cast %arg5
//       FFN:   return

// The weight is quantized, padded and transposed once for all microbatches; each
// microbatch is quantized in its turn.
// CHECK-LABEL: func @microbatches
//       CHECK:   fp8.amax %[[W:arg1]]
//       CHECK:   %[[QW:.+]] = fp8.cast %[[W]] scale
//       CHECK:   %[[PW:.+]] = tensor.pad %[[QW]]
//       CHECK:   %[[WT:.+]] = fp8.transpose %[[PW]]
//       CHECK:   scf.for
//   CHECK-NOT:     fp8.amax %[[W]]
//   CHECK-NOT:     fp8.cast %[[W]]
//   CHECK-NOT:     fp8.transpose
//       CHECK:     %[[X:.+]] = tensor.extract_slice
//       CHECK:     fp8.amax %[[X]]
//       CHECK:     %[[QX:.+]] = fp8.cast %[[X]] scale
//       CHECK:     fp8.scaled_mm %[[QX]], %[[WT]]
func.func @microbatches(%x: tensor<64x32xbf16>, %w: tensor<32x40xbf16>, %y: tensor<64x40xbf16>) -> tensor<64x40xbf16> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : bf16
  %r = scf.for %i = %c0 to %c64 step %c16 iter_args(%out = %y) -> tensor<64x40xbf16> {
    %xi = tensor.extract_slice %x[%i, 0] [16, 32] [1, 1] : tensor<64x32xbf16> to tensor<16x32xbf16>
    %e = tensor.empty() : tensor<16x40xbf16>
    %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<16x40xbf16>) -> tensor<16x40xbf16>
    %m = linalg.matmul ins(%xi, %w : tensor<16x32xbf16>, tensor<32x40xbf16>) outs(%z : tensor<16x40xbf16>) -> tensor<16x40xbf16>
    %o = tensor.insert_slice %m into %out[%i, 0] [16, 40] [1, 1] : tensor<16x40xbf16> into tensor<64x40xbf16>
    scf.yield %o : tensor<64x40xbf16>
  }
  return %r : tensor<64x40xbf16>
}

// Negative: a weight that the loop changes is quantized in the loop.
// CHECK-LABEL: func @changing_weight
//       CHECK:   scf.for
//       CHECK:     fp8.cast
//       CHECK:     fp8.scaled_mm
func.func @changing_weight(%x: tensor<16x32xbf16>, %w: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : bf16
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%wi = %w) -> tensor<32x32xbf16> {
    %e = tensor.empty() : tensor<32x32xbf16>
    %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<32x32xbf16>) -> tensor<32x32xbf16>
    %m = linalg.matmul ins(%wi, %wi : tensor<32x32xbf16>, tensor<32x32xbf16>) outs(%z : tensor<32x32xbf16>) -> tensor<32x32xbf16>
    scf.yield %m : tensor<32x32xbf16>
  }
  return %r : tensor<32x32xbf16>
}
