//===- ScalarReverse.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives of the scalar ops of arith and math. In the comments g is the
// cotangent of the result, y the result, x (or a, b, c) the operands.
//
// Where operands of a maximum or minimum are equal, each gets half of g, as in
// torch.maximum (derivatives.yaml: grad / 2) and jax.numpy.maximum. A relu that
// is exported as compare and select gets what its condition says.
//
//===----------------------------------------------------------------------===//

#include "ScalarReverse.h"
#include "VjpUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fp8;

bool fp8::isScalarIdentity(Operation *op) {
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return true;
  if (auto wrap = dyn_cast<tensor::FromElementsOp>(op))
    return wrap.getType().getRank() == 0;
  auto unwrap = dyn_cast<tensor::ExtractOp>(op);
  return unwrap && unwrap.getIndices().empty() &&
         unwrap.getTensor().getDefiningOp<tensor::FromElementsOp>();
}

FloatType fp8::getDerivativeType(MLIRContext *context, ArrayRef<Type> types,
                                 ArrayRef<Operation *> ops) {
  auto isF64 = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  bool wide = llvm::any_of(types, isF64);
  for (Operation *op : ops)
    if (!isScalarIdentity(op) && !op->hasTrait<OpTrait::ConstantLike>())
      wide |= llvm::any_of(op->getResultTypes(), isF64);
  if (wide)
    return Float64Type::get(context);
  return Float32Type::get(context);
}

ScalarReverse::ScalarReverse(OpBuilder &builder, Location loc, FloatType type,
                             ArrayRef<Operation *> ops, ReadLeaf readLeaf,
                             StringRef context)
    : builder(builder), loc(loc), type(type), ops(ops),
      readLeaf(std::move(readLeaf)), context(context),
      inside(ops.begin(), ops.end()) {}

FailureOr<Value> ScalarReverse::run(ArrayRef<Value> targets,
                                    ArrayRef<Seed> seeds) {
  active.insert(targets.begin(), targets.end());
  for (Operation *op : ops)
    if (llvm::any_of(op->getOperands(),
                     [&](Value operand) { return isActive(operand); }))
      for (Value result : op->getResults())
        if (isFloatOrFloatTensor(result))
          active.insert(result);
  for (const Seed &seed : seeds)
    add(seed.first, seed.second);

  for (Operation *op : llvm::reverse(ops)) {
    Value cotangent = op->getNumResults() == 1
                          ? cotangents.lookup(op->getResult(0))
                          : Value();
    if (!cotangent)
      continue;
    bool known =
        propagateLinear(op, cotangent) || propagateProduct(op, cotangent) ||
        propagateChoice(op, cotangent) || propagatePower(op, cotangent) ||
        propagateBinaryMath(op, cotangent) || propagateUnary(op, cotangent);
    if (!known)
      return op->emitOpError("expects an op with a derivative in a "
                             "differentiated ")
             << context << ", but " << op->getName() << " has none";
  }
  if (hasError)
    return failure();
  Value sum;
  for (Value target : targets)
    if (Value cotangent = cotangents.lookup(target))
      sum = sum ? add2(sum, cotangent) : cotangent;
  return sum;
}

void ScalarReverse::add(Value value, Value cotangent) {
  if (!isActive(value))
    return;
  Value &sum = cotangents[value];
  sum = sum ? add2(sum, cotangent) : cotangent;
}

//===----------------------------------------------------------------------===//
// The primal
//===----------------------------------------------------------------------===//

Value ScalarReverse::toType(Value scalar) {
  if (isa<FloatType>(scalar.getType()))
    return convertScalar(builder, loc, scalar, type);
  return scalar;
}

Value ScalarReverse::getPrimal(Value value) {
  if (Value known = primals.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value primal;
  if (op && inside.contains(op)) {
    primal =
        isScalarIdentity(op) ? getPrimal(op->getOperand(0)) : clonePrimal(op);
  } else if (Value leaf = readLeaf(value)) {
    primal = toType(leaf);
  }
  if (!primal) {
    // Nothing is kept of what is built after an error, but it needs a value.
    hasError = true;
    Type element = getElementTypeOrSelf(value.getType());
    primal = element.isIntOrIndex()
                 ? arith::ConstantOp::create(builder, loc,
                                             builder.getZeroAttr(element))
                       .getResult()
                 : constant(0.0);
  }
  primals[value] = primal;
  return primal;
}

/// Computes `op` again, in the type if it is arithmetic on floats.
Value ScalarReverse::clonePrimal(Operation *op) {
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    if (auto attr = dyn_cast<FloatAttr>(constantOp.getValue()))
      return constant(attr.getValueAsDouble());
  bool arithmetic = isa_and_present<arith::ArithDialect, math::MathDialect>(
                        op->getDialect()) &&
                    !isa<arith::BitcastOp>(op);
  bool onIntegers = llvm::none_of(op->getOperands(), isFloatOrFloatTensor);
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      (!arithmetic && !onIntegers)) {
    op->emitOpError("expects arithmetic in a differentiated ")
        << context << ", but " << op->getName()
        << " cannot be computed again in " << type;
    return nullptr;
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, getPrimal(operand));
  if (hasError)
    return nullptr;
  Operation *clone = builder.clone(*op, mapping);
  Value result = clone->getResult(0);
  if (!arithmetic)
    return toType(result);
  result.setType(isFloatOrFloatTensor(result)
                     ? type
                     : getElementTypeOrSelf(result.getType()));
  return result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScalarReverse::constant(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}
Value ScalarReverse::neg(Value a) {
  return arith::NegFOp::create(builder, loc, a);
}
Value ScalarReverse::add2(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}
Value ScalarReverse::sub(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}
Value ScalarReverse::mul(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}
Value ScalarReverse::div(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b);
}
Value ScalarReverse::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

//===----------------------------------------------------------------------===//
// Rules of arith
//===----------------------------------------------------------------------===//

/// y = a + b: g, g.  y = a - b: g, -g.  y = -x: -g.  Casts: g.  Integers to
/// floats: nothing.
bool ScalarReverse::propagateLinear(Operation *op, Value cotangent) {
  if (isScalarIdentity(op) || isa<arith::AddFOp>(op)) {
    for (Value operand : op->getOperands())
      add(operand, cotangent);
    return true;
  }
  if (isa<arith::SubFOp>(op)) {
    add(op->getOperand(0), cotangent);
    if (isActive(op->getOperand(1)))
      add(op->getOperand(1), neg(cotangent));
    return true;
  }
  if (isa<arith::NegFOp>(op)) {
    add(op->getOperand(0), neg(cotangent));
    return true;
  }
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op);
}

/// y = a · b: g · b, g · a.  y = a / b: g / b, -(g / b · y).
/// y = a · b + c: g · b, g · a, g.
bool ScalarReverse::propagateProduct(Operation *op, Value cotangent) {
  if (isa<arith::MulFOp, math::FmaOp>(op)) {
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (isActive(a))
      add(a, mul(cotangent, getPrimal(b)));
    if (isActive(b))
      add(b, mul(cotangent, getPrimal(a)));
    if (isa<math::FmaOp>(op))
      add(op->getOperand(2), cotangent);
    return true;
  }
  if (!isa<arith::DivFOp>(op))
    return false;
  Value a = op->getOperand(0), b = op->getOperand(1);
  Value quotient = div(cotangent, getPrimal(b));
  add(a, quotient);
  if (isActive(b))
    add(b, neg(mul(quotient, getPrimal(op->getResult(0)))));
  return true;
}

/// y = c ? a : b: c ? g : 0, c ? 0 : g.
bool ScalarReverse::propagateChoice(Operation *op, Value cotangent) {
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    Value condition = getPrimal(choice.getCondition());
    Value zero = constant(0.0);
    if (isActive(choice.getTrueValue()))
      add(choice.getTrueValue(), select(condition, cotangent, zero));
    if (isActive(choice.getFalseValue()))
      add(choice.getFalseValue(), select(condition, zero, cotangent));
    return true;
  }
  bool isMax = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  if (!isMax && !isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return false;
  propagateExtremum(op, cotangent, isMax,
                    isa<arith::MaxNumFOp, arith::MinNumFOp>(op));
  return true;
}

/// y = max(a, b): g to the larger one, g / 2 to each if they are equal. A NaN
/// that comes through gets g; maxnumf and minnumf pass over one NaN.
void ScalarReverse::propagateExtremum(Operation *op, Value cotangent,
                                      bool isMax, bool skipsNan) {
  auto loses = isMax ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT;
  auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  };
  for (unsigned index : {0, 1}) {
    Value operand = op->getOperand(index);
    if (!isActive(operand))
      continue;
    Value mine = getPrimal(operand);
    Value other = getPrimal(op->getOperand(1 - index));
    Value zero = constant(0.0);
    Value half = mul(cotangent, constant(0.5));
    Value share = select(compare(arith::CmpFPredicate::OEQ, mine, other), half,
                         cotangent);
    share = select(compare(loses, mine, other), zero, share);
    if (skipsNan)
      share =
          select(compare(arith::CmpFPredicate::UNO, mine, mine), zero, share);
    add(operand, share);
  }
}

//===----------------------------------------------------------------------===//
// Rules of math
//===----------------------------------------------------------------------===//

/// y = x^p: g · p · x^(p-1), and 0 if p is 0;  g · y · log x, and 0 if x is 0
/// and p is not negative.
bool ScalarReverse::propagatePower(Operation *op, Value cotangent) {
  if (isa<math::FPowIOp>(op)) {
    propagateFPowI(op, cotangent);
    return true;
  }
  if (!isa<math::PowFOp>(op))
    return false;
  Value x = getPrimal(op->getOperand(0)), p = getPrimal(op->getOperand(1));
  Value zero = constant(0.0);
  auto compare = [&](arith::CmpFPredicate predicate, Value a) {
    return arith::CmpFOp::create(builder, loc, predicate, a, zero);
  };
  if (isActive(op->getOperand(0))) {
    Value less = sub(p, constant(1.0));
    Value power = math::PowFOp::create(builder, loc, x, less);
    Value slope = mul(mul(cotangent, p), power);
    add(op->getOperand(0),
        select(compare(arith::CmpFPredicate::OEQ, p), zero, slope));
  }
  if (isActive(op->getOperand(1))) {
    Value y = getPrimal(op->getResult(0));
    Value log = math::LogOp::create(builder, loc, x);
    Value slope = mul(mul(cotangent, y), log);
    Value isZero = compare(arith::CmpFPredicate::OEQ, x);
    Value isRoot = compare(arith::CmpFPredicate::OGE, p);
    Value atZero = arith::AndIOp::create(builder, loc, isZero, isRoot);
    add(op->getOperand(1), select(atZero, zero, slope));
  }
  return true;
}

/// y = x^n: g · n · x^(n-1), and 0 if n is 0; n = 2 is g · (2 · x).
void ScalarReverse::propagateFPowI(Operation *op, Value cotangent) {
  Value operand = op->getOperand(0), power = op->getOperand(1);
  if (!isActive(operand))
    return;
  APInt known;
  if (matchPattern(power, m_ConstantInt(&known))) {
    int64_t n = known.getSExtValue();
    if (n == 0)
      return;
    if (n == 1)
      return add(operand, cotangent);
    Value x = getPrimal(operand);
    Value factor = constant(static_cast<double>(n));
    Value rest = x;
    if (n == 3)
      rest = square(x);
    if (n != 2 && n != 3) {
      Value less = arith::ConstantOp::create(
          builder, loc,
          builder.getIntegerAttr(getElementTypeOrSelf(power.getType()), n - 1));
      rest = math::FPowIOp::create(builder, loc, x, less);
    }
    return add(operand, mul(cotangent, mul(factor, rest)));
  }
  Value x = getPrimal(operand), n = getPrimal(power);
  Value one = arith::ConstantOp::create(builder, loc,
                                        builder.getIntegerAttr(n.getType(), 1));
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(n.getType(), 0));
  Value less = arith::SubIOp::create(builder, loc, n, one);
  Value rest = math::FPowIOp::create(builder, loc, x, less);
  Value factor = arith::SIToFPOp::create(builder, loc, type, n);
  Value slope = mul(cotangent, mul(factor, rest));
  Value isZero =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, n, zero);
  add(operand, select(isZero, constant(0.0), slope));
}

/// copysign(x, s): g · sign x · sign s.  atan2(a, b): g · b / (a² + b²),
/// -g · a / (a² + b²).  a rem b: g, -g · trunc(a / b).
bool ScalarReverse::propagateBinaryMath(Operation *op, Value cotangent) {
  if (!isa<math::CopySignOp, math::Atan2Op, arith::RemFOp>(op))
    return false;
  Value a = getPrimal(op->getOperand(0)), b = getPrimal(op->getOperand(1));
  Value first, second;
  if (isa<math::CopySignOp>(op)) {
    Value one = constant(1.0);
    Value signA = math::CopySignOp::create(builder, loc, one, a);
    Value signB = math::CopySignOp::create(builder, loc, one, b);
    first = mul(cotangent, mul(signA, signB));
  } else if (isa<math::Atan2Op>(op)) {
    Value squareA = square(a);
    Value scaled = div(cotangent, add2(squareA, square(b)));
    first = mul(scaled, b);
    second = neg(mul(scaled, a));
  } else {
    first = cotangent;
    Value whole = math::TruncOp::create(builder, loc, div(a, b));
    second = neg(mul(cotangent, whole));
  }
  add(op->getOperand(0), first);
  if (second)
    add(op->getOperand(1), second);
  return true;
}

namespace {
/// The slope of a function of one variable: `fromResult` computes it from y,
/// `fromOperand` from x.
struct UnaryRules {
  OpBuilder &b;
  Location loc;
  FloatType type;

  Value constant(double value) const {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value mul(Value x, double factor) const {
    return arith::MulFOp::create(b, loc, x, constant(factor));
  }
  Value square(Value x) const { return arith::MulFOp::create(b, loc, x, x); }
  /// base + factor · x.
  Value affine(double base, double factor, Value x) const {
    Value scaled = factor == 1.0 ? x : mul(x, factor);
    return arith::AddFOp::create(b, loc, scaled, constant(base));
  }
  Value inverse(Value x) const {
    return arith::DivFOp::create(b, loc, constant(1.0), x);
  }
  Value inverseRoot(Value x) const {
    return inverse(math::SqrtOp::create(b, loc, x));
  }
  Value sign(Value x) const {
    Value zero = constant(0.0);
    auto choose = [&](arith::CmpFPredicate predicate, double value,
                      Value rest) {
      Value condition = arith::CmpFOp::create(b, loc, predicate, x, zero);
      return arith::SelectOp::create(b, loc, condition, constant(value), rest);
    };
    Value negative = choose(arith::CmpFPredicate::OLT, -1.0, zero);
    return choose(arith::CmpFPredicate::OGT, 1.0, negative);
  }

  Value fromResult(Operation *op, function_ref<Value()> getY) const;
  Value fromOperand(Operation *op, function_ref<Value()> getX) const;
};
} // namespace

static constexpr double kLn2 = 0.693147180559945309417;
static constexpr double kLn10 = 2.302585092994045684018;
static constexpr double kTwoOverSqrtPi = 1.128379167095512573896;

Value UnaryRules::fromResult(Operation *op, function_ref<Value()> y) const {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return y(); })
      .Case([&](math::Exp2Op) { return mul(y(), kLn2); })
      .Case([&](math::ExpM1Op) { return affine(1.0, 1.0, y()); })
      .Case([&](math::SqrtOp) { return inverse(mul(y(), 2.0)); })
      .Case([&](math::RsqrtOp) {
        Value root = y();
        Value cube = arith::MulFOp::create(b, loc, square(root), root);
        return mul(cube, -0.5);
      })
      .Case([&](math::CbrtOp) { return inverse(mul(square(y()), 3.0)); })
      .Case([&](math::TanhOp) { return affine(1.0, -1.0, square(y())); })
      .Case([&](math::TanOp) { return affine(1.0, 1.0, square(y())); })
      .Default(Value());
}

Value UnaryRules::fromOperand(Operation *op, function_ref<Value()> x) const {
  auto gauss = [&](double factor) {
    return mul(math::ExpOp::create(b, loc, mul(square(x()), -1.0)), factor);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::LogOp) { return inverse(x()); })
      .Case([&](math::Log1pOp) { return inverse(affine(1.0, 1.0, x())); })
      .Case([&](math::Log2Op) { return inverse(mul(x(), kLn2)); })
      .Case([&](math::Log10Op) { return inverse(mul(x(), kLn10)); })
      .Case([&](math::SinOp) { return math::CosOp::create(b, loc, x()); })
      .Case([&](math::CosOp) {
        return mul(math::SinOp::create(b, loc, x()), -1.0);
      })
      .Case([&](math::SinhOp) { return math::CoshOp::create(b, loc, x()); })
      .Case([&](math::CoshOp) { return math::SinhOp::create(b, loc, x()); })
      .Case(
          [&](math::AtanOp) { return inverse(affine(1.0, 1.0, square(x()))); })
      .Case([&](math::AtanhOp) {
        return inverse(affine(1.0, -1.0, square(x())));
      })
      .Case([&](math::AsinOp) {
        return inverseRoot(affine(1.0, -1.0, square(x())));
      })
      .Case([&](math::AcosOp) {
        return mul(inverseRoot(affine(1.0, -1.0, square(x()))), -1.0);
      })
      .Case([&](math::AsinhOp) {
        return inverseRoot(affine(1.0, 1.0, square(x())));
      })
      .Case([&](math::AcoshOp) {
        return inverseRoot(affine(-1.0, 1.0, square(x())));
      })
      .Case([&](math::ErfOp) { return gauss(kTwoOverSqrtPi); })
      .Case([&](math::ErfcOp) { return gauss(-kTwoOverSqrtPi); })
      .Case([&](math::AbsFOp) { return sign(x()); })
      .Default(Value());
}

/// y = f(x): g · f'(x); 0 for the functions that round to an integer.
bool ScalarReverse::propagateUnary(Operation *op, Value cotangent) {
  if (isa<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
          math::TruncOp>(op))
    return true;
  UnaryRules rules{builder, loc, type};
  Value slope =
      rules.fromResult(op, [&] { return getPrimal(op->getResult(0)); });
  if (!slope && op->getNumOperands() == 1)
    slope = rules.fromOperand(op, [&] { return getPrimal(op->getOperand(0)); });
  if (!slope)
    return false;
  add(op->getOperand(0), mul(cotangent, slope));
  return true;
}
