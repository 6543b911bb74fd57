//===- Model.h --------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that is compiled: its module, its function, and what arguments and
// results are called. Errors go to the context as diagnostics; one without a
// place in a file has an unknown location.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_DRIVER_MODEL_H
#define FP8_DRIVER_MODEL_H

#include "Fp8/Pipelines/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir::fp8 {

/// Emits an error without a location, and returns failure.
LogicalResult emitFailure(MLIRContext *context, const Twine &message);
LogicalResult emitFailure(MLIRContext *context, llvm::Error error);

/// Checks names that options gave; an error lists what there is.
LogicalResult checkTarget(MLIRContext *context, StringRef target);
LogicalResult checkRecipe(MLIRContext *context, StringRef recipe);

struct Model {
  OwningOpRef<ModuleOp> module;
  /// The public function.
  std::string function;
  /// Arguments before a backward pass added tangents.
  unsigned numArguments = 0;
  /// Of the function before and, with a backward pass, after it is derived:
  /// the results are followed by `d_` and the name of each argument that gets a
  /// gradient.
  SmallVector<std::string> argumentNames, resultNames;

  func::FuncOp getFunction() {
    return module->lookupSymbol<func::FuncOp>(function);
  }
};

/// Parses `file`, which stays in `sources` for the locations of diagnostics.
/// Null after an error.
OwningOpRef<ModuleOp> parseModule(StringRef file, MLIRContext *context,
                                  llvm::SourceMgr &sources);

/// Names of arguments and results, the first ones or all.
struct ModelNames {
  SmallVector<std::string> arguments, results;
};

/// Reads the names in `directory/index.json`; none if there is no such file.
FailureOr<ModelNames> readNames(StringRef directory, MLIRContext *context);

/// Takes the only public function of `module`, which is on ranked tensors.
/// Names that `names` does not give come from `fp8.name` attributes, or are
/// made up. Sets `fp8.name` on arguments.
FailureOr<Model> makeModel(OwningOpRef<ModuleOp> module, ModelNames names,
                           bool backward);

/// Runs the passes of one stage.
LogicalResult runStage(ModuleOp module, const Stage &stage);

} // namespace mlir::fp8

#endif // FP8_DRIVER_MODEL_H
