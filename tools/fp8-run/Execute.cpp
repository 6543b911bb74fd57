//===- Execute.cpp -------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling a lowered module in this process and calling its function.
//
//===----------------------------------------------------------------------===//

#include "Execute.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "fp8rt/fp8rt.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace fp8run;
using llvm::Expected;

/// What the workspace has to start at a multiple of (fp8-plan-workspace).
static constexpr size_t kWorkspaceAlignment = 256;

/// The C functions of a compiled library (fp8-emit-c-interface).
using StepFn = int32_t(const fp8rt_tensor *, fp8rt_context *, void *,
                       fp8rt_stream *);
using WorkspaceFn = int32_t(const fp8rt_tensor *, uint64_t *);
using SizesFn = int32_t(const fp8rt_tensor *, int64_t *);
using PrepareFn = int32_t(const fp8rt_tensor *, fp8rt_context *);

/// What the compiled code calls.
static llvm::orc::SymbolMap
getRuntimeSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                               llvm::JITSymbolFlags::Exported};
  };
  add("fp8rt_check_tensors", &fp8rt_check_tensors);
  add("fp8rt_fail", &fp8rt_fail);
  add("fp8rt_matmul", &fp8rt_matmul);
  add("fp8rt_matmul_prepare", &fp8rt_matmul_prepare);
  return symbols;
}

Expected<Executable> Executable::compile(ModuleOp module, Signature signature) {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  ExecutionEngineOptions options;
  auto transformer = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0,
                                               machine->get());
  options.transformer = transformer;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(getRuntimeSymbols);
  // Compiles now what would be compiled at the first call.
  if (auto function = (*engine)->lookup(signature.name); !function)
    return function.takeError();
  Executable executable;
  executable.signature = std::move(signature);
  executable.engine = std::move(*engine);
  return executable;
}

/// Calls the function `name`, and makes a failing status an error.
template <typename FnT, typename... Args>
static llvm::Error call(ExecutionEngine &engine, const std::string &name,
                        Args... args) {
  llvm::Expected<void *> function = engine.lookup(name);
  if (!function)
    return function.takeError();
  int32_t status = reinterpret_cast<FnT *>(*function)(args...);
  if (status == FP8RT_OK)
    return llvm::Error::success();
  return llvm::createStringError("%s: %s: %s", name.c_str(),
                                 fp8rt_status_name(status), fp8rt_last_error());
}

/// `type` and where its elements are, as the C interface takes it. Inputs are
/// not written; they only share the type with outputs.
static fp8rt_tensor makeTensor(RankedTensorType type, const char *data) {
  return {const_cast<char *>(data), type.getShape().data(),
          /*strides=*/nullptr, static_cast<int32_t>(type.getRank()),
          fp8::runtime::getRuntimeType(type.getElementType())};
}

Expected<SmallVector<RankedTensorType>>
Executable::getResultTypes(ArrayRef<RankedTensorType> types) {
  std::vector<fp8rt_tensor> tensors;
  for (RankedTensorType type : types)
    tensors.push_back(makeTensor(type, nullptr));
  size_t count = 0;
  for (RankedTensorType type : signature.results)
    count += type.getRank();
  std::vector<int64_t> sizes(count);
  if (llvm::Error error = call<SizesFn>(*engine, signature.name + "_sizes",
                                        tensors.data(), sizes.data()))
    return error;
  SmallVector<RankedTensorType> results;
  ArrayRef<int64_t> rest = sizes;
  for (RankedTensorType type : signature.results) {
    results.push_back(type.clone(rest.take_front(type.getRank())));
    rest = rest.drop_front(type.getRank());
  }
  return results;
}

Expected<std::vector<Buffer>> Executable::run(ArrayRef<Buffer> arguments) {
  std::vector<fp8rt_tensor> tensors;
  SmallVector<RankedTensorType> types;
  for (const Buffer &argument : arguments) {
    types.push_back(argument.type);
    tensors.push_back(makeTensor(argument.type, argument.bytes.data()));
  }
  Expected<SmallVector<RankedTensorType>> resultTypes = getResultTypes(types);
  if (!resultTypes)
    return resultTypes.takeError();
  std::vector<Buffer> results;
  for (RankedTensorType type : *resultTypes)
    results.push_back(
        {type,
         std::vector<char>(llvm::divideCeil(type.getElementTypeBitWidth(), 8) *
                           type.getNumElements())});
  for (Buffer &result : results)
    tensors.push_back(makeTensor(result.type, result.bytes.data()));

  const std::string &name = signature.name;
  uint64_t size = 0;
  if (llvm::Error error = call<WorkspaceFn>(*engine, name + "_workspace",
                                            tensors.data(), &size))
    return error;
  std::vector<char> workspace(size + kWorkspaceAlignment);
  auto *start = reinterpret_cast<void *>(llvm::alignTo(
      reinterpret_cast<uintptr_t>(workspace.data()), kWorkspaceAlignment));
  fp8rt_context *cpu = nullptr;
  if (llvm::Error error =
          call<PrepareFn>(*engine, name + "_prepare", tensors.data(), cpu))
    return error;
  fp8rt_stream *stream = nullptr;
  if (llvm::Error error =
          call<StepFn>(*engine, name, tensors.data(), cpu, start, stream))
    return error;
  return results;
}
