//===- Tool.h ---------------------------------------------------*- C++ -*-===//
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

#ifndef FP8_TOOLS_COMMON_TOOL_H
#define FP8_TOOLS_COMMON_TOOL_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

namespace fp8tools {

/// Prints `TOOL: error: MESSAGE` and returns failure.
mlir::LogicalResult report(const llvm::Twine &message);
mlir::LogicalResult report(llvm::Error error);

/// What `report` calls the tool; set by main.
extern llvm::StringRef toolName;

/// Prints diagnostics with the line of the source that they are about, and
/// errors that have no location as `report` does.
class DiagnosticPrinter : public mlir::SourceMgrDiagnosticHandler {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context);
};

} // namespace fp8tools

#endif // FP8_TOOLS_COMMON_TOOL_H
