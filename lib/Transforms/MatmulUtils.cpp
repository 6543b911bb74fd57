//===- MatmulUtils.cpp ------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes and descriptions of fp8.matmul.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/MatmulUtils.h"
#include "Fp8/Transforms/TensorView.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fp8;

MatmulSizes fp8::getSizes(MatmulOp op) {
  ArrayRef<int64_t> a = op.getA().getType().getShape();
  ArrayRef<int64_t> d = op.getType().getShape();
  MatmulSizes sizes{1, d[d.size() - 2], d.back(),
                    a[op.getTransA() ? a.size() - 2 : a.size() - 1]};
  for (int64_t size : d.drop_back(2))
    sizes.batch =
        ShapedType::isDynamic(size) || ShapedType::isDynamic(sizes.batch)
            ? ShapedType::kDynamic
            : sizes.batch * size;
  return sizes;
}

std::string fp8::describe(MatmulOp op) {
  auto text = [](int64_t size) {
    return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  };
  MatmulSizes sizes = getSizes(op);
  return (op.getName().value_or("matmul") + " (" + stringifyRole(op.getRole()) +
          ", " + text(sizes.m) + "x" + text(sizes.k) + "x" + text(sizes.n) +
          ")")
      .str();
}

StringRef fp8::getConvert(MatmulOp op) {
  auto convert = op->getAttrOfType<StringAttr>(kConvertAttr);
  return convert ? convert.getValue() : StringRef();
}

LogicalResult fp8::verifyConvertAttrs(Operation *root) {
  WalkResult result = root->walk([](MatmulOp op) {
    Attribute attribute = op->getAttr(kConvertAttr);
    auto text = dyn_cast_if_present<StringAttr>(attribute);
    if (!attribute ||
        (text && (text.getValue() == "always" || text.getValue() == "never")))
      return WalkResult::advance();
    op.emitOpError(
        "expects fp8.convert to be \"always\" or \"never\", but got ")
        << attribute;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

bool fp8::isWeight(Value value) {
  value = stripViewsAndCasts(value);
  return isa<BlockArgument>(value) || matchPattern(value, m_Constant());
}
