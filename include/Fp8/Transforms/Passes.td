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
  let description = [{
    LLVM has no FP8 types, and lowers casts to bf16 to calls of `__truncsfbf2`
    and `__truncdfbf2`, which many a libgcc lacks. This pass expands the arith
    and math ops on scalars and vectors of `f8E4M3FN`, `f8E5M2`, `f8E4M3FNUZ`,
    `f8E5M2FNUZ`, `f8E8M0FNU` and `bf16` to integer code, f32 ops and
    `arith.bitcast`, exactly, for vectors of every shape, scalable ones too.
    Upstream's conversions lower the rest: FP8 becomes `i8`, and values of bf16
    are only loaded, stored, selected, passed and taken for integers. It replaces

    ```mlir
    %s = arith.addf %x, %y : bf16
    ```

    with

    ```mlir
    %0 = arith.bitcast %x : bf16 to i16
    %1 = arith.extui %0 : i16 to i32
    %2 = arith.shli %1, %c16 : i32
    %3 = arith.bitcast %2 : i32 to f32
    ...
    %8 = arith.addf %3, %7 : f32
    ...                                 // round %8 to nearest even, in integers
    %s = arith.bitcast %17 : i16 to bf16
    ```

    The code has no branches, and loops over it vectorize. Ops on tensors and
    ops of other dialects stay, as `arith.bitcast` and `arith.select` do.
    Whatever other arith or math op on a small float remains is an error: casts
    with another rounding mode, integers of more than 64 bits to bf16 or
    f8E8M0FNU, `arith.scaling_extf` and `arith.scaling_truncf`, and negative
    numbers of f8E8M0FNU (the parser takes them).

    Casts:
    - `extf` is exact, except that an f8E8M0FNU beyond the range of f16 rounds
      to it. Subnormals, infinities and NaNs keep their meaning.
    - `truncf` rounds once, to nearest even, and does not saturate. What rounds
      beyond the range becomes infinity in f8E5M2 and bf16, and NaN in the
      others. From f64, f80 and f128 the value is first rounded to odd in f32,
      after which the second rounding is harmless (S. Boldo and G. Melquiond,
      "Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using
      Rounding to Odd", IEEE Transactions on Computers, 2008).
    - FNUZ types have no -0: what rounds to zero from below is 0x00. Their only
      NaN is 0x80, which `negf` and `absf` keep.
    - f8E8M0FNU has powers of two only. Ties go up, as the one bit of its
      significand is odd. Zero, and all between it and 2^-127, become 2^-127,
      and negative numbers NaN. (PyTorch agrees on zero and drops the sign;
      ml_dtypes makes both NaN. Both round all above 2^-127 up to 2^-126; here
      the middle is at 1.5 * 2^-127.)
    - Integers round once. `fptosi` and `fptoui` are those of f32.

    Arithmetic:
    - `+`, `-`, `*`, `/` and `sqrt` are computed in f32, then rounded. The two
      roundings are one, as f32's 24 bits are at least 2p + 2 for the at most
      p = 8 bits of these types (S. Figueroa, "When is double rounding
      innocuous?", ACM SIGNUM Newsletter 30(3), 1995). `remf`, minimum, maximum
      and the roundings to integers are exact in f32.
    - `math.fma` is one rounding of the exact value: its product is exact in
      f64, and the sum is rounded to odd there. f32 would not do: in f8E5M2,
      36864 + 2^-16 is above a middle, which f32 rounds it to.
    - Other elementwise ops (`math.exp`, `math.powf`, ...) are those of f32,
      rounded.
    - `negf`, `absf`, `copysign` and `isnormal` work on the bits; comparisons
      are those of the exact f32 values.

    Constants become integer constants under a bitcast. A NaN may change its
    payload.

    What the pass makes has no fast-math flags, and it takes them off all other
    casts, those of tensors too: once both carry `contract`, `extf(truncf(x))`
    folds to `x`, and the rounding is gone. Run it before `canonicalize` if the
    input may have such flags; the pass itself never folds.

    f16 is left to LLVM. On x86-64 it rounds once everywhere (its `fma` and its
    conversions from f64 included); without F16C it calls `__extendhfsf2` and
    `__truncsfhf2`, and without AVX512-FP16 `__truncdfhf2`, all three in libgcc
    since GCC 12.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

#endif // FP8_TRANSFORMS_PASSES_TD
