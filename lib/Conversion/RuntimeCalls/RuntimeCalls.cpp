//===- RuntimeCalls.cpp -----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-add-runtime-arguments, and the calls of the runtime that rely on it.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Conversion/RuntimeCalls.h"
#include "Fp8/Conversion/Passes.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_ADDRUNTIMEARGUMENTSPASS
#include "Fp8/Conversion/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// Marks of the arguments and of the slot that the pass adds.
static constexpr StringLiteral kContextAttr = "fp8.context";
static constexpr StringLiteral kStreamAttr = "fp8.stream";
static constexpr StringLiteral kStatusAttr = "fp8.status";

//===----------------------------------------------------------------------===//
// RuntimeFunction
//===----------------------------------------------------------------------===//

FailureOr<RuntimeFunction> RuntimeFunction::get(func::FuncOp function) {
  RuntimeFunction result;
  result.function = function;
  for (BlockArgument argument : function.getArguments()) {
    if (function.getArgAttr(argument.getArgNumber(), kContextAttr))
      result.context = argument;
    if (function.getArgAttr(argument.getArgNumber(), kStreamAttr))
      result.stream = argument;
  }
  for (auto slot : function.front().getOps<memref::AllocaOp>())
    if (slot->hasAttr(kStatusAttr))
      result.status = slot;
  if (!result.context || !result.status)
    return function.emitOpError("expects a context and a status, which "
                                "fp8-add-runtime-arguments adds, but has none");
  return result;
}

void RuntimeFunction::emitCall(OpBuilder &b, Location loc, StringRef symbol,
                               ValueRange arguments) const {
  auto module = function->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!callee) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        b.getI32Type(), llvm::to_vector(arguments.getTypes()));
    callee = LLVM::LLVMFuncOp::create(top, module.getLoc(), symbol, type);
  }
  auto call = LLVM::CallOp::create(b, loc, callee, arguments);
  // The first failure is the one that is reported.
  Value before = memref::LoadOp::create(b, loc, status);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value good =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, zero);
  Value after = arith::SelectOp::create(b, loc, good, call.getResult(), before);
  memref::StoreOp::create(b, loc, after, status);
}

void RuntimeFunction::emitReturn(OpBuilder &b, Location loc) const {
  Value value = memref::LoadOp::create(b, loc, status);
  func::ReturnOp::create(b, loc, value);
}

FailureOr<RuntimeFunction> fp8::getPrepareFunction(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  auto prepare = module.lookupSymbol<func::FuncOp>(
      (function.getName() + runtime::kPrepareSuffix).str());
  if (!prepare)
    return function.emitOpError("expects a companion ")
           << function.getName() << runtime::kPrepareSuffix
           << ", which fp8-add-runtime-arguments makes, but there is none";
  return RuntimeFunction::get(prepare);
}

FailureOr<Value> fp8::cloneSizeComputation(OpBuilder &b, func::FuncOp function,
                                           func::FuncOp companion,
                                           Value value) {
  IRMapping map;
  // The companion's last argument is its context.
  for (BlockArgument to : companion.getArguments().drop_back())
    map.map(function.getArgument(to.getArgNumber()), to);
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.inclusive = true;
  SetVector<Operation *> slice;
  (void)getBackwardSlice(value, &slice, options);
  auto isKnown = [&](Value operand) {
    return !isa<BlockArgument>(operand) || map.contains(operand);
  };
  for (Operation *op : slice) {
    if (!isPure(op) || !llvm::all_of(op->getOperands(), isKnown))
      return op->emitOpError("expects sizes that follow from the sizes of the "
                             "arguments, but one depends on this op");
    b.clone(*op, map);
  }
  return map.lookupOrDefault(value);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// A status slot that starts at 0, and its value as what `function` returns.
static void addStatus(func::FuncOp function) {
  Location loc = function.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  auto status =
      memref::AllocaOp::create(b, loc, MemRefType::get({}, b.getI32Type()));
  status->setAttr(kStatusAttr, b.getUnitAttr());
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  memref::StoreOp::create(b, loc, zero, status);
  function.walk([&](func::ReturnOp op) {
    b.setInsertionPoint(op);
    Value value = memref::LoadOp::create(b, op.getLoc(), status.getMemref());
    op->insertOperands(0, value);
  });
}

/// Makes NAME_prepare, with the buffers of `function` but for its last one, the
/// workspace.
static void addPrepare(func::FuncOp function) {
  Location loc = function.getLoc();
  OpBuilder b(function);
  b.setInsertionPointAfter(function);
  auto inputs =
      llvm::to_vector(function.getFunctionType().getInputs().drop_back());
  inputs.push_back(LLVM::LLVMPointerType::get(b.getContext()));
  auto prepare = func::FuncOp::create(
      b, loc, (function.getName() + runtime::kPrepareSuffix).str(),
      b.getFunctionType(inputs, b.getI32Type()));
  prepare->setAttr(kCompanionAttr, b.getUnitAttr());
  prepare.setArgAttr(inputs.size() - 1, kContextAttr, b.getUnitAttr());
  b.setInsertionPointToStart(prepare.addEntryBlock());
  func::ReturnOp::create(b, loc);
  addStatus(prepare);
}

/// Emits an error if `function` cannot get what the pass adds.
static LogicalResult check(func::FuncOp function) {
  if (function.getNumResults() != 0)
    return function.emitOpError("expects results as destinations, but returns ")
           << function.getResultTypes();
  TypeRange inputs = function.getArgumentTypes();
  auto last =
      inputs.empty() ? MemRefType() : dyn_cast<MemRefType>(inputs.back());
  if (!last || !last.getElementType().isInteger(8) || last.getRank() != 1)
    return function.emitOpError(
               "expects a workspace as its last argument, which "
               "fp8-plan-workspace adds, but got ")
           << function.getFunctionType();
  std::string name = (function.getName() + runtime::kPrepareSuffix).str();
  Operation *other = SymbolTable::lookupSymbolIn(function->getParentOp(), name);
  if (!other)
    return success();
  auto diagnostic = function.emitOpError("expects the name '")
                    << name << "' to be free";
  diagnostic.attachNote(other->getLoc()) << "this has it";
  return diagnostic;
}

/// Gives `function` a context, a stream and a status, and a companion.
static LogicalResult addRuntimeArguments(func::FuncOp function) {
  if (failed(check(function)))
    return failure();
  MLIRContext *context = function.getContext();
  Builder b(context);
  addPrepare(function);
  auto pointer = LLVM::LLVMPointerType::get(context);
  Location loc = function.getLoc();
  unsigned count = function.getNumArguments();
  auto mark = [&](StringRef name) {
    return b.getDictionaryAttr(b.getNamedAttr(name, b.getUnitAttr()));
  };
  if (failed(function.insertArguments({count, count}, {pointer, pointer},
                                      {mark(kContextAttr), mark(kStreamAttr)},
                                      {loc, loc})) ||
      failed(function.insertResult(0, b.getI32Type(), b.getDictionaryAttr({}))))
    return failure();
  addStatus(function);
  return success();
}

namespace {
struct AddRuntimeArgumentsPass
    : fp8::impl::AddRuntimeArgumentsPassBase<AddRuntimeArgumentsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal() || !function.isPublic() ||
          function->hasAttr(kCompanionAttr))
        continue;
      if (failed(addRuntimeArguments(function)))
        return signalPassFailure();
    }
  }
};
} // namespace
