//===- Execute.cpp -------------------------------------------------*- C++ -*-===//
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

namespace {
/// A memref descriptor of any rank, as the C interface of a function takes it.
class Descriptor {
public:
  Descriptor(void *data, ArrayRef<int64_t> shape) {
    auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data));
    fields = {address, address, 0};
    llvm::append_range(fields, shape);
    SmallVector<int64_t> strides(shape.size(), 1);
    for (size_t dim = shape.size(); dim > 1; --dim)
      strides[dim - 2] = strides[dim - 1] * shape[dim - 1];
    llvm::append_range(fields, strides);
    pointer = fields.data();
  }
  Descriptor(const Descriptor &) = delete;

  /// What invokePacked takes: the address of the pointer that is the argument.
  void *getPacked() { return &pointer; }

private:
  SmallVector<int64_t> fields;
  void *pointer;
};

/// The descriptors of one call.
using Descriptors = std::vector<std::unique_ptr<Descriptor>>;
} // namespace

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
  auto transformer =
      makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0, machine->get());
  options.transformer = transformer;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    symbols[interner("fp8rt_matmul")] = {
        llvm::orc::ExecutorAddr::fromPtr(&fp8rt_matmul),
        llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  // Compiles now what would be compiled at the first call.
  if (auto function = (*engine)->lookupPacked("_mlir_ciface_" + signature.name);
      !function)
    return function.takeError();
  Executable executable;
  executable.signature = std::move(signature);
  executable.engine = std::move(*engine);
  return executable;
}

/// Calls the C interface of `name` with `descriptors`, further pointers by
/// value, and a place for the result.
template <typename ResultT>
static Expected<ResultT> call(ExecutionEngine &engine, StringRef name,
                              const Descriptors &descriptors,
                              MutableArrayRef<void *> pointers) {
  SmallVector<void *> packed;
  for (const auto &descriptor : descriptors)
    packed.push_back(descriptor->getPacked());
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  ResultT result{};
  packed.push_back(&result);
  if (llvm::Error error =
          engine.invokePacked(("_mlir_ciface_" + name).str(), packed))
    return error;
  return result;
}

Expected<std::vector<std::vector<char>>>
Executable::run(ArrayRef<std::vector<char>> arguments) {
  Descriptors descriptors;
  auto add = [&](void *data, ArrayRef<int64_t> shape) {
    descriptors.push_back(std::make_unique<Descriptor>(data, shape));
  };
  for (auto [bytes, type] : llvm::zip_equal(arguments, signature.arguments))
    add(const_cast<char *>(bytes.data()), type.getShape());
  std::vector<std::vector<char>> results;
  for (RankedTensorType type : signature.results)
    results.emplace_back(llvm::divideCeil(type.getElementTypeBitWidth(), 8) *
                         type.getNumElements());
  for (auto [bytes, type] : llvm::zip_equal(results, signature.results))
    add(bytes.data(), type.getShape());

  auto size = call<int64_t>(*engine, signature.name + "_workspace", descriptors,
                            {});
  if (!size)
    return size.takeError();
  std::vector<char> workspace(*size + kWorkspaceAlignment);
  auto start = reinterpret_cast<void *>(llvm::alignTo(
      reinterpret_cast<uintptr_t>(workspace.data()), kWorkspaceAlignment));
  add(start, {*size});

  void *contextAndStream[] = {nullptr, nullptr};
  auto status =
      call<int32_t>(*engine, signature.name, descriptors, contextAndStream);
  if (!status)
    return status.takeError();
  if (*status != FP8RT_OK)
    return llvm::createStringError("%s: %s", fp8rt_status_name(*status),
                                   fp8rt_last_error());
  return results;
}
