//===- ScalePrediction.cpp --------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalePrediction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fp8;

/// The sign and the exponent of an f32.
static constexpr uint32_t kSignAndExponent = 0xff800000;

/// Whether `value` is an f32 without its fraction.
static bool hasNoFraction(Value value) {
  auto cast = value.getDefiningOp<arith::BitcastOp>();
  auto mask = cast ? cast.getIn().getDefiningOp<arith::AndIOp>() : nullptr;
  llvm::APInt bits;
  return mask && matchPattern(mask.getRhs(), m_ConstantInt(&bits)) &&
         bits.getBitWidth() == 32 && bits == kSignAndExponent;
}

bool fp8::isPow2Scale(linalg::GenericOp op) {
  if (op.getNumLoops() != 0 || op.getNumResults() != 2 ||
      op.getNumDpsInputs() != 1)
    return false;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  auto choice = yield.getOperand(0).getDefiningOp<arith::SelectOp>();
  return choice && choice.getType().isF32() &&
         hasNoFraction(choice.getTrueValue());
}

/// Whether all loops of `op` reduce to one number that does not depend on what
/// was there before but by an arith.maximumf.
static bool isMaximum(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumLoops() == 0 ||
      op.getNumReductionLoops() != op.getNumLoops())
    return false;
  Value old = op.getRegionOutputArgs()[0];
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  auto max = yield.getOperand(0).getDefiningOp<arith::MaximumFOp>();
  return max && old.hasOneUse() && *old.user_begin() == max;
}

/// Whether `op` computes all of its results element by element, from nothing
/// but its inputs.
static bool isElementwise(linalg::GenericOp op) {
  return op.getNumLoops() > 0 && op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isPermutation() &&
                  !op.payloadUsesValueFromOperand(&init);
         });
}

/// Whether the loops of both run over the same sizes: a tensor that both read
/// in the same way has all of them.
static bool haveSameLoops(linalg::GenericOp x, linalg::GenericOp y) {
  for (OpOperand *mine : x.getDpsInputOperands()) {
    AffineMap map = x.getMatchingIndexingMap(mine);
    if (!map.isPermutation())
      continue;
    for (OpOperand *other : y.getDpsInputOperands())
      if (mine->get() == other->get() && y.getMatchingIndexingMap(other) == map)
        return true;
  }
  return false;
}

FailureOr<PredictableCast> fp8::findPredictableCast(linalg::GenericOp scale,
                                                    std::string &reason) {
  auto refuse = [&](StringRef why) -> FailureOr<PredictableCast> {
    reason = why.str();
    return failure();
  };
  Value amaxValue = scale.getDpsInputs()[0];
  auto amax = amaxValue.getDefiningOp<linalg::GenericOp>();
  if (!amax || !isMaximum(amax))
    return refuse("its amax is not taken here");
  if (!amaxValue.hasOneUse())
    return refuse("its amax has other readers");
  Value factor = scale.getResult(0);
  if (!factor.hasOneUse())
    return refuse("it has several readers");
  auto cast = dyn_cast<linalg::GenericOp>(*factor.user_begin());
  if (!cast || !isElementwise(cast))
    return refuse("its reader is not elementwise");
  if (cast->getBlock() != amax->getBlock() ||
      cast->getBlock() != scale->getBlock())
    return refuse("the amax and the cast are in different blocks");
  if (!haveSameLoops(amax, cast))
    return refuse("the amax and the cast read different tensors");
  // The three ops will stand where the cast is.
  for (Operation *user : scale->getUsers()) {
    Operation *here = cast->getBlock()->findAncestorOpInBlock(*user);
    if (here && here->isBeforeInBlock(cast))
      return refuse("its descale is read before the cast");
  }
  return PredictableCast{amax, scale, cast};
}
