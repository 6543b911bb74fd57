//===- BlasLt.h -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FP8_BLASLT_BLASLT_H
#define FP8_BLASLT_BLASLT_H

#include "Fp8/IR/Fp8Attributes.h"
#include "Fp8/IR/Fp8Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Fp8/BlasLt/BlasLtDialect.h.inc"

#define GET_OP_CLASSES
#include "Fp8/BlasLt/BlasLtOps.h.inc"

namespace mlir::blaslt {

/// Lets one-shot bufferization take blaslt.matmul from tensors to buffers.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::blaslt

#endif // FP8_BLASLT_BLASLT_H
