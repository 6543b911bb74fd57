//===- QuantizeMatmuls.cpp --------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-quantize-matmuls: fp8.matmul becomes amax, scale, cast and scaled_mm.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Target/Target.h"
#include "Fp8/Transforms/MatmulUtils.h"
#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/Recipe.h"
#include "Fp8/Transforms/TensorView.h"
#include "mlir/IR/Remarks.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_QUANTIZEMATMULSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

namespace {
/// A tensor in fp8 and what undoes its scale.
struct Quantized {
  Value narrow, descale;
};
} // namespace

/// Quantizes `wide` to `type` with one scale for the whole tensor. What `wide`
/// was widened from has the same values in fewer bytes.
static Quantized quantizeTensorwise(OpBuilder &b, Location loc, Value wide,
                                    FloatType type, const Recipe &recipe) {
  wide = stripExtensions(wide);
  auto amax = AmaxOp::create(
      b, loc, wide,
      GranularityAttr::get(b.getContext(), GranularityKind::Tensor));
  auto scale = ScaleOp::create(b, loc, amax, type);
  scale.setPolicyAttr(
      PolicyAttr::get(b.getContext(), scale.getPolicy().getEps(), recipe.pow2));
  auto wideType = cast<RankedTensorType>(wide.getType());
  auto narrow = CastOp::create(
      b, loc, wideType.clone(type), wide, scale.getScale(),
      GranularityAttr::get(b.getContext(), GranularityKind::Tensor));
  return {narrow, scale.getDescale()};
}

/// Why `op` stays wide, or none.
static std::optional<std::string> getReasonToKeep(MatmulOp op,
                                                  const TargetInfo &target) {
  if (getConvert(op) == "never") {
    auto reason = op->getAttrOfType<StringAttr>(kReasonAttr);
    return reason ? reason.str() : std::string("fp8.convert is \"never\"");
  }
  if (!target.hasFp8())
    return ("target " + target.name + " has no fp8 matrix units").str();
  if (op.getType().getElementType().isF64())
    return std::string("f64 is no candidate for fp8");
  return std::nullopt;
}

/// Replaces `op` by its tensorwise quantized form: e4m3 for activations and
/// weights, e5m2 for gradients, fast accumulation in the forward pass only.
static void quantize(RewriterBase &rewriter, MatmulOp op,
                     const TargetInfo &target, const Recipe &recipe) {
  MLIRContext *context = op.getContext();
  std::optional<OperandSide> gradient = op.getGradient();
  auto typeOf = [&](OperandSide side) {
    return gradient == side ? target.getE5M2(context) : target.getE4M3(context);
  };
  rewriter.setInsertionPoint(op);
  Quantized a = quantizeTensorwise(rewriter, op.getLoc(), op.getA(),
                                   typeOf(OperandSide::A), recipe);
  Quantized b = quantizeTensorwise(rewriter, op.getLoc(), op.getB(),
                                   typeOf(OperandSide::B), recipe);
  auto granularity = GranularityAttr::get(context, GranularityKind::Tensor);
  bool fastAccum = target.fastAccum && op.getRole() == Role::Forward;
  rewriter.replaceOpWithNewOp<ScaledMMOp>(
      op, op.getType(), a.narrow, b.narrow, a.descale, b.descale, op.getAcc(),
      op.getBias(), op.getTransA(), op.getTransB(), fastAccum, granularity,
      granularity, op.getNameAttr());
}

namespace {
struct QuantizeMatmulsPass
    : fp8::impl::QuantizeMatmulsPassBase<QuantizeMatmulsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetInfo *info = lookupTarget(target);
    if (!info) {
      module.emitError("expects a target among ")
          << getTargetNames() << ", but got '" << target << "'";
      return signalPassFailure();
    }
    const Recipe *chosen = lookupRecipe(recipe);
    if (!chosen) {
      module.emitError("expects a recipe among ")
          << getRecipeNames() << ", but got '" << recipe << "'";
      return signalPassFailure();
    }
    if (failed(verifyConvertAttrs(module)))
      return signalPassFailure();

    // Each matmul is looked at once and stands for itself: a walk is enough.
    IRRewriter rewriter(&getContext());
    SmallVector<MatmulOp> matmuls;
    module.walk([&](MatmulOp op) { matmuls.push_back(op); });
    for (MatmulOp op : matmuls) {
      auto options =
          remark::RemarkOpts::name("QuantizeMatmuls").category("fp8");
      std::string what = describe(op);
      if (std::optional<std::string> reason = getReasonToKeep(op, *info)) {
        remark::missed(op.getLoc(), options)
            << remark::reason("{0} kept wide: {1}", what, *reason);
        continue;
      }
      remark::passed(op.getLoc(), options) << remark::reason(
          "{0} converted, recipe {1}", what, recipe.getValue());
      quantize(rewriter, op, *info, *chosen);
    }
  }
};
} // namespace
