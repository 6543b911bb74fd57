//===- GpuVendor.cpp --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/GpuVendor.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::fp8;

GpuVendor::~GpuVendor() = default;

/// The maximum over `width` threads by exchanges.
static Value reduceMaxByShuffles(OpBuilder &b, Location loc, Value value,
                                 unsigned width) {
  for (unsigned distance = width / 2; distance > 0; distance /= 2) {
    Value other = gpu::ShuffleOp::create(b, loc, value, distance, width,
                                         gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    value = arith::MaxSIOp::create(b, loc, value, other);
  }
  return value;
}

static void emitAtomicMax(OpBuilder &b, Location loc, Value pointer,
                          Value value, StringRef scope) {
  LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::max, pointer, value,
                            LLVM::AtomicOrdering::monotonic, scope);
}

//===----------------------------------------------------------------------===//
// NVIDIA
//===----------------------------------------------------------------------===//

namespace {
class NvidiaVendor : public GpuVendor {
public:
  NvidiaVendor(const TargetInfo &target, unsigned ptx)
      : target(target), ptx(ptx) {}

  Attribute getTargetAttr(MLIRContext *context) const override {
    std::string features = "+ptx" + std::to_string(ptx);
    return NVVM::NVVMTargetAttr::get(
        context, /*optLevel=*/3, "nvptx64-nvidia-cuda", target.name, features);
  }
  unsigned getSubgroupSize() const override { return 32; }
  unsigned getResidentBlocks() const override { return 132 * 4; }

  void setResidentBlocks(gpu::GPUFuncOp kernel,
                         unsigned blocks) const override {
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    Builder(kernel.getContext()).getI32IntegerAttr(blocks));
  }

  bool hasConvert(FloatType type) const override {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type) &&
           target.ptxConvert != 0 && ptx >= target.ptxConvert;
  }

  Value convertPair(OpBuilder &b, Location loc, Value low, Value high,
                    FloatType type) const override {
    // The first source goes to the high byte. There is no other mode than
    // satfinite, which takes NaN to NaN.
    return NVVM::ConvertF32x2ToF8x2Op::create(
        b, loc, b.getI16Type(), high, low, NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false, type);
  }

  Value roundPairToBf16(OpBuilder &b, Location loc, Value low,
                        Value high) const override {
    // LLVM takes a vector apart, and a convert of one value is four times
    // slower than this. There is none before sm_80, nor is there fp8.
    auto type = VectorType::get(2, b.getBF16Type());
    return LLVM::CallIntrinsicOp::create(
               b, loc, type, b.getStringAttr("llvm.nvvm.ff2bf16x2.rn"),
               ValueRange{high, low})
        .getResults();
  }

  Value approximateReciprocal(OpBuilder &b, Location loc,
                              Value x) const override {
    return NVVM::RcpApproxFtzF32Op::create(b, loc, b.getF32Type(), x);
  }

  Value reduceMax(OpBuilder &b, Location loc, Value value) const override {
    return gpu::SubgroupReduceOp::create(b, loc, value,
                                         gpu::AllReduceOperation::MAXSI,
                                         /*uniform=*/true);
  }

  void atomicMax(OpBuilder &b, Location loc, Value pointer,
                 Value value) const override {
    emitAtomicMax(b, loc, pointer, value, "device");
  }

private:
  const TargetInfo &target;
  unsigned ptx;
};
} // namespace

//===----------------------------------------------------------------------===//
// AMD
//===----------------------------------------------------------------------===//

namespace {
class AmdVendor : public GpuVendor {
public:
  explicit AmdVendor(const TargetInfo &target) : target(target) {}

  Attribute getTargetAttr(MLIRContext *context) const override {
    return ROCDL::ROCDLTargetAttr::get(context, /*optLevel=*/3,
                                       "amdgcn-amd-amdhsa", target.name);
  }
  unsigned getSubgroupSize() const override { return 64; }
  unsigned getResidentBlocks() const override { return 304 * 4; }

  /// Nothing to do: a compute unit has twice the registers of a multiprocessor
  /// (512 KB, CDNA 3 ISA, chapter 3) for as many threads.
  void setResidentBlocks(gpu::GPUFuncOp, unsigned) const override {}

  bool hasConvert(FloatType type) const override {
    // The instruction converts to the formats of the chip's matrix units.
    return type == target.getE4M3(type.getContext()) ||
           type == target.getE5M2(type.getContext());
  }

  Value convertPair(OpBuilder &b, Location loc, Value low, Value high,
                    FloatType type) const override {
    auto clamp = [&](Value value) -> Value {
      double bound = getMaxFinite(type);
      auto number = [&](double x) -> Value {
        return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(x));
      };
      value = arith::MinimumFOp::create(b, loc, value, number(bound));
      return arith::MaximumFOp::create(b, loc, value, number(-bound));
    };
    Type i32 = b.getI32Type();
    Value old = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    low = clamp(low);
    high = clamp(high);
    Value packed;
    if (type == target.getE4M3(type.getContext()))
      packed = ROCDL::CvtPkFp8F32Op::create(b, loc, i32, low, high, old,
                                            /*wordSel=*/false);
    else
      packed = ROCDL::CvtPkBf8F32Op::create(b, loc, i32, low, high, old,
                                            /*wordSel=*/false);
    return arith::TruncIOp::create(b, loc, b.getI16Type(), packed);
  }

  Value approximateReciprocal(OpBuilder &b, Location loc,
                              Value x) const override {
    return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(),
                                         b.getStringAttr("llvm.amdgcn.rcp.f32"),
                                         x)
        .getResults();
  }

  Value reduceMax(OpBuilder &b, Location loc, Value value) const override {
    return reduceMaxByShuffles(b, loc, value, getSubgroupSize());
  }

  void atomicMax(OpBuilder &b, Location loc, Value pointer,
                 Value value) const override {
    emitAtomicMax(b, loc, pointer, value, "agent");
  }

private:
  const TargetInfo &target;
};
} // namespace

std::unique_ptr<GpuVendor> GpuVendor::create(const TargetInfo &target,
                                             unsigned isaVersion) {
  if (target.name.starts_with("sm_")) {
    unsigned ptx = isaVersion ? isaVersion : std::max(80u, target.ptxConvert);
    return std::make_unique<NvidiaVendor>(target, ptx);
  }
  if (target.name.starts_with("gfx"))
    return std::make_unique<AmdVendor>(target);
  return nullptr;
}
