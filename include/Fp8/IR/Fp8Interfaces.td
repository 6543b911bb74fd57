//===- Fp8Interfaces.td ---------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface through which ops give their derivative.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_IR_FP8INTERFACES_TD
#define FP8_IR_FP8INTERFACES_TD

include "mlir/IR/OpBase.td"

def Fp8_VjpOpInterface : OpInterface<"VjpOpInterface"> {
  let cppNamespace = "::mlir::fp8";
  let description = [{
    An op with a vector-Jacobian product: from the cotangents of its results to
    the cotangents of the values that it depends on. `fp8-derive-backward` walks
    a function backward through it. Ops of other dialects get it by external
    models (`registerVjpExternalModels`).
  }];
  let methods = [
    InterfaceMethod<[{
      The values that have a cotangent: by default each operand that is a
      tensor or a scalar of floating-point type. An op that looks through its
      operands (`fp8.scaled_mm` gives the cotangents of what was cast) names
      those values instead; an op that passes nothing on names none.
    }],
    "::llvm::SmallVector<::mlir::Value>", "getVjpInputs", (ins), [{}], [{
      return ::mlir::fp8::detail::getFloatOperands($_op);
    }]>,
    InterfaceMethod<[{
      Builds the cotangent of input `index` of `getVjpInputs`. `cotangents` has
      one value a result, null where a result has none; at least one is there.
      The result has the input's shape and `elementType` as its element type
      (f32 where several contributions are added up before they are rounded).
      A null value means zero. On failure an error was emitted at the op.
    }],
    "::mlir::FailureOr<::mlir::Value>", "buildVjp",
    (ins "::mlir::OpBuilder &":$builder, "unsigned":$index,
         "::mlir::ValueRange":$cotangents, "::mlir::Type":$elementType)>
  ];
}

#endif // FP8_IR_FP8INTERFACES_TD
