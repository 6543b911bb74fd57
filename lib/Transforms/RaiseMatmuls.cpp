//===- RaiseMatmuls.cpp -----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-raise-matmuls: every spelling of a contraction becomes fp8.matmul.
//
// The loops of a contraction are labels. Operands are traced, labels in hand,
// through transposes, broadcasts and widenings to what they are copies of; then
// the loops are classified by which operands carry them, and the operands are
// brought into the form of fp8.matmul with as few ops as possible.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/TensorView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_RAISEMATMULSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

using Labels = SmallVector<unsigned>;

namespace {
/// A contraction in labels: `a` carries batch, m and k, `b` batch, k and n.
struct Contraction {
  linalg::LinalgOp op;
  TensorView a, b;
  /// The labels of the result, as it is stored, without loops of one iteration
  /// that no matmul needs.
  Labels out;
  /// The labels of all its dimensions.
  Labels stored;
  Labels batch, m, n, k;
};

/// What follows a contraction and becomes part of its epilogue.
struct Epilogue {
  /// The last value of the chain, which fp8.matmul replaces.
  Value last;
  Value bias;
  /// The reshapes between the contraction and `last`.
  SmallVector<Operation *> reshapes;
};
} // namespace

static Labels concat(ArrayRef<unsigned> x, ArrayRef<unsigned> y,
                     ArrayRef<unsigned> z = {}) {
  Labels result(x);
  llvm::append_range(result, y);
  llvm::append_range(result, z);
  return result;
}

static Type getElementType(Value value) {
  return getElementTypeOrSelf(value.getType());
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// The operand as a view whose labels are the loops that it carries; none if
/// its map does more than pick loops.
static std::optional<TensorView> getOperandView(linalg::LinalgOp op,
                                                OpOperand &operand) {
  TensorView view{operand.get(), {}};
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return std::nullopt;
    view.labels.push_back(dim.getPosition());
  }
  return view;
}

/// Traces both operands to what they are copies of, through widenings only if
/// both end at the same element type.
static void traceOperands(OpBuilder &builder, Contraction &c, bool broadcasts) {
  builder.setInsertionPoint(c.op);
  for (bool extensions : {true, false}) {
    TraceOptions options{extensions, broadcasts};
    TensorView a = traceViewThroughReshapes(builder, c.a, options);
    TensorView b = traceViewThroughReshapes(builder, c.b, options);
    if (extensions && getElementType(a.value) != getElementType(b.value))
      continue;
    c.a = a;
    c.b = b;
    return;
  }
}

/// Takes the loops of one iteration out that both operands carry, or none.
static void dropUnitLoops(Contraction &c) {
  SmallVector<int64_t> sizes = c.op.getStaticLoopRanges();
  llvm::erase_if(c.out, [&](unsigned label) {
    bool inA = llvm::is_contained(c.a.labels, label);
    bool inB = llvm::is_contained(c.b.labels, label);
    if (sizes[label] != 1 || inA != inB)
      return false;
    llvm::replace(c.a.labels, label, kUnitLabel);
    llvm::replace(c.b.labels, label, kUnitLabel);
    return true;
  });
}

/// Sorts the loops by who carries them. Loops of the result come in its order,
/// contracted ones in the order of `a`. Returns a reason on failure.
static std::optional<StringRef> classifyLoops(Contraction &c) {
  for (Labels *loops : {&c.batch, &c.m, &c.n, &c.k})
    loops->clear();
  for (unsigned label : c.out) {
    bool inA = llvm::is_contained(c.a.labels, label);
    bool inB = llvm::is_contained(c.b.labels, label);
    if (!inA && !inB)
      return "a dimension of the result is in no operand";
    (inA && inB ? c.batch : inA ? c.m : c.n).push_back(label);
  }
  for (unsigned label : c.a.labels)
    if (!llvm::is_contained(c.out, label))
      c.k.push_back(label);
  for (unsigned label : c.k)
    if (!llvm::is_contained(c.b.labels, label))
      return "an operand is summed along a dimension of its own";
  if (c.k.size() + c.n.size() + c.batch.size() != c.b.labels.size())
    return "an operand is summed along a dimension of its own";
  if (c.m.empty() || c.n.empty() || c.k.empty())
    return "it is no product of two matrices";
  return std::nullopt;
}

/// True if the body of a contraction multiplies and adds, widens, and rounds
/// nothing but the product and the sum. Upstream's test for contractions looks
/// through every op of one operand, a negation or an `exp` too.
static bool hasPlainBody(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  return llvm::all_of(*body, [](Operation &inner) {
    if (isa<arith::TruncFOp>(inner))
      return inner.getOperand(0).getDefiningOp<arith::MulFOp>() ||
             inner.getOperand(0).getDefiningOp<arith::AddFOp>();
    return isa<arith::MulFOp, arith::AddFOp, arith::ExtFOp, linalg::YieldOp>(
        inner);
  });
}

/// Why fp8.matmul does not do what `c` does on these operands, or none.
static std::optional<StringRef> checkOp(Contraction &c) {
  auto isWide = [](Type type) {
    return isa<BFloat16Type, Float16Type, Float32Type>(type);
  };
  for (Value value : {c.a.value, c.b.value, c.op.getDpsInits()[0]})
    if (hasEncoding(value))
      return "a tensor has an encoding";
  Type type = getElementType(c.a.value);
  if (type != getElementType(c.b.value))
    return "the operands have different element types";
  if (!isWide(type))
    return "the element type is not bf16, f16 or f32";
  if (!isWide(getElementType(c.op.getDpsInits()[0])))
    return "the type of the sum is not bf16, f16 or f32";
  if (!hasPlainBody(c.op))
    return "the body does more than multiply and add";
  return std::nullopt;
}

/// True if `view` is batch, then rows and columns or columns and rows.
static bool isPacked(const TensorView &view, ArrayRef<unsigned> batch,
                     ArrayRef<unsigned> rows, ArrayRef<unsigned> cols) {
  return ArrayRef(view.labels) == ArrayRef(concat(batch, rows, cols)) ||
         ArrayRef(view.labels) == ArrayRef(concat(batch, cols, rows));
}

/// How many copies stand between the operands and the result of `c` and those
/// of an fp8.matmul.
static unsigned countCopies(const Contraction &c) {
  return !isPacked(c.a, c.batch, c.m, c.k) + !isPacked(c.b, c.batch, c.k, c.n) +
         (ArrayRef(c.out) != ArrayRef(concat(c.batch, c.m, c.n)));
}

/// Makes the first operand the one whose rows come first in the result.
static void orderOperands(Contraction &c) {
  if (llvm::find(c.out, c.m.front()) < llvm::find(c.out, c.n.front()))
    return;
  std::swap(c.a, c.b);
  std::swap(c.m, c.n);
}

/// Finds out which loops are rows, columns and sums. The first operand becomes
/// the one whose rows come first in the result. Returns a reason on failure.
static std::optional<StringRef> classify(OpBuilder &builder, Contraction &c) {
  if (std::optional<StringRef> reason = checkOp(c))
    return reason;
  dropUnitLoops(c);
  c.a = squeezeView(builder, c.op.getLoc(), c.a);
  c.b = squeezeView(builder, c.op.getLoc(), c.b);
  if (std::optional<StringRef> reason = classifyLoops(c))
    return reason;
  orderOperands(c);
  return std::nullopt;
}

/// Traces the operands and classifies the loops. A tensor that is repeated for
/// each batch is taken as it was before, which makes its batches more rows,
/// unless that costs copies of the other tensors. Returns a reason on failure.
static std::optional<StringRef> traceAndClassify(OpBuilder &builder,
                                                 Contraction &c) {
  Contraction repeated = c, plain = c;
  traceOperands(builder, c, /*broadcasts=*/true);
  std::optional<StringRef> reason = classify(builder, c);
  if (!reason && countCopies(c) == 0)
    return std::nullopt;
  if (!reason) {
    traceOperands(builder, repeated, /*broadcasts=*/false);
    if (!classify(builder, repeated) && countCopies(repeated) < countCopies(c))
      c = repeated;
    return std::nullopt;
  }
  // Tracing may have lost a row, a column or a sum of one element.
  if (!llvm::is_contained(c.op.getStaticLoopRanges(), 1) || checkOp(plain) ||
      classifyLoops(plain))
    return reason;
  c = plain;
  orderOperands(c);
  return std::nullopt;
}

/// The contraction that `op` computes, or the reason why it cannot be raised.
static std::optional<StringRef> analyze(OpBuilder &builder, linalg::LinalgOp op,
                                        Contraction &c) {
  auto a = getOperandView(op, *op.getDpsInputOperand(0));
  auto b = getOperandView(op, *op.getDpsInputOperand(1));
  auto out = getOperandView(op, *op.getDpsInitOperand(0));
  if (!a || !b || !out)
    return "an indexing map does more than pick dimensions";
  c.op = op;
  c.a = *a;
  c.b = *b;
  c.out = c.stored = out->labels;
  return traceAndClassify(builder, c);
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// If `op` adds something to `value`, element by element, the other addend as a
/// view with the labels of `value`'s dimensions.
static std::optional<TensorView> matchAddTo(linalg::GenericOp op, Value value,
                                            ArrayRef<unsigned> labels) {
  if (op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  Block *body = op.getBody();
  auto add = cast<linalg::YieldOp>(body->getTerminator())
                 .getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  if (!add || add.getLhs() == add.getRhs() ||
      !llvm::is_contained({add.getLhs(), add.getRhs()},
                          Value(body->getArgument(0))) ||
      !llvm::is_contained({add.getLhs(), add.getRhs()},
                          Value(body->getArgument(1))))
    return std::nullopt;
  unsigned position = op.getDpsInputs()[0] == value ? 0 : 1;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(position));
  OpOperand *other = op.getDpsInputOperand(1 - position);
  if (op.getDpsInputs()[position] != value || !map.isIdentity() ||
      other->get() == value)
    return std::nullopt;
  std::optional<TensorView> view =
      getOperandView(cast<linalg::LinalgOp>(op.getOperation()), *other);
  if (!view)
    return std::nullopt;
  for (unsigned &label : view->labels)
    label = labels[label];
  return view;
}

/// `view` traced to a vector along the columns of the result, or null.
static Value traceBias(OpBuilder &builder, Contraction &c, TensorView view) {
  if (c.n.size() != 1)
    return nullptr;
  view = traceView(view);
  if (!llvm::is_contained(view.labels, c.n.front()))
    return nullptr;
  view = squeezeView(builder, c.op.getLoc(), view);
  return ArrayRef(view.labels) == ArrayRef(c.n) ? view.value : nullptr;
}

/// Follows the contraction's result through the ops that fp8.matmul does
/// itself: one bias and one rounding, in either order, with reshapes in
/// between. A rounding before the bias is dropped; none is added.
static Epilogue matchEpilogue(OpBuilder &builder, Contraction &c, Value bias) {
  Epilogue epilogue{c.op->getResult(0), bias, {}};
  Value last = epilogue.last;
  Labels labels = c.stored;
  SmallVector<Operation *> reshapes;
  bool rounded = false, forgotSize = false;
  while (last.hasOneUse()) {
    Operation *op = *last.user_begin();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      // A reshape of a less static type cannot be repeated.
      if (forgotSize)
        break;
      labels = labelReshape(op, labels);
      reshapes.push_back(op);
      last = op->getResult(0);
      continue;
    }
    auto user = dyn_cast<linalg::GenericOp>(op);
    if (!user || user.isDpsInit(&*last.use_begin()))
      break;
    // The matmul takes the last op's place, which may not be in a loop.
    if (user->getBlock() != c.op->getBlock())
      break;
    if (!rounded && classifyElementwise(user) == ElementwiseKind::Truncate &&
        user.getIndexingMapsArray()[0].isIdentity()) {
      rounded = true;
    } else {
      if (epilogue.bias)
        break;
      std::optional<TensorView> other = matchAddTo(user, last, labels);
      builder.setInsertionPoint(user);
      if (!other || !(epilogue.bias = traceBias(builder, c, *other)))
        break;
    }
    forgotSize |= cast<ShapedType>(last.getType()).getShape() !=
                  cast<ShapedType>(user.getResultTypes()[0]).getShape();
    epilogue.last = last = user->getResult(0);
    epilogue.reshapes = reshapes;
  }
  return epilogue;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Copies `view` so that its dimensions come in the order of `labels`.
static TensorView transposeTo(OpBuilder &b, Location loc,
                              const TensorView &view,
                              ArrayRef<unsigned> labels) {
  if (ArrayRef(view.labels) == labels)
    return view;
  SmallVector<int64_t> permutation;
  for (unsigned label : labels)
    permutation.push_back(llvm::find(view.labels, label) - view.labels.begin());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, view.value);
  applyPermutationToVector(sizes, permutation);
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, getElementType(view.value));
  auto transpose =
      linalg::TransposeOp::create(b, loc, view.value, empty, permutation);
  return {transpose->getResult(0), Labels(labels)};
}

/// Which dimensions become one: each batch dimension stays, then two groups.
static SmallVector<ReassociationIndices>
groupDims(unsigned batch, unsigned first, unsigned second) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  auto add = [&](unsigned size) {
    ReassociationIndices &group = groups.emplace_back();
    for (unsigned i = 0; i < size; ++i)
      group.push_back(next++);
  };
  for (unsigned i = 0; i < batch; ++i)
    add(1);
  add(first);
  add(second);
  return groups;
}

/// `view` as batch x rows x columns, or batch x columns x rows if it is stored
/// so; `transposed` says which. Only another order costs a copy.
static Value packOperand(OpBuilder &b, Location loc, TensorView view,
                         ArrayRef<unsigned> batch, ArrayRef<unsigned> rows,
                         ArrayRef<unsigned> cols, bool &transposed) {
  transposed = ArrayRef(view.labels) == ArrayRef(concat(batch, cols, rows));
  if (!transposed)
    view = transposeTo(b, loc, view, concat(batch, rows, cols));
  unsigned first = transposed ? cols.size() : rows.size();
  unsigned second = transposed ? rows.size() : cols.size();
  if (first == 1 && second == 1)
    return view.value;
  return tensor::CollapseShapeOp::create(
      b, loc, view.value, groupDims(batch.size(), first, second));
}

/// The sizes of the contraction's result, with batch, rows and columns in
/// order.
static SmallVector<OpFoldResult> getResultSizes(OpBuilder &b, Location loc,
                                                Contraction &c) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, c.op.getDpsInits()[0]);
  SmallVector<OpFoldResult> ordered;
  for (unsigned label : concat(c.batch, c.m, c.n))
    ordered.push_back(sizes[llvm::find(c.stored, label) - c.stored.begin()]);
  return ordered;
}

/// `sizes` as the shape of a type.
static SmallVector<int64_t> toShape(ArrayRef<OpFoldResult> sizes) {
  return decomposeMixedValues(llvm::to_vector(sizes)).first;
}

/// The shape of fp8.matmul's result: that of the contraction's own, with its
/// rows and its columns as one dimension each.
static SmallVector<int64_t> getMatmulShape(const Contraction &c,
                                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  SmallVector<int64_t> all = toShape(sizes);
  for (ArrayRef<int64_t> group :
       groupDims(c.batch.size(), c.m.size(), c.n.size())) {
    int64_t size = 1;
    for (int64_t dim : group)
      size = ShapedType::isDynamic(size) || ShapedType::isDynamic(all[dim])
                 ? ShapedType::kDynamic
                 : size * all[dim];
    shape.push_back(size);
  }
  return shape;
}

/// `value`, with the labels `c.out`, with the dimensions of size 1 that
/// `c.stored` has and `c.out` has not.
static Value restoreUnitDims(OpBuilder &b, Contraction &c, Value value) {
  if (c.out.size() == c.stored.size())
    return value;
  Location loc = c.op.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
  SmallVector<OpFoldResult> allSizes;
  SmallVector<ReassociationIndices> groups(c.out.size());
  unsigned next = 0;
  for (auto [dim, label] : llvm::enumerate(c.stored)) {
    bool kept = next < c.out.size() && c.out[next] == label;
    groups[std::min<size_t>(next, c.out.size() - 1)].push_back(dim);
    allSizes.push_back(kept ? sizes[next] : b.getIndexAttr(1));
    next += kept;
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(toShape(allSizes), getElementType(value)),
      value, groups, allSizes);
}

/// `value` reshaped as `reshape` reshapes its source.
static Value repeatReshape(OpBuilder &b, Operation *reshape, Value value) {
  auto type = cast<RankedTensorType>(reshape->getResult(0).getType())
                  .clone(getElementType(value));
  Location loc = reshape->getLoc();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return tensor::CollapseShapeOp::create(b, loc, type, value,
                                           collapse.getReassociationIndices());
  auto expand = cast<tensor::ExpandShapeOp>(reshape);
  return tensor::ExpandShapeOp::create(b, loc, type, value,
                                       expand.getReassociationIndices(),
                                       expand.getMixedOutputShape());
}

/// The result of fp8.matmul as what the epilogue ends with; `sizes` are those
/// of getResultSizes.
static Value unpackResult(OpBuilder &b, Location loc, Contraction &c,
                          Value result, ArrayRef<OpFoldResult> sizes,
                          const Epilogue &epilogue) {
  if (c.m.size() > 1 || c.n.size() > 1)
    result = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(toShape(sizes), getElementType(result)),
        result, groupDims(c.batch.size(), c.m.size(), c.n.size()), sizes);
  result =
      transposeTo(b, loc, {result, concat(c.batch, c.m, c.n)}, c.out).value;
  result = restoreUnitDims(b, c, result);
  // A size may be static in one type and dynamic in the other.
  Type type = cast<RankedTensorType>(c.op->getResult(0).getType())
                  .clone(getElementType(result));
  if (result.getType() != type)
    result = tensor::CastOp::create(b, loc, type, result);
  for (Operation *reshape : epilogue.reshapes)
    result = repeatReshape(b, reshape, result);
  if (result.getType() != epilogue.last.getType())
    result = tensor::CastOp::create(b, loc, epilogue.last.getType(), result);
  return result;
}

/// What filters and reports call the layer: the name of the weight's argument,
/// which is the second operand if both are arguments.
static StringAttr getLayerName(const Contraction &c) {
  for (Value value : {c.b.value, c.a.value}) {
    auto argument = dyn_cast<BlockArgument>(stripViewsAndCasts(value));
    auto function =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : nullptr;
    if (!function)
      continue;
    unsigned number = argument.getArgNumber();
    if (auto name = function.getArgAttrOfType<StringAttr>(number, kNameAttr))
      return name;
    return StringAttr::get(argument.getContext(), "arg" + Twine(number));
  }
  return {};
}

/// The old value of the result as fp8.matmul adds it.
static Value packAccumulator(OpBuilder &b, Contraction &c) {
  Location loc = c.op.getLoc();
  TensorView view{c.op.getDpsInits()[0], c.stored};
  for (unsigned &label : view.labels)
    if (!llvm::is_contained(c.out, label))
      label = kUnitLabel;
  view = squeezeView(b, loc, view);
  view = transposeTo(b, loc, view, concat(c.batch, c.m, c.n));
  bool transposed;
  return packOperand(b, loc, view, c.batch, c.m, c.n, transposed);
}

/// Replaces the contraction and its epilogue by an fp8.matmul.
static void raise(IRRewriter &rewriter, Contraction &c) {
  Location loc = c.op.getLoc();
  Value init = c.op.getDpsInits()[0];
  bool hasAcc = !isZeroTensor(init);
  rewriter.setInsertionPoint(c.op);
  Value bias = hasAcc ? traceBias(rewriter, c, {init, c.stored}) : nullptr;
  hasAcc &= !bias;
  Epilogue epilogue = matchEpilogue(rewriter, c, bias);

  rewriter.setInsertionPoint(epilogue.last.getDefiningOp());
  bool transA, transB;
  Value a = packOperand(rewriter, loc, c.a, c.batch, c.m, c.k, transA);
  Value b = packOperand(rewriter, loc, c.b, c.batch, c.k, c.n, transB);
  Value acc;
  if (hasAcc)
    acc = packAccumulator(rewriter, c);
  SmallVector<OpFoldResult> sizes = getResultSizes(rewriter, loc, c);
  auto matmul =
      MatmulOp::create(rewriter, loc,
                       RankedTensorType::get(getMatmulShape(c, sizes),
                                             getElementType(epilogue.last)),
                       a, b, acc, epilogue.bias, transA, transB, Role::Forward,
                       /*gradient=*/OperandSideAttr(), getLayerName(c));
  if (Attribute convert = c.op->getAttr(kConvertAttr))
    matmul->setAttr(kConvertAttr, convert);
  rewriter.replaceAllUsesWith(
      epilogue.last,
      unpackResult(rewriter, loc, c, matmul.getResult(), sizes, epilogue));
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct RaiseMatmulsPass : fp8::impl::RaiseMatmulsPassBase<RaiseMatmulsPass> {
  using Base::Base;

  void runOnOperation() override {
    // Contractions are rare and each is looked at once, so this is a walk and
    // not a set of patterns.
    SmallVector<linalg::LinalgOp> candidates;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op) && op.hasPureTensorSemantics())
        candidates.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : candidates) {
      Contraction contraction;
      std::optional<StringRef> reason = analyze(rewriter, op, contraction);
      if (!reason) {
        raise(rewriter, contraction);
        continue;
      }
      remark::missed(op.getLoc(),
                     remark::RemarkOpts::name("RaiseMatmuls").category("fp8"))
          << remark::reason("not raised: {0}", *reason);
    }
    getOperation()->walk([&](linalg::TransposeOp op) {
      rewriter.setInsertionPoint(op);
      if (Value reshape = createReshapeOfTranspose(rewriter, op))
        rewriter.replaceOp(op, reshape);
    });
    // The transposes and widenings that were looked through.
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
