//===- ResultsToDestinations.cpp --------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-results-to-destinations: results are written where the caller says.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_RESULTSTODESTINATIONSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// Emits an error if `function` cannot get destinations.
static LogicalResult check(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects one block, but has ")
           << function.getBody().getBlocks().size();
  auto uses = SymbolTable::getSymbolUses(function, function->getParentOp());
  if (uses && !uses->empty())
    return uses->begin()->getUser()->emitOpError(
               "expects no call of a public function, but calls '")
           << function.getName() << "'";
  for (Type type : function.getResultTypes()) {
    if (!isa<RankedTensorType>(type))
      return function.emitOpError("expects ranked tensors as results, but got ")
             << type;
    if (!BaseMemRefType::isValidElementType(getElementTypeOrSelf(type)))
      return function.emitOpError("expects results with elements that a buffer "
                                  "can have, but got ")
             << type;
  }
  return success();
}

/// One memref argument a result, which the result is put into at the end.
static LogicalResult addDestinations(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  Location loc = function.getLoc();
  auto returnOp = cast<func::ReturnOp>(function.front().getTerminator());
  SmallVector<Value> results(returnOp.getOperands());
  SmallVector<Type> types;
  for (Value result : results) {
    auto type = cast<RankedTensorType>(result.getType());
    types.push_back(MemRefType::get(type.getShape(), type.getElementType()));
  }
  unsigned first = function.getNumArguments();
  SmallVector<unsigned> positions(results.size(), first);
  Builder attr(context);
  SmallVector<DictionaryAttr> attributes(
      results.size(), attr.getDictionaryAttr(
                          attr.getNamedAttr(kResultAttr, attr.getUnitAttr())));
  SmallVector<Location> locations(results.size(), loc);
  llvm::BitVector erased(results.size(), true);
  if (failed(function.insertArguments(positions, types, attributes, locations)))
    return failure();
  OpBuilder b(returnOp);
  for (auto [index, result] : llvm::enumerate(results))
    bufferization::MaterializeInDestinationOp::create(
        b, returnOp.getLoc(), /*result=*/Type(), result,
        function.getArgument(first + index), /*restrict=*/true,
        /*writable=*/true);
  returnOp.getOperandsMutable().clear();
  return function.eraseResults(erased);
}

/// Tells bufferization which arguments it may write.
static void setWritable(func::FuncOp function) {
  Builder b(function.getContext());
  StringRef name = bufferization::BufferizationDialect::kWritableAttrName;
  // All at once: setting one rebuilds the list of all.
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument argument : function.getArguments()) {
    NamedAttrList list(function.getArgAttrDict(argument.getArgNumber()));
    if (isa<RankedTensorType>(argument.getType()))
      list.set(name, b.getBoolAttr(list.get(kDonatedAttr) != nullptr));
    attributes.push_back(list.getDictionary(function.getContext()));
  }
  function.setAllArgAttrs(attributes);
}

namespace {
struct ResultsToDestinationsPass
    : fp8::impl::ResultsToDestinationsPassBase<ResultsToDestinationsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.isPublic() ||
          function->hasAttr(kCompanionAttr))
        continue;
      if (failed(check(function)))
        return signalPassFailure();
      setWritable(function);
      if (failed(addDestinations(function)))
        return signalPassFailure();
    }
  }
};
} // namespace
