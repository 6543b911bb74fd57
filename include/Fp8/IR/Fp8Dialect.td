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
  }];
  let useDefaultAttributePrinterParser = 1;
  // What folds to a constant becomes an arith.constant.
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

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
