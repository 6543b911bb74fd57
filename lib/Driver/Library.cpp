//===- Library.cpp ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Object code of a lowered module, and linking it to a shared library.
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::fp8;

//===----------------------------------------------------------------------===//
// Object code
//===----------------------------------------------------------------------===//

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(StringRef cpu, MLIRContext *context) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return emitFailure(context, message);
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
    return emitFailure(
        context, "expects a processor that LLVM knows, but got '" + cpu + "'");
  return machine;
}

/// Gives the functions of `from` the names of `to`, and keeps the old ones as
/// aliases.
static void renameFunctions(llvm::Module &code, StringRef from, StringRef to) {
  for (StringRef suffix : std::initializer_list<StringRef>{
           "", fp8::runtime::kWorkspaceSuffix, fp8::runtime::kPrepareSuffix,
           fp8::runtime::kSizesSuffix, fp8::runtime::kTensorsSuffix}) {
    std::string name = (from + suffix).str();
    llvm::Function *function = code.getFunction(name);
    function->setName(to + suffix);
    llvm::GlobalAlias::create(llvm::GlobalValue::ExternalLinkage, name,
                              function);
  }
}

/// Writes `model`, in the LLVM dialect, to an object file in which `functions`
/// have their C names.
static LogicalResult emitObject(const Model &model,
                                llvm::TargetMachine &machine,
                                const CompileOptions &options,
                                ArrayRef<std::string> functions,
                                StringRef path) {
  ModuleOp module = *model.module;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return failure();
  for (StringRef function : functions)
    if (std::string cName = getCName(options, model, function);
        function != cName)
      renameFunctions(*code, function, cName);
  code->setDataLayout(machine.createDataLayout());
  code->setTargetTriple(machine.getTargetTriple());
  if (llvm::Error error = makeOptimizingTransformer(
          /*optLevel=*/2, /*sizeLevel=*/0, &machine)(code.get()))
    return emitFailure(module.getContext(), std::move(error));
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return emitFailure(module.getContext(),
                       "cannot write '" + path + "': " + error.message());
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return emitFailure(module.getContext(),
                       "this LLVM writes no object files for the host");
  passes.run(*code);
  return success();
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

/// fp8rt, which is beside the library that this code is in.
static std::string findRuntime() {
  Dl_info self;
  SmallString<128> path;
  if (dladdr(reinterpret_cast<void *>(&findRuntime), &self) &&
      !llvm::sys::fs::real_path(self.dli_fname, path))
    llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, runtime::kLibraryName);
  return path.str().str();
}

/// A file beside `output` that goes away unless it is renamed.
static FailureOr<SmallString<128>>
makeTemporary(StringRef output, StringRef suffix, MLIRContext *context) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(output + "-%%%%%%" + suffix, path))
    return emitFailure(context, "cannot write beside '" + output +
                                    "': " + error.message());
  return path;
}

/// Links `object` to the shared library `library`, which programs that are
/// linked with it look for as `soname`, with fp8rt of this installation.
static LogicalResult link(StringRef object, StringRef library, StringRef soname,
                          MLIRContext *context) {
  FailureOr<SmallString<128>> log = makeTemporary(library, ".log", context);
  if (failed(log))
    return failure();
  llvm::FileRemover removeLog(*log);
  std::string runtime = findRuntime();
  std::string sonameFlag = ("-Wl,-soname," + soname).str();
  for (StringRef name : {"cc", "clang-22", "clang", "gcc"}) {
    llvm::ErrorOr<std::string> driver = llvm::sys::findProgramByName(name);
    if (!driver)
      continue;
    StringRef arguments[] = {*driver, "-shared", sonameFlag, "-o",
                             library, object,    runtime,    "-lm"};
    std::optional<StringRef> redirects[] = {StringRef(), StringRef(*log),
                                            StringRef(*log)};
    std::string message;
    if (llvm::sys::ExecuteAndWait(*driver, arguments, std::nullopt, redirects,
                                  0, 0, &message) == 0)
      return success();
    if (auto output = llvm::MemoryBuffer::getFile(*log))
      message += (*output)->getBuffer().trim();
    return emitFailure(context, "linking with " + name + " failed" +
                                    (message.empty() ? "" : ": " + message));
  }
  return emitFailure(
      context, "expects cc, clang or gcc on PATH to link with, but found none");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

LogicalResult fp8::writeLibrary(const Model &model,
                                const CompileOptions &options,
                                ArrayRef<std::string> functions,
                                StringRef header) {
  MLIRContext *context = (*model.module).getContext();
  auto machine = createMachine(options.cpu, context);
  if (failed(machine))
    return failure();
  auto object = makeTemporary(options.output, ".o", context);
  if (failed(object))
    return failure();
  llvm::FileRemover removeObject(*object);
  auto library = makeTemporary(options.output, ".so", context);
  if (failed(library))
    return failure();
  llvm::FileRemover removeLibrary(*library);
  SmallString<128> headerPath(options.output);
  llvm::sys::path::replace_extension(headerPath, "h");
  std::error_code error;
  llvm::ToolOutputFile headerFile(headerPath, error, llvm::sys::fs::OF_Text);
  if (error)
    return emitFailure(context,
                       "cannot write '" + headerPath + "': " + error.message());
  headerFile.os() << header;
  if (failed(emitObject(model, **machine, options, functions, *object)) ||
      failed(link(*object, *library, llvm::sys::path::filename(options.output),
                  context)))
    return failure();
  error = llvm::sys::fs::rename(*library, options.output);
  if (error)
    return emitFailure(context, "cannot write '" + options.output +
                                    "': " + error.message());
  removeLibrary.releaseFile();
  headerFile.keep();
  return success();
}
