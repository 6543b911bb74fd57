//===- AddSizeFunctions.cpp -------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-add-size-functions: the sizes of results from the sizes of arguments.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_ADDSIZEFUNCTIONSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// NAME_sizes, without a body.
static func::FuncOp declareSizeFunction(OpBuilder &b, func::FuncOp function) {
  int64_t count = 0;
  for (Type type : function.getResultTypes())
    count += cast<RankedTensorType>(type).getRank();
  b.setInsertionPointAfter(function);
  auto sizes = func::FuncOp::create(
      b, function.getLoc(), (function.getName() + runtime::kSizesSuffix).str(),
      b.getFunctionType(function.getArgumentTypes(),
                        SmallVector<Type>(count, b.getIndexType())));
  sizes->setAttr(kCompanionAttr, b.getUnitAttr());
  return sizes;
}

/// Makes NAME_sizes of `function`, all of whose results have a static shape.
static void createStaticSizeFunction(func::FuncOp function) {
  OpBuilder b(function);
  func::FuncOp sizes = declareSizeFunction(b, function);
  Location loc = function.getLoc();
  b.setInsertionPointToStart(sizes.addEntryBlock());
  SmallVector<Value> values;
  for (Type type : function.getResultTypes())
    for (int64_t size : cast<RankedTensorType>(type).getShape())
      values.push_back(arith::ConstantIndexOp::create(b, loc, size));
  func::ReturnOp::create(b, loc, values);
}

/// Makes NAME_sizes of `function`: a copy that returns the sizes of the results
/// and not the results.
static func::FuncOp createSizeFunction(func::FuncOp function) {
  OpBuilder b(function);
  func::FuncOp sizes = declareSizeFunction(b, function);
  IRMapping map;
  function.getBody().cloneInto(&sizes.getBody(), map);
  // A condition of the step says nothing about sizes.
  for (auto assertion : llvm::to_vector(sizes.getBody().getOps<cf::AssertOp>()))
    assertion.erase();
  // Nor does what it leaves in a buffer.
  sizes.walk([](bufferization::MaterializeInDestinationOp op) {
    if (op->getNumResults() == 0)
      op.erase();
  });
  auto returnOp = cast<func::ReturnOp>(sizes.front().getTerminator());
  b.setInsertionPoint(returnOp);
  SmallVector<Value> values;
  for (Value result : returnOp.getOperands()) {
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      values.push_back(
          tensor::DimOp::create(b, returnOp.getLoc(), result, dim));
  }
  returnOp.getOperandsMutable().assign(values);
  return sizes;
}

/// Emits an error at `sizes` if it reads more of tensors than their sizes.
static LogicalResult checkReduced(func::FuncOp sizes) {
  for (Operation &op : sizes.front().without_terminator())
    for (Type type : llvm::concat<Type>(llvm::to_vector(op.getOperandTypes()),
                                        llvm::to_vector(op.getResultTypes())))
      if (isa<ShapedType>(type) && !isa<tensor::DimOp>(op))
        return op.emitOpError("expects result sizes that follow from the sizes "
                              "of the arguments, but one depends on this op");
  return success();
}

/// What reduces a function that returns sizes to arithmetic on sizes.
static FrozenRewritePatternSet getSizePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  return patterns;
}

namespace {
struct AddSizeFunctionsPass
    : fp8::impl::AddSizeFunctionsPassBase<AddSizeFunctionsPass> {
  using Base::Base;

  void runOnOperation() override {
    // Made when the first dynamic result asks for it.
    std::optional<FrozenRewritePatternSet> patterns;
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal() || !function.isPublic() ||
          function->hasAttr(kCompanionAttr) ||
          !llvm::all_of(function.getResultTypes(),
                        llvm::IsaPred<RankedTensorType>))
        continue;
      if (llvm::all_of(function.getResultTypes(), [](Type type) {
            return cast<RankedTensorType>(type).hasStaticShape();
          })) {
        createStaticSizeFunction(function);
        continue;
      }
      if (!patterns)
        patterns = getSizePatterns(&getContext());
      func::FuncOp sizes = createSizeFunction(function);
      if (failed(applyPatternsGreedily(sizes, *patterns)) ||
          failed(checkReduced(sizes)))
        return signalPassFailure();
    }
  }
};
} // namespace
