//===- TensorView.cpp ----------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looking through ops that only move or widen elements.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/TensorView.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fp8;

/// True if both sides of a float cast are wide: fp8.matmul takes no fp8 tensor.
static bool castsWideTypes(Operation *cast) {
  return !isFp8Type(cast->getOperand(0).getType()) &&
         !isFp8Type(cast->getResult(0).getType());
}

ElementwiseKind fp8::classifyElementwise(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return ElementwiseKind::Other;
  Block *body = op.getBody();
  Value yielded = cast<linalg::YieldOp>(body->getTerminator()).getOperand(0);
  if (yielded == body->getArgument(0))
    return ElementwiseKind::Copy;
  Operation *def = yielded.getDefiningOp();
  if (!def || def->getNumOperands() != 1 ||
      def->getOperand(0) != body->getArgument(0))
    return ElementwiseKind::Other;
  if (isa<arith::ExtFOp>(def) && castsWideTypes(def))
    return ElementwiseKind::Extend;
  if (isa<arith::TruncFOp>(def) && castsWideTypes(def))
    return ElementwiseKind::Truncate;
  return ElementwiseKind::Other;
}

/// The view through a generic that copies or extends, if its input map only
/// picks dimensions.
static std::optional<TensorView> traceGeneric(linalg::GenericOp op,
                                              const TensorView &view,
                                              bool throughExtensions) {
  ElementwiseKind kind = classifyElementwise(op);
  if (kind != ElementwiseKind::Copy &&
      !(kind == ElementwiseKind::Extend && throughExtensions))
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  if (!map.isProjectedPermutation())
    return std::nullopt;
  TensorView source{op.getDpsInputOperand(0)->get(), {}};
  for (AffineExpr expr : map.getResults())
    source.labels.push_back(
        view.labels[cast<AffineDimExpr>(expr).getPosition()]);
  return source;
}

/// One step of traceView, or none.
static std::optional<TensorView> traceStep(const TensorView &view,
                                           bool throughExtensions) {
  Operation *op = view.value.getDefiningOp();
  if (auto generic = dyn_cast_if_present<linalg::GenericOp>(op))
    return traceGeneric(generic, view, throughExtensions);
  if (auto transpose = dyn_cast_if_present<linalg::TransposeOp>(op)) {
    TensorView source{transpose.getInput(), {}};
    source.labels.resize(view.labels.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      source.labels[from] = view.labels[to];
    return source;
  }
  if (auto broadcast = dyn_cast_if_present<linalg::BroadcastOp>(op)) {
    TensorView source{broadcast.getInput(), {}};
    for (auto [dim, label] : llvm::enumerate(view.labels))
      if (!llvm::is_contained(broadcast.getDimensions(), dim))
        source.labels.push_back(label);
    return source;
  }
  return std::nullopt;
}

bool fp8::hasEncoding(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getEncoding();
}

TensorView fp8::traceView(TensorView view, bool throughExtensions) {
  while (std::optional<TensorView> source =
             traceStep(view, throughExtensions)) {
    if (hasEncoding(source->value))
      break;
    view = *source;
  }
  return view;
}

Value fp8::stripExtensions(Value value) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  while (generic && classifyElementwise(generic) == ElementwiseKind::Extend &&
         generic.getMatchingIndexingMap(generic.getDpsInputOperand(0))
             .isIdentity() &&
         !hasEncoding(generic.getDpsInputOperand(0)->get())) {
    value = generic.getDpsInputOperand(0)->get();
    generic = value.getDefiningOp<linalg::GenericOp>();
  }
  return value;
}

bool fp8::isZeroTensor(Value value) {
  if (matchPattern(value, m_AnyZeroFloat()))
    return true;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return matchPattern(splat.getInput(), m_AnyZeroFloat());
  // A generic that yields the constant: what generalization makes of a fill.
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumReductionLoops() != 0)
    return false;
  Value yielded = cast<linalg::YieldOp>(generic.getBody()->getTerminator())
                      .getOperand(cast<OpResult>(value).getResultNumber());
  return matchPattern(yielded, m_AnyZeroFloat());
}
