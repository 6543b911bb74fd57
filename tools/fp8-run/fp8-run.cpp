//===- fp8-run.cpp ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a model's step in FP8, runs it on the CPU or a GPU, and compares it
// with what the program means without any rounding.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "Fp8/Driver/Compile.h"
#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Pipelines/Pipelines.h"
#include "Fp8/Transforms/Passes.h"
#include "Print.h"
#include "SplitFlags.h"
#include "Tool.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace mlir;
using namespace fp8run;
using namespace fp8tools;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
struct Options {
  cl::OptionCategory category{"fp8-run options"};
  cl::opt<std::string> file{cl::Positional, cl::Required, cl::cat(category),
                            cl::desc("<model.mlir>")};
  cl::opt<bool> backward{"backward", cl::cat(category),
                         cl::desc("Derive and run the backward pass too")};
  SplitFlags split{category};
  cl::opt<std::string> target{"target", cl::init("cpu"), cl::cat(category),
                              cl::value_desc("name"),
                              cl::desc("The device (default: cpu); a GPU's "
                                       "code runs on the first GPU")};
  cl::opt<std::string> cudaPath{
      "cuda-path", cl::cat(category), cl::value_desc("dir"),
      cl::desc("CUDA toolkit with bin/ptxas (default: CUDA_HOME, or ptxas in "
               "PATH; without one the driver compiles PTX)")};
  cl::opt<std::string> recipe{
      "recipe", cl::init("tensorwise"), cl::cat(category),
      cl::value_desc("name"),
      cl::desc("How scales are chosen: tensorwise (default), "
               "tensorwise_pow2, or none, which keeps every matmul wide")};
  cl::opt<std::string> include{
      "include", cl::cat(category), cl::value_desc("regex"),
      cl::desc("Convert only matmuls whose name has a match")};
  cl::opt<std::string> exclude{
      "exclude", cl::cat(category), cl::value_desc("regex"),
      cl::desc("Keep matmuls wide whose name has a match")};
  cl::opt<int64_t> minM{"min-m", cl::init(0), cl::cat(category),
                        cl::desc("Keep matmuls with fewer rows wide")};
  cl::opt<int64_t> minN{"min-n", cl::init(0), cl::cat(category),
                        cl::desc("Keep matmuls with fewer columns wide")};
  cl::opt<int64_t> minK{"min-k", cl::init(0), cl::cat(category),
                        cl::desc("Keep matmuls with shorter sums wide")};
  cl::opt<bool> computed{
      "computed", cl::cat(category),
      cl::desc(
          "Convert products of two computed tensors too, as in attention")};
  cl::opt<bool> pad{
      "pad", cl::init(true), cl::cat(category),
      cl::desc("Convert sizes that need padding (default: true)")};
  cl::opt<int64_t> alignment{
      "alignment", cl::init(0), cl::cat(category),
      cl::desc("What sizes must be multiples of, in place of the target's")};
  cl::opt<bool> cost{
      "cost", cl::cat(category),
      cl::desc("Keep matmuls wide that are predicted to be slower in fp8")};
  cl::opt<double> minGain{
      "min-gain", cl::init(1.0), cl::cat(category),
      cl::desc("The least predicted speed of fp8, relative to the wide type")};
  cl::opt<std::string> inputs{
      "inputs", cl::cat(category), cl::value_desc("dir"),
      cl::desc("Read arguments from argN.npy, names from index.json")};
  cl::opt<uint64_t> seed{"seed", cl::init(0), cl::cat(category),
                         cl::desc("Seed of random arguments (default: 0)")};
  cl::opt<int64_t> dynamicSize{
      "dynamic-size", cl::init(32), cl::cat(category),
      cl::desc(
          "What every dynamic size of a random argument is (default: 32)")};
  cl::opt<std::string> outputs{
      "outputs", cl::cat(category), cl::value_desc("dir"),
      cl::desc("Write results to resultN.npy, float32")};
  cl::opt<std::string> saveInputs{
      "save-inputs", cl::cat(category), cl::value_desc("dir"),
      cl::desc(
          "Write the arguments, random ones and tangents too, to argN.npy")};
  cl::opt<bool> stats{
      "stats", cl::cat(category),
      cl::desc(
          "Print, for each cast, the share of values that saturate and the "
          "share that are flushed to zero")};
  cl::opt<bool> compare{
      "compare", cl::cat(category),
      cl::desc(
          "Print the error of each result against the wide program in f64, "
          "in decibels")};
  cl::opt<std::string> emit{
      "emit", cl::cat(category), cl::value_desc("stage"),
      cl::desc("Print the IR after a stage and run nothing: raise, derive, "
               "quantize, pad, layout, partition, linalg, blaslt, bufferize, "
               "runtime, llvm")};
};

/// Times of the stages, in order.
class Stopwatch {
public:
  template <typename Fn> auto time(StringRef name, Fn fn) {
    auto start = std::chrono::steady_clock::now();
    auto result = fn();
    std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - start;
    times.push_back({name.str(), passed.count()});
    return result;
  }
  ArrayRef<std::pair<std::string, double>> getTimes() const { return times; }

private:
  SmallVector<std::pair<std::string, double>> times;
};
} // namespace

static LogicalResult checkOptions(MLIRContext *context,
                                  const Options &options) {
  if (failed(fp8::checkTarget(context, options.target)) ||
      failed(fp8::checkRecipe(context, options.recipe)))
    return failure();
  if (options.emit.empty() && fp8::getLowerStages(options.target).empty())
    return report(
        "expects target cpu or an NVIDIA one to run a step, but got '" +
        options.target + "', which has no lowering yet");
  return options.split.check(options.backward);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Runs `stages`, timing each.
static LogicalResult runStages(ModuleOp module, ArrayRef<fp8::Stage> stages,
                               Stopwatch &watch) {
  for (const fp8::Stage &stage : stages)
    if (failed(watch.time(stage.name,
                          [&] { return fp8::runStage(module, stage); })))
      return failure();
  return success();
}

/// Prints the IR after the stage that --emit names.
static LogicalResult emit(const Options &options, ModuleOp module,
                          ArrayRef<fp8::Stage> stages) {
  const fp8::Stage *last = llvm::find_if(stages, [&](const fp8::Stage &stage) {
    return stage.name == options.emit;
  });
  if (last == stages.end()) {
    auto names = llvm::map_range(
        stages, [](const fp8::Stage &stage) { return stage.name; });
    return report("expects a stage among " + llvm::join(names, ", ") +
                  ", but got '" + options.emit + "'");
  }
  Stopwatch watch;
  if (failed(runStages(module, stages.take_front(last - stages.begin() + 1),
                       watch)))
    return failure();
  module.print(llvm::outs());
  llvm::outs() << "\n";
  return success();
}

static void apply(const Options &options, fp8::TrainOptions &train) {
  train.target = options.target.getValue();
  train.recipe = options.recipe.getValue();
  train.include = options.include.getValue();
  train.exclude = options.exclude.getValue();
  train.minM = options.minM.getValue();
  train.minN = options.minN.getValue();
  train.minK = options.minK.getValue();
  train.computed = options.computed.getValue();
  train.pad = options.pad.getValue();
  train.alignment = options.alignment.getValue();
  train.cost = options.cost.getValue();
  train.minGain = options.minGain.getValue();
  train.dynamicSize = options.dynamicSize.getValue();
  options.split.apply(train);
  // Without --split a step runs in one function, and its parts are only shown.
  train.partition = options.split.split || options.emit == "partition";
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// What is run: a lowered module, its functions, and the types of the arguments
/// of the step.
struct Program {
  ModuleOp module;
  SmallVector<fp8::FunctionInfo> functions;
  SmallVector<RankedTensorType> arguments;
};

/// What came out: the results of the step, and the counts of --stats.
struct Outcome {
  SmallVector<Array> results;
  SmallVector<Array> counts;
  /// The bytes of each argument of the last function, residuals among them.
  SmallVector<int64_t> bytes;
};
} // namespace

static Source getSource(const Options &options) {
  return {options.inputs, options.seed, options.dynamicSize};
}

/// Appends tangents to `inputs`, the arguments of the model: one for each
/// float among its results, of its shape.
static LogicalResult completeInputs(const Options &options,
                                    const Program &program,
                                    Executable &executable,
                                    SmallVectorImpl<Array> &inputs) {
  const fp8::FunctionInfo &function = program.functions.front();
  SmallVector<RankedTensorType> types;
  for (const fp8::TensorInfo &tensor : function.arguments) {
    // Sizes of results do not depend on tangents; any will do to ask.
    SmallVector<int64_t> shape(tensor.type.getShape());
    for (int64_t &size : shape)
      size = ShapedType::isDynamic(size) ? 0 : size;
    if (tensor.number < inputs.size())
      shape = inputs[tensor.number].shape;
    types.push_back(tensor.type.clone(shape));
  }
  auto results = executable.getResultTypes(types);
  if (!results)
    return report(results.takeError());
  SmallVector<RankedTensorType> tangents;
  size_t count = program.arguments.size() - inputs.size();
  for (auto [tensor, type] : llvm::zip_equal(function.results, *results))
    if (tensor.kind == fp8::TensorKind::Result && tangents.size() < count &&
        isa<FloatType>(type.getElementType()))
      tangents.push_back(type);
  return addTangents(getSource(options), tangents, inputs);
}

/// Sorts what the functions gave.
static Outcome collect(const Program &program,
                       ArrayRef<std::vector<Buffer>> buffers) {
  Outcome outcome;
  for (auto [function, results] : llvm::zip_equal(program.functions, buffers))
    for (auto [tensor, buffer] : llvm::zip_equal(function.results, results)) {
      if (tensor.kind == fp8::TensorKind::Saved)
        continue;
      Array array = decode(buffer.bytes, buffer.type);
      if (tensor.kind == fp8::TensorKind::Statistic) {
        outcome.counts.push_back(std::move(array));
        continue;
      }
      outcome.results.resize(
          std::max<size_t>(outcome.results.size(), tensor.number + 1));
      outcome.results[tensor.number] = std::move(array);
    }
  return outcome;
}

/// The bytes of what the backward function gets of the forward function and of
/// its arguments.
static SmallVector<int64_t> getBytes(const fp8::FunctionInfo &backward,
                                     ArrayRef<Buffer> arguments,
                                     ArrayRef<Buffer> forward) {
  return llvm::map_to_vector(
      backward.arguments, [&](const fp8::TensorInfo &tensor) {
        const Buffer &buffer = tensor.kind == fp8::TensorKind::Residual
                                   ? forward[tensor.number]
                                   : arguments[tensor.number];
        return static_cast<int64_t>(buffer.bytes.size());
      });
}

/// Compiles `program`, adds tangents to `inputs` where they are missing, and
/// runs it.
static FailureOr<Outcome> execute(const Options &options,
                                  const Program &program, const Device &device,
                                  SmallVectorImpl<Array> &inputs,
                                  Stopwatch &watch) {
  auto executable = watch.time("compile", [&] {
    return Executable::compile(program.module, program.functions, device);
  });
  if (!executable)
    return report(executable.takeError());
  if (inputs.size() < program.arguments.size() &&
      failed(completeInputs(options, program, *executable, inputs)))
    return failure();
  auto arguments =
      makeBuffers(program.functions.front().name, program.arguments, inputs);
  if (failed(arguments))
    return failure();
  auto buffers = watch.time("run", [&] { return executable->run(*arguments); });
  if (!buffers)
    return report(buffers.takeError());
  Outcome outcome = collect(program, *buffers);
  if (program.functions.size() > 1)
    outcome.bytes =
        getBytes(program.functions[1], *arguments, buffers->front());
  return outcome;
}

/// Runs the step before quantization in f64 on the CPU.
static FailureOr<SmallVector<Array>>
executeWide(const Options &options, const fp8::Model &model,
            const fp8::TrainedStep &step, SmallVectorImpl<Array> &inputs) {
  ModuleOp module = *step.wide;
  PassManager widen(module.getContext(), ModuleOp::getOperationName());
  widen.addPass(fp8::createWidenPass());
  if (failed(widen.run(module)))
    return failure();
  Program program{module, fp8::getFunctions(model, module, std::nullopt), {}};
  for (const fp8::TensorInfo &argument : program.functions.front().arguments)
    program.arguments.push_back(argument.type);
  Stopwatch watch;
  if (failed(runStages(module, fp8::getLowerToCpuStages(), watch)))
    return failure();
  auto cpu = Device::open("cpu");
  if (!cpu)
    return report(cpu.takeError());
  auto outcome = execute(options, program, **cpu, inputs, watch);
  if (failed(outcome))
    return failure();
  return outcome->results;
}

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

/// Adds counts for --stats to the results of all functions.
static LogicalResult addStatistics(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(fp8::createAddCastStatisticsPass());
  return pm.run(module);
}

static void printReport(const Options &options, const fp8::TrainedStep &step,
                        const Outcome &outcome) {
  printLinears(step.linears);
  if (options.split.split)
    printResiduals(step.functions[0], step.functions[1], outcome.bytes,
                   step.wideKeptBytes);
  else if (options.backward)
    printResiduals(step.kept, step.wideKeptBytes);
  if (options.stats)
    printStatistics(step.functions, outcome.counts);
}

/// The step on tensors, with counts in its results if they are asked for.
static FailureOr<fp8::TrainedStep> train(const Options &options,
                                         fp8::Model &model, Stopwatch &watch) {
  fp8::TrainOptions train;
  apply(options, train);
  ModuleOp module = *model.module;
  auto step = fp8::trainModel(
      model, train, options.backward,
      [&](const fp8::Stage &stage) { return runStages(module, stage, watch); },
      /*keepWide=*/true);
  if (failed(step) || !options.stats)
    return step;
  if (failed(addStatistics(module)))
    return failure();
  step->functions = fp8::getFunctions(model, module, step->split);
  return step;
}

/// The model, with the names that --inputs gives.
static FailureOr<fp8::Model> loadModel(const Options &options,
                                       OwningOpRef<ModuleOp> module) {
  FailureOr<fp8::ModelNames> names = fp8::ModelNames();
  if (!options.inputs.empty()) {
    if (!llvm::sys::fs::is_directory(options.inputs))
      return report("expects a directory of inputs, but '" + options.inputs +
                    "' is none");
    names = fp8::readNames(options.inputs, module->getContext());
    if (failed(names))
      return failure();
  }
  return fp8::makeModel(std::move(module), std::move(*names), options.backward);
}

/// Everything after the model is loaded.
static LogicalResult run(const Options &options, fp8::Model &model,
                         Stopwatch &watch) {
  ModuleOp module = *model.module;
  SmallVector<fp8::Stage> lower =
      fp8::getLowerStages(options.target, options.cudaPath);
  if (!options.emit.empty()) {
    fp8::TrainOptions train;
    apply(options, train);
    auto stages = fp8::getTrainStages(train, options.backward);
    llvm::append_range(stages, lower);
    return emit(options, module, stages);
  }
  auto device = Device::open(options.target);
  if (!device)
    return report(device.takeError());
  auto step = train(options, model, watch);
  if (failed(step))
    return failure();
  auto inputs =
      getInputs(getSource(options),
                ArrayRef(step->arguments).take_front(model.numArguments));
  if (failed(inputs) || failed(runStages(module, lower, watch)))
    return failure();
  Program program{module, step->functions, step->arguments};
  auto outcome = execute(options, program, **device, *inputs, watch);
  if (failed(outcome))
    return failure();
  if (options.compare) {
    auto reference = executeWide(options, model, *step, *inputs);
    if (failed(reference))
      return failure();
    printErrors(model.resultNames, *reference, outcome->results);
  }
  if (!options.saveInputs.empty() &&
      failed(writeArrays(options.saveInputs, "arg", *inputs)))
    return failure();
  if (!options.outputs.empty() &&
      failed(writeArrays(options.outputs, "result", outcome->results)))
    return failure();
  printReport(options, *step, *outcome);
  printTimes(watch.getTimes());
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  toolName = "fp8-run";
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) {
    (void)report("out of memory");
    std::_Exit(EXIT_FAILURE);
  });
  // LLVM's own --stats counts what its passes did; here it counts values.
  if (cl::Option *taken = cl::getRegisteredOptions().lookup("stats"))
    taken->removeArgument();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a model's step in FP8, runs it and compares it\n");

  DialectRegistry registry;
  fp8::registerCompilerDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  DiagnosticPrinter diagnostics(sources, &context);
  if (failed(checkOptions(&context, options)))
    return EXIT_FAILURE;
  Stopwatch watch;
  OwningOpRef<ModuleOp> module = watch.time("parse", [&] {
    return fp8::parseModule(options.file, &context, sources);
  });
  if (!module)
    return EXIT_FAILURE;
  auto model = loadModel(options, std::move(module));
  if (failed(model) || failed(run(options, *model, watch)))
    return EXIT_FAILURE;
  return EXIT_SUCCESS;
}
