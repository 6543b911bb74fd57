//===- Print.cpp ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fp8-run prints after a run.
//
//===----------------------------------------------------------------------===//

#include "Print.h"
#include "Table.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace fp8run;

static std::string formatNumber(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

void fp8run::printErrors(ArrayRef<std::string> names, ArrayRef<Array> reference,
                         ArrayRef<Array> results) {
  llvm::outs() << "Error against the wide program in f64\n";
  SmallVector<SmallVector<std::string>> rows;
  for (auto [name, ref, out] : llvm::zip(names, reference, results))
    rows.push_back({name, formatNumber("%.2f dB", getDecibels(ref, out))});
  printTable(llvm::outs(), rows);
}

void fp8run::printLinears(ArrayRef<fp8::Linear> linears) {
  unsigned found = 0, converted = 0;
  for (const fp8::Linear &linear : linears) {
    found += linear.matmuls;
    converted += linear.converted;
  }
  llvm::outs() << "\nLinears: " << linears.size() << " found, " << converted
               << " of " << found << " matmuls in fp8\n";
  SmallVector<SmallVector<std::string>> rows = {
      {"name", "M x K x N", "matmuls", "in fp8"}};
  for (const fp8::Linear &linear : linears)
    rows.push_back({linear.name, linear.sizes, std::to_string(linear.matmuls),
                    std::to_string(linear.converted)});
  printTable(llvm::outs(), rows);
}

using Table = SmallVector<SmallVector<std::string>>;

/// `wideBytes` is what the wide program keeps.
static void printKept(Table rows, int64_t total, int64_t wideBytes) {
  llvm::outs() << "\nKept for the backward pass\n";
  rows.push_back({"total", std::to_string(total)});
  rows.push_back({"the wide program", std::to_string(wideBytes)});
  printTable(llvm::outs(), rows);
}

void fp8run::printResiduals(ArrayRef<fp8::Residual> residuals,
                            int64_t wideBytes) {
  Table rows = {{"what", "bytes"}};
  for (const fp8::Residual &residual : residuals)
    rows.push_back({residual.description, std::to_string(residual.bytes)});
  printKept(rows, fp8::getTotalBytes(residuals), wideBytes);
}

void fp8run::printResiduals(const fp8::FunctionInfo &forward,
                            const fp8::FunctionInfo &backward,
                            ArrayRef<int64_t> bytes, int64_t wideBytes) {
  Table rows = {{"what", "bytes", "of the forward function"}};
  int64_t total = 0, numArguments = forward.arguments.size();
  for (auto [tensor, size] : llvm::zip_equal(backward.arguments, bytes)) {
    int64_t origin = getOrigin(forward, tensor);
    if (origin < 0)
      continue;
    total += size;
    rows.push_back({tensor.name, std::to_string(size),
                    origin < numArguments
                        ? "argument " + std::to_string(origin)
                        : "result " + std::to_string(origin - numArguments)});
  }
  printKept(rows, total, wideBytes);
}

void fp8run::printTimes(ArrayRef<std::pair<std::string, double>> times) {
  llvm::outs() << "\nTime\n";
  SmallVector<SmallVector<std::string>> rows;
  for (const auto &[name, milliseconds] : times)
    rows.push_back({name, formatNumber("%.1f ms", milliseconds)});
  printTable(llvm::outs(), rows);
}

void fp8run::printStatistics(ArrayRef<fp8::FunctionInfo> functions,
                             ArrayRef<Array> counts) {
  SmallVector<std::string> casts;
  for (const fp8::FunctionInfo &function : functions)
    for (const fp8::TensorInfo &result : function.results)
      if (result.kind == fp8::TensorKind::Statistic)
        casts.push_back(result.name);
  llvm::outs() << "\nCasts\n";
  SmallVector<SmallVector<std::string>> rows = {
      {"what", "saturated", "flushed to zero"}};
  for (size_t i = 0; i < casts.size(); i += 3) {
    double all = std::max(counts[i + 2].values[0], 1.0);
    auto share = [&](const Array &count) {
      return formatNumber("%.3f %%", 100 * count.values[0] / all);
    };
    rows.push_back({casts[i], share(counts[i]), share(counts[i + 1])});
  }
  printTable(llvm::outs(), rows);
}
