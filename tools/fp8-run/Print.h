//===- Print.h --------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fp8-run prints after a run.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8RUN_PRINT_H
#define FP8_TOOLS_FP8RUN_PRINT_H

#include "Array.h"
#include "Fp8/Driver/Train.h"

namespace fp8run {

/// The error of each result, in decibels.
void printErrors(llvm::ArrayRef<std::string> names,
                 llvm::ArrayRef<Array> reference,
                 llvm::ArrayRef<Array> results);

void printLinears(llvm::ArrayRef<mlir::fp8::Linear> linears);

/// What a step in one function keeps for its backward pass. `wideBytes` is what
/// the wide program keeps.
void printResiduals(llvm::ArrayRef<mlir::fp8::Residual> residuals,
                    int64_t wideBytes);

/// The same of a step in two: which argument or result of `forward` is what of
/// `backward`, whose arguments have `bytes`.
void printResiduals(const mlir::fp8::FunctionInfo &forward,
                    const mlir::fp8::FunctionInfo &backward,
                    llvm::ArrayRef<int64_t> bytes, int64_t wideBytes);

/// The counts of each cast, three results each, as shares.
void printStatistics(llvm::ArrayRef<mlir::fp8::FunctionInfo> functions,
                     llvm::ArrayRef<Array> counts);

/// Stages and what they took, in milliseconds.
void printTimes(llvm::ArrayRef<std::pair<std::string, double>> times);

} // namespace fp8run

#endif // FP8_TOOLS_FP8RUN_PRINT_H
