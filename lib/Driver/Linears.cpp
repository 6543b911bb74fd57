//===- Linears.cpp ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linears of a step, for reports.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Driver/Train.h"
#include "Fp8/IR/Fp8Ops.h"

using namespace mlir;

static std::string describeSizes(fp8::MatmulOp op) {
  ArrayRef<int64_t> mn = op.getType().getShape().take_back(2);
  ArrayRef<int64_t> a = op.getA().getType().getShape().take_back(2);
  std::string text;
  for (int64_t size : op.getType().getShape().drop_back(2))
    text += std::to_string(size) + " of ";
  auto size = [](int64_t value) {
    return ShapedType::isDynamic(value) ? "?" : std::to_string(value);
  };
  return text + size(mn[0]) + " x " + size(a[op.getTransA() ? 0 : 1]) + " x " +
         size(mn[1]);
}

SmallVector<fp8::Linear> fp8::findLinears(func::FuncOp function) {
  SmallVector<Linear> linears;
  function.walk([&](fp8::MatmulOp op) {
    auto *known = llvm::find_if(linears, [&](const Linear &linear) {
      return linear.location == op.getLoc();
    });
    if (known == linears.end()) {
      std::string name = op.getName().value_or("-").str();
      known = &linears.emplace_back(
          Linear{name, describeSizes(op), op.getLoc(), 0, 0});
    }
    ++known->matmuls;
  });
  return linears;
}

void fp8::countConverted(func::FuncOp function,
                         MutableArrayRef<Linear> linears) {
  function.walk([&](fp8::ScaledMMOp op) {
    for (Linear &linear : linears)
      if (linear.location == op.getLoc())
        ++linear.converted;
  });
}
