//===- Model.h -----------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that a tool works on: its module, its function, and what arguments
// and results are called.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_COMMON_MODEL_H
#define FP8_TOOLS_COMMON_MODEL_H

#include "Fp8/Pipelines/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace fp8tools {

/// What a run is about.
struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The public function.
  std::string function;
  /// Arguments before a backward pass added tangents.
  unsigned numArguments = 0;
  llvm::SmallVector<std::string> argumentNames, resultNames;

  mlir::func::FuncOp getFunction() {
    return module->lookupSymbol<mlir::func::FuncOp>(function);
  }
};

/// Prints `TOOL: error: MESSAGE` and returns failure.
mlir::LogicalResult report(const llvm::Twine &message);
mlir::LogicalResult report(llvm::Error error);

/// What `report` calls the tool; set by main.
extern llvm::StringRef toolName;

/// Checks names that options gave; an error lists what there is.
mlir::LogicalResult checkTarget(llvm::StringRef target);
mlir::LogicalResult checkRecipe(llvm::StringRef recipe);

/// Parses `file` and finds its only public function. Names come from
/// `inputs/index.json`, if `inputs` is a directory that has one, else from
/// `fp8.name` attributes, else they are made up; the results of a backward pass
/// are called `d_` and the argument's name. Sets `fp8.name` on arguments.
mlir::LogicalResult loadModel(llvm::StringRef file, llvm::StringRef inputs,
                              bool backward, mlir::MLIRContext &context,
                              llvm::SourceMgr &sources, Model &model);

/// Runs the passes of one stage.
mlir::LogicalResult runStage(mlir::ModuleOp module,
                             const mlir::fp8::Stage &stage);

} // namespace fp8tools

#endif // FP8_TOOLS_COMMON_MODEL_H
