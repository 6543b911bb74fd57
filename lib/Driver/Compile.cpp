//===- Compile.cpp ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps from a model to a library.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Driver/Compile.h"
#include "Fp8/InitAll.h"
#include "Library.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;
using namespace mlir::fp8;

void fp8::registerCompilerDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  fp8::registerAllDialects(registry);
}

static LogicalResult checkOptions(MLIRContext *context,
                                  const CompileOptions &options) {
  const TrainOptions &train = options.train;
  if (failed(checkTarget(context, train.target)) ||
      failed(checkRecipe(context, train.recipe)))
    return failure();
  if (getLowerStages(train.target).empty())
    return emitFailure(
        context, "expects target cpu or an NVIDIA one, but got '" +
                     train.target.getValue() + "', which has no lowering yet");
  if (train.partition && !options.backward && train.tangents.empty())
    return emitFailure(context,
                       "expects a backward pass for two functions: one that is "
                       "derived, or tangents of one that is there");
  if (options.output.empty())
    return emitFailure(context, "expects a library to write, but got ''");
  return success();
}

static LogicalResult runStages(Model &model, ArrayRef<Stage> stages) {
  return success(llvm::all_of(stages, [&](const Stage &stage) {
    return succeeded(runStage(*model.module, stage));
  }));
}

FailureOr<TrainedStep> fp8::compileModel(Model &model,
                                         const CompileOptions &options) {
  if (failed(checkOptions(model.module->getContext(), options)))
    return failure();
  auto step = trainModel(
      model, options.train, options.backward,
      [&](const Stage &stage) { return runStage(*model.module, stage); });
  if (failed(step))
    return failure();
  SmallVector<std::string> names;
  for (FunctionInfo &function : step->functions) {
    names.push_back(function.name);
    function.name = getCName(options, model, function.name);
  }
  if (failed(runStages(model,
                       getLowerStages(options.train.target, options.cudaPath))))
    return failure();
  std::string guard = getCName(options, model, model.function);
  if (failed(writeLibrary(model, options, names,
                          makeHeader(guard, options, step->functions))))
    return failure();
  return step;
}
