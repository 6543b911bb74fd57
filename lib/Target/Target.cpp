//===- Target.cpp --------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target table. docs/Targets.md says which rows were probed on a device.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Target/Target.h"

using namespace mlir;
using namespace mlir::fp8;

// Rates: sm_90 as measured on an H200. The others are what the data sheet of
// the named device promises (dense), times what the H200 reaches of its own:
// 0.79 in bf16, 0.63 in fp8, 0.88 of the bandwidth; launches as on the H200.
static constexpr TargetRates kRatesUnknown = {};
static constexpr TargetRates kRatesL40s = {286, 462, 0.76, 3};
static constexpr TargetRates kRatesH200 = {780, 1250, 4.25, 3};
static constexpr TargetRates kRatesB200 = {1780, 2840, 7.0, 3};
static constexpr TargetRates kRatesMi300x = {1030, 1650, 4.7, 3};
static constexpr TargetRates kRatesMi355x = {1980, 3170, 7.0, 3};

static constexpr TargetInfo kTargets[] = {
    {"cpu", Fp8Family::Ocp, kFormsAll, kScaleTensor | kScaleOuter, 1, 1, 1,
     /*fastAccum=*/false, /*e5m2Pair=*/true, /*ptxConvert=*/0,
     "the project's own kernel", kRatesUnknown},
    {"sm_80", Fp8Family::None, 0, 0, 1, 1, 1, false, false, 0,
     "CUDA documentation: no fp8 matrix units before sm_89", kRatesUnknown},
    {"sm_89", Fp8Family::Ocp, kFormNT, kScaleTensor, 16, 16, 16, true, false,
     81, "cuBLAS documentation; converts checked with ptxas 13.0", kRatesL40s},
    {"sm_90", Fp8Family::Ocp, kFormNT,
     kScaleTensor | kScaleOuter | kScaleBlock128, 16, 16, 16, true, false, 78,
     "probed on an H200 with cuBLASLt 13.1", kRatesH200},
    {"sm_100", Fp8Family::Ocp, kFormsAll, kScaleTensor | kScaleMx, 16, 16, 16,
     true, false, 86, "cuBLAS documentation", kRatesB200},
    {"sm_120", Fp8Family::Ocp, kFormNT, kScaleTensor | kScaleMx, 16, 16, 16,
     true, false, 87, "cuBLAS documentation", kRatesUnknown},
    {"gfx942", Fp8Family::Fnuz, kFormsAll, kScaleTensor | kScaleOuter, 16, 16,
     16, false, true, 0, "hipBLASLt documentation", kRatesMi300x},
    {"gfx950", Fp8Family::Ocp, kFormsAll, kScaleTensor | kScaleOuter | kScaleMx,
     16, 16, 16, false, true, 0, "hipBLASLt documentation", kRatesMi355x},
};

FloatType TargetInfo::getE4M3(MLIRContext *context) const {
  if (family == Fp8Family::Fnuz)
    return Float8E4M3FNUZType::get(context);
  return Float8E4M3FNType::get(context);
}

FloatType TargetInfo::getE5M2(MLIRContext *context) const {
  if (family == Fp8Family::Fnuz)
    return Float8E5M2FNUZType::get(context);
  return Float8E5M2Type::get(context);
}

ArrayRef<TargetInfo> fp8::getTargets() { return kTargets; }

const TargetInfo *fp8::lookupTarget(StringRef name) {
  const TargetInfo *it = llvm::find_if(
      kTargets, [&](const TargetInfo &target) { return target.name == name; });
  return it == std::end(kTargets) ? nullptr : it;
}

std::string fp8::getTargetNames() {
  return llvm::join(
      llvm::map_range(
          kTargets, [](const TargetInfo &target) { return target.name.str(); }),
      ", ");
}
