//===- Report.cpp --------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fp8-run tells about a step.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fp8run;

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

SmallVector<Linear> fp8run::findLinears(func::FuncOp function) {
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

void fp8run::countConverted(func::FuncOp function,
                            MutableArrayRef<Linear> linears) {
  function.walk([&](fp8::ScaledMMOp op) {
    for (Linear &linear : linears)
      if (linear.location == op.getLoc())
        ++linear.converted;
  });
}

/// The values that `op` reads, those that its regions capture among them.
static SetVector<Value> getReads(Operation *op) {
  SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads;
}

static int64_t getBytes(RankedTensorType type) {
  // A dynamic size counts as one.
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  return bytes;
}

int64_t fp8run::getResidualBytes(func::FuncOp function, unsigned numTangents) {
  auto arguments = function.getArguments();
  llvm::DenseSet<Value> fromTangents, fromArguments;
  for (BlockArgument argument : arguments)
    (argument.getArgNumber() + numTangents < arguments.size() ? fromArguments
                                                              : fromTangents)
        .insert(argument);
  llvm::SetVector<Value> residuals;
  auto depends = [](const SetVector<Value> &reads,
                    const llvm::DenseSet<Value> &on) {
    return llvm::any_of(reads, [&](Value v) { return on.contains(v); });
  };
  for (Operation &op : function.front().without_terminator()) {
    SetVector<Value> reads = getReads(&op);
    bool backward = depends(reads, fromTangents);
    if (backward)
      fromTangents.insert(op.result_begin(), op.result_end());
    else if (depends(reads, fromArguments))
      fromArguments.insert(op.result_begin(), op.result_end());
    if (!backward)
      continue;
    for (Value read : reads)
      if (fromArguments.contains(read) && isa<RankedTensorType>(read.getType()))
        residuals.insert(read);
  }
  int64_t bytes = 0;
  for (Value residual : residuals)
    bytes += getBytes(cast<RankedTensorType>(residual.getType()));
  return bytes;
}

void fp8run::printTable(llvm::raw_ostream &os,
                        ArrayRef<SmallVector<std::string>> rows) {
  SmallVector<size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  }
  for (const auto &row : rows) {
    for (auto [column, cell] : llvm::enumerate(row)) {
      size_t padding = widths[column] - cell.size();
      if (column == 0) {
        os << cell;
        if (row.size() > 1)
          os.indent(padding);
        continue;
      }
      os.indent(2 + padding) << cell;
    }
    os << "\n";
  }
}
