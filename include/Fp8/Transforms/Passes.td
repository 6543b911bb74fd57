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

def RaiseMatmulsPass : Pass<"fp8-raise-matmuls", "::mlir::ModuleOp"> {
  let summary = "Turn every spelling of a linear layer into fp8.matmul";
  let description = [{
    Exporters spell a linear layer in many ways: named matmuls with a transpose
    in front, operands widened to f32, generics, a bias before or after the
    rounding. This pass finds contractions by their indexing maps, looks through
    transposes, broadcasts and widenings (`arith.extf`) of the operands, and
    takes a bias along the columns and the rounding of the result into the op.
    Replaces

    ```mlir
    %t = linalg.transpose ins(%w : tensor<256x128xbf16>) outs(%e0 : ...) permutation = [1, 0]
    %z = linalg.fill ins(%zero : f32) outs(%e1 : ...) -> tensor<64x256xf32>
    %m = linalg.matmul ins(%x, %t : ...) outs(%z : ...) -> tensor<64x256xf32>
    %y = linalg.generic ins(%m : tensor<64x256xf32>) ... { arith.truncf ... } -> tensor<64x256xbf16>
    ```

    with

    ```mlir
    %y = fp8.matmul %x, %w trans_b name "arg1"
        : tensor<64x128xbf16>, tensor<256x128xbf16> -> tensor<64x256xbf16>
    ```

    An `outs` that is not known to be zero becomes the accumulator. A rounding
    may be dropped (a bias added after it moves into the f32 epilogue; a bf16
    accumulator becomes f32), and none is added. Several contracted or several
    kept dimensions are collapsed into one. What is a contraction and cannot be
    raised stays, with a missed remark that says why.
  }];
  let dependentDialects = ["fp8::Fp8Dialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect", "arith::ArithDialect"];
}

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

#endif // FP8_TRANSFORMS_PASSES_TD
