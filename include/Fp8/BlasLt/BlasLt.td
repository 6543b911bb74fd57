//===- BlasLt.td ----------------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect of matmul calls of a vendor's library, and of ours on the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_BLASLT_BLASLT_TD
#define FP8_BLASLT_BLASLT_TD

include "Fp8/IR/Fp8Attributes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def BlasLt_Dialect : Dialect {
  let name = "blaslt";
  let cppNamespace = "::mlir::blaslt";
  let summary = "matmuls as cuBLASLt, hipBLASLt and the CPU runtime do them";
  let description = [{
    One op, in destination-passing style: what one call of a matmul library
    takes, on tensors before bufferization and on buffers after it.
  }];
  let dependentDialects = ["::mlir::fp8::Fp8Dialect"];
}

defvar BlasLt_TensorGranularity =
    DefaultValuedAttr<Fp8_GranularityAttr,
        "::mlir::fp8::GranularityAttr::get($_builder.getContext(), "
        "::mlir::fp8::GranularityKind::Tensor)">;

def BlasLt_MatmulOp : Op<BlasLt_Dialect, "matmul", [
    AttrSizedOperandSegments, Fp8_OneValue<"a", 0>, Fp8_OneValue<"b", 1>,
    Fp8_OneValue<"out", 7>, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one call of a matmul library";
  let description = [{
    ```
    out[.., i, j] = round((sum over k of op(a)[.., i, k] · op(b)[.., k, j])
                          · (descale_a · descale_b) + acc[.., i, j] + bias[j])
    ```

    with the numerics of `fp8.scaled_mm`, or of `fp8.matmul` without descales.
    Operands and result are row-major; buffers may have padded rows and batches
    at any distance, but their last dimension is contiguous. `acc` may be `out`
    itself. `workspace` is memory for this call alone, which holds nothing before
    and after it; `fp8-plan-workspace` gives one to calls that need it. On
    tensors the op has one result, which takes the place of `out`; on buffers it
    has none and writes `out`.

    Shapes are those of `fp8.matmul`: op(a) is batch.. x M x K, op(b) batch.. x
    K x N, `acc` and `out` batch.. x M x N, `bias` N. Does not verify: what breaks
    this, tensors mixed with memrefs, one descale without the other, descales of
    wide operands, fp8 operands without descales, and an fp8 operand with a wide
    one or two wide types.

    Example:

    ```mlir
    blaslt.matmul ins(%a, %b : memref<64x32xf8E4M3FN>, memref<128x32xf8E4M3FN>)
        descales(%da, %db : memref<f32>, memref<f32>)
        outs(%d : memref<64x128xbf16>) trans_b fast_accum
    ```
  }];
  let arguments = (ins
      AnyShaped:$a, AnyShaped:$b,
      Optional<AnyShaped>:$descale_a, Optional<AnyShaped>:$descale_b,
      Optional<AnyShaped>:$acc, Optional<AnyShaped>:$bias,
      Optional<AnyMemRef>:$workspace, AnyShaped:$out,
      UnitAttr:$trans_a, UnitAttr:$trans_b, UnitAttr:$fast_accum,
      BlasLt_TensorGranularity:$granularity_a,
      BlasLt_TensorGranularity:$granularity_b, OptionalAttr<StrAttr>:$name);
  let results = (outs Variadic<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    (`descales` `(` $descale_a^ `,` $descale_b `:` type($descale_a) `,`
      type($descale_b) `)`)?
    (`acc` `(` $acc^ `:` type($acc) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`workspace` `(` $workspace^ `:` type($workspace) `)`)?
    `outs` `(` $out `:` type($out) `)`
    (`trans_a` $trans_a^)? (`trans_b` $trans_b^)? (`fast_accum` $fast_accum^)?
    (`granularity_a` $granularity_a^)? (`granularity_b` $granularity_b^)?
    (`name` $name^)? attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
}

#endif // FP8_BLASLT_BLASLT_TD
