//===- CInterface.cpp ----------------------------------------------*- C++ -*-===//
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
enum TensorField { kData = 0, kSizes = 1 };

static LLVM::LLVMStructType getTensorType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(
      context, {pointer, pointer, pointer, i32, i32});
}

static LLVM::LLVMStructType getSpecType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(context, {pointer, pointer, i32, i32});
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
  /// A constant array of fp8rt_tensor_spec for the tensors.
  LLVM::GlobalOp createSpecs();
  LLVM::GlobalOp createSizes(StringRef name, MemRefType type);
  LLVM::GlobalOp createName(StringRef name, StringRef text);
  LLVM::GlobalOp createGlobal(Type type, StringRef name,
                              function_ref<Value()> init);

  /// Renames `inner`, makes a function of its name that takes `types` behind the
  /// tensors, and calls it, between the check of the tensors and the return.
  void wrap(func::FuncOp inner, ArrayRef<Type> types, bool needData,
            function_ref<void(func::CallOp, ArrayRef<Value>, ValueRange)> fn,
            function_ref<void(ValueRange, SmallVectorImpl<Value> &)> extra);
  /// The buffers that `tensors` describe.
  SmallVector<Value> createBuffers(Value tensors);
  Value createBuffer(MemRefType type, Value data, ArrayRef<Value> sizes);

  ModuleOp module;
  func::FuncOp function;
  OpBuilder b;
  Location loc;
  Type pointer;
  SmallVector<MemRefType> tensorTypes;
  SmallVector<std::string> tensorNames;
  LLVM::GlobalOp specs;
};
} // namespace

LLVM::GlobalOp InterfaceBuilder::createGlobal(Type type, StringRef name,
                                              function_ref<Value()> init) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name,
                                       Attribute());
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
  auto array = LLVM::LLVMArrayType::get(
      b.getI64Type(), std::max<int64_t>(type.getRank(), 1));
  return createGlobal(array, name, [&]() -> Value {
    Value sizes = LLVM::ZeroOp::create(b, loc, array);
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      Value known = LLVM::ConstantOp::create(
          b, loc,
          b.getI64IntegerAttr(ShapedType::isDynamic(size) ? -1 : size));
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
            b, loc, all, value, ArrayRef<int64_t>{i, (int64_t)field});
    }
    return all;
  });
}

LogicalResult InterfaceBuilder::collectTensors() {
  // Behind the tensors come workspace, context and stream.
  ArrayRef<Type> inputs = function.getFunctionType().getInputs();
  if (inputs.size() < 3)
    return function.emitOpError("expects a workspace, a context and a stream, "
                                "but has ")
           << inputs.size() << " arguments";
  unsigned results = 0;
  for (auto [index, input] : llvm::enumerate(inputs.drop_back(3))) {
    auto type = dyn_cast<MemRefType>(input);
    if (!type || runtime::getRuntimeType(type.getElementType()) == FP8RT_NONE)
      return function.emitOpError("expects buffers of floats or integers as "
                                  "arguments, but got ")
             << input;
    auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttr);
    bool result = function.getArgAttr(index, kResultAttr) != nullptr;
    tensorTypes.push_back(type);
    tensorNames.push_back(name     ? name.str()
                          : result ? "result" + std::to_string(results)
                                   : "arg" + std::to_string(index));
    results += result;
  }
  return success();
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
  auto descriptorType = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
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

SmallVector<Value> InterfaceBuilder::createBuffers(Value tensors) {
  LLVM::LLVMStructType tensorType = getTensorType(b.getContext());
  SmallVector<Value> buffers;
  for (auto [index, type] : llvm::enumerate(tensorTypes)) {
    auto load = [&](TensorField field) -> Value {
      Value address = LLVM::GEPOp::create(
          b, loc, pointer, tensorType, tensors,
          ArrayRef<LLVM::GEPArg>{(int32_t)index, (int32_t)field});
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
      Value address =
          LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), sizesPointer,
                              ArrayRef<LLVM::GEPArg>{(int32_t)dim});
      sizes.push_back(LLVM::LoadOp::create(b, loc, b.getI64Type(), address));
    }
    buffers.push_back(createBuffer(type, data, sizes));
  }
  return buffers;
}
