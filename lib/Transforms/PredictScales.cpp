//===- PredictScales.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-predict-scales: cast with last step's scale while the amax is taken.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "ScalePrediction.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_PREDICTSCALESPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

namespace {
/// Rewrites one quantization. Everything is made in front of its cast.
class Predictor {
public:
  explicit Predictor(PredictableCast source)
      : source(source), b(source.cast), loc(source.cast.getLoc()),
        scalar(RankedTensorType::get({}, b.getF32Type())) {}

  void run();

private:
  /// The memory that holds the hint from call to call.
  Value createSlot();
  /// A copy of `hint`: what the first cast uses.
  Value copyHint(Value hint);
  /// Casts by `used` and takes the amax, in one pass.
  linalg::GenericOp createCastWithAmax(Value used);
  /// The scale of `amax`, which is the next hint, in the place of `hint`.
  linalg::GenericOp createScale(Value amax, Value hint);
  /// Casts again, over `first`, unless `used` was the scale.
  linalg::GenericOp createRedo(ValueRange first, Value scale, Value used);

  PredictableCast source;
  OpBuilder b;
  Location loc;
  RankedTensorType scalar;
};
} // namespace

Value Predictor::createSlot() {
  OpBuilder::InsertionGuard guard(b);
  auto function = source.cast->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&function.front());
  auto slot =
      memref::AllocOp::create(b, loc, MemRefType::get({}, b.getF32Type()));
  slot->setAttr(kKeptAttr, b.getUnitAttr());
  return slot;
}

Value Predictor::copyHint(Value hint) {
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(),
                                        scalar.getElementType());
  SmallVector<AffineMap> maps(2, AffineMap::get(b.getContext()));
  return linalg::GenericOp::create(
             b, loc, TypeRange(scalar), hint, empty, maps,
             ArrayRef<utils::IteratorType>(),
             [](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, args[0]);
             })
      .getResult(0);
}

/// Clones the body of `op` into that of another one, whose arguments for the
/// inputs and outputs of `op` are these; returns what it yields.
static SmallVector<Value> cloneBody(OpBuilder &b, linalg::GenericOp op,
                                    ValueRange arguments) {
  IRMapping map;
  map.map(op.getBody()->getArguments(), arguments);
  for (Operation &inner : op.getBody()->without_terminator())
    b.clone(inner, map);
  SmallVector<Value> results;
  for (Value value : op.getBody()->getTerminator()->getOperands())
    results.push_back(map.lookupOrDefault(value));
  return results;
}

/// Equal constants and conversions of two bodies in one become one.
static void shareWork(linalg::GenericOp op) {
  IRRewriter rewriter(op.getContext());
  DominanceInfo dominance(op);
  eliminateCommonSubExpressions(rewriter, dominance, op);
}

linalg::GenericOp Predictor::createCastWithAmax(Value used) {
  linalg::GenericOp amax = source.amax, cast = source.cast;
  // Those of the cast, then those of the amax that the cast has not.
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : cast.getDpsInputOperands()) {
    bool isScale = input->get() == source.scale.getResult(0);
    inputs.push_back(isScale ? used : input->get());
    maps.push_back(cast.getMatchingIndexingMap(input));
  }
  SmallVector<size_t> amaxInputs;
  for (OpOperand *input : amax.getDpsInputOperands()) {
    AffineMap map = amax.getMatchingIndexingMap(input);
    size_t place = 0;
    while (place < inputs.size() &&
           (inputs[place] != input->get() || maps[place] != map))
      ++place;
    amaxInputs.push_back(place);
    if (place < inputs.size())
      continue;
    inputs.push_back(input->get());
    maps.push_back(map);
  }
  SmallVector<Value> inits(cast.getDpsInits());
  inits.push_back(amax.getDpsInits()[0]);
  for (OpOperand &init : cast.getDpsInitsMutable())
    maps.push_back(cast.getMatchingIndexingMap(&init));
  maps.push_back(amax.getMatchingIndexingMap(amax.getDpsInitOperand(0)));
  // All loops reduce: the amax has none of them.
  SmallVector<utils::IteratorType> loops(cast.getNumLoops(),
                                         utils::IteratorType::reduction);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    size_t numInputs = inputs.size();
    SmallVector<Value> ofCast(args.take_front(cast.getNumDpsInputs()));
    llvm::append_range(ofCast, args.slice(numInputs, cast.getNumDpsInits()));
    SmallVector<Value> results = cloneBody(b, cast, ofCast);
    SmallVector<Value> ofAmax;
    for (size_t place : amaxInputs)
      ofAmax.push_back(args[place]);
    ofAmax.push_back(args.back());
    llvm::append_range(results, cloneBody(b, amax, ofAmax));
    linalg::YieldOp::create(b, loc, results);
  };
  auto both = linalg::GenericOp::create(b, loc, TypeRange(ValueRange(inits)),
                                        inputs, inits, maps, loops, body);
  shareWork(both);
  return both;
}

linalg::GenericOp Predictor::createScale(Value amax, Value hint) {
  IRMapping map;
  map.map(source.scale.getDpsInputs()[0], amax);
  auto scale = cast<linalg::GenericOp>(b.clone(*source.scale, map));
  scale.setDpsInitOperand(0, hint);
  return scale;
}

linalg::GenericOp Predictor::createRedo(ValueRange first, Value scale,
                                        Value used) {
  linalg::GenericOp cast = source.cast;
  SmallVector<Value> inputs(cast.getDpsInputs());
  // One input, as there is one use.
  size_t factor =
      llvm::find(inputs, source.scale.getResult(0)) - inputs.begin();
  inputs[factor] = scale;
  inputs.push_back(used);
  SmallVector<AffineMap> maps = cast.getIndexingMapsArray();
  maps.insert(maps.begin() + cast.getNumDpsInputs(), maps[factor]);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Type i32 = b.getI32Type();
    size_t last = inputs.size() - 1;
    Value right = arith::BitcastOp::create(b, loc, i32, args[factor]);
    Value tried = arith::BitcastOp::create(b, loc, i32, args[last]);
    Value wrong =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, right, tried);
    ValueRange old = args.drop_front(inputs.size());
    SmallVector<Value> ofCast(args.take_front(last));
    llvm::append_range(ofCast, old);
    SmallVector<Value> results = cloneBody(b, cast, ofCast);
    for (auto [result, kept] : llvm::zip(results, old))
      result = arith::SelectOp::create(b, loc, wrong, result, kept);
    linalg::YieldOp::create(b, loc, results);
  };
  return linalg::GenericOp::create(b, loc, cast.getResultTypes(), inputs, first,
                                   maps, cast.getIteratorTypesArray(), body);
}

void Predictor::run() {
  linalg::GenericOp scale = source.scale, cast = source.cast;
  Value slot = createSlot();
  Value hint = bufferization::ToTensorOp::create(
      b, loc, scalar, slot, /*restrict=*/true, /*writable=*/true);
  Value used = copyHint(hint);
  linalg::GenericOp both = createCastWithAmax(used);
  linalg::GenericOp newScale = createScale(both->getResults().back(), hint);
  linalg::GenericOp redo =
      createRedo(both->getResults().drop_back(), newScale.getResult(0), used);
  // Last, so that nothing reads the slot afterwards.
  bufferization::MaterializeInDestinationOp::create(
      b, loc, /*result=*/Type(), newScale.getResult(0), slot,
      /*restrict=*/true, /*writable=*/true);
  cast->replaceAllUsesWith(redo);
  cast.erase();
  scale->replaceAllUsesWith(newScale);
  scale.erase();
  source.amax.erase();
}

namespace {
struct PredictScalesPass : fp8::impl::PredictScalesPassBase<PredictScalesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> scales;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (isPow2Scale(op) && op->getParentOfType<func::FuncOp>())
        scales.push_back(op);
    });
    auto options = remark::RemarkOpts::name("PredictScales").category("fp8");
    for (linalg::GenericOp scale : scales) {
      std::string reason;
      FailureOr<PredictableCast> cast = findPredictableCast(scale, reason);
      if (failed(cast)) {
        remark::missed(scale.getLoc(), options)
            << remark::reason("a scale is not predicted: {0}", reason);
        continue;
      }
      remark::passed(scale.getLoc(), options)
          << remark::reason("a cast to {0} uses the scale of the last call",
                            getElementTypeOrSelf(cast->cast->getResult(0)));
      Predictor(*cast).run();
    }
  }
};
} // namespace
