//===- Pipelines.cpp -----------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines: which passes run, in which order.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Pipelines/Pipelines.h"
#include "Fp8/Conversion/Passes.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fp8;

//===----------------------------------------------------------------------===//
// On tensors
//===----------------------------------------------------------------------===//

/// Private functions into their callers, then every contraction to fp8.matmul.
static void buildRaise(OpPassManager &pm) {
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createRaiseMatmulsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void buildDerive(OpPassManager &pm) {
  pm.addPass(createDeriveBackwardPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void buildQuantize(OpPassManager &pm, StringRef target,
                          StringRef recipe) {
  pm.addPass(createQuantizeMatmulsPass({target.str(), recipe.str()}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

SmallVector<Stage> fp8::getTrainStages(const TrainOptions &options,
                                       bool backward) {
  std::string target = options.target, recipe = options.recipe;
  SmallVector<Stage> stages = {{"raise", buildRaise}};
  if (backward)
    stages.push_back({"derive", buildDerive});
  if (recipe == "none")
    return stages;
  stages.push_back({"quantize", [=](OpPassManager &pm) {
                      buildQuantize(pm, target, recipe);
                    }});
  stages.push_back({"layout", [=](OpPassManager &pm) {
                      pm.addPass(createAssignLayoutsPass({target}));
                    }});
  return stages;
}

//===----------------------------------------------------------------------===//
// To the CPU
//===----------------------------------------------------------------------===//

static void buildLinalg(OpPassManager &pm) {
  pm.addPass(createConvertFp8ToLinalgPass());
}

static void buildBlasLt(OpPassManager &pm) {
  pm.addPass(createConvertFp8ToBlasLtPass());
  pm.addPass(createCSEPass());
}

static void buildBufferize(OpPassManager &pm) {
  pm.addPass(createAddSizeFunctionsPass());
  pm.addPass(createResultsToDestinationsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // Sizes of temporaries in terms of sizes of arguments.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCopyToLinalgPass());
  pm.addPass(createPlanWorkspacePass());
}

static void buildRuntime(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createAddRuntimeArgumentsPass());
  pm.addPass(createConvertBlasLtToRuntimePass());
  pm.addPass(createConvertAssertsPass());
  pm.addPass(createEmitCInterfacePass());
}

/// Loops, exact arithmetic, and upstream's conversions to the LLVM dialect.
static void buildLlvm(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createExpandArithPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToFuncs());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createLowerReshapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

SmallVector<Stage> fp8::getLowerToCpuStages() {
  return {{"linalg", buildLinalg},
          {"blaslt", buildBlasLt},
          {"bufferize", buildBufferize},
          {"runtime", buildRuntime},
          {"llvm", buildLlvm}};
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void fp8::buildStages(OpPassManager &pm, ArrayRef<Stage> stages) {
  for (const Stage &stage : stages)
    stage.build(pm);
}

void fp8::registerPipelines() {
  PassPipelineRegistration<TrainOptions>(
      "fp8-train",
      "A wide model to its FP8 training step: raise, derive, quantize, layout",
      [](OpPassManager &pm, const TrainOptions &options) {
        buildStages(pm, getTrainStages(options, /*backward=*/true));
      });
  PassPipelineRegistration<TrainOptions>(
      "fp8-quantize",
      "A wide model, or a step that is differentiated already, to FP8: raise, "
      "quantize, layout",
      [](OpPassManager &pm, const TrainOptions &options) {
        buildStages(pm, getTrainStages(options, /*backward=*/false));
      });
  PassPipelineRegistration<>(
      "fp8-lower-to-cpu",
      "A step on tensors to the LLVM dialect for a CPU, with calls of fp8rt",
      [](OpPassManager &pm) { buildStages(pm, getLowerToCpuStages()); });
}
