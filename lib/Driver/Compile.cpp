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
  ResidualOptions limits;
  limits.recomputeArguments = options.recomputeArguments;
  limits.dynamicSize = options.dynamicSize;
  if (options.maxBytes >= 0)
    limits.maxBytes = options.maxBytes;
  if (signature)
    return findResiduals(function, *signature, limits);
  return SmallVector<Residual>();
}

static LogicalResult runStages(Model &model, ArrayRef<Stage> stages) {
  return success(llvm::all_of(stages, [&](const Stage &stage) {
    return succeeded(runStage(*model.module, stage));
  }));
}

/// Runs the stages on tensors, and reports what they did. The functions have
/// the names of the module yet.
static LogicalResult runTrainStages(Model &model, const CompileOptions &options,
                                    CompileResult &result) {
  SmallVector<Stage> stages = getTrainStages(options.train, options.backward);
  std::optional<Stage> partition;
  if (stages.back().name == "partition")
    partition = stages.pop_back_val();
  // Until matmuls are quantized the program is wide.
  size_t numWide =
      llvm::find_if(
          stages, [](const Stage &stage) { return stage.name == "quantize"; }) -
      stages.begin();
  if (failed(runStages(model, ArrayRef(stages).take_front(numWide))))
    return failure();
  func::FuncOp function = model.getFunction();
  result.linears = findLinears(function);
  std::optional<JointSignature> signature = getJointSignature(function);
  if (partition) {
    auto found = getSignature(model, options.train);
    if (failed(found))
      return failure();
    signature = *found;
  }
  // A limit is not about the wide program.
  auto wide = findKept(function, signature, TrainOptions());
  if (failed(wide))
    return failure();
  result.wideKeptBytes = getTotalBytes(*wide);
  if (failed(runStages(model, ArrayRef(stages).drop_front(numWide))))
    return failure();
  countConverted(function, result.linears);
  auto kept = findKept(function, signature, options.train);
  if (failed(kept))
    return failure();
  for (const Residual &residual : *kept)
    result.kept.push_back({residual.description, residual.bytes});
  if (partition && failed(runStages(model, *partition)))
    return failure();
  result.functions =
      getFunctions(model, *model.module, partition ? signature : std::nullopt);
  return success();
}

FailureOr<CompileResult> fp8::compileModel(Model &model,
                                           const CompileOptions &options) {
  CompileResult result;
  if (failed(checkOptions(model.module->getContext(), options)) ||
      failed(runTrainStages(model, options, result)))
    return failure();
  SmallVector<std::string> names;
  for (FunctionInfo &function : result.functions) {
    names.push_back(function.name);
    function.name = getCName(options, model, function.name);
  }
  if (failed(runStages(model,
                       getLowerStages(options.train.target, options.cudaPath))))
    return failure();
  std::string guard = getCName(options, model, model.function);
  if (failed(writeLibrary(model, options, names,
                          makeHeader(guard, options, result.functions))))
    return failure();
  return result;
}
