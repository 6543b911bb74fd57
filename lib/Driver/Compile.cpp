//===- Compile.cpp ----------------------------------------------------*- C++
//-*-===//
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
#include "Fp8/Transforms/Residuals.h"
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

/// What the backward pass keeps; nothing for a function without one.
static FailureOr<SmallVector<Residual>>
findKept(func::FuncOp function, const std::optional<JointSignature> &signature,
         const TrainOptions &options) {
  if (!signature)
    return SmallVector<Residual>();
  ResidualOptions residuals;
  residuals.dynamicSize = options.dynamicSize;
  residuals.recomputeArguments = options.recomputeArguments;
  if (options.maxBytes >= 0)
    residuals.maxBytes = options.maxBytes;
  return findResiduals(function, *signature, residuals);
}

static LogicalResult runStages(Model &model, ArrayRef<Stage> stages) {
  return success(llvm::all_of(stages, [&](const Stage &stage) {
    return succeeded(runStage(*model.module, stage));
  }));
}

/// The marks of a derived function, or, where it is to be partitioned, what
/// options say of one that an exporter differentiated. None without either.
static FailureOr<std::optional<JointSignature>>
findSignature(Model &model, const TrainOptions &options) {
  if (!options.partition)
    return getJointSignature(model.getFunction());
  auto signature = getSignature(model, options);
  if (failed(signature))
    return failure();
  return std::optional<JointSignature>(*signature);
}

/// Runs the stages on tensors, and reports what they did.
static LogicalResult runTrainStages(Model &model, const CompileOptions &options,
                                    CompileResult &result) {
  const TrainOptions &train = options.train;
  SmallVector<Stage> stages = getTrainStages(train, options.backward);
  std::optional<Stage> partition;
  if (train.partition && !train.evaluation)
    partition = stages.pop_back_val();
  // Until matmuls are quantized the program is wide.
  auto quantize = llvm::find_if(
      stages, [](const Stage &stage) { return stage.name == "quantize"; });
  ArrayRef<Stage> wide(stages.begin(), quantize);
  if (failed(runStages(model, wide)))
    return failure();
  result.linears = findLinears(model.getFunction());
  auto signature = findSignature(model, train);
  if (failed(signature))
    return failure();
  auto wideKept = findKept(model.getFunction(), *signature, train);
  if (failed(wideKept) ||
      failed(runStages(model, ArrayRef(stages).drop_front(wide.size()))))
    return failure();
  result.wideKeptBytes = getTotalBytes(*wideKept);
  countConverted(model.getFunction(), result.linears);
  auto kept = findKept(model.getFunction(), *signature, train);
  if (failed(kept))
    return failure();
  for (const Residual &residual : *kept)
    result.kept.push_back({residual.description, residual.bytes});
  if (partition && failed(runStages(model, *partition)))
    return failure();
  result.functions =
      getFunctions(model, *model.module, partition ? *signature : std::nullopt);
  return success();
}

FailureOr<CompileResult> fp8::compileModel(Model &model,
                                           const CompileOptions &options) {
  const TrainOptions &train = options.train;
  CompileResult result;
  if (failed(checkOptions(model.module->getContext(), options)) ||
      failed(runTrainStages(model, options, result)))
    return failure();
  std::string stem = getCName(options.output, model.function);
  SmallVector<Renaming> names;
  for (StepFunction &function : result.functions) {
    StringRef suffix = StringRef(function.name).substr(model.function.size());
    names.push_back({function.name, (stem + suffix).str()});
    function.name = names.back().second;
  }
  std::string header =
      makeHeader("Made by fp8-compile for " + train.target.getValue() +
                     ", recipe " + train.recipe.getValue() + ".",
                 stem, result.functions);
  if (failed(
          runStages(model, getLowerStages(train.target, options.cudaPath))) ||
      failed(writeLibrary(*model.module, options, names, header)))
    return failure();
  return result;
}
