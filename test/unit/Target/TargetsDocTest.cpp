//===- TargetsDocTest.cpp - docs/Targets.md is the target table -----------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row of the tables of docs/Targets.md is what lib/Target says. A row that
// differs is printed as it has to be.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Target/Target.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace mlir;
using namespace mlir::fp8;

static std::string join(ArrayRef<std::string> parts) {
  return llvm::join(parts, ", ");
}

/// `| a | b |`.
static std::string asRow(ArrayRef<std::string> cells) {
  return "| " + llvm::join(cells, " | ") + " |";
}

static std::string describeTypes(const TargetInfo &target) {
  if (!target.hasFp8())
    return "none";
  std::string own = target.family == Fp8Family::Ocp ? "OCP" : "FNUZ";
  return target.otherFamily ? own + ", reads both" : own;
}

static std::string describeForms(const TargetInfo &target) {
  if (target.forms == kFormsAll)
    return "all";
  return target.forms == kFormNT ? "A as stored, B transposed" : "";
}

static std::string describeScales(const TargetInfo &target) {
  SmallVector<std::string> modes;
  for (auto [mode, name] :
       {std::pair(kScaleTensor, "tensor"), std::pair(kScaleOuter, "outer"),
        std::pair(kScaleBlock128, "1x128 and 128x128"),
        std::pair(kScaleMx, "MX")})
    if (target.scaleModes & mode)
      modes.push_back(name);
  return join(modes);
}

static std::string describePtx(unsigned version) {
  if (!version)
    return "";
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

static std::string describe(const TargetInfo &target) {
  bool fp8 = target.hasFp8();
  auto multiple = [&](int64_t value) { return std::to_string(value); };
  return asRow({"`" + target.name.str() + "`", describeTypes(target),
                describeForms(target), describeScales(target),
                fp8 ? join({multiple(target.alignM), multiple(target.alignN),
                            multiple(target.alignK)})
                    : "",
                !fp8              ? ""
                : target.e5m2Pair ? "yes"
                                  : "no",
                !fp8               ? ""
                : target.fastAccum ? "yes"
                                   : "no flag",
                describePtx(target.ptxConvert), target.source.str()});
}

static std::string number(double value, const char *format) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

static std::string describeRates(const TargetInfo &target) {
  const TargetRates &rates = target.rates;
  auto used = [&](double value, const char *format) {
    return (rates.measured ? "" : "~") + number(value, format);
  };
  return asRow({"`" + target.name.str() + "`", rates.device.str(),
                number(rates.peakWideTflops, "%g"),
                number(rates.peakFp8Tflops, "%g"),
                number(rates.peakTerabytesPerSecond, "%g"), rates.source.str(),
                used(rates.wideTflops, "%.0f"), used(rates.fp8Tflops, "%.0f"),
                used(rates.terabytesPerSecond, "%.2f")});
}

static std::vector<std::string> readDoc() {
  std::ifstream stream(FP8_TARGETS_DOC);
  EXPECT_TRUE(stream.good()) << FP8_TARGETS_DOC;
  std::vector<std::string> rows;
  for (std::string line; std::getline(stream, line);)
    if (StringRef(line).starts_with("| `"))
      rows.push_back(line);
  return rows;
}

TEST(TargetsDocTest, RowsAreTheTable) {
  std::vector<std::string> expected;
  for (const TargetInfo &target : getTargets())
    expected.push_back(describe(target));
  for (const TargetInfo &target : getTargets())
    if (target.rates.isKnown())
      expected.push_back(describeRates(target));
  EXPECT_EQ(readDoc(), expected) << "expected in docs/Targets.md:\n"
                                 << llvm::join(expected, "\n");
}

// What no test can look up stays marked: only a device that was there counts as
// measured, and no prediction is above a peak.
TEST(TargetsDocTest, OnlyTheH200WasMeasured) {
  for (const TargetInfo &target : getTargets()) {
    const TargetRates &rates = target.rates;
    EXPECT_EQ(rates.measured, target.name == "sm_90") << target.name.str();
    EXPECT_LE(rates.wideTflops, rates.peakWideTflops) << target.name.str();
    EXPECT_LE(rates.fp8Tflops, rates.peakFp8Tflops) << target.name.str();
    EXPECT_LE(rates.terabytesPerSecond, rates.peakTerabytesPerSecond);
  }
}

TEST(TargetsDocTest, TypesThatMatmulsTake) {
  MLIRContext context;
  Type ocp = Float8E4M3FNType::get(&context);
  Type fnuz = Float8E5M2FNUZType::get(&context);
  Type scale = Float8E8M0FNUType::get(&context);
  for (const TargetInfo &target : getTargets()) {
    StringRef name = target.name;
    EXPECT_EQ(target.takesType(ocp), name != "sm_80" && name != "gfx942");
    EXPECT_EQ(target.takesType(fnuz), name == "cpu" || name == "gfx942");
    EXPECT_FALSE(target.takesType(scale)) << name.str();
    if (target.hasFp8())
      EXPECT_TRUE(target.takesType(target.getE4M3(&context)) &&
                  target.takesType(target.getE5M2(&context)));
  }
}
