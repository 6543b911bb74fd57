//===- Residuals.cpp --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values a backward pass keeps of the forward pass: a minimal cut of the
// program, after the min-cut partitioner of PyTorch (torch/_functorch/
// partitioners.py) and its rules of what is worth computing again.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/Residuals.h"
#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/ByteSize.h"
#include "MinCut.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fp8;

SmallVector<Value> fp8::getReads(Operation *op) {
  llvm::SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads.takeVector();
}

std::optional<JointSignature> fp8::getJointSignature(func::FuncOp function) {
  JointSignature signature;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kTangentAttr))
      signature.tangents.push_back(i);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, kGradientAttr))
      signature.results.push_back(i);
  if (signature.tangents.empty())
    return std::nullopt;
  return signature;
}

FailureOr<JointSignature> fp8::getJointSignature(func::FuncOp function,
                                                 ArrayRef<unsigned> tangents,
                                                 ArrayRef<unsigned> results) {
  unsigned numArguments = function.getNumArguments();
  unsigned numResults = function.getNumResults();
  JointSignature signature{SmallVector<unsigned>(tangents),
                           SmallVector<unsigned>(results)};
  if (numArguments == 0)
    return function.emitOpError("expects a tangent among the arguments, but "
                                "has no argument");
  if (signature.tangents.empty())
    signature.tangents.push_back(numArguments - 1);
  if (signature.results.empty())
    signature.results.push_back(0);
  for (unsigned number : signature.tangents)
    if (number >= numArguments)
      return function.emitOpError("expects argument ")
             << number << " to be a tangent, but has " << numArguments;
  for (unsigned number : signature.results)
    if (number >= numResults)
      return function.emitOpError("expects result ")
             << number << " to be one of the forward pass, but has "
             << numResults;
  return signature;
}

int64_t fp8::getTotalBytes(ArrayRef<Residual> residuals) {
  int64_t bytes = 0;
  for (const Residual &residual : residuals)
    bytes += residual.bytes;
  return bytes;
}

int64_t fp8::getTotalWideBytes(ArrayRef<Residual> residuals) {
  int64_t bytes = 0;
  for (const Residual &residual : residuals)
    bytes += residual.wideBytes;
  return bytes;
}

//===----------------------------------------------------------------------===//
// What it costs to compute again
//===----------------------------------------------------------------------===//

namespace {
enum class Cost {
  /// No pass over memory: constants, sizes, and views of tensors.
  Free,
  /// Elementwise: free where it fuses with its reader, otherwise one pass.
  Cheap,
  /// Matmuls, reductions, and whatever is not known: never computed again.
  High
};
} // namespace

/// The tensor that `op` is a view of; null if it is none.
static Value getViewed(Operation *op) {
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
          tensor::ExtractSliceOp>(op))
    return op->getOperand(0);
  return nullptr;
}

/// True for linalg ops of which each element of the result is computed by
/// itself.
static bool isElementwise(linalg::LinalgOp op) {
  return op.getNumLoops() == op.getNumParallelLoops();
}

static Cost getCost(Operation *op) {
  if (!isMemoryEffectFree(op))
    return Cost::High;
  bool scalar = op->getNumRegions() == 0 &&
                llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
  if (getViewed(op) || op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::EmptyOp>(op) || scalar)
    return Cost::Free;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return isElementwise(linalgOp) ? Cost::Cheap : Cost::High;
  if (isa<CastOp, ScaleOp, TransposeOp>(op) ||
      isa<tensor::TensorDialect>(op->getDialect()) ||
      OpTrait::hasElementwiseMappableTraits(op))
    return Cost::Cheap;
  return Cost::High;
}

/// True for matmuls that were not raised. A sum of products in which no operand
/// is read more than once, as gradients of norms have it, is a reduction.
static bool isMatmul(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
}

/// True if `op` reads its operands from memory, so that what it reads cannot be
/// computed in the same kernel.
static bool readsFromMemory(Operation *op) {
  if (isa<AmaxOp>(op))
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return isMatmul(linalgOp);
  return getCost(op) == Cost::High;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static bool hasContents(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// The bytes of `value` with elements of `elementType`.
static int64_t getBytes(Value value, Type elementType, int64_t dynamicSize) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? getByteSize(type.getShape(), getElementBytes(elementType),
                            dynamicSize)
              : 0;
}

/// Looks through copies in another order, or with zeros behind.
static Value stripCopies(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<TransposeOp, tensor::PadOp>(op) && !getViewed(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The bytes that `value` stands for in the program before quantization.
static int64_t getWideBytes(Value value, int64_t dynamicSize) {
  Value base = stripCopies(value);
  Type elementType = getElementTypeOrSelf(value.getType());
  if (auto cast = base.getDefiningOp<CastOp>())
    elementType = cast.getInput().getType().getElementType();
  if (base.getDefiningOp<ScaleOp>() || base.getDefiningOp<AmaxOp>())
    return 0;
  // Without the zeros of a padded one.
  for (Value copy = value; copy != base;
       copy = copy.getDefiningOp()->getOperand(0))
    if (auto pad = copy.getDefiningOp<tensor::PadOp>())
      return getBytes(pad.getSource(), elementType, dynamicSize);
  return getBytes(value, elementType, dynamicSize);
}

/// The computed tensor of highest rank among the operands of `op`, or null.
static Value getMainOperand(Operation *op) {
  Value main;
  int64_t highest = -1;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    Operation *producer = operand.getDefiningOp();
    if (!type || type.getRank() <= highest ||
        (producer && isa<tensor::EmptyOp, linalg::FillOp>(producer)))
      continue;
    main = operand;
    highest = type.getRank();
  }
  return main;
}

/// Where `value` comes from, followed for a few ops: an argument or a matmul.
/// What is computed from it is f of it.
static std::string describeOrigin(Value value) {
  constexpr unsigned kMaxSteps = 8;
  for (unsigned steps = 0;; ++steps) {
    auto apply = [&](std::string origin) {
      return steps > 0 ? "f(" + origin + ")" : origin;
    };
    value = stripCopies(value);
    Operation *op = value.getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(value);
      auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
      unsigned number = argument.getArgNumber();
      auto name = function.getArgAttrOfType<StringAttr>(number, kNameAttr);
      return apply(name ? name.str() : "arg" + std::to_string(number));
    }
    if (isa<MatmulOp, ScaledMMOp>(op)) {
      auto name = op->getAttrOfType<StringAttr>("name");
      return apply("result of " + (name ? name.str() : "a matmul"));
    }
    Value origin = getMainOperand(op);
    if (steps == kMaxSteps || !origin)
      return apply(op->getName().getStringRef().str());
    value = origin;
  }
}

/// `value` in words, for reports.
std::string fp8::describeValue(Value value) {
  Value base = stripCopies(value);
  if (auto scale = base.getDefiningOp<ScaleOp>()) {
    std::string what = base == scale.getScale() ? "scale of " : "descale of ";
    auto amax = scale.getAmax().getDefiningOp<AmaxOp>();
    return what + describeOrigin(amax ? amax.getInput() : scale.getAmax());
  }
  if (auto amax = base.getDefiningOp<AmaxOp>())
    return "amax of " + describeOrigin(amax.getInput());
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto cast = base.getDefiningOp<CastOp>())
    os << describeOrigin(cast.getInput()) << " in "
       << cast.getType().getElementType();
  else
    os << describeOrigin(base);
  bool transposed = false;
  for (; value != base; value = value.getDefiningOp()->getOperand(0))
    transposed ^= isa<TransposeOp>(value.getDefiningOp());
  return text + (transposed ? ", transposed" : "");
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

namespace {
class ResidualFinder {
public:
  ResidualFinder(func::FuncOp function, const JointSignature &signature,
                 const ResidualOptions &options)
      : function(function), signature(signature), options(options) {}

  FailureOr<SmallVector<Residual>> find();

private:
  LogicalResult findDependences();
  void visitBackward(Operation *op);
  void visitForward(Operation *op);
  void findCandidates();
  void findLifts();

  bool isKeptArgument(Value value);
  bool isKept(Value value);
  bool isSavable(Value value);
  int64_t getCapacity(Value value);
  bool isRecomputed(Value value, unsigned numLifts);
  int64_t cut(unsigned numLifts, SmallVectorImpl<Value> *chosen);
  FailureOr<unsigned> chooseLifts();
  FailureOr<SmallVector<Value>> choose();
  Residual makeResidual(Value value);

  func::FuncOp function;
  const JointSignature &signature;
  const ResidualOptions &options;
  /// Values that depend on a tangent; on another argument.
  llvm::DenseSet<Value> onTangent, onArgument;
  /// Values on tangents that a gradient depends on.
  llvm::DenseSet<Value> live;
  /// The results of the forward pass, and their numbers.
  llvm::DenseMap<Value, unsigned> results;
  /// What the backward pass reads: by itself, and if it computed again whatever
  /// it can.
  llvm::SetVector<Value> read, candidates;
  /// Candidates of which more is read than the size.
  llvm::DenseSet<Value> contents;
  /// Candidates that an op of the backward pass reads from memory. Those that
  /// are elementwise are computed again only if they are lifted: the first
  /// ones, if the limit asks for it.
  llvm::DenseSet<Value> materialized;
  llvm::DenseMap<Value, unsigned> lifts;
};
} // namespace

/// Finds what depends on what. A result of the forward pass that depends on a
/// tangent is an error.
LogicalResult ResidualFinder::findDependences() {
  for (BlockArgument argument : function.getArguments())
    (signature.isTangent(argument.getArgNumber()) ? onTangent : onArgument)
        .insert(argument);
  auto depends = [](ArrayRef<Value> reads, const llvm::DenseSet<Value> &on) {
    return llvm::any_of(reads, [&](Value v) { return on.contains(v); });
  };
  for (Operation &op : function.front().without_terminator()) {
    SmallVector<Value> reads = getReads(&op);
    if (depends(reads, onTangent))
      onTangent.insert(op.result_begin(), op.result_end());
    if (depends(reads, onArgument))
      onArgument.insert(op.result_begin(), op.result_end());
  }
  Operation *terminator = function.front().getTerminator();
  for (unsigned number : signature.results) {
    Value value = terminator->getOperand(number);
    results.try_emplace(value, number);
    if (onTangent.contains(value))
      return function.emitOpError("expects results of the forward pass that "
                                  "depend on no tangent, but result ")
             << number << " does";
  }
  return success();
}

/// Notes what `op`, which depends on a tangent or returns, reads of the rest.
void ResidualFinder::visitBackward(Operation *op) {
  bool memory = readsFromMemory(op);
  for (Value value : getReads(op)) {
    if (onTangent.contains(value)) {
      live.insert(value);
      continue;
    }
    read.insert(value);
    candidates.insert(value);
    if (!isa<tensor::DimOp>(op))
      contents.insert(value);
    if (memory)
      materialized.insert(value);
  }
}

/// Notes what `op`, which computes a candidate, reads.
void ResidualFinder::visitForward(Operation *op) {
  if (getCost(op) == Cost::High)
    return;
  for (Value value : getReads(op)) {
    candidates.insert(value);
    if (!isa<tensor::DimOp>(op))
      contents.insert(value);
  }
  Value viewed = getViewed(op);
  if (viewed && materialized.contains(op->getResult(0)))
    materialized.insert(viewed);
}

void ResidualFinder::findCandidates() {
  Operation *terminator = function.front().getTerminator();
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    if (!signature.isGradient(number))
      continue;
    if (onTangent.contains(value)) {
      live.insert(value);
      continue;
    }
    read.insert(value);
    candidates.insert(value);
    contents.insert(value);
  }
  for (Operation &op : llvm::reverse(function.front().without_terminator())) {
    bool backward = llvm::any_of(op.getResults(),
                                 [&](Value v) { return live.contains(v); });
    if (!backward)
      for (Value value : getReads(&op))
        backward |= onTangent.contains(value) && !isMemoryEffectFree(&op);
    if (backward)
      visitBackward(&op);
    else if (llvm::any_of(op.getResults(),
                          [&](Value v) { return candidates.contains(v); }))
      visitForward(&op);
  }
}

/// True for an argument that the forward function does not write.
bool ResidualFinder::isKeptArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         !function.getArgAttr(argument.getArgNumber(), kDonatedAttr);
}

/// True if the caller has `value` until the backward pass anyway.
bool ResidualFinder::isKept(Value value) {
  return isKeptArgument(value) || results.contains(value);
}

bool ResidualFinder::isSavable(Value value) {
  return isKept(value) || hasContents(value);
}

/// What `value` costs to save.
int64_t ResidualFinder::getCapacity(Value value) {
  if (!isSavable(value))
    return MinCut::kInfinite;
  if (isKeptArgument(value))
    return 0;
  return getBytes(value, getElementTypeOrSelf(value.getType()),
                  options.dynamicSize);
}

/// Orders what may be computed again in a kernel of its own: large ones first,
/// then in the order of the program.
void ResidualFinder::findLifts() {
  // Equal sizes keep the program's order, and so there is one choice.
  using Key = std::pair<int64_t, size_t>;
  SmallVector<std::pair<Key, Value>> order;
  for (Operation &op : function.front())
    for (Value value : op.getResults())
      if (materialized.contains(value) && onArgument.contains(value) &&
          getCost(&op) == Cost::Cheap)
        order.push_back({Key(-getCapacity(value), order.size()), value});
  llvm::sort(order, llvm::less_first());
  for (auto [index, entry] : llvm::enumerate(order))
    lifts[entry.second] = index;
}

/// True if the backward pass may compute `value` again, with the first
/// `numLifts` lifts.
bool ResidualFinder::isRecomputed(Value value, unsigned numLifts) {
  Operation *op = value.getDefiningOp();
  if (!op || getCost(op) == Cost::High)
    return false;
  auto lift = lifts.find(value);
  if (lift == lifts.end() || lift->second < numLifts)
    return true;
  if (!options.recomputeArguments)
    return false;
  auto cast = stripCopies(value).getDefiningOp<CastOp>();
  return cast && isa<BlockArgument>(stripCopies(cast.getInput()));
}

/// The bytes of a minimal cut between the arguments, with all that is not
/// computed again, and what the backward pass reads. Node 2i is where candidate
/// i is computed and node 2i + 1 where it is read; the edge between them is cut
/// if it is saved.
int64_t ResidualFinder::cut(unsigned numLifts, SmallVectorImpl<Value> *chosen) {
  llvm::DenseMap<Value, unsigned> nodes;
  MinCut graph;
  unsigned source = graph.addNodes(1), sink = graph.addNodes(1);
  for (Value value : candidates)
    nodes[value] = graph.addNodes(2);
  for (Value value : candidates) {
    unsigned node = nodes.lookup(value);
    graph.addEdge(node, node + 1, getCapacity(value));
    if (!isRecomputed(value, numLifts)) {
      graph.addEdge(source, node, MinCut::kInfinite);
      continue;
    }
    for (Value operand : getReads(value.getDefiningOp()))
      graph.addEdge(nodes.lookup(operand) + 1, node, MinCut::kInfinite);
  }
  for (Value value : read)
    graph.addEdge(nodes.lookup(value) + 1, sink, MinCut::kInfinite);
  int64_t bytes = graph.solve(source, sink);
  if (!chosen)
    return bytes;
  llvm::BitVector behind = graph.getSinkSide(sink);
  for (Value value : candidates)
    if (unsigned node = nodes.lookup(value);
        behind.test(node + 1) && !behind.test(node))
      chosen->push_back(value);
  return bytes;
}

/// The fewest lifts that keep to the limit.
FailureOr<unsigned> ResidualFinder::chooseLifts() {
  unsigned low = 0, high = lifts.size();
  int64_t least = options.maxBytes ? cut(high, nullptr) : MinCut::kInfinite;
  if (least == MinCut::kInfinite)
    return 0;
  if (least > *options.maxBytes)
    return function.emitOpError("expects residuals of at most ")
           << *options.maxBytes << " bytes, but without computing matmuls and "
           << "reductions again it takes " << least;
  // More lifts never take more bytes.
  while (low < high) {
    unsigned middle = low + (high - low) / 2;
    if (cut(middle, nullptr) <= *options.maxBytes)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Residual ResidualFinder::makeResidual(Value value) {
  Residual residual{value, ResidualKind::Saved, 0, 0, 0, describeValue(value)};
  if (isKeptArgument(value)) {
    residual.kind = ResidualKind::Argument;
    residual.number = cast<BlockArgument>(value).getArgNumber();
  } else if (isKept(value)) {
    residual.kind = ResidualKind::Result;
    residual.number = results.lookup(value);
  }
  if (!contents.contains(value)) {
    residual.description += ", its size only";
    return residual;
  }
  residual.bytes = getBytes(value, getElementTypeOrSelf(value.getType()),
                            options.dynamicSize);
  residual.wideBytes = getWideBytes(value, options.dynamicSize);
  return residual;
}

/// The values of a minimal cut. One that cannot be saved is an error.
FailureOr<SmallVector<Value>> ResidualFinder::choose() {
  FailureOr<unsigned> numLifts = chooseLifts();
  if (failed(numLifts))
    return failure();
  SmallVector<Value> chosen;
  if (cut(*numLifts, &chosen) < MinCut::kInfinite)
    return chosen;
  for (Value value : candidates)
    if (!isSavable(value) && !isRecomputed(value, *numLifts))
      return emitError(value.getLoc(),
                       "expects a ranked tensor, or what can be "
                       "computed again, where the backward pass "
                       "reads it, but got ")
             << value.getType();
  llvm_unreachable("a cut without such a value is finite");
}

FailureOr<SmallVector<Residual>> ResidualFinder::find() {
  if (failed(findDependences()))
    return failure();
  findCandidates();
  findLifts();
  FailureOr<SmallVector<Value>> chosen = choose();
  if (failed(chosen))
    return failure();
  llvm::DenseSet<Value> isChosen(chosen->begin(), chosen->end());
  SmallVector<Residual> residuals, saved, arguments;
  auto add = [&](Value value) {
    if (!isChosen.contains(value))
      return;
    Residual residual = makeResidual(value);
    if (residual.kind == ResidualKind::Saved)
      residual.number = saved.size();
    (residual.kind == ResidualKind::Saved      ? saved
     : residual.kind == ResidualKind::Argument ? arguments
                                               : residuals)
        .push_back(residual);
  };
  llvm::for_each(function.getArguments(), add);
  for (Operation &op : function.front())
    llvm::for_each(op.getResults(), add);
  llvm::append_range(residuals, saved);
  llvm::append_range(residuals, arguments);
  return residuals;
}

/// Emits an error at a tensor of `function` whose bytes cannot be counted.
static LogicalResult checkByteSizes(func::FuncOp function,
                                    int64_t dynamicSize) {
  auto check = [&](Value value) -> LogicalResult {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || fitsInMemory(type, dynamicSize))
      return success();
    return emitError(value.getLoc(),
                     "expects tensors of fewer than 2^45 elements, but got ")
           << type;
  };
  for (Value argument : function.getArguments())
    if (failed(check(argument)))
      return failure();
  WalkResult result = function.walk([&](Operation *op) {
    return WalkResult(success(llvm::all_of(op->getResults(), [&](Value value) {
      return succeeded(check(value));
    })));
  });
  return failure(result.wasInterrupted());
}

FailureOr<SmallVector<Residual>>
fp8::findResiduals(func::FuncOp function, const JointSignature &signature,
                   const ResidualOptions &options) {
  if (failed(checkByteSizes(function, options.dynamicSize)))
    return failure();
  return ResidualFinder(function, signature, options).find();
}
