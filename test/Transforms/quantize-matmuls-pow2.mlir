// RUN: fp8-opt --fp8-quantize-matmuls="target=sm_90 recipe=tensorwise_pow2" %s | FileCheck %s --check-prefixes=CHECK,POW2
// RUN: fp8-opt --fp8-quantize-matmuls="target=sm_90 recipe=tensorwise" %s | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: fp8-opt %S/../Inputs/torch_linear.mlir --fp8-train="recipe=tensorwise_pow2" | FileCheck %s --check-prefix=TRAIN
// RUN: fp8-opt %S/../Inputs/torch_linear.mlir --fp8-quantize="recipe=tensorwise_pow2" | FileCheck %s --check-prefix=QUANTIZE

// The recipe is a policy of the scales and nothing else.
// CHECK-LABEL: func @dgrad
//   POW2-NEXT:   %[[A:.+]] = fp8.amax
//   POW2-NEXT:   fp8.scale %[[A]] for f8E5M2 policy <pow2 = down> :
//  PLAIN-NEXT:   %[[A:.+]] = fp8.amax
//  PLAIN-NEXT:   fp8.scale %[[A]] for f8E5M2 :
//       CHECK:   %[[B:.+]] = fp8.amax
//   POW2-NEXT:   fp8.scale %[[B]] for f8E4M3FN policy <pow2 = down> :
// Negative: the plain recipe rounds no scale.
//   PLAIN-NOT:   pow2
//       CHECK:   fp8.scaled_mm
//       CHECK:   return
func.func @dgrad(%dy: tensor<64x16xbf16>, %w: tensor<16x32xbf16>) -> tensor<64x32xbf16> {
  %dx = fp8.matmul %dy, %w role dgrad gradient a : tensor<64x16xbf16>, tensor<16x32xbf16> -> tensor<64x32xbf16>
  return %dx : tensor<64x32xbf16>
}

// One tensor, one scale: x, the weight and dy.
// TRAIN-COUNT-3: fp8.scale %{{.+}} policy <pow2 = down>
//     TRAIN-NOT: fp8.scale %
// QUANTIZE-COUNT-2: fp8.scale %{{.+}} policy <pow2 = down>
//     QUANTIZE-NOT: fp8.scale %
