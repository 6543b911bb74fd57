//===- Target.cpp -----------------------------------------------*- C++ -*-===//
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

static constexpr TargetRates kRatesUnknown = {};
static constexpr TargetRates kRatesH200 = {"H200 SXM",
                                           "NVIDIA, H200 data sheet",
                                           989,
                                           1979,
                                           4.8,
                                           780,
                                           1250,
                                           4.25,
                                           3,
                                           /*measured=*/true};

/// Predicted: the same parts of the peaks as on an H200, and its launches.
static constexpr TargetRates fromPeaks(StringLiteral device,
                                       StringLiteral source, double wideTflops,
                                       double fp8Tflops,
                                       double terabytesPerSecond) {
  const TargetRates &h200 = kRatesH200;
  return {device,
          source,
          wideTflops,
          fp8Tflops,
          terabytesPerSecond,
          wideTflops * h200.wideTflops / h200.peakWideTflops,
          fp8Tflops * h200.fp8Tflops / h200.peakFp8Tflops,
          terabytesPerSecond * h200.terabytesPerSecond /
              h200.peakTerabytesPerSecond,
          h200.launchMicroseconds,
          /*measured=*/false};
}

static constexpr TargetRates kRatesL40s =
    fromPeaks("L40S", "NVIDIA, L40S data sheet", 362.05, 733, 0.864);
static constexpr TargetRates kRatesB200 =
    fromPeaks("B200 (HGX)", "NVIDIA, HGX B200 data sheet", 2250, 4500, 7.7);
// With f32 accumulation, which is half of the rate with f16.
static constexpr TargetRates kRatesRtx5090 =
    fromPeaks("GeForce RTX 5090", "NVIDIA, RTX Blackwell architecture paper",
              209.5, 419, 1.792);
static constexpr TargetRates kRatesMi300x =
    fromPeaks("Instinct MI300X", "AMD, MI300X data sheet", 1307.4, 2614.9, 5.3);
static constexpr TargetRates kRatesMi355x =
    fromPeaks("Instinct MI355X", "AMD, MI355X data sheet", 2500, 5000, 8);

static constexpr TargetInfo kTargets[] = {
    {"cpu", Fp8Family::Ocp, /*otherFamily=*/true, kFormsAll,
     kScaleTensor | kScaleOuter, 1, 1, 1,
     /*fastAccum=*/false, /*e5m2Pair=*/true, /*ptxConvert=*/0,
     "the project's own kernel", kRatesUnknown},
    {"sm_80", Fp8Family::None, false, 0, 0, 1, 1, 1, false, false, 0,
     "CUDA documentation: no fp8 matrix units before sm_89", kRatesUnknown},
    {"sm_89", Fp8Family::Ocp, false, kFormNT, kScaleTensor, 16, 16, 16, true,
     false, 81, "cuBLAS documentation; converts checked with ptxas 13.0",
     kRatesL40s},
    {"sm_90", Fp8Family::Ocp, false, kFormNT,
     kScaleTensor | kScaleOuter | kScaleBlock128, /*alignM=*/1, 16, 16, true,
     false, 78, "probed on an H200 with cuBLASLt 13.1", kRatesH200},
    {"sm_100", Fp8Family::Ocp, false, kFormsAll, kScaleTensor | kScaleMx, 16,
     16, 16, true, false, 86, "cuBLAS documentation", kRatesB200},
    {"sm_120", Fp8Family::Ocp, false, kFormNT, kScaleTensor | kScaleMx, 16, 16,
     16, true, false, 87, "cuBLAS documentation", kRatesRtx5090},
    {"gfx942", Fp8Family::Fnuz, false, kFormsAll, kScaleTensor | kScaleOuter,
     16, 16, 16, false, true, 0, "hipBLASLt documentation", kRatesMi300x},
    {"gfx950", Fp8Family::Ocp, false, kFormsAll,
     kScaleTensor | kScaleOuter | kScaleMx, 16, 16, 16, false, true, 0,
     "hipBLASLt documentation", kRatesMi355x},
};

bool TargetInfo::takesType(Type type) const {
  bool ocp = isa<Float8E4M3FNType, Float8E5M2Type>(type);
  bool fnuz = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
  switch (family) {
  case Fp8Family::None:
    return false;
  case Fp8Family::Ocp:
    return ocp || (otherFamily && fnuz);
  case Fp8Family::Fnuz:
    return fnuz || (otherFamily && ocp);
  }
  llvm_unreachable("covered switch");
}

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
