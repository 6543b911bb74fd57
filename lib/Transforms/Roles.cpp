//===- Roles.cpp ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gradient matmuls by structure.
//
// Each operand of a matmul is followed through views and casts, with a kind for
// each dimension: kept, summed over, or batch. A tensor seen twice with kept
// and summed dimensions swapped is what a matmul and its gradient share.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/Roles.h"
#include "Fp8/Transforms/MatmulUtils.h"
#include "Fp8/Transforms/TensorView.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fp8;

namespace {
/// What a matmul does with a dimension of an operand; `Unit` has one element.
enum class DimKind : unsigned { Batch, Kept, Summed, Unit };

struct OperandView {
  Value value;
  SmallVector<DimKind> kinds;
};
} // namespace

Value fp8::getOperand(MatmulOp op, OperandSide side) {
  return side == OperandSide::A ? op.getA() : op.getB();
}

OperandSide fp8::getOther(OperandSide side) {
  return side == OperandSide::A ? OperandSide::B : OperandSide::A;
}

static OperandView getOperandView(MatmulOp op, OperandSide side) {
  Value value = getOperand(op, side);
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<DimKind> kinds(rank, DimKind::Batch);
  bool sumsRows = side == OperandSide::A ? op.getTransA() : !op.getTransB();
  kinds[rank - 2] = sumsRows ? DimKind::Summed : DimKind::Kept;
  kinds[rank - 1] = sumsRows ? DimKind::Kept : DimKind::Summed;
  return {value, kinds};
}

//===----------------------------------------------------------------------===//
// Views and casts
//===----------------------------------------------------------------------===//

/// Through an expand_shape, if dimensions that come from one are of one kind.
static std::optional<OperandView> traceExpand(tensor::ExpandShapeOp op,
                                              ArrayRef<DimKind> kinds) {
  OperandView source{op.getSrc(), {}};
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    DimKind kind = DimKind::Unit;
    for (int64_t dim : group) {
      if (op.getResultType().getDimSize(dim) == 1)
        continue;
      if (kind != DimKind::Unit && kind != kinds[dim])
        return std::nullopt;
      kind = kinds[dim];
    }
    source.kinds.push_back(kind);
  }
  return source;
}

static OperandView traceCollapse(tensor::CollapseShapeOp op,
                                 ArrayRef<DimKind> kinds) {
  OperandView source{op.getSrc(), {}};
  for (auto [group, kind] :
       llvm::zip_equal(op.getReassociationIndices(), kinds))
    source.kinds.append(group.size(), kind);
  return source;
}

/// Through a generic that copies or casts, if its map picks dimensions.
static std::optional<OperandView> traceGeneric(linalg::GenericOp op,
                                               ArrayRef<DimKind> kinds) {
  if (classifyElementwise(op) == ElementwiseKind::Other)
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  OperandView source{input->get(), {}};
  for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && !isa<AffineConstantExpr>(expr))
      return std::nullopt;
    source.kinds.push_back(dim ? kinds[dim.getPosition()] : DimKind::Unit);
  }
  return source;
}

/// What `view` is a view or a cast of, by one op, or none.
static std::optional<OperandView> traceStep(const OperandView &view) {
  Operation *op = view.value.getDefiningOp();
  if (auto generic = dyn_cast_if_present<linalg::GenericOp>(op))
    return traceGeneric(generic, view.kinds);
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(op))
    return traceExpand(expand, view.kinds);
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(op))
    return traceCollapse(collapse, view.kinds);
  if (auto cast = dyn_cast_if_present<tensor::CastOp>(op))
    return OperandView{cast.getSource(), view.kinds};
  if (auto transpose = dyn_cast_if_present<TransposeOp>(op)) {
    OperandView source{transpose.getInput(), view.kinds};
    std::swap(source.kinds.back(), source.kinds[source.kinds.size() - 2]);
    return source;
  }
  if (auto transpose = dyn_cast_if_present<linalg::TransposeOp>(op)) {
    OperandView source{transpose.getInput(), view.kinds};
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      source.kinds[from] = view.kinds[to];
    return source;
  }
  if (auto broadcast = dyn_cast_if_present<linalg::BroadcastOp>(op)) {
    OperandView source{broadcast.getInput(), {}};
    for (auto [dim, kind] : llvm::enumerate(view.kinds))
      if (!llvm::is_contained(broadcast.getDimensions(), dim))
        source.kinds.push_back(kind);
    return source;
  }
  return std::nullopt;
}

/// `kinds` as a number, two bits a dimension; kept and summed dimensions change
/// places with `swapped`.
static uint64_t encode(const OperandView &view, bool swapped) {
  uint64_t code = 1;
  auto type = cast<RankedTensorType>(view.value.getType());
  for (auto [kind, size] : llvm::zip_equal(view.kinds, type.getShape())) {
    DimKind k = size == 1 ? DimKind::Unit : kind;
    if (swapped && k == DimKind::Kept)
      k = DimKind::Summed;
    else if (swapped && k == DimKind::Summed)
      k = DimKind::Kept;
    code = code * 4 + static_cast<uint64_t>(k);
  }
  return code;
}

/// The operand and all that it is a view or a cast of, nearest first.
static SmallVector<OperandView> getChain(MatmulOp op, OperandSide side) {
  SmallVector<OperandView> chain = {getOperandView(op, side)};
  while (std::optional<OperandView> source = traceStep(chain.back()))
    chain.push_back(*source);
  return chain;
}

bool fp8::contractsLastDim(MatmulOp op, OperandSide side) {
  OperandView root = getChain(op, side).back();
  auto type = cast<RankedTensorType>(root.value.getType());
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim)
    if (type.getDimSize(dim) != 1)
      return root.kinds[dim] == DimKind::Summed;
  return true;
}

//===----------------------------------------------------------------------===//
// Matches
//===----------------------------------------------------------------------===//

namespace {
/// The matmuls seen so far, by the tensors they read and how.
class MatmulIndex {
public:
  /// Adds the matches of `op` and enters it.
  SmallVector<GradientMatch> add(MatmulOp op);

private:
  struct Reader {
    MatmulOp op;
    OperandSide side;
  };
  llvm::DenseMap<std::pair<Value, uint64_t>, SmallVector<Reader>> readers;
  llvm::DenseMap<Operation *, unsigned> order;
};
} // namespace

SmallVector<GradientMatch> MatmulIndex::add(MatmulOp op) {
  SmallVector<GradientMatch> matches;
  SmallVector<OperandView> chains[] = {getChain(op, OperandSide::A),
                                       getChain(op, OperandSide::B)};
  for (OperandSide side : {OperandSide::A, OperandSide::B}) {
    OperandSide other = getOther(side);
    Value root = chains[other == OperandSide::B].back().value;
    llvm::SmallDenseSet<Operation *> seen;
    for (const OperandView &view : chains[side == OperandSide::B])
      for (const Reader &reader :
           readers.lookup({view.value, encode(view, /*swapped=*/true)}))
        if (seen.insert(reader.op).second)
          matches.push_back({reader.op, getOther(reader.side), other, root});
  }
  for (OperandSide side : {OperandSide::A, OperandSide::B})
    for (const OperandView &view : chains[side == OperandSide::B])
      readers[{view.value, encode(view, /*swapped=*/false)}].push_back(
          {op, side});
  order.insert({op, order.size()});
  auto key = [&](const GradientMatch &match) {
    return std::pair(order.lookup(match.forward), match.gradient);
  };
  llvm::sort(matches, [&](const GradientMatch &x, const GradientMatch &y) {
    return key(x) < key(y);
  });
  return matches;
}

GradientMatches fp8::findGradientMatches(func::FuncOp function) {
  GradientMatches result;
  MatmulIndex index;
  for (Block &block : function.getBody())
    for (auto op : block.getOps<MatmulOp>()) {
      SmallVector<GradientMatch> matches = index.add(op);
      if (!matches.empty())
        result[op] = std::move(matches);
    }
  return result;
}

Role fp8::getRoleOfGradient(const GradientMatch &match) {
  // The second operand is the weight, unless only the first can be one.
  OperandSide weight = OperandSide::B;
  MatmulOp forward = match.forward;
  if (isWeight(forward.getA()) && !isWeight(forward.getB()))
    weight = OperandSide::A;
  return match.of == weight ? Role::Wgrad : Role::Dgrad;
}

llvm::DenseMap<Operation *, MatmulOp>
fp8::findForwardMatmuls(func::FuncOp function) {
  llvm::DenseMap<Operation *, MatmulOp> result;
  GradientMatches matches = findGradientMatches(function);
  // One gradient comes in for each forward matmul: what one operand's gradient
  // says of it holds for the other's.
  llvm::DenseMap<Value, MatmulOp> forwardOf;
  auto isForward = [](const GradientMatch &match) {
    return !MatmulOp(match.forward).getGradient();
  };
  auto assign = [&](bool ambiguous) {
    for (auto &[op, candidates] : matches) {
      auto matmul = cast<MatmulOp>(op);
      auto fits =
          llvm::make_filter_range(candidates, [&](const GradientMatch &match) {
            return isForward(match) && matmul.getGradient() == match.gradient;
          });
      if (fits.empty() || result.contains(op))
        continue;
      const GradientMatch &first = *fits.begin();
      MatmulOp known = forwardOf.lookup(first.root);
      if (!known && !ambiguous && std::next(fits.begin()) != fits.end())
        continue;
      result[op] = known ? known : first.forward;
      forwardOf.insert({first.root, result[op]});
    }
  };
  assign(/*ambiguous=*/false);
  assign(/*ambiguous=*/true);
  return result;
}
