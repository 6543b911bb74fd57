//===- Fp8Ops.td ----------------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations. Constraint labels (`cast_c1`) name the check, in the verifier
// and in its test.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8OPS_TD
#define FP8_IR_FP8OPS_TD

include "Fp8/IR/Fp8Attributes.td"
include "Fp8/IR/Fp8Dialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Fp8_Op<string mnemonic, list<Trait> traits = []>
    : Op<Fp8_Dialect, mnemonic, traits>;

defvar Fp8_TensorGranularity =
    "::mlir::fp8::GranularityAttr::get($_builder.getContext(), "
    "::mlir::fp8::GranularityKind::Tensor)";
defvar Fp8_DefaultGranularity =
    DefaultValuedAttr<Fp8_GranularityAttr, Fp8_TensorGranularity>;

//===----------------------------------------------------------------------===//
// amax
//===----------------------------------------------------------------------===//

def Fp8_AmaxOp : Fp8_Op<"amax", [Pure, InferTypeOpAdaptor]> {
  let summary = "largest absolute value of a tensor";
  let description = [{
    `result[b] = max over i in block b of |f32(input[i])|`, in f32, starting at
    0.0. The blocks are those of `granularity`; see `#fp8.granularity` for the
    shape of the result.

    A NaN in a block makes its amax NaN; an infinity gives infinity; an empty
    block gives 0. The result is never -0. An f64 input is rounded to f32 first.

    With another granularity than `<tensor>` the input has rank 2 or more; a
    result of another shape than the granularity gives does not verify.

    Example:

    ```mlir
    %a = fp8.amax %x : tensor<64x?xbf16> -> tensor<f32>
    %r = fp8.amax %x granularity <rowwise>
        : tensor<64x?xbf16> -> tensor<64x1xf32>
    ```
  }];
  let arguments = (ins Fp8_AnyFloatTensor:$input,
                       Fp8_DefaultGranularity:$granularity);
  let results = (outs Fp8_F32Tensor:$result);
  let assemblyFormat = [{
    $input (`granularity` $granularity^)? attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// scale
//===----------------------------------------------------------------------===//

def Fp8_ScaleOp : Fp8_Op<"scale", [
    Pure, AllShapesMatch<["amax", "scale", "descale"]>]> {
  let summary = "scale and descale of an fp8 type from an amax";
  let description = [{
    ```
    scale   = f32(f64(max(type)) / max(f64(amax), eps))
    descale = 1.0f / scale
    ```

    element by element: the division in f64 with one rounding to f32, the
    reciprocal correctly rounded in f32. `max(type)` is the largest finite value
    of `type`: 448 (f8E4M3FN), 57344 (f8E5M2, f8E5M2FNUZ), 240 (f8E4M3FNUZ).
    `scale` multiplies before rounding (`fp8.cast`); `descale` multiplies after
    the product (`fp8.scaled_mm`). The three tensors have one shape, that of the
    granularity amax was taken with. The rule is that of torchao's
    `amax_to_scale` (`torchao/float8/float8_utils.py`), bit for bit.

    `policy` sets `eps` (1e-12) and whether a finite scale is rounded down to a
    power of two. An amax of 0 gives max / eps; a NaN gives NaN; an infinite amax
    gives scale 0 and an infinite descale, so that the product becomes NaN.

    Does not verify: a `type` that is no fp8 type, and descales in f8E8M0FNU,
    which has powers of two only, without `pow2 = down`.

    Example:

    ```mlir
    %s, %d = fp8.scale %a for f8E4M3FN
        : tensor<f32> -> tensor<f32>, tensor<f32>
    ```
  }];
  let arguments = (ins
      Fp8_F32Tensor:$amax, TypeAttr:$type,
      DefaultValuedAttr<Fp8_PolicyAttr,
          "::mlir::fp8::PolicyAttr::get($_builder.getContext())">:$policy);
  let results = (outs Fp8_F32Tensor:$scale, Fp8_ScaleTensor:$descale);
  let assemblyFormat = [{
    $amax `for` $type (`policy` $policy^)? attr-dict
    `:` type($amax) `->` type($scale) `,` type($descale)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$amax, "::mlir::Type":$type), [{
      build($_builder, $_state, amax.getType(), amax.getType(), amax,
            ::mlir::TypeAttr::get(type),
            ::mlir::fp8::PolicyAttr::get($_builder.getContext()));
    }]>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// cast
//===----------------------------------------------------------------------===//

def Fp8_CastOp : Fp8_Op<"cast", [Pure, AllShapesMatch<["input", "result"]>]> {
  let summary = "scale, clamp and round a tensor to fp8";
  let description = [{
    `result[i] = rne(clamp(f32(input[i]) * scale, -max, max))`, where `max` is
    the largest finite value of the result element type and `rne` rounds to
    nearest even: the f32 product is rounded once, and once more to fp8. NaN
    stays NaN; infinities clamp; a zero keeps its sign, except in the FNUZ
    types, which have no -0; what is at most half the least subnormal rounds to
    zero. `scale` multiplies here; `fp8.scaled_mm` undoes it with `descale`.

    The scales have the shape that `granularity` gives; each element is
    multiplied by the scale of its block.

    Does not verify: scales of another shape, and, where an `fp8.scale` defines
    them, its descale in place of its scale or a scale for another fp8 type.

    Example:

    ```mlir
    %q = fp8.cast %x scale %s
        : tensor<64x?xbf16>, tensor<f32> -> tensor<64x?xf8E4M3FN>
    ```
  }];
  let arguments = (ins Fp8_WideTensor:$input, Fp8_F32Tensor:$scale,
                       Fp8_DefaultGranularity:$granularity);
  let results = (outs Fp8_NarrowTensor:$result);
  let assemblyFormat = [{
    $input `scale` $scale (`granularity` $granularity^)? attr-dict
    `:` type($input) `,` type($scale) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

def Fp8_TransposeOp : Fp8_Op<"transpose", [Pure, InferTypeOpAdaptor]> {
  let summary = "copy a matrix with its two last dimensions swapped";
  let description = [{
    `result[.., j, i] = input[.., i, j]`: a physical copy, the column-major
    copy that a library asks for which reads its operands one way only. Leading
    batch dimensions stay. `fp8.scaled_mm` reads an operand transposed for free
    with `trans_a`, `trans_b`, where the target can; `fp8-assign-layouts` moves
    between the two. The bytes are not looked at. The input has rank 2 or more.

    Example:

    ```mlir
    %t = fp8.transpose %q : tensor<128x32xf8E4M3FN>
    ```
  }];
  let arguments = (ins Fp8_AnyFloatTensor:$input);
  let results = (outs Fp8_AnyFloatTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input)
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

def Fp8_MatmulOp : Fp8_Op<"matmul", [Pure, AttrSizedOperandSegments,
    Fp8_OneValue<"a", 0>, Fp8_OneValue<"b", 1>]> {
  let summary = "matmul of wide operands, a candidate for fp8";
  let description = [{
    ```
    result[.., i, j] = round(sum over k of op(a)[.., i, k] · op(b)[.., k, j]
                             + acc[.., i, j] + bias[j])
    ```

    `op(x)` is `x`, or its transpose with `trans_a`, `trans_b`. Leading
    dimensions are batch dimensions and equal in all. The sum is in f32 (in f64
    for f64 operands), k ascending on a CPU; acc and bias are added in f32, each
    with its own rounding, in this order; then there is one rounding to the
    result's element type. An empty sum is 0. NaN and infinities follow IEEE 754.

    `role` is the part the matmul plays in a training step: `forward`, `dgrad`
    (gives the gradient of the input) or `wgrad` (of the weight). A gradient
    matmul says with `gradient` which operand is the gradient that comes in.
    `name` is what filters and reports call the layer.

    | | shape | element type |
    | --- | --- | --- |
    | `a`, `b` | batch.. x M x K and batch.. x K x N, after `op` | one for both |
    | `acc` | batch.. x M x N | any of the four |
    | `bias` | N | any of the four |
    | result | batch.. x M x N | f64 if `a` and `b` are f64, and only then |

    Does not verify: what breaks the table, dynamic sizes aside; a gradient
    operand in role `forward`; none in `dgrad` and `wgrad`.

    Example:

    ```mlir
    %y = fp8.matmul %x, %w bias %b trans_b name "c_fc"
        : tensor<64x?xbf16>, tensor<128x?xbf16> bias tensor<128xbf16>
        -> tensor<64x128xbf16>
    %dw = fp8.matmul %dy, %x trans_a role wgrad gradient a
        : tensor<64x128xbf16>, tensor<64x?xbf16> -> tensor<128x?xbf16>
    ```
  }];
  let arguments = (ins
      Fp8_WideTensor:$a, Fp8_WideTensor:$b,
      Optional<Fp8_WideTensor>:$acc, Optional<Fp8_WideTensor>:$bias,
      UnitAttr:$trans_a, UnitAttr:$trans_b,
      DefaultValuedAttr<Fp8_Role, "::mlir::fp8::Role::Forward">:$role,
      OptionalAttr<Fp8_OperandSide>:$gradient,
      OptionalAttr<StrAttr>:$name);
  let results = (outs Fp8_WideTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`acc` $acc^)? (`bias` $bias^)?
    (`trans_a` $trans_a^)? (`trans_b` $trans_b^)?
    (`role` $role^)? (`gradient` $gradient^)? (`name` $name^)? attr-dict
    `:` type($a) `,` type($b) (`acc` type($acc)^)?
    (`bias` type($bias)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// scaled_mm
//===----------------------------------------------------------------------===//

def Fp8_ScaledMMOp : Fp8_Op<"scaled_mm", [Pure, AttrSizedOperandSegments,
    Fp8_OneValue<"a", 0>, Fp8_OneValue<"b", 1>,
    Fp8_OneValue<"descale_a", 2>, Fp8_OneValue<"descale_b", 3>]> {
  let summary = "matmul of fp8 operands that undoes their scales";
  let description = [{
    With one scale a tensor, a row of op(a) or a column of op(b):

    ```
    result[.., i, j] = round((sum over k of op(a)[.., i, k] · op(b)[.., k, j])
                             · (descale_a · descale_b)
                             + acc[.., i, j] + bias[j])
    ```

    With blocks along k: `sum over blocks n of da[n] · db[n] · (sum over k in n
    of a · b)`, n ascending. Products of fp8 values are exact in f32; the sum is
    in f32, k ascending on a CPU; the product of the descales is rounded to f32,
    then its product with the sum, then each addition; then there is one
    rounding to the result's element type. An empty sum is 0. A NaN operand or
    descale makes NaN of what it reaches.

    `granularity_a` and `granularity_b` speak of op(a) (M x K) and op(b)
    (K x N): `<rowwise>` descales of op(a) are M x 1, `<colwise>` ones of op(b)
    are 1 x N. `fast_accum` lets a device accumulate with fewer bits; it has no
    effect on a CPU. `name` is what reports call the layer.

    | | shape | element type |
    | --- | --- | --- |
    | `a`, `b` | batch.. x M x K and batch.. x K x N, after `op` | fp8, of either kind |
    | `descale_a`, `descale_b` | what their granularity gives for op(a), op(b) | f32, or f8E8M0FNU |
    | `acc` | batch.. x M x N | any wide type |
    | `bias` | N | any wide type |
    | result | batch.. x M x N | bf16, f16 or f32 |

    Does not verify: what breaks the table, dynamic sizes aside; descales that
    differ along k without blocks (`<colwise>` for a, `<rowwise>` for b); and,
    where an `fp8.scale` defines a descale, its scale in place of its descale
    or a descale for another fp8 type. What a device cannot do verifies: the
    passes that know the target refuse it.

    Example:

    ```mlir
    %y = fp8.scaled_mm %a, %b descales %da, %db trans_b fast_accum
        : tensor<64x?xf8E4M3FN>, tensor<128x?xf8E4M3FN>, tensor<f32>,
          tensor<f32> -> tensor<64x128xbf16>
    ```
  }];
  let arguments = (ins
      Fp8_NarrowTensor:$a, Fp8_NarrowTensor:$b,
      Fp8_ScaleTensor:$descale_a, Fp8_ScaleTensor:$descale_b,
      Optional<Fp8_WideTensor>:$acc, Optional<Fp8_WideTensor>:$bias,
      UnitAttr:$trans_a, UnitAttr:$trans_b, UnitAttr:$fast_accum,
      Fp8_DefaultGranularity:$granularity_a,
      Fp8_DefaultGranularity:$granularity_b,
      OptionalAttr<StrAttr>:$name);
  let results = (outs Fp8_WideTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `descales` $descale_a `,` $descale_b
    (`acc` $acc^)? (`bias` $bias^)?
    (`trans_a` $trans_a^)? (`trans_b` $trans_b^)? (`fast_accum` $fast_accum^)?
    (`granularity_a` $granularity_a^)? (`granularity_b` $granularity_b^)?
    (`name` $name^)? attr-dict
    `:` type($a) `,` type($b) `,` type($descale_a) `,` type($descale_b)
    (`acc` type($acc)^)? (`bias` type($bias)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // FP8_IR_FP8OPS_TD
