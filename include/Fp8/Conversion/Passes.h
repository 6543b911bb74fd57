//===- Passes.h -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FP8_CONVERSION_PASSES_H
#define FP8_CONVERSION_PASSES_H

#include "Fp8/BlasLt/BlasLt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fp8 {

/// Patterns for fp8.amax, fp8.scale, fp8.cast (granularity `<tensor>`) and
/// fp8.transpose.
void populateFp8ToLinalgPatterns(RewritePatternSet &patterns);

/// Patterns for fp8.matmul and fp8.scaled_mm.
void populateFp8ToBlasLtPatterns(RewritePatternSet &patterns);

#define GEN_PASS_DECL
#include "Fp8/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Fp8/Conversion/Passes.h.inc"

} // namespace mlir::fp8

#endif // FP8_CONVERSION_PASSES_H
