//===- fp8-run.cpp -------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a model's step in FP8, runs it on the CPU, and compares it with what
// the program means without any rounding.
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "Execute.h"
#include "Fp8/Driver/Compile.h"
#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Pipelines/Pipelines.h"
#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/Residuals.h"
#include "Table.h"
#include "Tool.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
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
  cl::opt<std::string> target{"target", cl::init("cpu"), cl::cat(category),
                              cl::value_desc("name"),
                              cl::desc("The device (default: cpu)")};
  cl::opt<std::string> recipe{
      "recipe", cl::init("tensorwise"), cl::cat(category),
      cl::value_desc("name"),
      cl::desc("How scales are chosen: tensorwise (default), "
               "tensorwise_pow2, or none, which keeps every matmul wide")};
  cl::list<unsigned> tangents{
      "tangents", cl::CommaSeparated, cl::cat(category),
      cl::value_desc("numbers"),
      cl::desc("Arguments that are gradients of results, in a step that is "
               "differentiated already")};
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
  if (options.target != "cpu" && options.emit.empty())
    return report("expects target cpu to run a step here, but got '" +
                  options.target + "'; --emit prints its IR");
  return success();
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

/// The stages of this run: those on tensors, and those to the CPU.
static std::pair<SmallVector<fp8::Stage>, SmallVector<fp8::Stage>>
getStages(const Options &options) {
  fp8::TrainOptions train;
  train.target = options.target.getValue();
  train.recipe = options.recipe.getValue();
  for (unsigned number : options.tangents)
    train.tangents.push_back(number);
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
  // A step runs in one function; its parts are only shown.
  train.partition = options.emit == "partition";
  SmallVector<fp8::Stage> lower = fp8::getLowerStages(options.target);
  return {fp8::getTrainStages(train, options.backward), lower};
}

//===----------------------------------------------------------------------===//
// Inputs and results
//===----------------------------------------------------------------------===//

static std::string getInputPath(const Options &options, size_t index) {
  SmallString<128> path(options.inputs);
  llvm::sys::path::append(path, "arg" + std::to_string(index) + ".npy");
  return path.str().str();
}

static Signature getSignature(func::FuncOp function) {
  Signature signature{function.getName().str(), {}, {}};
  for (Type type : function.getArgumentTypes())
    signature.arguments.push_back(cast<RankedTensorType>(type));
  for (Type type : function.getResultTypes())
    signature.results.push_back(cast<RankedTensorType>(type));
  return signature;
}

/// A random argument of `type`, whose dynamic sizes the option chooses.
static Array makeRandomArgument(const Options &options, RankedTensorType type,
                                size_t index) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = options.dynamicSize;
  return makeRandom(type.clone(shape), options.seed, index);
}

/// The arguments that the model has before a backward pass: from files, or
/// random.
static FailureOr<SmallVector<Array>> getInputs(const Options &options,
                                               const Signature &signature,
                                               unsigned numArguments) {
  SmallVector<Array> inputs;
  for (unsigned index = 0; index < numArguments; ++index) {
    RankedTensorType type = signature.arguments[index];
    if (options.inputs.empty()) {
      inputs.push_back(makeRandomArgument(options, type, index));
      continue;
    }
    std::string path = getInputPath(options, index);
    llvm::Expected<Array> array = readNpy(path);
    if (!array)
      return report(array.takeError());
    // Only to check shape and values, which the wide program would take.
    auto bytes = encode(*array, type, path);
    if (!bytes)
      return report(bytes.takeError());
    inputs.push_back(std::move(*array));
  }
  return inputs;
}

/// Appends the tangents, which have the shapes of the results: from files where
/// there are any, else random.
static LogicalResult addTangents(const Options &options,
                                 const Signature &signature,
                                 ArrayRef<RankedTensorType> resultTypes,
                                 SmallVectorImpl<Array> &inputs) {
  SmallVector<RankedTensorType> types;
  for (RankedTensorType type : resultTypes)
    if (isa<FloatType>(type.getElementType()))
      types.push_back(type);
  unsigned first = inputs.size();
  for (unsigned index = first; index < signature.arguments.size(); ++index) {
    RankedTensorType type = types[index - first];
    std::string path = getInputPath(options, index);
    if (options.inputs.empty() || !llvm::sys::fs::exists(path)) {
      inputs.push_back(makeRandom(type, options.seed, index));
      continue;
    }
    llvm::Expected<Array> array = readNpy(path);
    if (!array)
      return report(array.takeError());
    auto bytes = encode(*array, type, path);
    if (!bytes)
      return report(bytes.takeError());
    inputs.push_back(std::move(*array));
  }
  return success();
}

/// `inputs` as the buffers of `signature`.
static FailureOr<std::vector<Buffer>> makeBuffers(const Signature &signature,
                                                  ArrayRef<Array> inputs) {
  std::vector<Buffer> buffers;
  for (auto [array, type] : llvm::zip_equal(inputs, signature.arguments)) {
    auto bytes = encode(array, type, signature.name);
    if (!bytes)
      return report(bytes.takeError());
    buffers.push_back({type.clone(array.shape), std::move(*bytes)});
  }
  return buffers;
}

/// Compiles the lowered `module`, adds tangents to `inputs` where they are
/// missing, and runs it.
static FailureOr<SmallVector<Array>>
execute(const Options &options, ModuleOp module, const Signature &signature,
        SmallVectorImpl<Array> &inputs, Stopwatch &watch) {
  auto executable = watch.time(
      "compile", [&] { return Executable::compile(module, signature); });
  if (!executable)
    return report(executable.takeError());
  if (inputs.size() < signature.arguments.size()) {
    // Sizes of results do not depend on tangents; any will do to ask.
    SmallVector<RankedTensorType> types;
    for (auto [index, type] : llvm::enumerate(signature.arguments)) {
      SmallVector<int64_t> shape(type.getShape());
      for (int64_t &size : shape)
        size = ShapedType::isDynamic(size) ? 0 : size;
      types.push_back(type.clone(index < inputs.size()
                                     ? ArrayRef<int64_t>(inputs[index].shape)
                                     : ArrayRef<int64_t>(shape)));
    }
    auto resultTypes = executable->getResultTypes(types);
    if (!resultTypes)
      return report(resultTypes.takeError());
    if (failed(addTangents(options, signature, *resultTypes, inputs)))
      return failure();
  }
  FailureOr<std::vector<Buffer>> arguments = makeBuffers(signature, inputs);
  if (failed(arguments))
    return failure();
  auto buffers = watch.time("run", [&] { return executable->run(*arguments); });
  if (!buffers)
    return report(buffers.takeError());
  SmallVector<Array> results;
  for (const Buffer &buffer : *buffers)
    results.push_back(decode(buffer.bytes, buffer.type));
  return results;
}

/// Runs `module`, a step before quantization, in f64.
static FailureOr<SmallVector<Array>>
executeWide(const Options &options, ModuleOp module, StringRef function,
            SmallVectorImpl<Array> &inputs) {
  PassManager widen(module.getContext(), ModuleOp::getOperationName());
  widen.addPass(fp8::createWidenPass());
  if (failed(widen.run(module)))
    return failure();
  Signature signature =
      getSignature(module.lookupSymbol<func::FuncOp>(function));
  Stopwatch watch;
  if (failed(runStages(module, fp8::getLowerToCpuStages(), watch)))
    return failure();
  return execute(options, module, signature, inputs, watch);
}

/// Writes `arrays` to files that start with `kind`, all or none.
static LogicalResult writeArrays(StringRef directory, StringRef kind,
                                 ArrayRef<Array> arrays) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return report("cannot make the directory '" + directory +
                  "': " + error.message());
  std::vector<std::unique_ptr<llvm::ToolOutputFile>> files;
  for (auto [index, array] : llvm::enumerate(arrays)) {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, kind + std::to_string(index) + ".npy");
    std::error_code error;
    files.push_back(std::make_unique<llvm::ToolOutputFile>(
        path, error, llvm::sys::fs::OF_None));
    if (error)
      return report("cannot write '" + path + "': " + error.message());
    files.back()->os() << encodeNpy(array);
    files.back()->os().flush();
    if (files.back()->os().has_error()) {
      (void)report("cannot write '" + path +
                   "': " + files.back()->os().error().message());
      files.back()->os().clear_error();
      return failure();
    }
  }
  for (auto &file : files)
    file->keep();
  return success();
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static std::string formatNumber(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

static void printErrors(ArrayRef<std::string> names, ArrayRef<Array> reference,
                        ArrayRef<Array> results) {
  llvm::outs() << "Error against the wide program in f64\n";
  SmallVector<SmallVector<std::string>> rows;
  for (auto [name, ref, out] : llvm::zip(names, reference, results))
    rows.push_back({name, formatNumber("%.2f dB", getDecibels(ref, out))});
  printTable(llvm::outs(), rows);
}

static void printLinears(ArrayRef<fp8::Linear> linears) {
  unsigned found = 0, converted = 0;
  for (const fp8::Linear &linear : linears) {
    found += linear.matmuls;
    converted += linear.converted;
  }
  llvm::outs() << "\nLinears: " << linears.size() << " found, " << converted
               << " of " << found << " matmuls in fp8\n";
  SmallVector<SmallVector<std::string>> rows = {
      {"name", "M x K x N", "matmuls", "in fp8"}};
  for (const fp8::Linear &linear : linears)
    rows.push_back({linear.name, linear.sizes, std::to_string(linear.matmuls),
                    std::to_string(linear.converted)});
  printTable(llvm::outs(), rows);
}

/// What the backward pass needs of the forward pass, as fp8-partition chooses
/// it; empty for a function without a backward pass.
static FailureOr<SmallVector<fp8::Residual>>
findResiduals(const Options &options, func::FuncOp function) {
  fp8::ResidualOptions sizes;
  sizes.dynamicSize = options.dynamicSize;
  if (auto signature = fp8::getJointSignature(function))
    return fp8::findResiduals(function, *signature, sizes);
  return SmallVector<fp8::Residual>();
}

/// `wideBytes` is what the wide program keeps.
static void printResiduals(ArrayRef<fp8::Residual> residuals,
                           int64_t wideBytes) {
  llvm::outs() << "\nKept for the backward pass\n";
  SmallVector<SmallVector<std::string>> rows = {{"what", "bytes"}};
  for (const fp8::Residual &residual : residuals)
    rows.push_back({residual.description, std::to_string(residual.bytes)});
  rows.push_back({"total", std::to_string(fp8::getTotalBytes(residuals))});
  rows.push_back({"the wide program", std::to_string(wideBytes)});
  printTable(llvm::outs(), rows);
}

static void printTimes(const Stopwatch &watch) {
  llvm::outs() << "\nTime\n";
  SmallVector<SmallVector<std::string>> rows;
  for (const auto &[name, milliseconds] : watch.getTimes())
    rows.push_back({name, formatNumber("%.1f ms", milliseconds)});
  printTable(llvm::outs(), rows);
}

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

/// Adds counts for --stats to the results of `function`, and gives their
/// descriptions.
static FailureOr<SmallVector<std::string>> addStatistics(ModuleOp module,
                                                         StringRef function) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(fp8::createAddCastStatisticsPass());
  if (failed(pm.run(module)))
    return failure();
  SmallVector<std::string> casts;
  auto op = module.lookupSymbol<func::FuncOp>(function);
  for (unsigned i = 0, end = op.getNumResults(); i < end; ++i)
    if (auto what = op.getResultAttrOfType<StringAttr>(i, fp8::kStatisticAttr))
      casts.push_back(what.str());
  return casts;
}

/// Prints the counts of each cast, three results each, as shares.
static void printStatistics(ArrayRef<std::string> casts,
                            ArrayRef<Array> counts) {
  llvm::outs() << "\nCasts\n";
  SmallVector<SmallVector<std::string>> rows = {
      {"what", "saturated", "flushed to zero"}};
  for (size_t i = 0; i < casts.size(); i += 3) {
    double all = std::max(counts[i + 2].values[0], 1.0);
    auto share = [&](const Array &count) {
      return formatNumber("%.3f %%", 100 * count.values[0] / all);
    };
    rows.push_back({casts[i], share(counts[i]), share(counts[i + 1])});
  }
  printTable(llvm::outs(), rows);
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
  auto [train, lower] = getStages(options);
  if (!options.emit.empty()) {
    llvm::append_range(train, lower);
    return emit(options, module, train);
  }
  auto getFunction = [&] {
    return module.lookupSymbol<func::FuncOp>(model.function);
  };

  // Up to here the program is wide: what it is compared with.
  unsigned numWide = options.backward ? 2 : 1;
  if (failed(runStages(module, ArrayRef(train).take_front(numWide), watch)))
    return failure();
  OwningOpRef<ModuleOp> wide = module.clone();
  Signature signature = getSignature(getFunction());
  SmallVector<fp8::Linear> linears = fp8::findLinears(getFunction());
  auto wideResiduals = findResiduals(options, getFunction());
  FailureOr<SmallVector<Array>> inputs =
      getInputs(options, signature, model.numArguments);
  if (failed(wideResiduals) || failed(inputs) ||
      failed(runStages(module, ArrayRef(train).drop_front(numWide), watch)))
    return failure();
  fp8::countConverted(getFunction(), linears);
  auto residuals = findResiduals(options, getFunction());
  if (failed(residuals))
    return failure();
  unsigned numResults = signature.results.size();
  SmallVector<std::string> casts;
  if (options.stats) {
    auto added = addStatistics(module, model.function);
    if (failed(added))
      return failure();
    casts = *added;
    signature = getSignature(getFunction());
  }
  if (failed(runStages(module, lower, watch)))
    return failure();
  FailureOr<SmallVector<Array>> results =
      execute(options, module, signature, *inputs, watch);
  if (failed(results))
    return failure();
  SmallVector<Array> counts(results->begin() + numResults, results->end());
  results->truncate(numResults);
  if (options.compare) {
    FailureOr<SmallVector<Array>> reference =
        executeWide(options, *wide, model.function, *inputs);
    if (failed(reference))
      return failure();
    printErrors(model.resultNames, *reference, *results);
  }
  if (!options.saveInputs.empty() &&
      failed(writeArrays(options.saveInputs, "arg", *inputs)))
    return failure();
  if (!options.outputs.empty() &&
      failed(writeArrays(options.outputs, "result", *results)))
    return failure();
  printLinears(linears);
  if (options.backward)
    printResiduals(*residuals, fp8::getTotalBytes(*wideResiduals));
  if (options.stats)
    printStatistics(casts, counts);
  printTimes(watch);
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  toolName = "fp8-run";
  // LLVM's own --stats counts what its passes did; here it counts values.
  if (cl::Option *taken = cl::getRegisteredOptions().lookup("stats"))
    taken->removeArgument();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a model's step in FP8, runs it on the CPU and compares it\n");

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
