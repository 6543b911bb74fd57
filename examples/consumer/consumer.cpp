//===- consumer.cpp - FP8 inside another compiler
//--------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler of someone else's: its own context, with the dialects it uses and
// ours; its own pass manager, with our passes and one of its own; a pipeline
// given as text, with names of ours.
//
//   fp8-consumer MODEL.mlir               the step for sm_90, and its matmuls
//   fp8-consumer MODEL.mlir PIPELINE      what the pipeline makes of it
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/InitAll.h"
#include "Fp8/Pipelines/Pipelines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace {
/// A pass of the consumer's, which knows the ops of our dialect.
struct ListMatmulsPass : PassWrapper<ListMatmulsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ListMatmulsPass)

  void runOnOperation() override {
    getOperation()->walk([](fp8::ScaledMMOp op) {
      llvm::outs() << "scaled_mm " << op.getA().getType() << " x "
                   << op.getB().getType()
                   << (op.getFastAccum() ? ", fast accumulation" : "") << "\n";
    });
  }
};
} // namespace

/// The step for an H100 or H200, by the interface in C++.
static void buildStep(OpPassManager &pm) {
  fp8::TrainOptions options;
  options.target = "sm_90";
  fp8::buildStages(pm, fp8::getTrainStages(options, /*backward=*/true));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(std::make_unique<ListMatmulsPass>());
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    llvm::errs() << "usage: fp8-consumer MODEL.mlir [PIPELINE]\n";
    return EXIT_FAILURE;
  }
  // Pipelines in text find passes by name.
  fp8::registerAllPasses();

  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, tensor::TensorDialect>();
  fp8::registerAllDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);

  auto module = parseSourceFile<ModuleOp>(argv[1], sources, &context);
  if (!module)
    return EXIT_FAILURE;
  PassManager pm(&context);
  if (argc == 2)
    buildStep(pm);
  else if (failed(parsePassPipeline(argv[2], pm)))
    return EXIT_FAILURE;
  if (failed(pm.run(*module)))
    return EXIT_FAILURE;
  llvm::outs() << *module << "\n";
  return EXIT_SUCCESS;
}
