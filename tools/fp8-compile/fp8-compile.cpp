//===- fp8-compile.cpp ---------------------------------------------*- C++
//-*-===//
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

#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/InitAll.h"
#include "Fp8/Pipelines/Pipelines.h"
#include "Header.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace fp8compile;
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
      cl::desc("How scales are chosen: tensorwise (default), or none")};
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

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(StringRef cpu) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return report(message);
  bool native = cpu == "native";
  std::string features;
  if (native) {
    llvm::SubtargetFeatures found;
    for (const auto &[name, on] : llvm::sys::getHostCPUFeatures())
      found.AddFeature(name, on);
    features = found.getString();
  }
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, native ? llvm::sys::getHostCPUName() : cpu, features, {},
      llvm::Reloc::PIC_));
  if (!native && !machine->getMCSubtargetInfo()->isCPUStringValid(cpu))
    return report("expects a processor that LLVM knows, but got '" + cpu + "'");
  return machine;
}

/// Gives the functions of `from` the names of `to`, and keeps the old ones as
/// aliases.
static void renameFunctions(llvm::Module &code, StringRef from, StringRef to) {
  for (StringRef suffix : std::initializer_list<StringRef>{
           "", fp8::runtime::kWorkspaceSuffix, fp8::runtime::kPrepareSuffix,
           fp8::runtime::kSizesSuffix}) {
    std::string name = (from + suffix).str();
    llvm::Function *function = code.getFunction(name);
    function->setName(to + suffix);
    llvm::GlobalAlias::create(llvm::GlobalValue::ExternalLinkage, name,
                              function);
  }
}

/// The name of a function of `model`, and what C calls it.
using Renaming = std::pair<std::string, std::string>;

/// Writes `module`, in the LLVM dialect, to an object file with names for C.
static LogicalResult emitObject(ModuleOp module, llvm::TargetMachine &machine,
                                StringRef path, ArrayRef<Renaming> names) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return failure();
  for (const auto &[name, cName] : names)
    if (name != cName)
      renameFunctions(*code, name, cName);
  code->setDataLayout(machine.createDataLayout());
  code->setTargetTriple(machine.getTargetTriple());
  if (llvm::Error error = makeOptimizingTransformer(
          /*optLevel=*/2, /*sizeLevel=*/0, &machine)(code.get()))
    return report(std::move(error));
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return report("cannot write '" + path + "': " + error.message());
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return report("this LLVM writes no object files for the host");
  passes.run(*code);
  return success();
}

/// Links `object` to the shared library `library`, with fp8rt of this
/// installation.
static LogicalResult link(StringRef object, StringRef library) {
  std::string self = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&createMachine));
  SmallString<128> lib(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(lib, "..", "lib");
  llvm::sys::path::remove_dots(lib, /*remove_dot_dot=*/true);
  for (StringRef name : {"cc", "clang-22", "clang", "gcc"}) {
    llvm::ErrorOr<std::string> driver = llvm::sys::findProgramByName(name);
    if (!driver)
      continue;
    std::string search = ("-L" + lib).str();
    StringRef arguments[] = {*driver, "-shared", "-o",      library,
                             object,  search,    "-lfp8rt", "-lm"};
    std::string message;
    if (llvm::sys::ExecuteAndWait(*driver, arguments, std::nullopt, {}, 0, 0,
                                  &message) == 0)
      return success();
    return report("linking with " + name + " failed" +
                  (message.empty() ? "" : ": " + message));
  }
  return report(
      "expects cc, clang or gcc on PATH to link with, but found none");
}

/// A file beside `output` that goes away unless it is renamed.
static FailureOr<SmallString<128>> makeTemporary(StringRef output,
                                                 StringRef suffix) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(output + "-%%%%%%" + suffix, path))
    return report("cannot write beside '" + output + "': " + error.message());
  return path;
}

/// Writes library and header, both or none.
static LogicalResult writeOutputs(const Options &options, Model &model,
                                  ArrayRef<Renaming> names, StringRef header) {
  auto machine = createMachine(options.cpu);
  if (failed(machine))
    return failure();
  auto object = makeTemporary(options.output, ".o");
  if (failed(object))
    return failure();
  llvm::FileRemover removeObject(*object);
  auto library = makeTemporary(options.output, ".so");
  if (failed(library))
    return failure();
  llvm::FileRemover removeLibrary(*library);
  SmallString<128> headerPath(options.output.getValue());
  llvm::sys::path::replace_extension(headerPath, "h");
  std::error_code error;
  llvm::ToolOutputFile headerFile(headerPath, error, llvm::sys::fs::OF_Text);
  if (error)
    return report("cannot write '" + headerPath + "': " + error.message());
  headerFile.os() << header;
  if (failed(emitObject(*model.module, **machine, *object, names)) ||
      failed(link(*object, *library)))
    return failure();
  error = llvm::sys::fs::rename(*library, options.output);
  if (error)
    return report("cannot write '" + options.output + "': " + error.message());
  removeLibrary.releaseFile();
  headerFile.keep();
  return success();
}

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

static LogicalResult runStages(Model &model, ArrayRef<fp8::Stage> stages) {
  return success(llvm::all_of(stages, [&](const fp8::Stage &stage) {
    return succeeded(runStage(*model.module, stage));
  }));
}

/// Runs the stages on tensors, and gives the functions that there are then.
static FailureOr<SmallVector<StepFunction>>
runTrainStages(const Options &options, Model &model) {
  fp8::TrainOptions train;
  train.target = options.target.getValue();
  train.recipe = options.recipe.getValue();
  options.split.apply(train);
  SmallVector<fp8::Stage> stages = fp8::getTrainStages(train, options.backward);
  std::optional<fp8::JointSignature> signature;
  if (train.partition) {
    fp8::Stage partition = stages.pop_back_val();
    if (failed(runStages(model, stages)))
      return failure();
    auto found = getSignature(model, train);
    if (failed(found))
      return failure();
    signature = *found;
    stages = {partition};
  }
  if (failed(runStages(model, stages)))
    return failure();
  return getFunctions(model, *model.module, signature);
}

static LogicalResult run(const Options &options, Model &model) {
  auto functions = runTrainStages(options, model);
  if (failed(functions))
    return failure();
  std::string stem = getCName(options.output, model.function);
  SmallVector<Renaming> names;
  for (StepFunction &function : *functions) {
    StringRef suffix = StringRef(function.name).substr(model.function.size());
    names.push_back({function.name, (stem + suffix).str()});
    function.name = names.back().second;
  }
  std::string header = makeHeader("Made by fp8-compile for " + options.target +
                                      ", recipe " + options.recipe + ".",
                                  stem, *functions);
  if (failed(runStages(model,
                       fp8::getLowerStages(options.target, options.cudaPath))))
    return failure();
  return writeOutputs(options, model, names, header);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  toolName = "fp8-compile";
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles a model's step to a shared library\n");
  if (failed(checkTarget(options.target)) ||
      failed(checkRecipe(options.recipe)) ||
      failed(options.split.check(options.backward)))
    return EXIT_FAILURE;
  if (fp8::getLowerStages(options.target).empty()) {
    (void)report("expects target cpu or an NVIDIA one, but got '" +
                 options.target + "', which has no lowering yet");
    return EXIT_FAILURE;
  }

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  fp8::registerAllDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  Model model;
  if (failed(loadModel(options.file, /*inputs=*/"", options.backward, context,
                       sources, model)) ||
      failed(run(options, model)))
    return EXIT_FAILURE;
  return EXIT_SUCCESS;
}
