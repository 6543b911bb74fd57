//===- AddCastStatistics.cpp ------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-add-cast-statistics: how many values each cast saturates and loses.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/Residuals.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_ADDCASTSTATISTICSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

static Value constant(OpBuilder &b, Location loc, FloatType type,
                      double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// `value`, of any wide float type, as f32.
static Value toF32(OpBuilder &b, Location loc, Value value) {
  FloatType f32 = b.getF32Type();
  if (value.getType() == f32)
    return value;
  if (value.getType().isF64())
    return arith::TruncFOp::create(b, loc, f32, value);
  return arith::ExtFOp::create(b, loc, f32, value);
}

/// The body of the count: one more in `args[2]` where the scaled value is
/// beyond the largest finite one, one more in `args[3]` where it is not zero
/// and rounds to zero, one more in `args[4]`.
static void buildCount(OpBuilder &b, Location loc, ValueRange args,
                       FloatType narrow) {
  FloatType f32 = b.getF32Type(), f64 = b.getF64Type();
  // What is at most half of the least subnormal rounds to zero.
  double half =
      llvm::APFloat::getSmallest(narrow.getFloatSemantics()).convertToDouble() /
      2;
  Value product =
      arith::MulFOp::create(b, loc, toF32(b, loc, args[0]), args[1]);
  Value size = math::AbsFOp::create(b, loc, product);
  auto compare = [&](arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, loc, predicate, x, constant(b, loc, f32, y))
        .getResult();
  };
  Value saturates =
      compare(arith::CmpFPredicate::OGT, size, getMaxFinite(narrow));
  Value small = compare(arith::CmpFPredicate::OLE, size, half);
  Value nonZero =
      compare(arith::CmpFPredicate::ONE, toF32(b, loc, args[0]), 0.0);
  Value flushes = arith::AndIOp::create(b, loc, small, nonZero);
  Value one = constant(b, loc, f64, 1.0), zero = constant(b, loc, f64, 0.0);
  SmallVector<Value> counts;
  for (auto [happens, count] :
       llvm::zip(ValueRange{saturates, flushes}, args.drop_front(2))) {
    Value more = arith::SelectOp::create(b, loc, happens, one, zero);
    counts.push_back(arith::AddFOp::create(b, loc, count, more));
  }
  counts.push_back(arith::AddFOp::create(b, loc, args[4], one));
  linalg::YieldOp::create(b, loc, counts);
}

/// Counts the values of `op` that saturate, that are flushed to zero, and all.
static ValueRange createCounts(OpBuilder &b, CastOp op) {
  Location loc = op.getLoc();
  int64_t rank = op.getType().getRank();
  auto scalar = RankedTensorType::get({}, b.getF64Type());
  Value empty =
      tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), b.getF64Type());
  Value zero = constant(b, loc, b.getF64Type(), 0.0);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap none = AffineMap::get(rank, 0, b.getContext());
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::reduction);
  auto narrow = cast<FloatType>(op.getType().getElementType());
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{scalar, scalar, scalar},
      ValueRange{op.getInput(), op.getScale()}, ValueRange{init, init, init},
      ArrayRef{identity, none, none, none, none}, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        buildCount(b, loc, args, narrow);
      });
  return generic.getResults();
}

/// Appends the counts of every cast of `function` to its results.
static void addStatistics(func::FuncOp function) {
  SmallVector<CastOp> casts;
  for (auto op : function.front().getOps<CastOp>())
    if (op.getGranularity().isTensor())
      casts.push_back(op);
  OpBuilder b(function.front().getTerminator());
  SmallVector<Value> results(function.front().getTerminator()->getOperands());
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (CastOp op : casts) {
    NamedAttribute mark(kStatisticAttr,
                        b.getStringAttr(describeValue(op.getResult())));
    for (Value count : createCounts(b, op)) {
      results.push_back(count);
      types.push_back(count.getType());
      attributes.push_back(b.getDictionaryAttr(mark));
    }
  }
  SmallVector<unsigned> positions(types.size(), function.getNumResults());
  LogicalResult inserted = function.insertResults(positions, types, attributes);
  (void)inserted;
  assert(succeeded(inserted) && "a function takes results");
  function.front().getTerminator()->setOperands(results);
}

namespace {
struct AddCastStatisticsPass
    : fp8::impl::AddCastStatisticsPassBase<AddCastStatisticsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic() &&
          function.getBody().hasOneBlock())
        addStatistics(function);
  }
};
} // namespace
