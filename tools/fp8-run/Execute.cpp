//===- Execute.cpp ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling a lowered module in this process and calling its functions.
//
//===----------------------------------------------------------------------===//

#include "Execute.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/Transforms/ByteSize.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace fp8run;
using llvm::Expected;

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
  add(fp8::runtime::kCheckTensorsSymbol, &fp8rt_check_tensors);
  add(fp8::runtime::kFailSymbol, &fp8rt_fail);
  add(fp8::runtime::kMatmulSymbol, &fp8rt_matmul);
  add(fp8::runtime::kMatmulPrepareSymbol, &fp8rt_matmul_prepare);
  add(fp8::runtime::kBinaryPrepareSymbol, &fp8rt_binary_prepare);
  add(fp8::runtime::kLaunchSymbol, &fp8rt_launch);
  add(fp8::runtime::kMemsetSymbol, &fp8rt_memset);
  return symbols;
}

Expected<Executable> Executable::compile(ModuleOp module,
                                         ArrayRef<fp8::FunctionInfo> functions,
                                         const Device &device) {
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
  for (const fp8::FunctionInfo &function : functions)
    if (auto found = (*engine)->lookup(function.name); !found)
      return found.takeError();
  Executable executable;
  llvm::append_range(executable.functions, functions);
  executable.device = &device;
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
  return check(reinterpret_cast<FnT *>(*function)(args...), name);
}

/// `type` and where its elements are, as the C interface takes it.
static fp8rt_tensor makeTensor(RankedTensorType type, void *data) {
  return {data, type.getShape().data(),
          /*strides=*/nullptr, static_cast<int32_t>(type.getRank()),
          fp8::runtime::getRuntimeType(type.getElementType())};
}

static uint64_t getBytes(RankedTensorType type) {
  return fp8::getByteSize(type.getShape(),
                          fp8::getElementBytes(type.getElementType()));
}

Expected<SmallVector<RankedTensorType>>
Executable::getResultTypes(ArrayRef<RankedTensorType> types) {
  return getResultTypes(functions.front(), types);
}

Expected<SmallVector<RankedTensorType>>
Executable::getResultTypes(const fp8::FunctionInfo &function,
                           ArrayRef<RankedTensorType> types) {
  std::vector<fp8rt_tensor> tensors;
  for (RankedTensorType type : types)
    tensors.push_back(makeTensor(type, nullptr));
  size_t count = 0;
  for (const fp8::TensorInfo &result : function.results)
    count += result.type.getRank();
  std::vector<int64_t> sizes(count);
  if (llvm::Error error = call<SizesFn>(*engine, function.name + "_sizes",
                                        tensors.data(), sizes.data()))
    return error;
  SmallVector<RankedTensorType> results;
  ArrayRef<int64_t> rest = sizes;
  for (const fp8::TensorInfo &result : function.results) {
    int64_t rank = result.type.getRank();
    results.push_back(result.type.clone(rest.take_front(rank)));
    rest = rest.drop_front(rank);
  }
  return results;
}

/// Appends a tensor of `type` in `memory` to `call`.
static llvm::Error append(RankedTensorType type, Expected<Memory> memory,
                          Call &call) {
  if (!memory)
    return memory.takeError();
  call.types.push_back(type);
  call.memory.push_back(std::move(*memory));
  return llvm::Error::success();
}

Expected<Call> Executable::place(const fp8::FunctionInfo &function,
                                 ArrayRef<const Buffer *> arguments) {
  Call call;
  for (const Buffer *argument : arguments)
    if (llvm::Error error = append(
            argument->type, Memory::copy(*device, argument->bytes), call))
      return error;
  auto types = getResultTypes(function, call.types);
  if (!types)
    return types.takeError();
  for (RankedTensorType type : *types)
    if (llvm::Error error =
            append(type, Memory::allocate(*device, getBytes(type)), call))
      return error;
  for (auto [type, memory] : llvm::zip_equal(call.types, call.memory))
    call.tensors.push_back(makeTensor(type, memory.get()));
  return call;
}

llvm::Error Executable::enqueue(const fp8::FunctionInfo &function,
                                Call &placed) {
  const std::string &name = function.name;
  const fp8rt_tensor *tensors = placed.tensors.data();
  fp8rt_context *context = device->getContext();
  uint64_t size = 0;
  if (llvm::Error error =
          call<WorkspaceFn>(*engine, name + "_workspace", tensors, &size))
    return error;
  auto workspace = Memory::allocate(*device, size);
  if (!workspace)
    return workspace.takeError();
  if (llvm::Error error =
          call<PrepareFn>(*engine, name + "_prepare", tensors, context))
    return error;
  if (llvm::Error error = call<StepFn>(*engine, name, tensors, context,
                                       workspace->get(), device->getStream()))
    return error;
  // The workspace has to live until then.
  return device->synchronize();
}

Expected<std::vector<Buffer>>
Executable::run(const fp8::FunctionInfo &function,
                ArrayRef<const Buffer *> arguments) {
  Expected<Call> placed = place(function, arguments);
  if (!placed)
    return placed.takeError();
  if (llvm::Error error = enqueue(function, *placed))
    return error;
  std::vector<Buffer> results;
  for (size_t i = arguments.size(); i < placed->types.size(); ++i) {
    RankedTensorType type = placed->types[i];
    results.push_back({type, std::vector<char>(getBytes(type))});
    if (llvm::Error error = placed->memory[i].read(results.back().bytes))
      return error;
  }
  return results;
}

Expected<std::vector<std::vector<Buffer>>>
Executable::run(ArrayRef<Buffer> arguments) {
  std::vector<std::vector<Buffer>> all;
  for (const fp8::FunctionInfo &function : functions) {
    SmallVector<const Buffer *> reads;
    for (const fp8::TensorInfo &tensor : function.arguments)
      reads.push_back(tensor.kind == fp8::TensorKind::Residual
                          ? &all.back()[tensor.number]
                          : &arguments[tensor.number]);
    auto results = run(function, reads);
    if (!results)
      return results.takeError();
    all.push_back(std::move(*results));
  }
  return all;
}
