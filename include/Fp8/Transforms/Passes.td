//===- Passes.td ----------------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from tensors to tensors, and on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_PASSES_TD
#define FP8_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckScalesPass : Pass<"fp8-check-scales"> {
  let summary = "Refuse a scale where a descale belongs, and the reverse";
  let description = [{
    The verifiers of `fp8.cast` and `fp8.scaled_mm` look at the op that defines
    a scale only. This pass follows each scale through shape ops, `select`,
    loops and calls of private functions, so that

    ```mlir
    %s, %d = fp8.scale %amax for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
    %e = tensor.expand_shape %d [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
    %q = fp8.cast %x scale %e granularity <block 128x128> : ...
    ```

    is an error at the cast. It changes nothing.
  }];
}

def ExpandArithPass : Pass<"fp8-expand-arith"> {
  let summary = "Expand arithmetic on FP8 and bf16 to integer code and f32";
  let description = [{ }];
  let dependentDialects = ["arith::ArithDialect"];
}

#endif // FP8_TRANSFORMS_PASSES_TD
