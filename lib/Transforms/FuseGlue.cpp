//===- FuseGlue.cpp ---------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-fuse-glue: fewer passes over memory between matmuls.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Target/Target.h"
#include "Fp8/Transforms/ByteSize.h"
#include "Fp8/Transforms/Passes.h"
#include "ScalePrediction.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_FUSEGLUEPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// How many tensors one kernel may read: each costs registers in a tile.
static constexpr int64_t kMaxInputs = 6;
/// How many ops a body may have that several kernels compute.
static constexpr int64_t kMaxCheapOps = 16;

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

/// Elementwise named ops as generics, so that there is one form to look at.
static LogicalResult generalizeElementwise(Operation *root) {
  SmallVector<linalg::LinalgOp> named;
  root->walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp>(op) &&
        op.getNumParallelLoops() == op.getNumLoops())
      named.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op.emitOpError("cannot be written as a linalg.generic");
  }
  return success();
}

/// A constant tensor with one value everywhere as a fill: it needs no memory of
/// its own on the host.
static void splatsToFills(Operation *root) {
  SmallVector<arith::ConstantOp> splats;
  root->walk([&](arith::ConstantOp op) {
    auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
    if (elements && isa<RankedTensorType>(op.getType()) &&
        op->getParentOfType<func::FuncOp>())
      splats.push_back(op);
  });
  for (arith::ConstantOp op : splats) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    auto value = cast<SplatElementsAttr>(op.getValue());
    Value scalar = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(value.getSplatValue<Attribute>()));
    Value empty =
        tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
    op.replaceAllUsesWith(
        linalg::FillOp::create(b, loc, scalar, empty).getResult(0));
    op.erase();
  }
}

/// Folds constants and fills into bodies, drops what is not used. Sizes are
/// taken from inputs: a `tensor.dim` would be one more reader.
static void clean(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [](OpOperand *) { return false; });
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  (void)applyPatternsGreedily(root, std::move(patterns));
  IRRewriter rewriter(root->getContext());
  root->walk([&](linalg::GenericOp op) {
    DominanceInfo dominance(op);
    eliminateCommonSubExpressions(rewriter, dominance, op);
  });
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Whether `op` computes one tensor element by element.
static bool isElementwise(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
         op.getNumLoops() > 0 && op.getNumParallelLoops() == op.getNumLoops() &&
         op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

/// The bytes of one element of each input that is as large as the loops are.
static int64_t getInputBytes(linalg::GenericOp op) {
  int64_t bytes = 0;
  llvm::SmallDenseSet<Value> seen;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() == op.getNumLoops() && map.isPermutation() &&
        seen.insert(input->get()).second)
      bytes += getElementBytes(getElementTypeOrSelf(input->get()));
  }
  return bytes;
}

/// Whether computing the body again costs next to nothing beside memory.
static bool isCheap(linalg::GenericOp op) {
  Block *body = op.getBody();
  if (static_cast<int64_t>(body->getOperations().size()) > kMaxCheapOps)
    return false;
  return llvm::all_of(*body, [](Operation &inner) {
    return !isa<arith::DivFOp, arith::RemFOp>(inner) &&
           (!isa<math::MathDialect>(inner.getDialect()) ||
            isa<math::AbsFOp, math::FPowIOp>(inner));
  });
}

/// Whether `use`, of an elementwise producer's result, can take in the
/// producer.
static bool canFuseInto(OpOperand &use, linalg::GenericOp producer) {
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!reader || reader->getBlock() != producer->getBlock() ||
      !reader.isDpsInput(&use) ||
      !reader.getMatchingIndexingMap(&use).isIdentity())
    return false;
  return reader.getNumDpsInputs() + producer.getNumDpsInputs() - 1 <=
             kMaxInputs &&
         linalg::areElementwiseOpsFusable(&use);
}

/// The op whose kernel is to be that of `reader`: itself, or for an amax the
/// cast that fp8-predict-scales will join it to.
static Operation *getKernelOf(Operation *reader) {
  if (!reader->hasOneUse())
    return reader;
  auto scale = dyn_cast<linalg::GenericOp>(*reader->user_begin());
  std::string reason;
  if (!scale || !isPow2Scale(scale))
    return reader;
  FailureOr<PredictableCast> cast = findPredictableCast(scale, reason);
  return succeeded(cast) ? cast->cast : reader;
}

/// Whether all readers of `producer` are to compute it themselves: no more
/// bytes move than with one kernel that stores it and takes its amax on the
/// way.
static bool shouldFuse(linalg::GenericOp producer) {
  Value result = producer->getResult(0);
  llvm::SmallPtrSet<Operation *, 4> readers;
  for (OpOperand &use : result.getUses()) {
    if (!canFuseInto(use, producer))
      return false;
    readers.insert(getKernelOf(use.getOwner()));
  }
  int64_t count = readers.size();
  if (count <= 1)
    return count == 1;
  int64_t stored = getElementBytes(getElementTypeOrSelf(result));
  return isCheap(producer) &&
         (count - 1) * getInputBytes(producer) <= count * stored;
}

/// Takes the producer of `use` into the op that reads it. A producer with other
/// readers goes in as a copy: the fused op would return its result as well.
static LogicalResult fuseInto(IRRewriter &rewriter, OpOperand &use) {
  Operation *reader = use.getOwner();
  rewriter.setInsertionPoint(reader);
  if (!use.get().hasOneUse())
    use.set(rewriter.clone(*use.get().getDefiningOp())->getResult(0));
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, &use);
  if (failed(fused))
    return failure();
  for (OpResult result : reader->getResults())
    rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
  rewriter.eraseOp(reader);
  return success();
}

/// One walk down each block: by the time a reader is visited, it has taken in
/// what it will.
static void fuseChains(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<Block *> blocks;
  root->walk([&](Block *block) {
    if (!isa<linalg::LinalgOp>(block->getParentOp()))
      blocks.push_back(block);
  });
  for (Block *block : blocks)
    for (Operation *op = block->empty() ? nullptr : &block->front(); op;) {
      auto producer = dyn_cast<linalg::GenericOp>(op);
      if (producer && isElementwise(producer) && shouldFuse(producer))
        while (!producer->use_empty())
          if (failed(fuseInto(rewriter, *producer->use_begin())))
            break;
      Operation *next = op->getNextNode();
      if (producer && producer->use_empty())
        rewriter.eraseOp(producer);
      op = next;
    }
}

//===----------------------------------------------------------------------===//
// Second results
//===----------------------------------------------------------------------===//

/// Whether `op` swaps the last two dimensions and nothing else.
static bool swapsLastTwo(linalg::TransposeOp op) {
  SmallVector<int64_t> identity(op.getPermutation());
  int64_t rank = identity.size();
  if (rank < 2)
    return false;
  std::swap(identity[rank - 2], identity[rank - 1]);
  return llvm::equal(identity, llvm::seq<int64_t>(0, rank));
}

/// Makes the transposed copies of the result of `producer` a second result, or
/// the only one if nobody reads the other.
static void takeTransposes(IRRewriter &rewriter, linalg::GenericOp producer) {
  SmallVector<linalg::TransposeOp> copies;
  for (Operation *user : producer->getUsers())
    if (auto copy = dyn_cast<linalg::TransposeOp>(user))
      if (copy.getInput() == producer->getResult(0) && swapsLastTwo(copy))
        copies.push_back(copy);
  if (copies.empty())
    return;

  rewriter.setInsertionPoint(producer);
  Location loc = producer.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, producer.getDpsInits()[0]);
  applyPermutationToVector(sizes, copies[0].getPermutation());
  Type element = getElementTypeOrSelf(producer->getResult(0));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  SmallVector<AffineMap> maps = producer.getIndexingMapsArray();
  SmallVector<Value> inits(producer.getDpsInits());
  SmallVector<Type> types(producer.getResultTypes());
  bool keep = llvm::any_of(producer->getUsers(), [&](Operation *user) {
    return !llvm::is_contained(copies, user);
  });
  AffineMap swapped = AffineMap::getPermutationMap(copies[0].getPermutation(),
                                                   rewriter.getContext());
  if (!keep) {
    maps.pop_back();
    inits.clear();
    types.clear();
  }
  maps.push_back(swapped);
  inits.push_back(empty);
  types.push_back(empty.getType());
  auto both =
      linalg::GenericOp::create(rewriter, loc, types, producer.getDpsInputs(),
                                inits, maps, producer.getIteratorTypesArray());
  rewriter.inlineRegionBefore(producer.getRegion(), both.getRegion(),
                              both.getRegion().begin());
  if (keep) {
    Block *body = both.getBody();
    body->addArgument(element, loc);
    Operation *yield = body->getTerminator();
    yield->insertOperands(1, yield->getOperand(0));
    rewriter.replaceAllUsesWith(producer->getResult(0), both->getResult(0));
  }
  for (linalg::TransposeOp copy : copies)
    rewriter.replaceOp(copy, both->getResults().back());
  rewriter.eraseOp(producer);
}

static void fuseTransposes(Operation *root) {
  SmallVector<linalg::GenericOp> producers;
  root->walk([&](linalg::GenericOp op) {
    if (isElementwise(op))
      producers.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::GenericOp op : producers)
    takeTransposes(rewriter, op);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// The bytes of a tensor, or the largest number; a dynamic size counts as 1.
static uint64_t getBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? getByteSize(type.getShape(),
                            getElementBytes(type.getElementType()))
              : 0;
}

/// Says what is left. Scalar ops count for nothing: a kernel computes them on
/// the way.
static void report(func::FuncOp function) {
  uint64_t kernels = 0, bytes = 0;
  function.walk([&](linalg::LinalgOp op) {
    if (op.getNumLoops() == 0)
      return;
    ++kernels;
    llvm::SmallDenseSet<Value> read;
    for (OpOperand *input : op.getDpsInputOperands())
      if (read.insert(input->get()).second)
        bytes = llvm::SaturatingAdd(bytes, getBytes(input->get()));
    for (Value init : op.getDpsInits())
      bytes = llvm::SaturatingAdd(bytes, getBytes(init));
  });
  remark::analysis(function.getLoc(), remark::RemarkOpts::name("FuseGlue")
                                          .category("fp8")
                                          .function(function.getName()))
      << remark::reason("{0} kernels between matmuls move {1} bytes", kernels,
                        bytes);
}

namespace {
struct FuseGluePass : fp8::impl::FuseGluePassBase<FuseGluePass> {
  using Base::Base;

  void runOnOperation() override {
    if (!lookupTarget(target)) {
      getOperation().emitError("expects a target among ")
          << getTargetNames() << ", but got '" << target << "'";
      return signalPassFailure();
    }
    if (target == "cpu")
      return;
    splatsToFills(getOperation());
    if (failed(generalizeElementwise(getOperation())))
      return signalPassFailure();
    clean(getOperation());
    fuseChains(getOperation());
    clean(getOperation());
    fuseTransposes(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        report(function);
  }
};
} // namespace
