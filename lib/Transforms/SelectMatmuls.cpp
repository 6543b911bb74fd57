//===- SelectMatmuls.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-select-matmuls: which matmuls stay wide, decided once for a layer.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/CostModel.h"
#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/Roles.h"
#include "Fp8/Transforms/TensorView.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

#include <numeric>

namespace mlir::fp8 {
#define GEN_PASS_DEF_SELECTMATMULSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

namespace {
/// What the filters know of a function.
struct FunctionFacts {
  /// The forward matmul of each gradient matmul, where it was found.
  llvm::DenseMap<Operation *, MatmulOp> forwardOf;
  /// How many gradient matmuls a forward one has.
  llvm::DenseMap<Operation *, int64_t> numGradients;
  /// How many forward matmuls read a tensor, but for widenings.
  llvm::DenseMap<Value, int64_t> numReaders;
  /// Values that depend on a matmul.
  llvm::DenseSet<Value> afterMatmul;
};
} // namespace

static FunctionFacts getFacts(func::FuncOp function) {
  FunctionFacts facts;
  facts.forwardOf = findForwardMatmuls(function);
  for (auto &[op, forward] : facts.forwardOf)
    ++facts.numGradients[forward];
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool after = llvm::any_of(op->getOperands(), [&](Value operand) {
      return facts.afterMatmul.contains(operand);
    });
    auto matmul = dyn_cast<MatmulOp>(op);
    if (matmul || after)
      facts.afterMatmul.insert(op->result_begin(), op->result_end());
    if (matmul && !matmul.getGradient())
      for (Value operand : {matmul.getA(), matmul.getB()})
        ++facts.numReaders[stripExtensions(operand)];
  });
  return facts;
}

/// True if `op` multiplies two tensors of which neither is a weight.
static bool isProductOfComputed(MatmulOp op, const FunctionFacts &facts) {
  if (isWeight(op.getA()) || isWeight(op.getB()))
    return false;
  return op.getType().getRank() > 2 || (facts.afterMatmul.contains(op.getA()) &&
                                        facts.afterMatmul.contains(op.getB()));
}

/// True if a gradient of `operand` is asked for.
static bool wantsGradient(Value operand) {
  auto argument = dyn_cast<BlockArgument>(stripViewsAndCasts(operand));
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : nullptr;
  return !function ||
         !function.getArgAttr(argument.getArgNumber(), kFrozenAttr);
}

/// The layer whose forward matmul is `op`, whose sizes are static.
static LinearCost getCost(MatmulOp op, const FunctionFacts &facts,
                          const TargetInfo &target, bool backward) {
  LinearCost cost{getSizes(op), 1, {}};
  cost.matmuls += backward ? wantsGradient(op.getA()) + wantsGradient(op.getB())
                           : facts.numGradients.lookup(op);
  // The backward pass reads each operand along the other dimension.
  bool copies = cost.matmuls > 1 && target.forms != kFormsAll;
  for (Value operand : {op.getA(), op.getB()}) {
    Value narrow = stripExtensions(operand);
    auto type = cast<RankedTensorType>(narrow.getType());
    cost.operands.push_back({type.getNumElements(),
                             type.getElementTypeBitWidth() / 8,
                             facts.numReaders.lookup(narrow), copies});
  }
  if (cost.matmuls > 1)
    cost.operands.push_back({op.getType().getNumElements(),
                             op.getType().getElementTypeBitWidth() / 8, 1,
                             copies});
  return cost;
}

namespace {
struct SelectMatmulsPass : fp8::impl::SelectMatmulsPassBase<SelectMatmulsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions()) || failed(verifyConvertAttrs(module)))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      selectIn(function);
  }

private:
  LogicalResult checkOptions();
  void selectIn(func::FuncOp function);
  /// Why `op` stays wide, or none.
  std::optional<std::string> getReason(MatmulOp op, const FunctionFacts &facts);
  std::optional<std::string> getNameReason(MatmulOp op);
  std::optional<std::string> getSizeReason(MatmulOp op);
  std::optional<std::string> getAlignmentReason(MatmulOp op);
  std::optional<std::string> getCostReason(MatmulOp op,
                                           const FunctionFacts &facts);

  const TargetInfo *info = nullptr;
};
} // namespace

LogicalResult SelectMatmulsPass::checkOptions() {
  ModuleOp module = getOperation();
  info = lookupTarget(target);
  if (!info)
    return module.emitError("expects a target among ")
           << getTargetNames() << ", but got '" << target << "'";
  for (auto [name, text] :
       {std::pair("include", &include), std::pair("exclude", &exclude)}) {
    std::string message;
    if (!text->empty() && !llvm::Regex(text->getValue()).isValid(message))
      return module.emitError("expects a regular expression as '")
             << name << "', but got '" << text->getValue() << "': " << message;
  }
  if (alignment < 0)
    return module.emitError("expects an alignment of 1 or more, or 0 for the "
                            "target's, but got ")
           << alignment.getValue();
  if (cost && !info->rates.isKnown())
    return module.emitError("expects a target with known rates to predict a "
                            "cost, but there is no prediction for ")
           << target;
  return success();
}

std::optional<std::string> SelectMatmulsPass::getNameReason(MatmulOp op) {
  StringRef name = op.getName().value_or("");
  if (!include.empty() && !llvm::Regex(include).match(name))
    return llvm::formatv("its name does not match '{0}'", include.getValue());
  if (!exclude.empty() && llvm::Regex(exclude).match(name))
    return llvm::formatv("its name matches '{0}'", exclude.getValue());
  return std::nullopt;
}

std::optional<std::string> SelectMatmulsPass::getSizeReason(MatmulOp op) {
  MatmulSizes sizes = getSizes(op);
  struct Limit {
    const char *name;
    int64_t size, least;
  };
  for (Limit limit : {Limit{"M", sizes.m, minM}, Limit{"N", sizes.n, minN},
                      Limit{"K", sizes.k, minK}})
    if (!ShapedType::isDynamic(limit.size) && limit.size < limit.least)
      return llvm::formatv("{0} = {1} is less than {2}", limit.name, limit.size,
                           limit.least);
  return std::nullopt;
}

std::optional<std::string> SelectMatmulsPass::getAlignmentReason(MatmulOp op) {
  MatmulSizes sizes = getSizes(op);
  int64_t alignM = info->alignM, alignN = info->alignN, alignK = info->alignK;
  // The gradient of A sums over N; that of B, K x N or N x K, over M.
  if (backward) {
    alignM = std::lcm(alignM, alignK);
    alignN = alignK = std::lcm(alignM, alignN);
  }
  struct Limit {
    const char *name;
    int64_t size, multiple;
  };
  for (Limit limit : {Limit{"M", sizes.m, alignM}, Limit{"N", sizes.n, alignN},
                      Limit{"K", sizes.k, alignK}}) {
    if (alignment > 0)
      limit.multiple = alignment;
    if (ShapedType::isDynamic(limit.size) && limit.multiple > 1)
      return llvm::formatv("{0} may be no multiple of {1}", limit.name,
                           limit.multiple);
    if (limit.size % limit.multiple != 0)
      return llvm::formatv("{0} = {1} is no multiple of {2}", limit.name,
                           limit.size, limit.multiple);
  }
  return std::nullopt;
}

std::optional<std::string>
SelectMatmulsPass::getCostReason(MatmulOp op, const FunctionFacts &facts) {
  if (!getSizes(op).isStatic())
    return std::nullopt;
  double gain = predictGain(getCost(op, facts, *info, backward), info->rates);
  std::string text = llvm::formatv("predicted {0:F2}x", gain);
  if (gain < minGain)
    return text;
  remark::analysis(op.getLoc(),
                   remark::RemarkOpts::name("SelectMatmuls").category("fp8"))
      << remark::reason("{0}: {1}", describe(op), text);
  return std::nullopt;
}

std::optional<std::string>
SelectMatmulsPass::getReason(MatmulOp op, const FunctionFacts &facts) {
  if (std::optional<std::string> reason = getNameReason(op))
    return reason;
  if (std::optional<std::string> reason = getSizeReason(op))
    return reason;
  if (!computed && isProductOfComputed(op, facts))
    return "both operands are computed, as in attention";
  if (!pad)
    if (std::optional<std::string> reason = getAlignmentReason(op))
      return reason;
  return cost ? getCostReason(op, facts) : std::nullopt;
}

void SelectMatmulsPass::selectIn(func::FuncOp function) {
  FunctionFacts facts = getFacts(function);
  auto copyAttr = [](StringRef name, MatmulOp from, MatmulOp to) {
    if (Attribute value = from->getDiscardableAttr(name))
      to->setDiscardableAttr(name, value);
  };
  Builder b(&getContext());
  function.walk([&](MatmulOp op) {
    if (!getConvert(op).empty())
      return;
    // Forward matmuls come first, so this one is decided.
    if (MatmulOp forward = facts.forwardOf.lookup(op)) {
      copyAttr(kConvertAttr, forward, op);
      copyAttr(kReasonAttr, forward, op);
      return;
    }
    std::optional<std::string> reason = getReason(op, facts);
    if (!reason)
      return;
    op->setDiscardableAttr(kConvertAttr, b.getStringAttr("never"));
    op->setDiscardableAttr(kReasonAttr, b.getStringAttr(*reason));
  });
}
