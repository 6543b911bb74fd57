//===- Fp8Dialect.td ------------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, and the tensor types its ops take.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8DIALECT_TD
#define FP8_IR_FP8DIALECT_TD

include "mlir/IR/OpBase.td"

def Fp8_Dialect : Dialect {
  let name = "fp8";
  let cppNamespace = "::mlir::fp8";
  let summary = "linear layers in FP8: amax, scale, cast and scaled matmul";
  let description = [{
    The dialect says what FP8 training does to a linear layer, on tensors:
    measure (`fp8.amax`), choose a scale (`fp8.scale`), round (`fp8.cast`),
    multiply and undo the scales (`fp8.scaled_mm`). `fp8.matmul` is a linear
    layer before that decision. Element types are the builtin `f8E4M3FN`,
    `f8E5M2`, `f8E4M3FNUZ`, `f8E5M2FNUZ`, and `f8E8M0FNU` for block scales.

    Tensors carry no encoding: a column-major K x N matrix is a row-major N x K
    one, and `trans_a`, `trans_b` say how an operand is read, as in BLAS. Device
    limits are no part of the ops; they live in the target table.

    | type | largest | least normal | least subnormal | source |
    | --- | --- | --- | --- | --- |
    | `f8E4M3FN` | 448 | 2^-6 | 2^-9 | OCP 8-bit Floating Point Specification (OFP8) 1.0, E4M3 |
    | `f8E5M2` | 57344 | 2^-14 | 2^-16 | the same, E5M2 |
    | `f8E4M3FNUZ` | 240 | 2^-7 | 2^-10 | B. Noune et al., "8-bit Numerical Formats for Deep Neural Networks", arXiv:2206.02915 |
    | `f8E5M2FNUZ` | 57344 | 2^-15 | 2^-17 | the same |
    | `f8E8M0FNU` | 2^127 | 2^-127 | | OCP Microscaling Formats (MX) Specification 1.0 |

    Activations and weights in E4M3, gradients in E5M2, as the recipes have it, is
    P. Micikevicius et al., "FP8 Formats for Deep Learning", arXiv:2209.05433.

    Attributes that ops of other dialects carry for us, and what sets them:

    | attribute | on | set by | meaning |
    | --- | --- | --- | --- |
    | `fp8.convert` | matmul | user, `fp8-select-matmuls` | `"always"` or `"never"`: convert it, whatever filters say, or not |
    | `fp8.reason` | matmul | `fp8-select-matmuls` | why it is `"never"` |
    | `fp8.frozen` | argument | user | no gradient is asked for it |
    | `fp8.donated` | argument | user | the compiled function may write it |
    | `fp8.name` | argument | user, tools | what name filters and reports call it |
    | `fp8.result` | argument | `fp8-results-to-destinations` | the destination of a result |
    | `fp8.tangent` | argument | `fp8-derive-backward` | the number of the result that it is the cotangent of |
    | `fp8.gradient` | result | `fp8-derive-backward` | the number of the argument that it is the gradient of |
    | `fp8.saved` | result | `fp8-partition` | what is saved for the backward pass, in words |
    | `fp8.residual`, `fp8.argument` | argument | `fp8-partition` | the result, or the argument, of `NAME_forward` that it takes |
    | `fp8.statistic` | result | `fp8-add-cast-statistics` | the cast that it counts values of, in words |
    | `fp8.companion` | function | several passes | it was made for another function, as `NAME_workspace` |
    | `fp8.kernel` | function | `fp8-outline-kernels` | it is one kernel of a device |
    | `fp8.kept` | allocation | `fp8-predict-scales` | what it holds stays for the next call; at first it is any bits |
  }];
  let useDefaultAttributePrinterParser = 1;
  // What folds to a constant becomes an arith.constant.
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

/// One value for an operand of an op that has optional ones, too. In the generic
/// form `operandSegmentSizes` says how many each has; of those that are not
/// optional MLIR checks nothing, and their accessors would read what is not there.
class Fp8_OneValue<string operand, int index>
    : PredOpTrait<"operandSegmentSizes gives one value to " # operand,
                  CPred<"getODSOperands(" # index # ").size() == 1">>;

/// A ranked tensor of `elements` that carries no encoding: bufferization would
/// drop it in silence.
class Fp8_TensorOf<list<Type> elements, string names>
    : Type<And<[RankedTensorOf<elements>.predicate,
                CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self)"
                      ".getEncoding()">]>,
           "ranked tensor of " # names # " without an encoding",
           "::mlir::RankedTensorType">;

def Fp8_WideTensor : Fp8_TensorOf<[BF16, F16, F32, F64], "bf16, f16, f32 or f64">;
def Fp8_NarrowTensor
    : Fp8_TensorOf<[F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ],
                   "f8E4M3FN, f8E5M2, f8E4M3FNUZ or f8E5M2FNUZ">;
def Fp8_AnyFloatTensor
    : Fp8_TensorOf<[BF16, F16, F32, F64, F8E4M3FN, F8E5M2, F8E4M3FNUZ,
                    F8E5M2FNUZ],
                   "bf16, f16, f32, f64 or an fp8 type">;
def Fp8_F32Tensor : Fp8_TensorOf<[F32], "f32">;
def Fp8_ScaleTensor : Fp8_TensorOf<[F32, F8E8M0FNU], "f32 or f8E8M0FNU">;

#endif // FP8_IR_FP8DIALECT_TD
