//===- Vjp.h ----------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the derivatives of this and upstream's dialects.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_VJP_H
#define FP8_TRANSFORMS_VJP_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::fp8 {

/// Attaches `VjpOpInterface` to the ops of fp8, linalg, tensor, arith and math
/// that have a derivative.
void registerVjpExternalModels(DialectRegistry &registry);

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_VJP_H
