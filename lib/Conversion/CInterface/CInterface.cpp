//===- CInterface.cpp -------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-emit-c-interface: functions on arrays of fp8rt_tensor around functions on
// buffers.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Conversion/Passes.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_EMITCINTERFACEPASS
#include "Fp8/Conversion/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// What the names of the functions on buffers end in.
static constexpr StringLiteral kBuffersSuffix = "_on_buffers";

/// The fields of fp8rt_tensor and of fp8rt_tensor_spec, which begin alike.
enum TensorField : int32_t { kData = 0, kSizes = 1 };

static LLVM::LLVMStructType getTensorType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(
      context, {pointer, pointer, pointer, i32, i32});
}

static LLVM::LLVMStructType getSpecType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(context,
                                          {pointer, pointer, i32, i32});
}

//===----------------------------------------------------------------------===//
// Specs
//===----------------------------------------------------------------------===//

namespace {
/// Builds the interface of one function and its companions.
class InterfaceBuilder {
public:
  InterfaceBuilder(ModuleOp module, func::FuncOp function)
      : module(module), function(function), b(module.getContext()),
        loc(function.getLoc()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  LogicalResult run();

private:
  LogicalResult collectTensors();
  void findDependents();
  std::string nameTensor(unsigned index);
  /// A constant array of fp8rt_tensor_spec for the tensors.
  LLVM::GlobalOp createSpecs();
  LLVM::GlobalOp createSizes(StringRef name, MemRefType type);
  LLVM::GlobalOp createName(StringRef name, StringRef text);
  LLVM::GlobalOp createGlobal(Type type, StringRef name,
                              function_ref<Value()> init);

  /// Makes `inner` private under another name, and a function of its name that
  /// takes the tensors and `types`, checks the tensors, and goes on at the
  /// insertion point if they are sound.
  func::FuncOp beginOuter(func::FuncOp inner, ArrayRef<Type> types,
                          unsigned numTensors, bool needData);
  bool hasDynamicSizes() const {
    return llvm::any_of(tensorTypes,
                        [](MemRefType type) { return !type.hasStaticShape(); });
  }
  /// The bytes of workspace for `buffers`. Goes on in a block of their own if
  /// 64 bits hold them, else returns a status.
  Value createWorkspaceBytes(func::FuncOp workspace, ValueRange buffers);
  /// Goes on in `next` if `status` is 0, else to `unsound` with it.
  void goOnIfOk(Value status, Block *next, Block *unsound);
  /// Goes on in `function` if tensors have the sizes that follow from those of
  /// the arguments, else to `unsound` with the status.
  void checkDependents(func::FuncOp function, Block *unsound);
  LLVM::GlobalOp getTooLargeMessage();
  void wrapFunction(func::FuncOp workspace);
  void wrapWorkspace(func::FuncOp inner);
  void wrapPrepare(func::FuncOp inner);
  void wrapSizes(func::FuncOp inner);
  /// NAME_tensors(specs, num_arguments, num_results).
  void createTensorsFunction();

  /// The buffers that the first `count` of `tensors` describe.
  SmallVector<Value> createBuffers(Value tensors, unsigned count);
  Value createBuffer(MemRefType type, Value data, ArrayRef<Value> sizes);

  ModuleOp module;
  func::FuncOp function;
  OpBuilder b;
  Location loc;
  Type pointer;
  SmallVector<MemRefType> tensorTypes;
  SmallVector<std::string> tensorNames;
  unsigned numResults = 0;
  /// Tensors with dynamic sizes that are those of a result: which tensor, and
  /// which result.
  SmallVector<std::pair<unsigned, unsigned>> dependents;
  /// NAME_sizes on buffers; null where there is none.
  func::FuncOp sizes;
  LLVM::GlobalOp specs;
};
} // namespace

LLVM::GlobalOp InterfaceBuilder::createGlobal(Type type, StringRef name,
                                              function_ref<Value()> init) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto global =
      LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, loc, init());
  return global;
}

LLVM::GlobalOp InterfaceBuilder::createName(StringRef name, StringRef text) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  std::string terminated = text.str();
  terminated.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), terminated.size());
  return LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                LLVM::Linkage::Internal, name,
                                b.getStringAttr(terminated));
}

LLVM::GlobalOp InterfaceBuilder::createSizes(StringRef name, MemRefType type) {
  // An array of no element has no address of its own to speak of.
  auto array = LLVM::LLVMArrayType::get(b.getI64Type(),
                                        std::max<int64_t>(type.getRank(), 1));
  return createGlobal(array, name, [&]() -> Value {
    Value sizes = LLVM::ZeroOp::create(b, loc, array);
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      Value known = LLVM::ConstantOp::create(
          b, loc, b.getI64IntegerAttr(ShapedType::isDynamic(size) ? -1 : size));
      sizes = LLVM::InsertValueOp::create(b, loc, sizes, known, dim);
    }
    return sizes;
  });
}

LLVM::GlobalOp InterfaceBuilder::createSpecs() {
  std::string prefix = ("fp8_" + function.getName() + "_tensor").str();
  SmallVector<LLVM::GlobalOp> names, sizes;
  for (auto [index, type] : llvm::enumerate(tensorTypes)) {
    std::string number = std::to_string(index);
    names.push_back(createName(prefix + "_name_" + number, tensorNames[index]));
    sizes.push_back(createSizes(prefix + "_sizes_" + number, type));
  }
  auto spec = getSpecType(b.getContext());
  auto array = LLVM::LLVMArrayType::get(spec, tensorTypes.size());
  return createGlobal(array, prefix + "s", [&]() -> Value {
    Value all = LLVM::ZeroOp::create(b, loc, array);
    for (int64_t i = 0, end = tensorTypes.size(); i < end; ++i) {
      auto constant = [&](int64_t value) -> Value {
        return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
      };
      Value fields[] = {
          LLVM::AddressOfOp::create(b, loc, names[i]),
          LLVM::AddressOfOp::create(b, loc, sizes[i]),
          constant(tensorTypes[i].getRank()),
          constant(runtime::getRuntimeType(tensorTypes[i].getElementType()))};
      for (auto [field, value] : llvm::enumerate(fields))
        all = LLVM::InsertValueOp::create(
            b, loc, all, value,
            ArrayRef<int64_t>{i, static_cast<int64_t>(field)});
    }
    return all;
  });
}

/// As messages call argument `index`; results are counted as they come.
std::string InterfaceBuilder::nameTensor(unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttr))
    return name.str();
  if (function.getArgAttr(index, kResultAttr))
    return "result" + std::to_string(numResults);
  if (auto tangent =
          function.getArgAttrOfType<IntegerAttr>(index, kTangentAttr))
    return "d_result" + std::to_string(tangent.getInt());
  return "arg" + std::to_string(index);
}

LogicalResult InterfaceBuilder::collectTensors() {
  // Behind the tensors come workspace, context and stream.
  ArrayRef<Type> inputs = function.getFunctionType().getInputs();
  if (inputs.size() < 3)
    return function.emitOpError("expects a workspace, a context and a stream, "
                                "but has ")
           << inputs.size() << " arguments";
  for (auto [index, input] : llvm::enumerate(inputs.drop_back(3))) {
    auto type = dyn_cast<MemRefType>(input);
    if (!type || runtime::getRuntimeType(type.getElementType()) == FP8RT_NONE)
      return function.emitOpError("expects buffers of floats or integers as "
                                  "arguments, but got ")
             << input;
    tensorTypes.push_back(type);
    tensorNames.push_back(nameTensor(index));
    numResults += function.getArgAttr(index, kResultAttr) != nullptr;
  }
  findDependents();
  return success();
}

/// Results, and in a function of forward and backward pass tangents, which have
/// the sizes of the result of their number.
void InterfaceBuilder::findDependents() {
  unsigned firstResult = tensorTypes.size() - numResults;
  bool isBackward = function->hasAttr(kBackwardAttr);
  for (auto [index, type] : llvm::enumerate(tensorTypes)) {
    if (type.hasStaticShape())
      continue;
    auto tangent = function.getArgAttrOfType<IntegerAttr>(index, kTangentAttr);
    if (index >= firstResult)
      dependents.emplace_back(index, index - firstResult);
    else if (tangent && !isBackward && tangent.getInt() < numResults)
      dependents.emplace_back(index, tangent.getInt());
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value InterfaceBuilder::createBuffer(MemRefType type, Value data,
                                     ArrayRef<Value> sizes) {
  Type i64 = b.getI64Type();
  int64_t rank = type.getRank();
  SmallVector<Type> fields = {pointer, pointer, i64};
  if (rank)
    fields.append(2, LLVM::LLVMArrayType::get(i64, rank));
  auto descriptorType =
      LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  Value descriptor = LLVM::PoisonOp::create(b, loc, descriptorType);
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(b, loc, descriptor, value, position);
  };
  insert(data, {0});
  insert(data, {1});
  insert(LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(0)), {2});
  Value stride = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  for (int64_t dim = rank; dim-- > 0;) {
    insert(sizes[dim], {3, dim});
    insert(stride, {4, dim});
    stride = LLVM::MulOp::create(b, loc, stride, sizes[dim]);
  }
  // The conversion of functions to LLVM gives buffers this very struct.
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}

SmallVector<Value> InterfaceBuilder::createBuffers(Value tensors,
                                                   unsigned count) {
  LLVM::LLVMStructType tensorType = getTensorType(b.getContext());
  SmallVector<Value> buffers;
  for (int32_t index = 0, end = count; index < end; ++index) {
    MemRefType type = tensorTypes[index];
    auto load = [&](int32_t field) -> Value {
      Value address = LLVM::GEPOp::create(b, loc, pointer, tensorType, tensors,
                                          ArrayRef<LLVM::GEPArg>{index, field});
      return LLVM::LoadOp::create(b, loc, pointer, address);
    };
    Value data = load(kData);
    Value sizesPointer = load(kSizes);
    SmallVector<Value> sizes;
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      if (!ShapedType::isDynamic(size)) {
        sizes.push_back(
            LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(size)));
        continue;
      }
      Value address = LLVM::GEPOp::create(
          b, loc, pointer, b.getI64Type(), sizesPointer,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(dim)});
      sizes.push_back(LLVM::LoadOp::create(b, loc, b.getI64Type(), address));
    }
    buffers.push_back(createBuffer(type, data, sizes));
  }
  return buffers;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Renames `inner` and its symbol's readers, and takes what C does not see.
static void makePrivate(func::FuncOp inner) {
  for (unsigned i = 0, end = inner.getNumArguments(); i < end; ++i)
    for (NamedAttribute attribute :
         llvm::to_vector(mlir::function_interface_impl::getArgAttrs(inner, i)))
      if (isa_and_nonnull<Fp8Dialect, bufferization::BufferizationDialect>(
              attribute.getNameDialect()))
        inner.removeArgAttr(i, attribute.getName());
  inner.setName((inner.getName() + kBuffersSuffix).str());
  inner.setPrivate();
  // Visibility of MLIR alone would leave an exported symbol.
  inner->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(inner.getContext(), LLVM::Linkage::Internal));
}

void InterfaceBuilder::goOnIfOk(Value status, Block *next, Block *unsound) {
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value good =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, status, zero);
  cf::CondBranchOp::create(b, loc, good, next, ValueRange(), unsound, status);
  b.setInsertionPointToStart(next);
}

/// The runtime's function `name`, which takes `inputs` and returns a status.
static LLVM::LLVMFuncOp getCheck(ModuleOp module, StringRef name,
                                 ArrayRef<Type> inputs) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(
      b, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(b.getI32Type(), inputs));
}

func::FuncOp InterfaceBuilder::beginOuter(func::FuncOp inner,
                                          ArrayRef<Type> types,
                                          unsigned numTensors, bool needData) {
  std::string name = inner.getName().str();
  makePrivate(inner);
  SmallVector<Type> inputs = {pointer};
  llvm::append_range(inputs, types);
  b.setInsertionPointAfter(inner);
  auto outer = func::FuncOp::create(b, loc, name,
                                    b.getFunctionType(inputs, b.getI32Type()));
  Block *entry = outer.addEntryBlock();
  Block *sound = outer.addBlock(), *unsound = outer.addBlock();
  unsound->addArgument(b.getI32Type(), loc);
  b.setInsertionPointToStart(unsound);
  func::ReturnOp::create(b, loc, unsound->getArgument(0));

  b.setInsertionPointToStart(entry);
  Value count =
      LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(numTensors));
  Value data = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(needData));
  Value arguments[] = {outer.getArgument(0),
                       LLVM::AddressOfOp::create(b, loc, specs), count, data};
  LLVM::LLVMFuncOp callee =
      getCheck(module, runtime::kCheckTensorsSymbol,
               {pointer, pointer, b.getI64Type(), b.getI32Type()});
  Value status = LLVM::CallOp::create(b, loc, callee, arguments).getResult();
  goOnIfOk(status, sound, unsound);
  if (sizes && !dependents.empty())
    checkDependents(outer, unsound);
  return outer;
}

void InterfaceBuilder::checkDependents(func::FuncOp outer, Block *unsound) {
  Value tensors = outer.getArgument(0);
  SmallVector<Value> buffers =
      createBuffers(tensors, tensorTypes.size() - numResults);
  auto found = func::CallOp::create(b, loc, sizes, buffers);
  // The first size of each result among those of all.
  SmallVector<unsigned> first = {0};
  for (MemRefType type : ArrayRef(tensorTypes).take_back(numResults))
    first.push_back(first.back() + type.getRank());
  SmallVector<Value> expected;
  for (auto [index, result] : dependents)
    for (int64_t dim = 0; dim < tensorTypes[index].getRank(); ++dim)
      expected.push_back(found.getResult(first[result] + dim));

  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  auto store = [&](Value array, unsigned position, Value value) {
    Value address = LLVM::GEPOp::create(
        b, loc, pointer, b.getI64Type(), array,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(position)});
    LLVM::StoreOp::create(b, loc, value, address);
  };
  Value indices = LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(),
                                         constant(dependents.size()));
  for (auto [position, dependent] : llvm::enumerate(dependents))
    store(indices, position, constant(dependent.first));
  Value array = LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(),
                                       constant(expected.size()));
  for (auto [position, size] : llvm::enumerate(expected))
    store(array, position,
          arith::IndexCastOp::create(b, loc, b.getI64Type(), size));

  LLVM::LLVMFuncOp callee =
      getCheck(module, runtime::kCheckSizesSymbol,
               {pointer, pointer, pointer, b.getI64Type(), pointer});
  Value arguments[] = {tensors, LLVM::AddressOfOp::create(b, loc, specs),
                       indices, constant(dependents.size()), array};
  Value status = LLVM::CallOp::create(b, loc, callee, arguments).getResult();
  goOnIfOk(status, outer.addBlock(), unsound);
}

LLVM::GlobalOp InterfaceBuilder::getTooLargeMessage() {
  StringRef name = "fp8_workspace_too_large";
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  return createName(name, "workspace: expects fewer than 2^63 bytes of "
                          "temporaries for these sizes");
}

Value InterfaceBuilder::createWorkspaceBytes(func::FuncOp workspace,
                                             ValueRange buffers) {
  Value bytes = func::CallOp::create(b, loc, workspace, buffers).getResult(0);
  if (!hasDynamicSizes())
    return bytes;
  Block *entry = b.getInsertionBlock();
  Region *body = entry->getParent();
  Block *holds = b.createBlock(body, body->end());
  Block *tooLarge = b.createBlock(body, body->end());
  LLVM::LLVMFuncOp callee = getCheck(module, runtime::kFailSymbol, {pointer});
  Value message = LLVM::AddressOfOp::create(b, loc, getTooLargeMessage());
  Value status = LLVM::CallOp::create(b, loc, callee, message).getResult();
  func::ReturnOp::create(b, loc, status);
  b.setInsertionPointToEnd(entry);
  Value zero = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, bytes, zero);
  cf::CondBranchOp::create(b, loc, fits, holds, tooLarge);
  b.setInsertionPointToStart(holds);
  return bytes;
}

void InterfaceBuilder::wrapFunction(func::FuncOp workspace) {
  func::FuncOp outer = beginOuter(function, {pointer, pointer, pointer},
                                  tensorTypes.size(), /*needData=*/true);
  SmallVector<Value> arguments =
      createBuffers(outer.getArgument(0), tensorTypes.size());
  if (hasDynamicSizes())
    (void)createWorkspaceBytes(workspace, arguments);
  // Only NAME_workspace knows how much of it there is.
  Value any = LLVM::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(std::numeric_limits<int64_t>::max()));
  arguments.push_back(createBuffer(
      cast<MemRefType>(function.getArgument(tensorTypes.size()).getType()),
      outer.getArgument(2), any));
  arguments.push_back(outer.getArgument(1));
  arguments.push_back(outer.getArgument(3));
  auto call = func::CallOp::create(b, loc, function, arguments);
  func::ReturnOp::create(b, loc, call.getResults());
}

void InterfaceBuilder::wrapWorkspace(func::FuncOp inner) {
  func::FuncOp outer =
      beginOuter(inner, {pointer}, tensorTypes.size(), /*needData=*/false);
  SmallVector<Value> buffers =
      createBuffers(outer.getArgument(0), tensorTypes.size());
  Value bytes = createWorkspaceBytes(inner, buffers);
  LLVM::StoreOp::create(b, loc, bytes, outer.getArgument(1));
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, loc, zero);
}

void InterfaceBuilder::wrapPrepare(func::FuncOp inner) {
  func::FuncOp outer =
      beginOuter(inner, {pointer}, tensorTypes.size(), /*needData=*/false);
  SmallVector<Value> arguments =
      createBuffers(outer.getArgument(0), tensorTypes.size());
  arguments.push_back(outer.getArgument(1));
  auto call = func::CallOp::create(b, loc, inner, arguments);
  func::ReturnOp::create(b, loc, call.getResults());
}

void InterfaceBuilder::wrapSizes(func::FuncOp inner) {
  unsigned count = inner.getNumArguments();
  func::FuncOp outer = beginOuter(inner, {pointer}, count, /*needData=*/false);
  SmallVector<Value> buffers = createBuffers(outer.getArgument(0), count);
  auto call = func::CallOp::create(b, loc, inner, buffers);
  for (auto [index, size] : llvm::enumerate(call.getResults())) {
    Value value = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    Value address = LLVM::GEPOp::create(
        b, loc, pointer, b.getI64Type(), outer.getArgument(1),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(b, loc, value, address);
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, loc, zero);
}

void InterfaceBuilder::createTensorsFunction() {
  Type inputs[] = {pointer, pointer, pointer};
  auto tensors = func::FuncOp::create(
      b, loc, (function.getName() + runtime::kTensorsSuffix).str(),
      b.getFunctionType(inputs, b.getI32Type()));
  b.setInsertionPointToStart(tensors.addEntryBlock());
  auto store = [&](Value value, unsigned argument) {
    LLVM::StoreOp::create(b, loc, value, tensors.getArgument(argument));
  };
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  store(LLVM::AddressOfOp::create(b, loc, specs), 0);
  store(constant(tensorTypes.size() - numResults), 1);
  store(constant(numResults), 2);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, loc, zero);
}

LogicalResult InterfaceBuilder::run() {
  if (failed(collectTensors()))
    return failure();
  auto companion = [&](StringRef suffix) {
    return module.lookupSymbol<func::FuncOp>(
        (function.getName() + suffix).str());
  };
  func::FuncOp workspace = companion(runtime::kWorkspaceSuffix);
  func::FuncOp prepare = companion(runtime::kPrepareSuffix);
  if (!workspace || !prepare)
    return function.emitOpError("expects companions ")
           << function.getName() << runtime::kWorkspaceSuffix << " and "
           << function.getName() << runtime::kPrepareSuffix
           << ", but one is missing";
  func::FuncOp inner = companion(runtime::kSizesSuffix);
  specs = createSpecs();
  b.setInsertionPointAfter(function);
  createTensorsFunction();
  // A program that was on buffers from the start has none.
  if (inner)
    wrapSizes(inner);
  sizes = inner;
  wrapWorkspace(workspace);
  wrapFunction(workspace);
  wrapPrepare(prepare);
  return success();
}

namespace {
struct EmitCInterfacePass
    : fp8::impl::EmitCInterfacePassBase<EmitCInterfacePass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || !function.isPublic() ||
          function->hasAttr(kCompanionAttr))
        continue;
      if (failed(InterfaceBuilder(module, function).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
