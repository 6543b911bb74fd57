//===- Partition.cpp --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-partition: a joint function becomes a forward and a backward function.
// What goes from one to the other is chosen in Residuals.cpp.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/Residuals.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_PARTITIONPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

static Operation *getReturn(func::FuncOp function) {
  return function.front().getTerminator();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The value that dimension `dim` of `value` is read of, and which of its
/// dimensions: looks through ops that keep their operand's sizes.
static std::pair<Value, int64_t> traceSize(Value value, int64_t dim) {
  while (Operation *op = value.getDefiningOp()) {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    if (auto matmul = dyn_cast<ScaledMMOp>(op)) {
      bool row = dim != rank - 1,
           swapped = row ? matmul.getTransA() : matmul.getTransB();
      value = row ? matmul.getA() : matmul.getB();
      if (dim >= rank - 2 && swapped)
        dim = 2 * rank - 3 - dim;
      continue;
    }
    if (isa<TransposeOp>(op) && dim >= rank - 2)
      dim = 2 * rank - 3 - dim;
    if (auto inits = dyn_cast<DestinationStyleOpInterface>(op))
      value = inits.getTiedOpOperand(cast<OpResult>(value))->get();
    else if (isa<CastOp, TransposeOp>(op))
      value = op->getOperand(0);
    else
      break;
  }
  return {value, dim};
}

/// Reads each size that is read of a computed tensor off what it was computed
/// from, so that no tensor is kept for its size.
static void readSizesAtOrigin(func::FuncOp function) {
  function.walk([](tensor::DimOp op) {
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!dim || !isa<RankedTensorType>(op.getSource().getType()))
      return;
    auto [origin, originDim] = traceSize(op.getSource(), *dim);
    if (origin == op.getSource())
      return;
    OpBuilder b(op);
    if (auto empty = origin.getDefiningOp<tensor::EmptyOp>();
        empty && empty.getType().isDynamicDim(originDim))
      op.replaceAllUsesWith(empty.getDynamicSize(originDim));
    else
      op.replaceAllUsesWith(
          tensor::DimOp::create(b, op.getLoc(), origin, originDim).getResult());
    op.erase();
  });
}

//===----------------------------------------------------------------------===//
// Two functions
//===----------------------------------------------------------------------===//

namespace {
/// Takes a joint function apart.
class Partitioner {
public:
  Partitioner(func::FuncOp joint, const JointSignature &signature,
              ArrayRef<Residual> residuals)
      : joint(joint), signature(signature), residuals(residuals),
        builder(joint) {}

  void run() {
    findEffects();
    buildForward();
    buildBackward();
  }

private:
  /// An argument or a result of a function that is made: its value in the joint
  /// function, and its attributes.
  struct Port {
    Value value;
    DictionaryAttr attributes;
  };

  void findEffects();
  Port getArgument(unsigned number);
  Port getResult(unsigned number);
  Port getResidual(const Residual &residual);
  void buildForward();
  void buildBackward();
  func::FuncOp build(StringRef suffix, ArrayRef<Port> inputs,
                     ArrayRef<Port> outputs,
                     const llvm::DenseSet<Operation *> &effects);

  func::FuncOp joint;
  const JointSignature &signature;
  ArrayRef<Residual> residuals;
  OpBuilder builder;
  /// The ops with side effects, which no result needs to depend on.
  llvm::DenseSet<Operation *> forwardEffects, backwardEffects;
};
} // namespace

void Partitioner::findEffects() {
  llvm::DenseSet<Value> onTangent;
  for (unsigned number : signature.tangents)
    onTangent.insert(joint.getArgument(number));
  for (Operation &op : joint.front().without_terminator()) {
    bool backward = llvm::any_of(
        getReads(&op), [&](Value v) { return onTangent.contains(v); });
    if (backward)
      onTangent.insert(op.result_begin(), op.result_end());
    if (!isMemoryEffectFree(&op))
      (backward ? backwardEffects : forwardEffects).insert(&op);
  }
}

/// The ops of `joint` that compute `wanted` from `given`, and those of
/// `effects` with what they need, in their order.
static SmallVector<Operation *>
findNeeded(func::FuncOp joint, const llvm::DenseMap<Value, Value> &given,
           llvm::DenseSet<Value> wanted,
           const llvm::DenseSet<Operation *> &effects) {
  SmallVector<Operation *> needed;
  for (Operation &op : llvm::reverse(joint.front().without_terminator())) {
    bool isNeeded = llvm::any_of(op.getResults(), [&](Value v) {
      return wanted.contains(v) && !given.contains(v);
    });
    if (!isNeeded && !effects.contains(&op))
      continue;
    needed.push_back(&op);
    SmallVector<Value> reads = getReads(&op);
    wanted.insert(reads.begin(), reads.end());
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

/// Makes a function of the ops that compute `outputs` from `inputs`, and those
/// of `effects`.
func::FuncOp Partitioner::build(StringRef suffix, ArrayRef<Port> inputs,
                                ArrayRef<Port> outputs,
                                const llvm::DenseSet<Operation *> &effects) {
  auto getTypes = [](ArrayRef<Port> ports) {
    return llvm::map_to_vector(
        ports, [](const Port &port) { return port.value.getType(); });
  };
  auto getAttributes = [](ArrayRef<Port> ports) {
    return llvm::map_to_vector(
        ports, [](const Port &port) { return port.attributes; });
  };
  auto function = func::FuncOp::create(
      builder, joint.getLoc(), (joint.getName() + suffix).str(),
      builder.getFunctionType(getTypes(inputs), getTypes(outputs)));
  function->setDiscardableAttrs(joint->getDiscardableAttrDictionary());
  function.setVisibility(joint.getVisibility());
  function.setAllArgAttrs(getAttributes(inputs));
  function.setAllResultAttrs(getAttributes(outputs));
  OpBuilder body = OpBuilder::atBlockBegin(function.addEntryBlock());

  llvm::DenseMap<Value, Value> given;
  llvm::DenseSet<Value> wanted;
  IRMapping map;
  for (auto [index, port] : llvm::enumerate(inputs)) {
    given[port.value] = function.getArgument(index);
    map.map(port.value, function.getArgument(index));
  }
  for (const Port &port : outputs)
    wanted.insert(port.value);
  for (Operation *op : findNeeded(joint, given, wanted, effects)) {
    body.clone(*op, map);
    // A result that is given, of an op of which another one is not.
    for (Value result : op->getResults())
      if (Value argument = given.lookup(result))
        map.map(result, argument);
  }
  func::ReturnOp::create(body, getReturn(joint)->getLoc(),
                         llvm::map_to_vector(outputs, [&](const Port &port) {
                           return map.lookup(port.value);
                         }));
  return function;
}

Partitioner::Port Partitioner::getArgument(unsigned number) {
  DictionaryAttr attributes = joint.getArgAttrDict(number);
  return {joint.getArgument(number),
          attributes ? attributes : builder.getDictionaryAttr({})};
}

Partitioner::Port Partitioner::getResult(unsigned number) {
  DictionaryAttr attributes = joint.getResultAttrDict(number);
  return {getReturn(joint)->getOperand(number),
          attributes ? attributes : builder.getDictionaryAttr({})};
}

/// `residual` as an argument of the backward function. Its mark says what of
/// the forward function it is.
Partitioner::Port Partitioner::getResidual(const Residual &residual) {
  NamedAttrList attributes;
  unsigned number = residual.number;
  auto before = [&](unsigned end) {
    return llvm::count_if(signature.tangents,
                          [=](unsigned tangent) { return tangent < end; });
  };
  switch (residual.kind) {
  case ResidualKind::Argument:
    attributes = getArgument(number).attributes;
    attributes.set(kArgumentAttr,
                   builder.getI64IntegerAttr(number - before(number)));
    break;
  case ResidualKind::Result:
    number = llvm::find(signature.results, number) - signature.results.begin();
    attributes.set(kResidualAttr, builder.getI64IntegerAttr(number));
    break;
  case ResidualKind::Saved:
    number += signature.results.size();
    attributes.set(kResidualAttr, builder.getI64IntegerAttr(number));
    break;
  }
  return {residual.value, attributes.getDictionary(builder.getContext())};
}

/// From the arguments to the results, then what is saved.
void Partitioner::buildForward() {
  SmallVector<Port> inputs, outputs;
  for (unsigned i = 0; i < joint.getNumArguments(); ++i)
    if (!signature.isTangent(i))
      inputs.push_back(getArgument(i));
  for (unsigned number : signature.results)
    outputs.push_back(getResult(number));
  for (const Residual &residual : residuals) {
    if (residual.kind != ResidualKind::Saved)
      continue;
    NamedAttribute mark(kSavedAttr,
                        builder.getStringAttr(residual.description));
    outputs.push_back({residual.value, builder.getDictionaryAttr(mark)});
  }
  build("_forward", inputs, outputs, forwardEffects);
}

/// From the residuals, then the tangents, to the gradients.
void Partitioner::buildBackward() {
  SmallVector<Port> inputs, outputs;
  for (const Residual &residual : residuals)
    inputs.push_back(getResidual(residual));
  for (unsigned number : signature.tangents)
    inputs.push_back(getArgument(number));
  for (unsigned i = 0; i < joint.getNumResults(); ++i)
    if (signature.isGradient(i))
      outputs.push_back(getResult(i));
  func::FuncOp function = build("_backward", inputs, outputs, backwardEffects);
  function->setAttr(kBackwardAttr, builder.getUnitAttr());
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// Takes the tangents and the gradients away, with all that only they need.
static LogicalResult keepForward(func::FuncOp function,
                                 const JointSignature &signature) {
  llvm::BitVector gradients(function.getNumResults(), true);
  for (unsigned number : signature.results)
    gradients.reset(number);
  Operation *terminator = getReturn(function);
  terminator->eraseOperands(gradients);
  if (failed(function.eraseResults(gradients)))
    return failure();
  SmallVector<Operation *> ops;
  for (Operation &op : function.front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  llvm::BitVector tangents(function.getNumArguments());
  for (unsigned number : signature.tangents) {
    tangents.set(number);
    if (!function.getArgument(number).use_empty())
      return function.emitOpError("expects results of the forward pass that "
                                  "depend on no tangent, but argument ")
             << number << " is still read";
  }
  return function.eraseArguments(tangents);
}

/// Tells each residual, and their sum.
static void reportResiduals(func::FuncOp function,
                            ArrayRef<Residual> residuals) {
  auto options = remark::RemarkOpts::name("Residual")
                     .category("fp8")
                     .function(function.getName());
  int64_t saved = 0;
  for (const Residual &residual : residuals) {
    StringRef kind = "saved";
    if (residual.kind == ResidualKind::Saved)
      saved += residual.bytes;
    else
      kind = residual.kind == ResidualKind::Argument ? "an argument, kept"
                                                     : "a result, kept";
    std::string type;
    llvm::raw_string_ostream(type) << residual.value.getType();
    remark::analysis(residual.value.getLoc(), options) << remark::add(
        "{0}: {1} {2}, {3} bytes, wide {4}", residual.description, kind, type,
        residual.bytes, residual.wideBytes);
  }
  remark::analysis(function.getLoc(), remark::RemarkOpts::name("Residuals")
                                          .category("fp8")
                                          .function(function.getName()))
      << remark::add(
             "{0} bytes saved, {1} kept for the backward pass, wide {2}", saved,
             getTotalBytes(residuals), getTotalWideBytes(residuals));
}

namespace {
struct PartitionPass : fp8::impl::PartitionPassBase<PartitionPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions = getFunctions();
    for (func::FuncOp function : functions) {
      FailureOr<JointSignature> signature = getSignature(function);
      if (failed(signature))
        return signalPassFailure();
      LogicalResult done = forwardOnly ? keepForward(function, *signature)
                                       : partition(function, *signature);
      if (failed(done))
        return signalPassFailure();
    }
  }

private:
  SmallVector<func::FuncOp> getFunctions();
  FailureOr<JointSignature> getSignature(func::FuncOp function);
  LogicalResult check(func::FuncOp function);
  LogicalResult partition(func::FuncOp function,
                          const JointSignature &signature);
};
} // namespace

/// The joint functions: those with marks, or else every public one. A forward
/// function is no joint one, if nothing says that it is.
SmallVector<func::FuncOp> PartitionPass::getFunctions() {
  SmallVector<func::FuncOp> marked, others;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isExternal() || function->hasAttr(kCompanionAttr))
      continue;
    if (getJointSignature(function))
      marked.push_back(function);
    else if (function.isPublic())
      others.push_back(function);
  }
  if (!marked.empty())
    return marked;
  if (forwardOnly && tangents.empty() && results.empty())
    return {};
  return others;
}

/// What marks say, or else options. What nothing says is told.
FailureOr<JointSignature> PartitionPass::getSignature(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects one block to partition, but has ")
           << function.getBody().getBlocks().size();
  if (std::optional<JointSignature> marked = getJointSignature(function))
    return *marked;
  FailureOr<JointSignature> signature =
      getJointSignature(function, tangents, results);
  if (failed(signature))
    return failure();
  auto toRange = [](ArrayRef<unsigned> numbers) {
    return llvm::make_range(numbers.begin(), numbers.end());
  };
  if (tangents.empty() || results.empty())
    remark::analysis(function.getLoc(),
                     remark::RemarkOpts::name("JointSignature").category("fp8"))
        << remark::add("taken for a joint function: tangents are the arguments "
                       "{0}, the forward pass has the results {1}",
                       toRange(signature->tangents),
                       toRange(signature->results));
  for (auto [tangent, result] :
       llvm::zip(signature->tangents, signature->results))
    function.setArgAttr(tangent, kTangentAttr,
                        Builder(&getContext()).getI64IntegerAttr(result));
  return signature;
}

/// Refuses names that are taken, and functions that something refers to.
LogicalResult PartitionPass::check(func::FuncOp function) {
  for (StringRef suffix : {"_forward", "_backward"})
    if (auto *other = SymbolTable::lookupSymbolIn(
            getOperation(), (function.getName() + suffix).str()))
      return other->emitOpError(
                 "expects another name: this is that of a part of "
                 "'")
             << function.getName() << "'";
  if (keepJoint)
    return success();
  auto uses = SymbolTable::getSymbolUses(function, getOperation());
  if (!uses || uses->empty())
    return success();
  return uses->begin()->getUser()->emitOpError(
             "expects a function that is not partitioned, but '")
         << function.getName() << "' is; keep-joint keeps it";
}

LogicalResult PartitionPass::partition(func::FuncOp function,
                                       const JointSignature &signature) {
  if (failed(check(function)))
    return failure();
  readSizesAtOrigin(function);
  ResidualOptions options;
  options.recomputeArguments = recomputeArguments;
  options.dynamicSize = dynamicSize;
  if (maxBytes >= 0)
    options.maxBytes = maxBytes;
  FailureOr<SmallVector<Residual>> residuals =
      findResiduals(function, signature, options);
  if (failed(residuals))
    return failure();
  reportResiduals(function, *residuals);
  Partitioner(function, signature, *residuals).run();
  if (!keepJoint)
    function.erase();
  return success();
}
