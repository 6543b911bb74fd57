//===- Pipelines.cpp --------------------------------------------*- C++ -*-===//
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
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::fp8;

//===----------------------------------------------------------------------===//
// On tensors
//===----------------------------------------------------------------------===//

/// The options of fp8-select-matmuls.
static SelectMatmulsPassOptions getSelectOptions(const TrainOptions &options,
                                                 bool backward) {
  SelectMatmulsPassOptions select;
  select.target = options.target;
  select.include = options.include;
  select.exclude = options.exclude;
  select.minM = options.minM;
  select.minN = options.minN;
  select.minK = options.minK;
  select.computed = options.computed;
  select.pad = options.pad;
  select.alignment = options.alignment;
  select.cost = options.cost;
  select.minGain = options.minGain;
  select.backward = backward;
  return select;
}

/// Private functions into their callers, then every contraction to fp8.matmul,
/// with its role and whether it stays wide.
static void buildRaise(OpPassManager &pm, ArrayRef<unsigned> tangents,
                       const std::optional<SelectMatmulsPassOptions> &select) {
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createRaiseMatmulsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createAssignRolesPass({SmallVector<unsigned>(tangents)}));
  if (select)
    pm.addPass(createSelectMatmulsPass(*select));
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

static void buildPad(OpPassManager &pm, StringRef target, int64_t alignment) {
  pm.addPass(createPadMatmulsPass({target.str(), alignment}));
  pm.addPass(createCSEPass());
}

/// What does not change in a loop goes out of it: a weight is quantized once
/// for all microbatches.
static void buildLayout(OpPassManager &pm, StringRef target) {
  pm.addPass(createAssignLayoutsPass({target.str()}));
  pm.addPass(createLoopInvariantCodeMotionPass());
}

SmallVector<Stage> fp8::getTrainStages(const TrainOptions &options,
                                       bool backward) {
  std::string target = options.target, recipe = options.recipe;
  SmallVector<unsigned> tangents(options.tangents.begin(),
                                 options.tangents.end());
  std::optional<SelectMatmulsPassOptions> select;
  if (recipe != "none")
    select = getSelectOptions(options, backward && !options.evaluation);
  int64_t alignment = options.alignment;
  PartitionPassOptions parts;
  llvm::append_range(parts.tangents, options.tangents);
  llvm::append_range(parts.results, options.results);
  parts.forwardOnly = options.evaluation;
  parts.maxBytes = options.maxBytes;
  parts.recomputeArguments = options.recomputeArguments;
  parts.dynamicSize = options.dynamicSize;
  auto buildPartition = [=](OpPassManager &pm) {
    pm.addPass(createPartitionPass(parts));
  };

  SmallVector<Stage> stages = {
      {"raise", [=](OpPassManager &pm) { buildRaise(pm, tangents, select); }}};
  if (options.evaluation)
    stages.push_back({"evaluation", buildPartition});
  else if (backward)
    stages.push_back({"derive", buildDerive});
  if (recipe != "none") {
    stages.push_back({"quantize", [=](OpPassManager &pm) {
                        buildQuantize(pm, target, recipe);
                      }});
    stages.push_back(
        {"pad", [=](OpPassManager &pm) { buildPad(pm, target, alignment); }});
    stages.push_back(
        {"layout", [=](OpPassManager &pm) { buildLayout(pm, target); }});
  }
  if (options.partition && !options.evaluation)
    stages.push_back({"partition", buildPartition});
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

/// Buffers, each temporary an allocation of its own.
static void buildBuffers(OpPassManager &pm) {
  pm.addPass(createAddSizeFunctionsPass());
  pm.addPass(createFoldEmptyTensorsPass());
  // While they are tensors: no size follows through a collapsed buffer.
  pm.addPass(memref::createResolveShapedTypeResultDimsPass());
  pm.addPass(createResultsToDestinationsPass());
  pm.addPass(createSplitEmptyTensorsPass());
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
  pm.addPass(createCopyStridedOperandsPass());
  pm.addPass(createCopyToLinalgPass());
}

static void buildBufferize(OpPassManager &pm) {
  buildBuffers(pm);
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
// To NVIDIA devices
//===----------------------------------------------------------------------===//

/// Predictions last: which casts there are, and what they read, is known then.
static void buildFuse(OpPassManager &pm, StringRef target) {
  pm.addPass(createFuseGluePass({target.str()}));
  pm.addPass(createPredictScalesPass());
}

/// Without CSE: it would make one of the fills that amax reductions start from,
/// which are cleared together, and copies of it.
static void buildDeviceBlasLt(OpPassManager &pm) {
  pm.addPass(createConvertFp8ToBlasLtPass());
}

/// What one call of cuBLASLt may use: NVIDIA's recommendation for Hopper
/// (documentation of cublasSetWorkspace).
static constexpr int64_t kMatmulWorkspace = 32 << 20;

/// Kernels are outlined before temporaries share memory: they may move.
static void buildKernels(OpPassManager &pm, StringRef target,
                         unsigned ptxVersion) {
  pm.addPass(createOutlineKernelsPass());
  pm.addPass(createPlanWorkspacePass({kMatmulWorkspace}));
  pm.addPass(createGenerateGpuKernelsPass({target.str(), ptxVersion}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// The folder of the toolkit: that of `path`, of CUDA_HOME, or of the ptxas in
/// PATH. Empty if there is none.
static std::string findCudaToolkit(StringRef path) {
  SmallVector<std::string> folders = {path.str()};
  if (std::optional<std::string> home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    folders.push_back(*home);
  for (const std::string &folder : folders) {
    SmallString<128> ptxas(folder);
    llvm::sys::path::append(ptxas, "bin", "ptxas");
    if (!folder.empty() && llvm::sys::fs::can_execute(ptxas))
      return folder;
  }
  llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    return "";
  SmallString<128> real;
  if (llvm::sys::fs::real_path(*ptxas, real))
    return "";
  return llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str();
}

static void buildDeviceRuntime(OpPassManager &pm, StringRef cudaPath) {
  pm.addPass(createCanonicalizerPass());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions nvvm;
  nvvm.hasRedux = true;
  kernels.addPass(createConvertGpuOpsToNVVMOps(nvvm));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  GpuModuleToBinaryPassOptions binary;
  binary.toolkitPath = findCudaToolkit(cudaPath);
  binary.compilationTarget = binary.toolkitPath.empty() ? "isa" : "bin";
  pm.addPass(createGpuModuleToBinaryPass(binary));
  pm.addPass(createAddRuntimeArgumentsPass());
  pm.addPass(createConvertBlasLtToRuntimePass());
  pm.addPass(createConvertGpuToFp8rtPass());
  pm.addPass(createConvertAssertsPass());
  pm.addPass(createEmitCInterfacePass());
}

SmallVector<Stage> fp8::getLowerToNvidiaStages(const NvidiaOptions &options) {
  std::string target = options.target, cudaPath = options.cudaPath;
  unsigned ptxVersion = options.ptxVersion;
  return {
      {"linalg", buildLinalg},
      {"fuse", [=](OpPassManager &pm) { buildFuse(pm, target); }},
      {"blaslt", buildDeviceBlasLt},
      {"bufferize", buildBuffers},
      {"kernels",
       [=](OpPassManager &pm) { buildKernels(pm, target, ptxVersion); }},
      {"runtime", [=](OpPassManager &pm) { buildDeviceRuntime(pm, cudaPath); }},
      {"llvm", buildLlvm}};
}

SmallVector<Stage> fp8::getLowerStages(StringRef target, StringRef cudaPath) {
  if (target == "cpu")
    return getLowerToCpuStages();
  if (!target.starts_with("sm_"))
    return {};
  NvidiaOptions options;
  options.target = target.str();
  options.cudaPath = cudaPath.str();
  return getLowerToNvidiaStages(options);
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
      "A wide model to its FP8 training step: raise, derive, quantize, pad, "
      "layout, and partition if asked for",
      [](OpPassManager &pm, const TrainOptions &options) {
        buildStages(pm, getTrainStages(options, /*backward=*/true));
      });
  PassPipelineRegistration<TrainOptions>(
      "fp8-quantize",
      "A wide model, or a step that is differentiated already, to FP8: raise, "
      "quantize, pad, layout",
      [](OpPassManager &pm, const TrainOptions &options) {
        buildStages(pm, getTrainStages(options, /*backward=*/false));
      });
  PassPipelineRegistration<>(
      "fp8-lower-to-cpu",
      "A step on tensors to the LLVM dialect for a CPU, with calls of fp8rt",
      [](OpPassManager &pm) { buildStages(pm, getLowerToCpuStages()); });
  PassPipelineRegistration<NvidiaOptions>(
      "fp8-lower-to-nvidia",
      "A step on tensors to the LLVM dialect for the host of an NVIDIA device, "
      "with machine code of its kernels and calls of fp8rt",
      [](OpPassManager &pm, const NvidiaOptions &options) {
        buildStages(pm, getLowerToNvidiaStages(options));
      });
}
