//===- fp8-compile.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a model's step to a shared library with a C header. Using the
// library takes fp8rt and no LLVM.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Driver/Compile.h"
#include "SplitFlags.h"
#include "Tool.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace fp8tools;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"fp8-compile options"};
  cl::opt<std::string> file{cl::Positional, cl::Required, cl::cat(category),
                            cl::desc("<model.mlir>")};
  cl::opt<std::string> output{"o", cl::Required, cl::cat(category),
                              cl::value_desc("library.so"),
                              cl::desc("Shared library to write; the header "
                                       "goes beside it, with suffix .h")};
  cl::opt<bool> backward{"backward", cl::cat(category),
                         cl::desc("Derive the backward pass and compile both")};
  SplitFlags split{category};
  cl::opt<std::string> target{"target", cl::init("cpu"), cl::cat(category),
                              cl::value_desc("name"),
                              cl::desc("The device (default: cpu)")};
  cl::opt<std::string> recipe{
      "recipe", cl::init("tensorwise"), cl::cat(category),
      cl::value_desc("name"),
      cl::desc("How scales are chosen: tensorwise (default), "
               "tensorwise_pow2, or none")};
  cl::opt<std::string> cudaPath{
      "cuda-path", cl::cat(category), cl::value_desc("dir"),
      cl::desc("CUDA toolkit with bin/ptxas (default: CUDA_HOME, or ptxas in "
               "PATH; without one PTX is embedded)")};
  cl::opt<std::string> cpu{
      "mcpu", cl::init("native"), cl::cat(category), cl::value_desc("name"),
      cl::desc("Processor of the host code, as LLVM names it (default: this "
               "machine's)")};
};
} // namespace

static LogicalResult run(const Options &options, MLIRContext *context,
                         llvm::SourceMgr &sources) {
  if (failed(options.split.check(options.backward)))
    return failure();
  OwningOpRef<ModuleOp> module =
      fp8::parseModule(options.file, context, sources);
  if (!module)
    return failure();
  auto model = fp8::makeModel(std::move(module), {}, options.backward);
  if (failed(model))
    return failure();
  fp8::CompileOptions compile;
  compile.train.target = options.target.getValue();
  compile.train.recipe = options.recipe.getValue();
  options.split.apply(compile.train);
  compile.backward = options.backward;
  compile.cudaPath = options.cudaPath;
  compile.cpu = options.cpu;
  compile.output = options.output;
  return fp8::compileModel(*model, compile);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  toolName = "fp8-compile";
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles a model's step to a shared library\n");
  DialectRegistry registry;
  fp8::registerCompilerDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  DiagnosticPrinter diagnostics(sources, &context);
  return succeeded(run(options, &context, sources)) ? EXIT_SUCCESS
                                                    : EXIT_FAILURE;
}
