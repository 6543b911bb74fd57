//===- Fp8Attributes.td ---------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Granularity, policy and role.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8ATTRIBUTES_TD
#define FP8_IR_FP8ATTRIBUTES_TD

include "Fp8/IR/Fp8Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Fp8_Attr<string name, string attrMnemonic>
    : AttrDef<Fp8_Dialect, name> {
  let mnemonic = attrMnemonic;
  // Lets a default value of an op's attribute be written as an expression.
  let constBuilderCall = "$0";
}

def Fp8_GranularityKind
    : I32EnumAttr<"GranularityKind", "what one scale covers", [
        I32EnumAttrCase<"Tensor", 0, "tensor">,
        I32EnumAttrCase<"Rowwise", 1, "rowwise">,
        I32EnumAttrCase<"Colwise", 2, "colwise">,
        I32EnumAttrCase<"Block", 3, "block">]> {
  let cppNamespace = "::mlir::fp8";
}

def Fp8_GranularityAttr : Fp8_Attr<"Granularity", "granularity"> {
  let summary = "the part of a tensor that shares one scale";
  let description = [{
    Over the last two dimensions of a tensor; leading batch dimensions keep a
    scale of their own, except with `tensor`.

    | text | one scale for | shape of the scales of an M x K tensor |
    | --- | --- | --- |
    | `<tensor>` | the whole tensor | rank 0 |
    | `<rowwise>` | a row | M x 1 |
    | `<colwise>` | a column | 1 x K |
    | `<block 1x128>` | a block of 1 x 128 | M x ceil(K / 128) |

    It is never derived from a number of scales: with one row, or as many rows
    as columns, that would be a guess.

    Example: `#fp8.granularity<block 128x128>`.
  }];
  let parameters = (ins EnumParameter<Fp8_GranularityKind>:$kind,
                        "int64_t":$rows, "int64_t":$cols);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "GranularityKind":$kind), [{
      return $_get($_ctxt, kind, 0, 0);
    }]>
  ];
  let extraClassDeclaration = [{
    bool isTensor() const { return getKind() == GranularityKind::Tensor; }
    /// The shape of the scales of a tensor of `shape`, of rank 2 or more (any
    /// rank with `tensor`). A dynamic size stays dynamic where it matters.
    ::llvm::SmallVector<int64_t> scaleShape(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

def Fp8_Pow2 : I32EnumAttr<"Pow2", "how a scale becomes a power of two", [
    I32EnumAttrCase<"Off", 0, "off">,
    I32EnumAttrCase<"Down", 1, "down">]> {
  let cppNamespace = "::mlir::fp8";
}

def Fp8_PolicyAttr : Fp8_Attr<"Policy", "policy"> {
  let summary = "how an amax becomes a scale";
  let description = [{
    - `eps`: the floor of amax in `scale = max / max(amax, eps)`. Default 1e-12,
      as in torchao; it keeps the scale finite for an amax of zero.
    - `pow2`: `off` keeps the quotient; `down` rounds a finite scale down to a
      power of two, so that scaling and its undoing are exact. A NaN or an
      infinite scale stays what it is.

    An amax that is not finite propagates: the results become NaN and never
    silently finite.

    Example: `#fp8.policy<pow2 = down>`.
  }];
  let parameters = (ins "::mlir::FloatAttr":$epsAttr,
                        EnumParameter<Fp8_Pow2>:$pow2);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins CArg<"double", "1e-12">:$eps,
                     CArg<"Pow2", "Pow2::Off">:$pow2), [{
      return $_get($_ctxt,
                   ::mlir::FloatAttr::get(::mlir::Float64Type::get($_ctxt), eps),
                   pow2);
    }]>
  ];
  let extraClassDeclaration = [{
    double getEps() const { return getEpsAttr().getValueAsDouble(); }
  }];
}

def Fp8_Role : I32EnumAttr<"Role", "the part a matmul plays in a training step", [
    I32EnumAttrCase<"Forward", 0, "forward">,
    I32EnumAttrCase<"Dgrad", 1, "dgrad">,
    I32EnumAttrCase<"Wgrad", 2, "wgrad">]> {
  let cppNamespace = "::mlir::fp8";
}

def Fp8_OperandSide : I32EnumAttr<"OperandSide", "the left or the right operand", [
    I32EnumAttrCase<"A", 0, "a">,
    I32EnumAttrCase<"B", 1, "b">]> {
  let cppNamespace = "::mlir::fp8";
}

#endif // FP8_IR_FP8ATTRIBUTES_TD
