//===- Tool.cpp -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tools print errors with.
//
//===----------------------------------------------------------------------===//

#include "Tool.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace fp8tools;

StringRef fp8tools::toolName;

LogicalResult fp8tools::report(const Twine &message) {
  llvm::errs() << toolName << ": error: " << message << "\n";
  return failure();
}

LogicalResult fp8tools::report(llvm::Error error) {
  return report(llvm::toString(std::move(error)));
}

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext *context)
    : SourceMgrDiagnosticHandler(sources, context) {
  setHandler([this](Diagnostic &diagnostic) {
    if (isa<UnknownLoc>(diagnostic.getLocation()) &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      return (void)report(diagnostic.str());
    emitDiagnostic(diagnostic);
  });
}
