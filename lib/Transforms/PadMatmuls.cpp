//===- PadMatmuls.cpp -------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-pad-matmuls: zeros where a target wants sizes to be multiples.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Target/Target.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_PADMATMULSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

namespace {
/// What M, N and K must be multiples of.
struct Alignment {
  int64_t m, n, k;
};

/// What to append to a dimension: none, as many elements as fill up a multiple
/// of `multiple`, or as many blocks of `block` as then are new.
struct DimPadding {
  int64_t multiple = 1, block = 1;
};
} // namespace

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// One tensor
//===----------------------------------------------------------------------===//

/// True if `expr` is what is missing to a multiple of `multiple`: (-x) mod c.
static bool isMissingTo(AffineExpr expr, int64_t multiple) {
  auto mod = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!mod || mod.getKind() != AffineExprKind::Mod)
    return false;
  auto divisor = dyn_cast<AffineConstantExpr>(mod.getRHS());
  auto negated = dyn_cast<AffineBinaryOpExpr>(mod.getLHS());
  if (!divisor || divisor.getValue() % multiple != 0 || !negated ||
      negated.getKind() != AffineExprKind::Mul)
    return false;
  auto factor = dyn_cast<AffineConstantExpr>(negated.getRHS());
  return factor && factor.getValue() == -1;
}

/// True if the dynamic `dim` of `value` is a multiple of `multiple` because
/// this pass made it one.
static bool isPadded(Value value, int64_t dim, int64_t multiple) {
  while (auto transpose = value.getDefiningOp<TransposeOp>()) {
    int64_t rank = getTensorType(value).getRank();
    if (dim >= rank - 2)
      dim = 2 * rank - 3 - dim;
    value = transpose.getInput();
  }
  auto pad = value.getDefiningOp<tensor::PadOp>();
  auto high = pad ? dyn_cast<Value>(pad.getMixedHighPad()[dim]) : Value();
  auto apply = high ? high.getDefiningOp<affine::AffineApplyOp>() : nullptr;
  return apply && isMissingTo(apply.getMap().getResult(0), multiple);
}

static bool needsPadding(Value value, int64_t dim, int64_t multiple) {
  int64_t size = getTensorType(value).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return size % multiple != 0;
  return multiple != 1 && !isPadded(value, dim, multiple);
}

/// How many elements `padding` appends to a dimension that has a block for each
/// `padding.block` of `size` elements.
static OpFoldResult getAmount(OpBuilder &b, Location loc, OpFoldResult size,
                              DimPadding padding) {
  AffineExpr d0 = b.getAffineDimExpr(0);
  AffineExpr missing = (-d0) % padding.multiple;
  if (padding.block > 1)
    missing = (d0 + missing).ceilDiv(padding.block) - d0.ceilDiv(padding.block);
  return affine::makeComposedFoldedAffineApply(b, loc, missing, size);
}

/// `value` with zeros behind the last element of each dimension, `amounts` of
/// them.
static Value createPad(OpBuilder &b, Location loc, Value value,
                       ArrayRef<OpFoldResult> amounts) {
  if (llvm::all_of(amounts, isZeroInteger))
    return value;
  RankedTensorType type = getTensorType(value);
  SmallVector<int64_t> shape;
  for (auto [size, amount] : llvm::zip_equal(type.getShape(), amounts)) {
    std::optional<int64_t> known = getConstantIntValue(amount);
    shape.push_back(ShapedType::isDynamic(size) || !known ? ShapedType::kDynamic
                                                          : size + *known);
  }
  if (llvm::is_contained(shape, 0)) {
    // A pad of an empty tensor becomes a slice that does not verify.
    AffineExpr x, y;
    bindDims(b.getContext(), x, y);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
    for (auto [size, amount] : llvm::zip_equal(sizes, amounts))
      size =
          affine::makeComposedFoldedAffineApply(b, loc, x + y, {size, amount});
    return tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  }
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0));
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(b, loc, type.clone(shape), value, low, amounts,
                               zero);
}

/// Pads the dimensions of `value` to multiples; `multiples` speaks of the last
/// ones. The zeros stand behind the tensor's definition, for all its readers.
static Value padTo(OpBuilder &b, Value value, ArrayRef<int64_t> multiples) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(value);
  int64_t rank = getTensorType(value).getRank();
  int64_t first = rank - multiples.size();
  SmallVector<OpFoldResult> amounts(rank, b.getIndexAttr(0));
  for (auto [index, multiple] : llvm::enumerate(multiples)) {
    int64_t dim = first + index;
    if (!needsPadding(value, dim, multiple))
      continue;
    OpFoldResult size = tensor::getMixedSize(b, value.getLoc(), value, dim);
    amounts[dim] = getAmount(b, value.getLoc(), size, {multiple, 1});
  }
  return createPad(b, value.getLoc(), value, amounts);
}

//===----------------------------------------------------------------------===//
// One matmul
//===----------------------------------------------------------------------===//

/// The descales of `operand`, read with `transposed` as rows x columns of
/// `multiples`, for the padded operand.
static Value padDescales(OpBuilder &b, Value descales,
                         GranularityAttr granularity, Value operand,
                         bool transposed, ArrayRef<int64_t> multiples) {
  if (granularity.isTensor())
    return descales;
  int64_t rank = getTensorType(operand).getRank();
  bool rowwise = granularity.getKind() == GranularityKind::Rowwise;
  bool colwise = granularity.getKind() == GranularityKind::Colwise;
  // A dimension that has one scale keeps it.
  int64_t blocks[] = {colwise   ? 0
                      : rowwise ? 1
                                : granularity.getRows(),
                      rowwise   ? 0
                      : colwise ? 1
                                : granularity.getCols()};
  SmallVector<OpFoldResult> amounts(rank, b.getIndexAttr(0));
  Location loc = descales.getLoc();
  for (int64_t i : {0, 1}) {
    int64_t stored = rank - 2 + (transposed ? 1 - i : i);
    if (blocks[i] == 0 || !needsPadding(operand, stored, multiples[i]))
      continue;
    OpFoldResult size = tensor::getMixedSize(b, loc, operand, stored);
    amounts[rank - 2 + i] = getAmount(b, loc, size, {multiples[i], blocks[i]});
  }
  return createPad(b, loc, descales, amounts);
}

/// The sizes of the result of `op`, without padding.
static SmallVector<OpFoldResult> getResultSizes(OpBuilder &b, ScaledMMOp op) {
  Location loc = op.getLoc();
  int64_t rank = op.getType().getRank();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(op.getType().getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(b.getIndexAttr(size));
      continue;
    }
    bool column = int64_t(dim) == rank - 1;
    int64_t from = dim;
    if (column && op.getTransB())
      from = rank - 2;
    if (int64_t(dim) == rank - 2 && op.getTransA())
      from = rank - 1;
    sizes.push_back(tensor::getMixedSize(
        b, loc, column ? Value(op.getB()) : Value(op.getA()), from));
  }
  return sizes;
}

static bool needsPadding(ScaledMMOp op, Alignment alignment) {
  int64_t rank = op.getType().getRank();
  auto needs = [&](Value value, bool transposed, int64_t rows, int64_t cols) {
    return needsPadding(value, rank - 2, transposed ? cols : rows) ||
           needsPadding(value, rank - 1, transposed ? rows : cols);
  };
  return needs(op.getA(), op.getTransA(), alignment.m, alignment.k) ||
         needs(op.getB(), op.getTransB(), alignment.k, alignment.n);
}

/// Replaces `op` by one of padded operands and a slice of its result.
static void padMatmul(RewriterBase &rewriter, ScaledMMOp op,
                      Alignment alignment) {
  auto [m, n, k] = alignment;
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes = getResultSizes(rewriter, op);
  Value descaleA = padDescales(rewriter, op.getDescaleA(), op.getGranularityA(),
                               op.getA(), op.getTransA(), {m, k});
  Value descaleB = padDescales(rewriter, op.getDescaleB(), op.getGranularityB(),
                               op.getB(), op.getTransB(), {k, n});
  auto pad = [&](Value value, int64_t rows, int64_t cols, bool transposed) {
    if (transposed)
      std::swap(rows, cols);
    return padTo(rewriter, value, {rows, cols});
  };
  Value a = pad(op.getA(), m, k, op.getTransA());
  Value b = pad(op.getB(), k, n, op.getTransB());
  Value acc = op.getAcc() ? pad(op.getAcc(), m, n, false) : Value();
  Value bias = op.getBias() ? padTo(rewriter, op.getBias(), {n}) : Value();

  RankedTensorType type = op.getType();
  SmallVector<int64_t> shape(type.getShape());
  auto roundUp = [](int64_t &size, int64_t multiple) {
    if (!ShapedType::isDynamic(size))
      size = llvm::alignTo(size, multiple);
  };
  roundUp(shape[shape.size() - 2], m);
  roundUp(shape.back(), n);
  auto padded = ScaledMMOp::create(
      rewriter, op.getLoc(), type.clone(shape), a, b, descaleA, descaleB, acc,
      bias, op.getTransA(), op.getTransB(), op.getFastAccum(),
      op.getGranularityA(), op.getGranularityB(), op.getNameAttr());
  padded->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  SmallVector<OpFoldResult> zeros(type.getRank(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(type.getRank(), rewriter.getIndexAttr(1));
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(op, type, padded, zeros,
                                                      sizes, ones);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct PadMatmulsPass : fp8::impl::PadMatmulsPassBase<PadMatmulsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetInfo *info = lookupTarget(target);
    if (!info) {
      module.emitError("expects a target among ")
          << getTargetNames() << ", but got '" << target << "'";
      return signalPassFailure();
    }
    if (alignment < 0) {
      module.emitError("expects an alignment of 1 or more, or 0 for the "
                       "target's, but got ")
          << alignment.getValue();
      return signalPassFailure();
    }
    Alignment multiples{info->alignM, info->alignN, info->alignK};
    if (alignment > 0)
      multiples = {alignment, alignment, alignment};
    // Each matmul stands for itself: a walk is enough. No library is asked for
    // an empty result, and no slice of an empty tensor verifies.
    SmallVector<ScaledMMOp> matmuls;
    module.walk([&](ScaledMMOp op) {
      if (!llvm::is_contained(op.getType().getShape(), 0))
        matmuls.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (ScaledMMOp op : matmuls)
      if (needsPadding(op, multiples))
        padMatmul(rewriter, op, multiples);
  }
};
} // namespace
