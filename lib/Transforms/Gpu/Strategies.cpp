//===- Strategies.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What strategies share, and the simplest of them.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::fp8;

Strategy::~Strategy() = default;

ArrayRef<std::unique_ptr<Strategy>> fp8::getStrategies() {
  static const std::array<std::unique_ptr<Strategy>, 7> strategies = {
      createScalarStrategy(),       createAmaxStrategy(),
      createTileStrategy(),         createElementwiseStrategy(),
      createRowReductionStrategy(), createColumnReductionStrategy(),
      createSequentialStrategy()};
  return strategies;
}

Value fp8::emitProduct(OpBuilder &b, Location loc, linalg::GenericOp op,
                       unsigned begin, unsigned end, LoopSizeFn size) {
  Value product = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned dim = begin; dim < end; ++dim)
    product = arith::MulIOp::create(b, loc, product, size(op, dim));
  return product;
}

SmallVector<linalg::GenericOp> fp8::getPrologueOps(const KernelUnit &unit) {
  SmallVector<linalg::GenericOp> ops(unit.prologue);
  llvm::append_range(ops, unit.main);
  return ops;
}

SmallVector<KernelOperand>
fp8::getContiguous(ArrayRef<KernelOperand> operands) {
  SmallVector<KernelOperand> contiguous;
  for (const KernelOperand &operand : operands)
    if (operand.isContiguous)
      contiguous.push_back(operand);
  return contiguous;
}

unsigned fp8::getVectorSize(linalg::GenericOp op) {
  int64_t bytes = 16;
  for (unsigned i = 0, end = op->getNumOperands(); i < end; ++i) {
    KernelOperand operand = getKernelOperand(op, i);
    if (operand.isContiguous)
      bytes = std::min(bytes, getElementBytes(operand.element));
  }
  return 16 / bytes;
}

unsigned fp8::getUnroll(linalg::GenericOp op, unsigned most) {
  unsigned inputs =
      llvm::count_if(getInputs(op), [](const KernelOperand &input) {
        return input.isBuffer() && !input.isScalar;
      });
  return std::max(1u, most / std::max(1u, inputs * inputs));
}

bool fp8::hasStridedInput(linalg::GenericOp op) {
  return llvm::any_of(getInputs(op), [](const KernelOperand &input) {
    return input.isBuffer() && !input.isContiguous && !input.isScalar;
  });
}

std::optional<Combiner> fp8::getCombiner(linalg::GenericOp op, unsigned index) {
  Value old = op.getRegionOutputArgs()[index];
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  Operation *combiner = yield.getOperand(index).getDefiningOp();
  if (!combiner || combiner->getBlock() != op.getBody() ||
      combiner->getNumOperands() != 2 || !old.hasOneUse() ||
      !llvm::is_contained(combiner->getOperands(), old))
    return std::nullopt;
  Type type = old.getType();
  if (!type.isF32() && !type.isF64() && !type.isInteger(32) &&
      !type.isInteger(64))
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (!neutral)
    return std::nullopt;
  bool isLeft = combiner->getOperand(0) == old;
  return Combiner{combiner, combiner->getOperand(isLeft ? 1 : 0), *neutral};
}

Value fp8::emitCombine(KernelBuilder &b, const Combiner &combiner, Value x,
                       Value y) {
  Operation *copy = b.clone(*combiner.op);
  copy->setOperands({x, y});
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(copy))
    copy->setAttr(flags.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(b.getContext(),
                                                arith::FastMathFlags::none));
  return copy->getResult(0);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {
/// Scalars from scalars that no other kernel could take: one thread.
class ScalarStrategy : public Strategy {
public:
  StringRef getName() const override { return "scalar"; }

  bool takes(const KernelUnit &unit) const override {
    return isScalarOp(unit.main[0]);
  }

  LaunchPlan getPlan(const KernelUnit &, const GpuVendor &) const override {
    return {/*threads=*/1, /*workPerBlock=*/1};
  }

  Value emitWork(OpBuilder &b, Location loc, const KernelUnit &,
                 LoopSizeFn) const override {
    return arith::ConstantIndexOp::create(b, loc, 1);
  }

  void emit(KernelBuilder &b, const KernelUnit &unit) const override {
    b.emitPrologue(getPrologueOps(unit));
    b.storeScalars();
  }
};
} // namespace

std::unique_ptr<Strategy> fp8::createScalarStrategy() {
  return std::make_unique<ScalarStrategy>();
}
