//===- VjpLinalg.cpp --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One derivative for every structured linalg op, named or generic. With
//
//   y[out(d)] += g(x_0[in_0(d)], x_1[in_1(d)], ...)      over the loops d
//
// the cotangent of x_i is a linalg.generic over the same loops,
//
//   dx_i[in_i(d)] += dy[out(d)] · ∂g/∂x_i (x_0[in_0(d)], ...)
//
// with the partial derivative by reverse mode over the body. Loops that in_i
// does not name become reductions, summed up in f32 (f64) and rounded once.
//
// A reduction that selects one of its candidates (max, min) passes its
// cotangent to the candidates that equal the result, in equal shares.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Interfaces.h"
#include "ScalarReverse.h"
#include "VjpUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fp8;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// What an op reads
//===----------------------------------------------------------------------===//

namespace {
/// A float that an op reads through one map.
struct LinalgInput {
  /// An operand or a captured value.
  Value value;
  AffineMap map;
  /// What the body sees: block arguments, one for each time that the value is
  /// an operand, or the captured value.
  SmallVector<Value> leaves;

  bool isCaptured() const { return leaves.front() == value; }
};

/// How an op writes one of its results.
enum class Combiner {
  /// Each element is written once; the old value is an input like others.
  None,
  /// y += g.
  Add,
  /// y = one of y and g, as a max reduction does.
  Select,
  Unknown
};

struct LinalgResult {
  Combiner combiner;
  /// For `Select`: the value of the body that competes with the old one.
  Value candidate;
};
} // namespace

/// Inputs, read inits and captured values of float type.
static SmallVector<LinalgInput> collectInputs(LinalgOp op) {
  SmallVector<LinalgInput> inputs;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!isFloatOrFloatTensor(operand.get()) || argument.use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto *known = llvm::find_if(inputs, [&](const LinalgInput &input) {
      return input.value == operand.get() && input.map == map;
    });
    if (known != inputs.end() && !op.isDpsInit(&operand))
      known->leaves.push_back(argument);
    else
      inputs.push_back({operand.get(), map, {argument}});
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  AffineMap none = AffineMap::get(op.getNumLoops(), 0, op.getContext());
  for (Value value : captured)
    if (isFloatOrFloatTensor(value))
      inputs.push_back({value, none, {value}});
  return inputs;
}

/// True if `map` does not name every loop.
static bool omitsLoops(AffineMap map) {
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    if (!map.getResultPosition(getAffineDimExpr(dim, map.getContext())))
      return true;
  return false;
}

static Value stripIdentities(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isScalarIdentity(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The values of the body that depend on `argument`.
static llvm::DenseSet<Value> getDependents(Block &body, Value argument) {
  llvm::DenseSet<Value> dependents = {argument};
  for (Operation &op : body)
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return dependents.contains(operand);
        }))
      dependents.insert(op.result_begin(), op.result_end());
  return dependents;
}

/// True if `value` is `old` plus what does not depend on it.
static bool isSumWith(Value value, Value old,
                      const llvm::DenseSet<Value> &dependents) {
  for (value = stripIdentities(value); value != old;
       value = stripIdentities(value)) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<arith::AddFOp, arith::SubFOp>(op))
      return false;
    Value left = op->getOperand(0), right = op->getOperand(1);
    if (dependents.contains(left) == dependents.contains(right) ||
        (isa<arith::SubFOp>(op) && dependents.contains(right)))
      return false;
    value = dependents.contains(left) ? left : right;
  }
  return true;
}

/// The g of y = max(y, g) or min, in either order, as one op or as compare and
/// select; null if `value` is something else.
static Value getCandidate(Value value, Value old,
                          const llvm::DenseSet<Value> &dependents) {
  Operation *op = stripIdentities(value).getDefiningOp();
  if (!op)
    return nullptr;
  Value left, right;
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(op)) {
    left = op->getOperand(0);
    right = op->getOperand(1);
  } else if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    left = choice.getTrueValue();
    right = choice.getFalseValue();
    auto compare = choice.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!compare)
      return nullptr;
    Value a = stripIdentities(compare.getLhs());
    Value b = stripIdentities(compare.getRhs());
    Value l = stripIdentities(left), r = stripIdentities(right);
    if (!(a == l && b == r) && !(a == r && b == l))
      return nullptr;
  } else {
    return nullptr;
  }
  if (stripIdentities(right) != old)
    std::swap(left, right);
  bool matches = stripIdentities(right) == old && !dependents.contains(left);
  return matches ? left : Value();
}

static LinalgResult classify(LinalgOp op, unsigned index) {
  OpOperand *init = op.getDpsInitOperand(index);
  if (!omitsLoops(op.getMatchingIndexingMap(init)))
    return {Combiner::None, nullptr};
  Value old = op.getMatchingBlockArgument(init);
  Value yielded = op.getBlock()->getTerminator()->getOperand(index);
  llvm::DenseSet<Value> dependents = getDependents(*op.getBlock(), old);
  if (!dependents.contains(yielded))
    return {Combiner::Unknown, nullptr};
  if (isSumWith(yielded, old, dependents))
    return {Combiner::Add, nullptr};
  if (Value candidate = getCandidate(yielded, old, dependents))
    return {Combiner::Select, candidate};
  return {Combiner::Unknown, nullptr};
}

//===----------------------------------------------------------------------===//
// The derived ops
//===----------------------------------------------------------------------===//

namespace {
/// Builds the cotangent of one input of one op.
class LinalgVjpBuilder {
public:
  LinalgVjpBuilder(OpBuilder &builder, LinalgOp op, LinalgInput input,
                   Type elementType);

  FailureOr<Value> build(ValueRange cotangents);

private:
  LogicalResult check(ValueRange cotangents);
  FailureOr<Value> buildFromSums(ArrayRef<unsigned> results,
                                 ValueRange cotangents, Type resultType);
  FailureOr<Value> buildFromSelection(unsigned result, Value cotangent,
                                      Type resultType);
  Value buildTieCount(unsigned result);
  Value isSelected(DerivedGeneric &generic, unsigned result);

  FailureOr<Value> reverse(DerivedGeneric &generic, ArrayRef<Seed> seeds);
  Value readLeaf(DerivedGeneric &generic, Value leaf);
  Value cloneExactly(DerivedGeneric &generic, Value value, IRMapping &mapping);
  void readSizes(DerivedGeneric &generic, AffineMap output);
  Value finish(DerivedGeneric &generic, Value scalar, Type resultType);
  Value restoreDims(Value value);

  OpBuilder &builder;
  LinalgOp op;
  LinalgInput input;
  Type elementType;
  Location loc;
  SmallVector<Operation *> ops;
  FloatType type;
  SmallVector<LinalgResult> results;
  /// The input's map without its constant results.
  AffineMap output;
};
} // namespace

LinalgVjpBuilder::LinalgVjpBuilder(OpBuilder &builder, LinalgOp op,
                                   LinalgInput input, Type elementType)
    : builder(builder), op(op), input(input), elementType(elementType),
      loc(op.getLoc()) {
  for (Operation &inner : op.getBlock()->without_terminator())
    ops.push_back(&inner);
  SmallVector<Type> types(op->getResultTypes());
  for (const LinalgInput &other : collectInputs(op))
    if (!other.isCaptured() || other.value == input.value)
      types.push_back(other.value.getType());
  type = getDerivativeType(op.getContext(), types, ops);
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    results.push_back(classify(op, index));
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : input.map.getResults())
    if (!isa<AffineConstantExpr>(expr))
      exprs.push_back(expr);
  output = AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
}

/// Refuses what has no rule, with an error at the op.
LogicalResult LinalgVjpBuilder::check(ValueRange cotangents) {
  if (!output.isProjectedPermutation())
    return op.emitOpError("expects a differentiated operand read through a "
                          "projected permutation or constants, but got ")
           << AffineMapAttr::get(input.map);
  if (input.isCaptured() && !isa<FloatType>(input.value.getType()))
    return op.emitOpError("expects no tensor captured by the body of a "
                          "differentiated op, but got ")
           << input.value.getType();
  for (auto [index, cotangent] : llvm::enumerate(cotangents))
    if (cotangent && results[index].combiner == Combiner::Unknown)
      return op.emitOpError("expects a differentiated reduction to add up or "
                            "to select a maximum or minimum, but result ")
             << index << " is combined by another rule";
  return success();
}

FailureOr<Value> LinalgVjpBuilder::build(ValueRange cotangents) {
  if (failed(check(cotangents)))
    return failure();
  SmallVector<unsigned> sums, selections;
  for (auto [index, cotangent] : llvm::enumerate(cotangents))
    if (cotangent)
      (results[index].combiner == Combiner::Select ? selections : sums)
          .push_back(index);
  Type termType = selections.size() + !sums.empty() > 1
                      ? getAccumulatorType(elementType)
                      : elementType;
  SmallVector<Value> terms;
  auto append = [&](FailureOr<Value> term) -> LogicalResult {
    if (succeeded(term) && *term)
      terms.push_back(*term);
    return term;
  };
  if (!sums.empty() &&
      failed(append(buildFromSums(sums, cotangents, termType))))
    return failure();
  for (unsigned index : selections)
    if (failed(append(buildFromSelection(index, cotangents[index], termType))))
      return failure();
  if (terms.empty())
    return Value();
  return createSum(builder, loc, terms, elementType);
}

/// y = g, y += g: dx += dy · ∂g/∂x. The old value of a sum gets dy.
FailureOr<Value> LinalgVjpBuilder::buildFromSums(ArrayRef<unsigned> indices,
                                                 ValueRange cotangents,
                                                 Type resultType) {
  for (unsigned index : indices)
    if (results[index].combiner == Combiner::Add &&
        input.leaves.front() == op.getRegionOutputArgs()[index] &&
        indices.size() == 1)
      return convertElements(builder, loc, cotangents[index], resultType);
  DerivedGeneric generic(builder, loc, op.getNumLoops());
  SmallVector<Seed> seeds;
  for (unsigned index : indices) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(index));
    Value scalar = generic.read(cotangents[index], map);
    seeds.emplace_back(op.getBlock()->getTerminator()->getOperand(index),
                       convertScalar(generic.getBody(), loc, scalar, type));
  }
  FailureOr<Value> scalar = reverse(generic, seeds);
  if (failed(scalar) || !*scalar)
    return scalar;
  return finish(generic, *scalar, resultType);
}

/// y = max(y, g): dx += (g = y ? dy / count : 0) · ∂g/∂x, where count is the
/// number of candidates that equal y.
FailureOr<Value> LinalgVjpBuilder::buildFromSelection(unsigned result,
                                                      Value cotangent,
                                                      Type resultType) {
  if (input.leaves.front() == op.getRegionOutputArgs()[result])
    return op.emitOpError("expects a constant initial value of a "
                          "differentiated maximum or minimum, but result ")
           << result << " starts from a differentiated one";
  Value count = buildTieCount(result);
  if (!count)
    return failure();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  DerivedGeneric generic(builder, loc, op.getNumLoops());
  OpBuilder &body = generic.getBody();
  Value dy = convertScalar(body, loc, generic.read(cotangent, map), type);
  Value ties = generic.read(count, map);
  Value selected = isSelected(generic, result);
  Value share = arith::DivFOp::create(body, loc, dy, ties);
  Value zero = arith::ConstantOp::create(body, loc, body.getZeroAttr(type));
  share = arith::SelectOp::create(body, loc, selected, share, zero);
  FailureOr<Value> scalar =
      reverse(generic, Seed(results[result].candidate, share));
  if (failed(scalar) || !*scalar)
    return scalar;
  return finish(generic, *scalar, resultType);
}

/// The number of candidates that equal the result.
Value LinalgVjpBuilder::buildTieCount(unsigned result) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  DerivedGeneric generic(builder, loc, op.getNumLoops());
  Value selected = isSelected(generic, result);
  if (!selected)
    return nullptr;
  OpBuilder &body = generic.getBody();
  Value one =
      arith::ConstantOp::create(body, loc, body.getFloatAttr(type, 1.0));
  Value zero = arith::ConstantOp::create(body, loc, body.getZeroAttr(type));
  Value tie = arith::SelectOp::create(body, loc, selected, one, zero);
  readSizes(generic, map);
  return generic.finish(
      tie, tensor::getMixedSizes(builder, loc, op->getResult(result)), map);
}

/// Whether the candidate, computed as the op does, equals the result.
Value LinalgVjpBuilder::isSelected(DerivedGeneric &generic, unsigned result) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  OpBuilder &body = generic.getBody();
  Value best = generic.read(op->getResult(result), map);
  IRMapping mapping;
  Value candidate = cloneExactly(generic, results[result].candidate, mapping);
  if (!candidate)
    return nullptr;
  best = convertScalar(body, loc, best, candidate.getType());
  return arith::CmpFOp::create(body, loc, arith::CmpFPredicate::OEQ, candidate,
                               best);
}

/// Clones the part of the body that computes `value`, types and all.
Value LinalgVjpBuilder::cloneExactly(DerivedGeneric &generic, Value value,
                                     IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != op.getBlock()) {
    Value leaf = readLeaf(generic, value);
    mapping.map(value, leaf);
    return leaf;
  }
  for (Value operand : inner->getOperands())
    if (!cloneExactly(generic, operand, mapping))
      return nullptr;
  generic.getBody().clone(*inner, mapping);
  return mapping.lookup(value);
}

FailureOr<Value> LinalgVjpBuilder::reverse(DerivedGeneric &generic,
                                           ArrayRef<Seed> seeds) {
  ScalarReverse scalars(
      generic.getBody(), loc, type, ops,
      [&](Value leaf) { return readLeaf(generic, leaf); },
      op->getName().getStringRef());
  return scalars.run(input.leaves, seeds);
}

/// What the body sees of a block argument or of a captured value.
Value LinalgVjpBuilder::readLeaf(DerivedGeneric &generic, Value leaf) {
  auto argument = dyn_cast<BlockArgument>(leaf);
  if (!argument || argument.getOwner() != op.getBlock())
    return leaf;
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (op.isDpsInit(&operand) && op.getNumReductionLoops() > 0) {
    op.emitOpError("expects a derivative that does not depend on the running "
                   "value of a reduction, but it reads init ")
        << operand.getOperandNumber() - op.getNumDpsInputs();
    return nullptr;
  }
  return generic.read(operand.get(), map);
}

/// Reads operands, unused, until every loop of the derived op has a size.
void LinalgVjpBuilder::readSizes(DerivedGeneric &generic, AffineMap result) {
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    if (generic.hasSize(dim, result))
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!map.getResultPosition(builder.getAffineDimExpr(dim)))
        continue;
      generic.read(operand.get(), map);
      break;
    }
  }
}

/// Writes `scalar` to the input's shape: a sum over the loops that its map does
/// not name.
Value LinalgVjpBuilder::finish(DerivedGeneric &generic, Value scalar,
                               Type resultType) {
  readSizes(generic, output);
  SmallVector<OpFoldResult> sizes;
  auto tensorType = dyn_cast<RankedTensorType>(input.value.getType());
  for (auto [position, expr] : llvm::enumerate(input.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      continue;
    if (!tensorType.isDynamicDim(position)) {
      sizes.push_back(builder.getIndexAttr(tensorType.getDimSize(position)));
      continue;
    }
    OpFoldResult size = generic.getSize(dim.getPosition());
    if (!size)
      size = tensor::getMixedSize(builder, loc, input.value, position);
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  }
  if (!omitsLoops(output))
    scalar = convertScalar(generic.getBody(), loc, scalar, resultType);
  Value value = generic.finish(scalar, sizes, output);
  value = convertElements(builder, loc, value, resultType);
  if (!tensorType)
    return tensor::ExtractOp::create(builder, loc, value, ValueRange());
  return restoreDims(value);
}

/// Puts back the dimensions that the input's map reads at a constant.
Value LinalgVjpBuilder::restoreDims(Value value) {
  auto type = cast<RankedTensorType>(input.value.getType());
  auto valueType = cast<RankedTensorType>(value.getType());
  auto resultType = type.clone(valueType.getElementType());
  bool onlyUnits = true;
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<ReassociationIndices> groups(valueType.getRank());
  unsigned kept = 0;
  for (auto [position, expr] : llvm::enumerate(input.map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    onlyUnits &= !constant || type.getDimSize(position) == 1;
    offsets.push_back(builder.getIndexAttr(constant ? constant.getValue() : 0));
    sizes.push_back(constant ? OpFoldResult(builder.getIndexAttr(1))
                             : tensor::getMixedSize(builder, loc, value, kept));
    // Leading constants join the first kept dimension, others the one before.
    if (!groups.empty())
      groups[constant && kept > 0 ? kept - 1 : kept].push_back(position);
    kept += !constant;
  }
  if (valueType.getRank() == type.getRank())
    return value;
  if (onlyUnits)
    return tensor::ExpandShapeOp::create(builder, loc, resultType, value,
                                         groups, sizes);
  Value zeros =
      createZeros(builder, loc, input.value, valueType.getElementType());
  // Upstream's verifier takes no offset into a tensor that holds nothing.
  if (llvm::is_contained(type.getShape(), 0))
    return zeros;
  return tensor::InsertSliceOp::create(builder, loc, value, zeros, offsets,
                                       sizes, strides);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy>
struct LinalgVjp : VjpOpInterface::ExternalModel<LinalgVjp<OpTy>, OpTy> {
  SmallVector<Value> getVjpInputs(Operation *op) const {
    return llvm::map_to_vector(
        collectInputs(cast<LinalgOp>(op)),
        [](const LinalgInput &input) { return input.value; });
  }

  FailureOr<Value> buildVjp(Operation *op, OpBuilder &builder, unsigned index,
                            ValueRange cotangents, Type elementType) const {
    auto linalgOp = cast<LinalgOp>(op);
    LinalgInput input = collectInputs(linalgOp)[index];
    return LinalgVjpBuilder(builder, linalgOp, input, elementType)
        .build(cotangents);
  }
};

template <typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<LinalgVjp<Ops>>(*context), ...);
}
} // namespace

void fp8::registerLinalgVjps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attach<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}
