//===- AssignRoles.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-assign-roles: which matmuls of a function that another tool
// differentiated are gradients, and of what.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/Roles.h"
#include "Fp8/Transforms/TensorView.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_ASSIGNROLESPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

namespace {
/// A role for a matmul; `match` is null if nothing is known of its forward one.
struct Decision {
  OperandSide gradient;
  Role role;
  const GradientMatch *match;
};

class RoleFinder {
public:
  explicit RoleFinder(func::FuncOp function)
      : function(function), matches(findGradientMatches(function)) {}

  /// Finds the gradients from `tangents`; from structure if there are none.
  void find(ArrayRef<unsigned> tangents);
  void apply();

private:
  llvm::DenseSet<Value> getDependents(ArrayRef<Value> seeds);
  SmallVector<Value> guessTangents();
  bool isBackwardAlone();
  bool findFromTangents(ArrayRef<Value> tangents, bool needsMatch);
  void findFromPairs();
  bool isReturned(MatmulOp op, const GradientMatch &match);
  const GradientMatch *getMatch(Operation *op, OperandSide gradient,
                                const llvm::DenseSet<Value> &gradients);
  void decide(MatmulOp op, const GradientMatch &match) {
    decisions[op] = {match.gradient, getRoleOfGradient(match), &match};
  }

  func::FuncOp function;
  GradientMatches matches;
  llvm::MapVector<Operation *, Decision> decisions;
};
} // namespace

/// True if `op` reads a value of `values`, in a region of it too.
static bool readsAny(Operation &op, const llvm::DenseSet<Value> &values) {
  auto contains = [&](Value value) { return values.contains(value); };
  if (llvm::any_of(op.getOperands(), contains))
    return true;
  if (op.getNumRegions() == 0)
    return false;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegions(), captured);
  return llvm::any_of(captured, contains);
}

/// `seeds` and all that depends on them.
llvm::DenseSet<Value> RoleFinder::getDependents(ArrayRef<Value> seeds) {
  llvm::DenseSet<Value> dependents(seeds.begin(), seeds.end());
  for (Block &block : function.getBody())
    for (Operation &op : block)
      if (readsAny(op, dependents))
        dependents.insert(op.result_begin(), op.result_end());
  return dependents;
}

/// The arguments that the first result does not depend on: a tool that
/// differentiates returns what the program did before its gradients.
SmallVector<Value> RoleFinder::guessTangents() {
  Operation *terminator = function.getBody().back().getTerminator();
  if (terminator->getNumOperands() < 2)
    return {};
  llvm::DenseSet<Value> needed = {terminator->getOperand(0)};
  for (Block &block : llvm::reverse(function.getBody()))
    for (Operation &op : llvm::reverse(block)) {
      if (llvm::none_of(op.getResults(),
                        [&](Value value) { return needed.contains(value); }))
        continue;
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op.getRegions(), captured);
      needed.insert(op.operand_begin(), op.operand_end());
      needed.insert(captured.begin(), captured.end());
    }
  SmallVector<Value> tangents;
  for (Value argument : function.getArguments())
    if (!needed.contains(argument))
      tangents.push_back(argument);
  return tangents;
}

/// True if the function looks like a backward pass without its forward one:
/// each matmul has one operand that depends on the last argument, and two of
/// them read the same one, summing over different dimensions.
bool RoleFinder::isBackwardAlone() {
  if (function.getNumArguments() == 0 || matches.empty())
    return false;
  llvm::DenseSet<Value> dependents =
      getDependents({function.getArguments().back()});
  for (Block &block : function.getBody())
    for (auto op : block.getOps<MatmulOp>())
      if (dependents.contains(op.getA()) == dependents.contains(op.getB()))
        return false;
  return llvm::any_of(matches, [&](auto &entry) {
    auto op = cast<MatmulOp>(entry.first);
    return llvm::any_of(entry.second, [&](const GradientMatch &match) {
      return dependents.contains(getOperand(op, getOther(match.gradient)));
    });
  });
}

/// The match of `op` with that gradient operand and a forward matmul that is no
/// gradient itself, or null.
const GradientMatch *
RoleFinder::getMatch(Operation *op, OperandSide gradient,
                     const llvm::DenseSet<Value> &gradients) {
  auto *it = matches.find(op);
  if (it == matches.end())
    return nullptr;
  for (const GradientMatch &match : it->second)
    if (match.gradient == gradient &&
        !gradients.contains(MatmulOp(match.forward).getResult()))
      return &match;
  return nullptr;
}

/// Every matmul that reads what depends on a tangent is a gradient. Without a
/// match its role follows from the gradient, whose rows are tokens. Returns
/// false, with nothing decided, if `needsMatch` and there is none at all.
bool RoleFinder::findFromTangents(ArrayRef<Value> tangents, bool needsMatch) {
  llvm::DenseSet<Value> dependents = getDependents(tangents);
  bool matched = false;
  for (Block &block : function.getBody())
    for (auto op : block.getOps<MatmulOp>()) {
      if (!dependents.contains(op.getResult()))
        continue;
      bool a = dependents.contains(op.getA()),
           b = dependents.contains(op.getB());
      const GradientMatch *match =
          a ? getMatch(op, OperandSide::A, dependents) : nullptr;
      if (!match && b)
        match = getMatch(op, OperandSide::B, dependents);
      matched |= match != nullptr;
      if (match) {
        decide(op, *match);
        continue;
      }
      if (!a && !b)
        continue;
      OperandSide side = a ? OperandSide::A : OperandSide::B;
      decisions[op] = {side,
                       contractsLastDim(op, side) ? Role::Dgrad : Role::Wgrad,
                       nullptr};
    }
  if (needsMatch && !matched)
    decisions.clear();
  return matched;
}

/// True if the result of `op` is returned, but for views and casts and not as
/// the first result, as the gradient of the weight that `match` says it is. The
/// same of an input would be what a tied decoder does.
bool RoleFinder::isReturned(MatmulOp op, const GradientMatch &match) {
  Value operand = stripViewsAndCasts(fp8::getOperand(match.forward, match.of));
  if (!isa<BlockArgument>(operand) || getRoleOfGradient(match) != Role::Wgrad)
    return false;
  Operation *terminator = function.getBody().back().getTerminator();
  auto others = llvm::drop_begin(terminator->getOperands());
  return llvm::any_of(others, [&](Value result) {
    return result.getType() == operand.getType() &&
           stripViewsAndCasts(result) == op.getResult();
  });
}

/// Without a tangent: two matmuls that read one gradient, for both operands of
/// one forward matmul, are gradients; so is one whose gradient depends on
/// those, or that is returned as the gradient of a weight.
void RoleFinder::findFromPairs() {
  llvm::DenseMap<std::pair<Operation *, Value>, unsigned> sides;
  auto sidesOf = [&](const GradientMatch &match) -> unsigned & {
    return sides[{match.forward, match.root}];
  };
  for (auto &[op, candidates] : matches)
    for (const GradientMatch &match : candidates)
      sidesOf(match) |= match.of == OperandSide::A ? 1 : 2;

  llvm::DenseSet<Value> gradients;
  auto accepts = [&](MatmulOp op, const GradientMatch &match) {
    if (gradients.contains(MatmulOp(match.forward).getResult()))
      return false;
    return sidesOf(match) == 3 ||
           gradients.contains(getOperand(op, match.gradient)) ||
           isReturned(op, match);
  };
  for (Block &block : function.getBody())
    for (Operation &op : block) {
      bool gradient = readsAny(op, gradients);
      if (auto *it = matches.find(&op); it != matches.end()) {
        auto matmul = cast<MatmulOp>(op);
        const auto *match =
            llvm::find_if(it->second, [&](const GradientMatch &match) {
              return accepts(matmul, match);
            });
        if (match != it->second.end()) {
          decide(matmul, *match);
          gradient = true;
        }
      }
      if (gradient)
        gradients.insert(op.result_begin(), op.result_end());
    }
}

void RoleFinder::find(ArrayRef<unsigned> tangents) {
  auto options = remark::RemarkOpts::name("AssignRoles").category("fp8");
  if (!tangents.empty()) {
    auto values = llvm::map_to_vector(tangents, [&](unsigned number) -> Value {
      return function.getArgument(number);
    });
    findFromTangents(values, /*needsMatch=*/false);
    return;
  }
  if (matches.empty())
    return;
  if (isBackwardAlone()) {
    remark::passed(function.getLoc(), options)
        << remark::reason("{0} has gradient matmuls only; its last argument, "
                          "{1}, is taken as the "
                          "tangent (option tangents)",
                          function.getName(), function.getNumArguments() - 1);
    findFromTangents({function.getArguments().back()}, /*needsMatch=*/false);
    return;
  }
  if (!findFromTangents(guessTangents(), /*needsMatch=*/true))
    findFromPairs();
}

void RoleFinder::apply() {
  for (auto &[op, decision] : decisions) {
    auto matmul = cast<MatmulOp>(op);
    matmul.setRole(decision.role);
    matmul.setGradient(decision.gradient);
  }
  for (auto [op, forward] : findForwardMatmuls(function))
    if (StringAttr name = forward.getNameAttr())
      cast<MatmulOp>(op).setNameAttr(name);
}

namespace {
struct AssignRolesPass : fp8::impl::AssignRolesPassBase<AssignRolesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      for (unsigned number : tangents)
        if (number >= function.getNumArguments()) {
          function.emitOpError("expects tangents among its ")
              << function.getNumArguments() << " arguments, but got " << number;
          return signalPassFailure();
        }
      // Roles that are there already are right.
      WalkResult known = function.walk([](MatmulOp op) {
        return op.getGradient() ? WalkResult::interrupt()
                                : WalkResult::advance();
      });
      if (known.wasInterrupted())
        continue;
      RoleFinder finder(function);
      finder.find(SmallVector<unsigned>(tangents.begin(), tangents.end()));
      finder.apply();
    }
  }
};
} // namespace
