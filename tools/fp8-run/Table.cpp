//===- Table.cpp ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables as fp8-run prints them.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace llvm;

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
