//===- TensorView.cpp - Looking through copies ------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looking through ops that only move or widen elements.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/TensorView.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fp8;

/// True if both sides of a float cast are wide: fp8.matmul takes no fp8 tensor.
static bool castsWideTypes(Operation *cast) {
  return !isFp8Type(cast->getOperand(0).getType()) &&
         !isFp8Type(cast->getResult(0).getType());
}

ElementwiseKind fp8::classifyElementwise(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return ElementwiseKind::Other;
  Block *body = op.getBody();
  Value yielded = cast<linalg::YieldOp>(body->getTerminator()).getOperand(0);
  if (yielded == body->getArgument(0))
    return ElementwiseKind::Copy;
  Operation *def = yielded.getDefiningOp();
  if (!def || def->getNumOperands() != 1 ||
      def->getOperand(0) != body->getArgument(0))
    return ElementwiseKind::Other;
  if (isa<arith::ExtFOp>(def) && castsWideTypes(def))
    return ElementwiseKind::Extend;
  if (isa<arith::TruncFOp>(def) && castsWideTypes(def))
    return ElementwiseKind::Truncate;
  return ElementwiseKind::Other;
}

/// The view of the operand that `map` reads, given the labels of the loops;
/// none if the map does more than pick loops and index dimensions of size 1.
static std::optional<TensorView> readThrough(AffineMap map, Value operand,
                                             ArrayRef<unsigned> loops) {
  TensorView source{operand, {}};
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      unsigned label = loops[dim.getPosition()];
      if (llvm::is_contained(source.labels, label) && label != kUnitLabel)
        return std::nullopt;
      source.labels.push_back(label);
      continue;
    }
    int64_t dim = source.labels.size();
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || constant.getValue() != 0 ||
        cast<RankedTensorType>(operand.getType()).getDimSize(dim) != 1)
      return std::nullopt;
    source.labels.push_back(kUnitLabel);
  }
  return source;
}

/// The view through a generic that copies or extends.
static std::optional<TensorView> traceGeneric(linalg::GenericOp op,
                                              const TensorView &view,
                                              TraceOptions options) {
  ElementwiseKind kind = classifyElementwise(op);
  if (kind != ElementwiseKind::Copy &&
      !(kind == ElementwiseKind::Extend && options.extensions))
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap map = op.getMatchingIndexingMap(input);
  if (!options.broadcasts && map.getNumResults() < map.getNumDims())
    return std::nullopt;
  return readThrough(map, input->get(), view.labels);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

namespace {
/// A collapse_shape or expand_shape: `groups` has, for each dimension of
/// `small`, the dimensions of `large` that make it up.
struct Reshape {
  Value source, result;
  bool expands;
  SmallVector<ReassociationIndices> groups;

  RankedTensorType getLargeType() const {
    return cast<RankedTensorType>((expands ? result : source).getType());
  }
};
} // namespace

static std::optional<Reshape> matchReshape(Operation *op) {
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(op))
    return Reshape{expand.getSrc(), expand, true,
                   expand.getReassociationIndices()};
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(op))
    return Reshape{collapse.getSrc(), collapse, false,
                   collapse.getReassociationIndices()};
  return std::nullopt;
}

/// The only dimension of `group` whose size is not 1, the first one if all are
/// 1, or none if there are several.
static std::optional<int64_t> getOnlyDim(RankedTensorType type,
                                         ArrayRef<int64_t> group) {
  std::optional<int64_t> only;
  for (int64_t dim : group) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (only)
      return std::nullopt;
    only = dim;
  }
  return only ? only : std::optional(group.front());
}

/// The view through a reshape that adds or removes dimensions of size 1.
static std::optional<TensorView> traceReshape(const Reshape &reshape,
                                              const TensorView &view) {
  TensorView source{reshape.source, {}};
  if (!reshape.expands)
    source.labels.assign(reshape.getLargeType().getRank(), kUnitLabel);
  for (auto [small, group] : llvm::enumerate(reshape.groups)) {
    std::optional<int64_t> only = getOnlyDim(reshape.getLargeType(), group);
    if (!only)
      return std::nullopt;
    if (reshape.expands)
      source.labels.push_back(view.labels[*only]);
    else
      source.labels[*only] = view.labels[small];
  }
  return source;
}

SmallVector<unsigned> fp8::labelReshape(Operation *op,
                                        ArrayRef<unsigned> labels) {
  Reshape reshape = *matchReshape(op);
  SmallVector<unsigned> result;
  if (reshape.expands)
    result.assign(reshape.getLargeType().getRank(), kUnitLabel);
  for (auto [small, group] : llvm::enumerate(reshape.groups)) {
    std::optional<int64_t> only = getOnlyDim(reshape.getLargeType(), group);
    if (!reshape.expands) {
      result.push_back(only ? labels[*only] : kMixedLabel);
      continue;
    }
    if (only)
      result[*only] = labels[small];
    else
      for (int64_t dim : group)
        if (reshape.getLargeType().getDimSize(dim) != 1)
          result[dim] = kMixedLabel;
  }
  return result;
}

/// If `op` transposes or, with `options.extensions`, widens, its input and, for
/// each dimension of its result, the dimension of the input.
static std::optional<std::pair<Value, SmallVector<int64_t>>>
matchPermutation(Operation *op, TraceOptions options) {
  if (auto transpose = dyn_cast_if_present<linalg::TransposeOp>(op))
    return std::pair(transpose.getInput(),
                     llvm::to_vector(transpose.getPermutation()));
  auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
  if (!generic)
    return std::nullopt;
  ElementwiseKind kind = classifyElementwise(generic);
  if (kind != ElementwiseKind::Copy &&
      !(kind == ElementwiseKind::Extend && options.extensions))
    return std::nullopt;
  AffineMap map = generic.getMatchingIndexingMap(generic.getDpsInputOperand(0));
  if (!map.isPermutation())
    return std::nullopt;
  SmallVector<int64_t> permutation(map.getNumDims());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    permutation[cast<AffineDimExpr>(expr).getPosition()] = dim;
  return std::pair(generic.getDpsInputOperand(0)->get(), permutation);
}

/// expand(permute(x)) as a permutation of expand(x).
static TensorView hoistExpand(OpBuilder &b, const Reshape &reshape, Value input,
                              ArrayRef<int64_t> permutation,
                              ArrayRef<unsigned> labels) {
  Location loc = reshape.result.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, reshape.result);
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation))
    inverse[from] = to;
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> newSizes;
  TensorView view;
  for (int64_t to : inverse) {
    ReassociationIndices &group = groups.emplace_back();
    for (int64_t dim : reshape.groups[to]) {
      group.push_back(newSizes.size());
      newSizes.push_back(sizes[dim]);
      view.labels.push_back(labels[dim]);
    }
  }
  SmallVector<int64_t> shape = decomposeMixedValues(newSizes).first;
  view.value = tensor::ExpandShapeOp::create(
      b, loc,
      RankedTensorType::get(shape, getElementTypeOrSelf(input.getType())),
      input, groups, newSizes);
  return view;
}

/// collapse(permute(x)) as a permutation of collapse(x), if dimensions that
/// become one lie side by side in x; else none.
static std::optional<TensorView>
hoistCollapse(OpBuilder &b, const Reshape &reshape, Value input,
              ArrayRef<int64_t> permutation, ArrayRef<unsigned> labels) {
  SmallVector<std::pair<ReassociationIndices, unsigned>> sorted;
  for (auto [small, group] : llvm::enumerate(reshape.groups)) {
    ReassociationIndices dims;
    for (int64_t dim : group) {
      if (!dims.empty() && permutation[dim] != dims.back() + 1)
        return std::nullopt;
      dims.push_back(permutation[dim]);
    }
    sorted.push_back({dims, labels[small]});
  }
  llvm::sort(sorted, [](const auto &x, const auto &y) {
    return x.first.front() < y.first.front();
  });
  TensorView view;
  SmallVector<ReassociationIndices> groups;
  for (auto &[dims, label] : sorted) {
    groups.push_back(dims);
    view.labels.push_back(label);
  }
  view.value = tensor::CollapseShapeOp::create(b, reshape.result.getLoc(),
                                               input, groups);
  return view;
}

/// Moves the reshape that `view` is in front of the transpose or widening that
/// it reads.
static std::optional<TensorView>
hoistReshape(OpBuilder &b, const TensorView &view, TraceOptions options) {
  std::optional<Reshape> reshape = matchReshape(view.value.getDefiningOp());
  if (!reshape)
    return std::nullopt;
  auto match = matchPermutation(reshape->source.getDefiningOp(), options);
  if (!match)
    return std::nullopt;
  auto &[input, permutation] = *match;
  if (hasEncoding(input))
    return std::nullopt;
  if (reshape->expands)
    return hoistExpand(b, *reshape, input, permutation, view.labels);
  return hoistCollapse(b, *reshape, input, permutation, view.labels);
}

TensorView fp8::squeezeView(OpBuilder &b, Location loc, TensorView view) {
  if (!llvm::is_contained(view.labels, kUnitLabel))
    return view;
  SmallVector<ReassociationIndices> groups;
  TensorView squeezed;
  ReassociationIndices leading;
  for (auto [dim, label] : llvm::enumerate(view.labels)) {
    if (label != kUnitLabel) {
      groups.push_back(leading);
      leading.clear();
      groups.back().push_back(dim);
      squeezed.labels.push_back(label);
    } else if (groups.empty()) {
      leading.push_back(dim);
    } else {
      groups.back().push_back(dim);
    }
  }
  squeezed.value =
      b.createOrFold<tensor::CollapseShapeOp>(loc, view.value, groups);
  return squeezed;
}

Value fp8::createReshapeOfTranspose(OpBuilder &b,
                                    linalg::TransposeOp transpose) {
  auto type = cast<RankedTensorType>(transpose.getInput().getType());
  TensorView view{transpose.getInput(), {}};
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    view.labels.push_back(size == 1 ? kUnitLabel : dim);
  SmallVector<unsigned> order;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices pending;
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
    pending.push_back(to);
    if (view.labels[from] == kUnitLabel)
      continue;
    order.push_back(from);
    groups.push_back(std::exchange(pending, {}));
  }
  if (order.empty() || order.size() == view.labels.size() ||
      !llvm::is_sorted(order))
    return nullptr;
  groups.back().append(pending);
  Location loc = transpose.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, transpose.getInput());
  applyPermutationToVector(sizes, transpose.getPermutation());
  Value squeezed = squeezeView(b, loc, view).value;
  return tensor::ExpandShapeOp::create(
      b, loc, cast<RankedTensorType>(transpose->getResult(0).getType()),
      squeezed, groups, sizes);
}

//===----------------------------------------------------------------------===//
// Tracing
//===----------------------------------------------------------------------===//

/// One step of traceView, or none.
static std::optional<TensorView> traceStep(const TensorView &view,
                                           TraceOptions options) {
  Operation *op = view.value.getDefiningOp();
  if (auto generic = dyn_cast_if_present<linalg::GenericOp>(op))
    return traceGeneric(generic, view, options);
  if (std::optional<Reshape> reshape = matchReshape(op))
    return traceReshape(*reshape, view);
  if (auto transpose = dyn_cast_if_present<linalg::TransposeOp>(op)) {
    TensorView source{transpose.getInput(), {}};
    source.labels.resize(view.labels.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      source.labels[from] = view.labels[to];
    return source;
  }
  auto broadcast = dyn_cast_if_present<linalg::BroadcastOp>(op);
  if (broadcast && options.broadcasts) {
    TensorView source{broadcast.getInput(), {}};
    for (auto [dim, label] : llvm::enumerate(view.labels))
      if (!llvm::is_contained(broadcast.getDimensions(), dim))
        source.labels.push_back(label);
    return source;
  }
  return std::nullopt;
}

bool fp8::hasEncoding(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getEncoding();
}

TensorView fp8::traceView(TensorView view, TraceOptions options) {
  while (std::optional<TensorView> source = traceStep(view, options)) {
    if (hasEncoding(source->value))
      break;
    view = *source;
  }
  return view;
}

TensorView fp8::traceViewThroughReshapes(OpBuilder &builder, TensorView view,
                                         TraceOptions options) {
  view = traceView(view, options);
  while (std::optional<TensorView> hoisted =
             hoistReshape(builder, view, options))
    view = traceView(*hoisted, options);
  return view;
}

Value fp8::stripExtensions(Value value) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  while (generic && classifyElementwise(generic) == ElementwiseKind::Extend &&
         generic.getMatchingIndexingMap(generic.getDpsInputOperand(0))
             .isIdentity() &&
         !hasEncoding(generic.getDpsInputOperand(0)->get())) {
    value = generic.getDpsInputOperand(0)->get();
    generic = value.getDefiningOp<linalg::GenericOp>();
  }
  return value;
}

/// The tensor that `op` is a view or a cast of, or null.
static Value getViewSource(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    bool computes = classifyElementwise(generic) == ElementwiseKind::Other;
    return computes ? nullptr : generic.getDpsInputs()[0];
  }
  if (isa<linalg::TransposeOp, linalg::BroadcastOp>(op))
    return cast<linalg::LinalgOp>(op).getDpsInputs()[0];
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
          TransposeOp, arith::ExtFOp, arith::TruncFOp>(op))
    return op->getOperand(0);
  return nullptr;
}

Value fp8::stripViewsAndCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Value source = getViewSource(op);
    if (!source)
      break;
    value = source;
  }
  return value;
}

bool fp8::isZeroTensor(Value value) {
  if (matchPattern(value, m_AnyZeroFloat()))
    return true;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return matchPattern(splat.getInput(), m_AnyZeroFloat());
  // A generic that yields the constant: what generalization makes of a fill.
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumReductionLoops() != 0)
    return false;
  Value yielded = cast<linalg::YieldOp>(generic.getBody()->getTerminator())
                      .getOperand(cast<OpResult>(value).getResultNumber());
  return matchPattern(yielded, m_AnyZeroFloat());
}
