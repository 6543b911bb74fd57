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

def DeriveBackwardPass : Pass<"fp8-derive-backward", "::mlir::ModuleOp"> {
  let summary = "Make a joint forward and backward function of each function";
  let description = [{
    Reverse-mode differentiation. The joint function keeps the name: after the
    arguments comes one tangent a floating-point result, of the result's type;
    after the results comes one gradient a floating-point tensor argument, of
    the argument's type, unless the argument is `fp8.frozen`.

    ```mlir
    func.func @linear(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>)
        -> tensor<64x16xbf16> {
      %y = fp8.matmul %x, %w trans_b : ... -> tensor<64x16xbf16>
      return %y : tensor<64x16xbf16>
    }
    ```

    becomes

    ```mlir
    func.func @linear(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>,
                      %dy: tensor<64x16xbf16>)
        -> (tensor<64x16xbf16>, tensor<64x32xbf16>, tensor<16x32xbf16>) {
      %y = fp8.matmul %x, %w trans_b : ...
      %dx = fp8.matmul %dy, %w role dgrad gradient a : ...
      %dw = fp8.matmul %dy, %x trans_a role wgrad gradient a : ...
      return %y, %dx, %dw : ...
    }
    ```

    Only ops on a path from an argument that wants a gradient to a result are
    differentiated; for a frozen argument nothing is computed and nothing kept.
    An argument that no result depends on gets zeros. Calls of functions with a
    body are inlined first; private functions that nothing calls any more go.

    Numerics: derived bodies compute in f32 (f64 where the primal does), from
    the primal computed again without its roundings in between, and round once.
    A value with several readers gets the sum of their contributions, added up
    in f32 in a fixed order and rounded once to the value's type.

    Rules, with g the cotangent of the result y:

    | op | cotangents |
    | --- | --- |
    | `fp8.matmul`, y = op(A)·op(B) + acc + bias | dA = g·op(B)ᵀ, or op(B)·gᵀ with `trans_a` (role dgrad); dB = op(A)ᵀ·g, or gᵀ·op(A) with `trans_b` (role wgrad); dacc = g; dbias = sum of g over all but the last dimension |
    | `fp8.scaled_mm` | the same, wide, on the inputs of the `fp8.cast`s that feed it (straight through) |
    | `fp8.amax`, `fp8.scale` | none: scales are constants |
    | `fp8.transpose` | gᵀ |
    | structured `linalg` op, y[out] (+)= f(x₀[in₀], …) | dxᵢ[inᵢ] += g[out]·∂f/∂xᵢ over the same loops; loops that inᵢ does not name are summed up in f32, ascending, rounded once; the old value of a sum gets g |
    | reduction by max or min, y = max f | (f = y ? g / number of such f : 0)·∂f/∂xᵢ |
    | `arith`, `math` in a body, on scalars, on tensors | the derivative; maximum and minimum: g to the larger (smaller), g/2 to each of two equals; `select` follows its condition; x^n: g·n·x^(n-1); abs: 0 at 0; rounding to integers, comparisons and integers: none |
    | `tensor.expand_shape`, `collapse_shape`, `cast` | the reverse of g |
    | `tensor.extract_slice`, `extract` | g in zeros |
    | `tensor.insert_slice`, `insert` | the slice of g; g with zeros in its place for the destination |
    | `tensor.pad` (constant), `concat` | the operand's part of g |
    | `tensor.splat`, `from_elements` | the sum of g; its element |

    An op of another kind on a differentiated path is an error that names it, as
    are loops, several blocks, fp8 results and functions without a
    floating-point result; so are `fp8.cast`s that other ops than
    `fp8.scaled_mm` differentiate, and an `fp8.scaled_mm` that is not fed by
    `fp8.cast`s. Dead code is left to canonicalization and CSE.
  }];
  let dependentDialects = [
    "arith::ArithDialect", "fp8::Fp8Dialect", "linalg::LinalgDialect",
    "math::MathDialect", "tensor::TensorDialect"
  ];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "Differentiate this function only (default: every public function "
           "with a body)">
  ];
}

#endif // FP8_TRANSFORMS_PASSES_TD
