//===- VjpUtils.cpp ---------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions, zeros, sums and the builder of derived linalg.generic ops.
//
//===----------------------------------------------------------------------===//

#include "VjpUtils.h"
#include "Fp8/Transforms/Vjp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fp8;

void fp8::registerVjpExternalModels(DialectRegistry &registry) {
  registerFp8Vjps(registry);
  registerLinalgVjps(registry);
  registerTensorVjps(registry);
  registerArithVjps(registry);
}

bool fp8::isFloatOrFloatTensor(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

FloatType fp8::getAccumulatorType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF64())
    return cast<FloatType>(element);
  return Float32Type::get(type.getContext());
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value fp8::convertScalar(OpBuilder &builder, Location loc, Value scalar,
                         Type type) {
  auto from = cast<FloatType>(scalar.getType());
  auto to = cast<FloatType>(type);
  if (from == to)
    return scalar;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(builder, loc, to, scalar);
  if (from.getWidth() > to.getWidth())
    return arith::TruncFOp::create(builder, loc, to, scalar);
  // bf16 and f16: f32 holds both.
  Value wide =
      arith::ExtFOp::create(builder, loc, builder.getF32Type(), scalar);
  return arith::TruncFOp::create(builder, loc, to, wide);
}

/// The sum of `terms`, read through identity maps.
static Value createElementwiseSum(OpBuilder &builder, Location loc,
                                  ArrayRef<Value> terms, Type elementType) {
  auto type = cast<RankedTensorType>(terms.front().getType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  DerivedGeneric generic(builder, loc, type.getRank());
  OpBuilder &body = generic.getBody();
  Type accumulator = getAccumulatorType(elementType);
  Value sum;
  for (Value term : terms) {
    Value scalar = generic.read(term, map);
    if (terms.size() > 1)
      scalar = convertScalar(body, loc, scalar, accumulator);
    sum = sum ? arith::AddFOp::create(body, loc, sum, scalar) : scalar;
  }
  return generic.finish(convertScalar(body, loc, sum, elementType),
                        tensor::getMixedSizes(builder, loc, terms.front()),
                        map);
}

Value fp8::convertElements(OpBuilder &builder, Location loc, Value value,
                           Type elementType) {
  if (getElementTypeOrSelf(value.getType()) == elementType)
    return value;
  if (!isa<RankedTensorType>(value.getType()))
    return convertScalar(builder, loc, value, elementType);
  return createElementwiseSum(builder, loc, value, elementType);
}

//===----------------------------------------------------------------------===//
// Zeros and sums
//===----------------------------------------------------------------------===//

static Value createZeros(OpBuilder &builder, Location loc,
                         ArrayRef<OpFoldResult> sizes, Type elementType) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(elementType));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
}

Value fp8::createZeros(OpBuilder &builder, Location loc, Value like,
                       Type elementType) {
  if (!isa<RankedTensorType>(like.getType()))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getZeroAttr(elementType));
  return ::createZeros(builder, loc, tensor::getMixedSizes(builder, loc, like),
                       elementType);
}

Value fp8::createSum(OpBuilder &builder, Location loc, ArrayRef<Value> terms,
                     Type elementType) {
  if (terms.size() == 1)
    return convertElements(builder, loc, terms.front(), elementType);
  if (isa<RankedTensorType>(terms.front().getType()))
    return createElementwiseSum(builder, loc, terms, elementType);
  Type accumulator = getAccumulatorType(elementType);
  Value sum;
  for (Value term : terms) {
    Value scalar = convertScalar(builder, loc, term, accumulator);
    sum = sum ? arith::AddFOp::create(builder, loc, sum, scalar) : scalar;
  }
  return convertScalar(builder, loc, sum, elementType);
}

Value fp8::createReduction(OpBuilder &builder, Location loc, Value tensor,
                           ArrayRef<int64_t> kept, Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  unsigned rank = type.getRank();
  DerivedGeneric generic(builder, loc, rank);
  Value scalar = generic.read(tensor, builder.getMultiDimIdentityMap(rank));
  scalar = convertScalar(generic.getBody(), loc, scalar,
                         getAccumulatorType(elementType));
  SmallVector<AffineExpr> exprs;
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : kept) {
    exprs.push_back(builder.getAffineDimExpr(dim));
    sizes.push_back(generic.getSize(dim));
  }
  Value sum = generic.finish(
      scalar, sizes, AffineMap::get(rank, 0, exprs, builder.getContext()));
  return convertElements(builder, loc, sum, elementType);
}

//===----------------------------------------------------------------------===//
// DerivedGeneric
//===----------------------------------------------------------------------===//

DerivedGeneric::DerivedGeneric(OpBuilder &builder, Location loc,
                               unsigned numLoops)
    : builder(builder), loc(loc), numLoops(numLoops), block(new Block),
      body(builder.getContext()) {
  body.setInsertionPointToEnd(block);
}

DerivedGeneric::~DerivedGeneric() { delete block; }

Value DerivedGeneric::read(Value operand, AffineMap map) {
  for (auto [index, known] : llvm::enumerate(operands))
    if (known == operand && maps[index] == map)
      return block->getArgument(index);
  operands.push_back(operand);
  maps.push_back(map);
  return block->addArgument(getElementTypeOrSelf(operand.getType()), loc);
}

bool DerivedGeneric::hasSize(unsigned dim, AffineMap output) const {
  AffineExpr expr = getAffineDimExpr(dim, output.getContext());
  return output.getResultPosition(expr) ||
         llvm::any_of(maps, [&](AffineMap map) {
           return map.getResultPosition(expr).has_value();
         });
}

OpFoldResult DerivedGeneric::getSize(unsigned dim) {
  AffineExpr expr = builder.getAffineDimExpr(dim);
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    if (std::optional<unsigned> position = map.getResultPosition(expr))
      return tensor::getMixedSize(builder, loc, operand, *position);
  return {};
}

/// True if `map` names loop `dim` alone as one of its results.
static bool names(AffineMap map, unsigned dim) {
  return map.getResultPosition(getAffineDimExpr(dim, map.getContext()))
      .has_value();
}

Value DerivedGeneric::finish(Value value, ArrayRef<OpFoldResult> sizes,
                             AffineMap output) {
  Type elementType = value.getType();
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim = 0; dim < numLoops; ++dim)
    iterators.push_back(names(output, dim) ? utils::IteratorType::parallel
                                           : utils::IteratorType::reduction);
  bool reduces = llvm::is_contained(iterators, utils::IteratorType::reduction);
  Value init;
  BlockArgument out = block->addArgument(elementType, loc);
  if (reduces) {
    init = ::createZeros(builder, loc, sizes, elementType);
    value = arith::AddFOp::create(body, loc, out, value);
  } else {
    // A copy that moves nothing is what was read.
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (argument.getOwner() == block &&
          maps[argument.getArgNumber()] == output && output.isIdentity())
        return operands[argument.getArgNumber()];
    init = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  }
  linalg::YieldOp::create(body, loc, value);
  maps.push_back(output);
  auto generic = linalg::GenericOp::create(builder, loc, init.getType(),
                                           operands, init, maps, iterators);
  generic.getRegion().push_back(block);
  block = nullptr;
  return generic.getResult(0);
}
