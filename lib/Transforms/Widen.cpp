//===- Widen.cpp ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-widen: the same program in f64.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_WIDENPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// `type` with every float in it replaced by f64.
static Type widenType(Type type) {
  if (isa<FloatType>(type))
    return Float64Type::get(type.getContext());
  if (auto shaped = dyn_cast<ShapedType>(type))
    if (isa<FloatType>(shaped.getElementType()))
      return shaped.clone(Float64Type::get(type.getContext()));
  if (auto function = dyn_cast<FunctionType>(type)) {
    auto widenAll = [](TypeRange types) {
      return llvm::map_to_vector(types, widenType);
    };
    return FunctionType::get(type.getContext(), widenAll(function.getInputs()),
                             widenAll(function.getResults()));
  }
  return type;
}

/// `value` in f64; exact.
static llvm::APFloat widenFloat(llvm::APFloat value) {
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// A constant with its floats in f64, or null if it cannot be read.
static TypedAttr widenConstant(TypedAttr value) {
  Type type = widenType(value.getType());
  if (type == value.getType())
    return value;
  if (auto number = dyn_cast<FloatAttr>(value))
    return FloatAttr::get(type, widenFloat(number.getValue()));
  if (auto dense = dyn_cast<DenseFPElementsAttr>(value))
    return dense.mapValues(Float64Type::get(value.getContext()),
                           [](const llvm::APFloat &element) {
                             return widenFloat(element).bitcastToAPInt();
                           });
  return {};
}

/// Changes the types of one op in place. Its operands may be wide or not yet.
static LogicalResult widenOp(Operation *op) {
  if (isa<Fp8Dialect>(op->getDialect()) && !isa<MatmulOp>(op))
    return op->emitOpError("expects a program before quantization, whose only "
                           "fp8 op is fp8.matmul");
  if (isa<arith::BitcastOp>(op) &&
      isa<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType())) !=
          isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return op->emitOpError(
        "expects no use of the bits of a float, which change "
        "in f64");
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr value = widenConstant(constant.getValue());
    if (!value)
      return op->emitOpError("expects a dense constant, but got ")
             << constant.getValue();
    constant.setValueAttr(value);
  }
  if (auto function = dyn_cast<func::FuncOp>(op))
    function.setType(widenType(function.getFunctionType()));
  for (Value result : op->getResults())
    result.setType(widenType(result.getType()));
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      argument.setType(widenType(argument.getType()));
  return success();
}

namespace {
struct WidenPass : fp8::impl::WidenPassBase<WidenPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> casts;
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op))
        casts.push_back(op);
      return WalkResult(widenOp(op));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    // What is left of a cast is f64 to f64.
    for (Operation *cast : casts) {
      cast->getResult(0).replaceAllUsesWith(cast->getOperand(0));
      cast->erase();
    }
  }
};
} // namespace
