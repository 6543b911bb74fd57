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
  if (options.output.empty())
    return emitFailure(context, "expects a library to write, but got ''");
  return success();
}

/// The tensors of the function, before it is lowered. A backward pass appends
/// one tangent for each result that is a float.
static FunctionInfo describeFunction(Model &model,
                                     const CompileOptions &options) {
  func::FuncOp function = model.getFunction();
  FunctionInfo info{getCName(options, model.function), {}, {}};
  SmallVector<std::string> names = model.argumentNames;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    bool known = index < model.resultNames.size();
    std::string name = known ? model.resultNames[index] : "result";
    info.results.push_back({name, cast<RankedTensorType>(type)});
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      names.push_back("d_" + name);
  }
  for (auto [name, type] : llvm::zip(names, function.getArgumentTypes()))
    info.arguments.push_back({name, cast<RankedTensorType>(type)});
  return info;
}

/// What the backward pass keeps; nothing for a function without one.
static FailureOr<SmallVector<Residual>> findKept(func::FuncOp function) {
  if (std::optional<JointSignature> signature = getJointSignature(function))
    return findResiduals(function, *signature);
  return SmallVector<Residual>();
}

/// Runs the stages on tensors, and reports what they did.
static LogicalResult runTrainStages(Model &model, const CompileOptions &options,
                                    CompileResult &result) {
  SmallVector<Stage> stages = getTrainStages(options.train, options.backward);
  auto run = [&](ArrayRef<Stage> part) {
    return success(llvm::all_of(part, [&](const Stage &stage) {
      return succeeded(runStage(*model.module, stage));
    }));
  };
  // Until matmuls are quantized the program is wide.
  size_t numWide =
      llvm::find_if(
          stages, [](const Stage &stage) { return stage.name == "quantize"; }) -
      stages.begin();
  if (failed(run(ArrayRef(stages).take_front(numWide))))
    return failure();
  result.linears = findLinears(model.getFunction());
  auto wide = findKept(model.getFunction());
  if (failed(wide))
    return failure();
  result.wideKeptBytes = getTotalBytes(*wide);
  if (failed(run(ArrayRef(stages).drop_front(numWide))))
    return failure();
  countConverted(model.getFunction(), result.linears);
  auto kept = findKept(model.getFunction());
  if (failed(kept))
    return failure();
  for (const Residual &residual : *kept)
    result.kept.push_back({residual.description, residual.bytes});
  result.functions.push_back(describeFunction(model, options));
  return success();
}

FailureOr<CompileResult> fp8::compileModel(Model &model,
                                           const CompileOptions &options) {
  ModuleOp module = *model.module;
  CompileResult result;
  if (failed(checkOptions(module.getContext(), options)) ||
      failed(runTrainStages(model, options, result)))
    return failure();
  for (const Stage &stage :
       getLowerStages(options.train.target, options.cudaPath))
    if (failed(runStage(module, stage)))
      return failure();
  if (failed(writeLibrary(module, options, {model.function},
                          makeHeader(options, result.functions))))
    return failure();
  return result;
}
