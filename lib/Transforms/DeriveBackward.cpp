//===- DeriveBackward.cpp ---------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-derive-backward: reverse-mode differentiation of whole functions. The
// rules of the ops are theirs (VjpOpInterface); here is what is common: which
// values need a cotangent, and how the contributions to one are added up.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/Vjp.h"
#include "Vjp/VjpUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_DERIVEBACKWARDPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// True for types that a derivative passes through, or that hide one.
static bool carriesDerivative(Type type) {
  return isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
}

/// The values that an op may depend on; all of them if it does not say.
static SmallVector<Value> getInputs(Operation *op) {
  if (auto vjp = dyn_cast<VjpOpInterface>(op))
    return vjp.getVjpInputs();
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs.takeVector();
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

namespace {
class FunctionDeriver {
public:
  explicit FunctionDeriver(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  LogicalResult derive();

private:
  LogicalResult check();
  void findActive();
  LogicalResult findNeeded();
  void addTangents();
  LogicalResult differentiate(Operation *op);
  void addGradients();

  void contribute(Value value, Value cotangent);
  Value getCotangent(Value value);
  bool wantsGradient(BlockArgument argument);

  func::FuncOp function;
  OpBuilder builder;
  /// Values that depend on an argument that wants a gradient.
  llvm::DenseSet<Value> active;
  /// How many contributions to a value's cotangent are expected. A value that
  /// is not in the map needs none.
  llvm::DenseMap<Value, unsigned> numReaders;
  /// The ops to differentiate, in their order.
  SmallVector<Operation *> needed;
  llvm::DenseMap<Value, SmallVector<Value>> contributions;
};
} // namespace

static Operation *getReturn(func::FuncOp function) {
  return function.front().getTerminator();
}

bool FunctionDeriver::wantsGradient(BlockArgument argument) {
  return isa<RankedTensorType>(argument.getType()) &&
         isFloat(argument.getType()) &&
         !function.getArgAttr(argument.getArgNumber(), kFrozenAttr);
}

/// Refuses functions that cannot be differentiated whatever their ops.
LogicalResult FunctionDeriver::check() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects one block to differentiate, but has ")
           << function.getBody().getBlocks().size();
  if (llvm::none_of(function.getResultTypes(), isFloat))
    return function.emitOpError("expects a floating-point result to "
                                "differentiate, but got ")
           << function.getFunctionType();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<UnrankedTensorType>(type) && isFloat(type) &&
        !function.getArgAttr(index, kFrozenAttr))
      return function.emitOpError("expects a ranked tensor or ")
             << kFrozenAttr << " as argument " << index << ", but got " << type;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (isFp8Type(getElementTypeOrSelf(type)))
      return function.emitOpError("expects wide results to differentiate, but "
                                  "result ")
             << index << " is " << type;
  for (BlockArgument argument : function.getArguments())
    if (wantsGradient(argument) &&
        isFp8Type(getElementTypeOrSelf(argument.getType())))
      return function.emitOpError("expects an argument of an fp8 type to be ")
             << kFrozenAttr << ", but argument " << argument.getArgNumber()
             << " is not: " << argument.getType();
  return success();
}

void FunctionDeriver::findActive() {
  for (BlockArgument argument : function.getArguments())
    if (wantsGradient(argument))
      active.insert(argument);
  for (Operation &op : function.front())
    if (llvm::any_of(getInputs(&op),
                     [&](Value input) { return active.contains(input); }))
      for (Value result : op.getResults())
        if (carriesDerivative(result.getType()))
          active.insert(result);
}

/// Finds the ops on a path from an active argument to a result. The first one
/// that has no derivative is an error.
LogicalResult FunctionDeriver::findNeeded() {
  Operation *unknown = nullptr;
  for (Value result : getReturn(function)->getOperands())
    if (isFloat(result.getType()))
      ++numReaders[result];
  for (Operation &op : llvm::reverse(function.front().without_terminator())) {
    bool isNeeded = llvm::any_of(op.getResults(), [&](Value result) {
      return active.contains(result) && numReaders.contains(result);
    });
    // What an op does by side effects is not followed.
    bool hides = op.getNumResults() == 0 && !isMemoryEffectFree(&op) &&
                 llvm::any_of(getInputs(&op), [&](Value input) {
                   return active.contains(input);
                 });
    if (!isNeeded && !hides)
      continue;
    if (hides || !isa<VjpOpInterface>(op))
      unknown = &op;
    needed.push_back(&op);
    for (Value input : getInputs(&op))
      if (active.contains(input))
        ++numReaders[input];
  }
  std::reverse(needed.begin(), needed.end());
  if (!unknown)
    return success();
  if (auto call = dyn_cast<func::CallOp>(unknown))
    return call.emitOpError("expects a function with one block on a "
                            "differentiated path, but '")
           << call.getCallee() << "' cannot be inlined";
  return unknown->emitOpError("expects an op with a derivative on a path from "
                              "an argument to a result, but ")
         << unknown->getName() << " has none";
}

/// Adds one argument a floating-point result.
void FunctionDeriver::addTangents() {
  for (auto [number, result] :
       llvm::enumerate(getReturn(function)->getOperands())) {
    if (!isFloat(result.getType()))
      continue;
    unsigned index = function.getNumArguments();
    NamedAttribute mark(kTangentAttr, builder.getI64IntegerAttr(number));
    LogicalResult inserted = function.insertArgument(
        index, result.getType(), builder.getDictionaryAttr(mark),
        result.getLoc());
    (void)inserted;
    assert(succeeded(inserted) && "a function takes arguments");
    if (active.contains(result))
      contribute(result, function.getArgument(index));
  }
}

void FunctionDeriver::contribute(Value value, Value cotangent) {
  contributions[value].push_back(cotangent);
}

/// The sum of the contributions, in the value's type; null if there is none.
Value FunctionDeriver::getCotangent(Value value) {
  ArrayRef<Value> terms = contributions[value];
  if (terms.empty())
    return nullptr;
  return createSum(builder, value.getLoc(), terms,
                   getElementTypeOrSelf(value.getType()));
}

LogicalResult FunctionDeriver::differentiate(Operation *op) {
  auto cotangents = llvm::map_to_vector(
      op->getResults(), [&](Value result) { return getCotangent(result); });
  if (llvm::none_of(cotangents, [](Value value) { return bool(value); }))
    return success();
  auto vjp = cast<VjpOpInterface>(op);
  for (auto [index, input] : llvm::enumerate(vjp.getVjpInputs())) {
    if (!active.contains(input))
      continue;
    Type elementType = getElementTypeOrSelf(input.getType());
    if (numReaders[input] > 1)
      elementType = getAccumulatorType(elementType);
    FailureOr<Value> cotangent =
        vjp.buildVjp(builder, index, cotangents, elementType);
    if (failed(cotangent))
      return failure();
    if (!*cotangent)
      continue;
    // A rule may know a size better than the type does.
    Value value = *cotangent;
    if (auto type = dyn_cast<RankedTensorType>(input.getType()))
      if (value.getType() != type.clone(elementType))
        value = tensor::CastOp::create(builder, op->getLoc(),
                                       type.clone(elementType), value);
    contribute(input, value);
  }
  return success();
}

/// Adds one result an argument that wants a gradient.
void FunctionDeriver::addGradients() {
  Operation *terminator = getReturn(function);
  SmallVector<Value> operands(terminator->getOperands());
  unsigned numTangents = llvm::count_if(function.getResultTypes(), isFloat);
  // All at once: inserting one rebuilds the function's type.
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument argument :
       function.getArguments().drop_back(numTangents)) {
    if (!wantsGradient(argument))
      continue;
    Value gradient = getCotangent(argument);
    if (!gradient)
      gradient = createZeros(builder, argument.getLoc(), argument,
                             getElementTypeOrSelf(argument.getType()));
    NamedAttribute mark(kGradientAttr,
                        builder.getI64IntegerAttr(argument.getArgNumber()));
    types.push_back(argument.getType());
    attributes.push_back(builder.getDictionaryAttr(mark));
    operands.push_back(gradient);
  }
  SmallVector<unsigned> positions(types.size(), function.getNumResults());
  LogicalResult inserted = function.insertResults(positions, types, attributes);
  (void)inserted;
  assert(succeeded(inserted) && "a function takes results");
  terminator->setOperands(operands);
}

LogicalResult FunctionDeriver::derive() {
  if (failed(check()))
    return failure();
  findActive();
  if (failed(findNeeded()))
    return failure();
  builder.setInsertionPoint(getReturn(function));
  addTangents();
  for (Operation *op : llvm::reverse(needed))
    if (failed(differentiate(op)))
      return failure();
  addGradients();
  return success();
}

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

/// Inlines the calls in `function` of functions with a body, and those in what
/// came in. A function that calls itself is an error.
static LogicalResult inlineCalls(func::FuncOp function, SymbolTable &symbols,
                                 llvm::SetVector<Operation *> &inlined) {
  struct Call {
    func::CallOp op;
    SmallVector<Operation *> path;
  };
  SmallVector<Call> worklist;
  function.walk(
      [&](func::CallOp call) { worklist.push_back({call, {function}}); });
  InlinerInterface interface(function.getContext());
  InlinerConfig config;
  while (!worklist.empty()) {
    Call call = worklist.pop_back_val();
    auto callee = symbols.lookup<func::FuncOp>(call.op.getCallee());
    if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
      continue;
    if (llvm::is_contained(call.path, callee))
      return call.op.emitOpError("expects no recursion in a differentiated "
                                 "function, but '")
             << callee.getName() << "' calls itself";
    call.path.push_back(callee);
    Operation *before = call.op->getPrevNode();
    Operation *after = call.op->getNextNode();
    Block *block = call.op->getBlock();
    if (failed(inlineCall(interface, config.getCloneCallback(), call.op, callee,
                          &callee.getBody())))
      continue;
    call.op.erase();
    inlined.insert(callee);
    auto begin = before ? std::next(before->getIterator()) : block->begin();
    for (Operation &op : llvm::make_range(begin, after->getIterator()))
      op.walk(
          [&](func::CallOp next) { worklist.push_back({next, call.path}); });
  }
  return success();
}

namespace {
struct DeriveBackwardPass
    : fp8::impl::DeriveBackwardPassBase<DeriveBackwardPass> {
  using Base::Base;

  /// And the rules, for a driver that registered passes alone.
  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerVjpExternalModels(registry);
    func::registerInlinerExtension(registry);
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    FailureOr<SmallVector<func::FuncOp>> functions = getFunctions(symbols);
    if (failed(functions))
      return signalPassFailure();
    llvm::SetVector<Operation *> inlined;
    for (func::FuncOp target : *functions)
      if (failed(inlineCalls(target, symbols, inlined)))
        return signalPassFailure();
    for (Operation *callee : inlined)
      if (cast<func::FuncOp>(callee).isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(callee, getOperation()))
        symbols.erase(callee);
    if (failed(checkCalls(*functions)))
      return signalPassFailure();
    for (func::FuncOp target : *functions)
      if (failed(FunctionDeriver(target).derive()))
        return signalPassFailure();
  }

private:
  /// Refuses calls of functions whose type is about to change.
  LogicalResult checkCalls(ArrayRef<func::FuncOp> targets) {
    llvm::StringSet<> names;
    for (func::FuncOp target : targets)
      names.insert(target.getName());
    WalkResult result = getOperation()->walk([&](func::CallOp call) {
      if (!names.contains(call.getCallee()))
        return WalkResult::advance();
      return WalkResult(call.emitOpError("expects a callee that is not "
                                         "differentiated, but '")
                        << call.getCallee() << "' is");
    });
    return failure(result.wasInterrupted());
  }

  /// The functions to differentiate.
  FailureOr<SmallVector<func::FuncOp>> getFunctions(SymbolTable &symbols) {
    SmallVector<func::FuncOp> functions;
    if (!function.empty()) {
      auto named = symbols.lookup<func::FuncOp>(function);
      if (!named || named.isExternal())
        return getOperation().emitError(
                   "expects a function with a body named '")
               << function << "', but the module has none";
      functions.push_back(named);
      return functions;
    }
    for (auto candidate : getOperation().getOps<func::FuncOp>())
      if (candidate.isPublic() && !candidate.isExternal())
        functions.push_back(candidate);
    return functions;
  }
};
} // namespace
