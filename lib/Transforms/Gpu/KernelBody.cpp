//===- KernelBody.cpp -------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies of linalg ops in kernels. Bytes are those of the CPU: nothing is
// contracted, approximated or reordered.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "ScaleDivision.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fp8;

/// How large an exponent of `math.fpowi` is written out.
static constexpr int64_t kMaxExponent = 64;

//===----------------------------------------------------------------------===//
// What the device does in other ways
//===----------------------------------------------------------------------===//

/// If `value` is `Op(x, c)` with that constant, x.
template <typename OpTy>
static Value matchWithConstant(Value value, double constant) {
  auto op = value.getDefiningOp<OpTy>();
  if (!op || getFloatConstant(op.getRhs()) != constant)
    return {};
  return op.getLhs();
}

/// What a saturating cast to fp8 rounds, before the clamp.
static Value matchSaturatingCast(arith::TruncFOp op) {
  auto type = dyn_cast<FloatType>(op.getType());
  if (!type || !isFp8Type(type) || !op.getIn().getType().isF32())
    return {};
  double bound = getMaxFinite(type);
  if (Value low = matchWithConstant<arith::MaximumFOp>(op.getIn(), -bound))
    if (Value x = matchWithConstant<arith::MinimumFOp>(low, bound))
      return x;
  if (Value high = matchWithConstant<arith::MinimumFOp>(op.getIn(), bound))
    return matchWithConstant<arith::MaximumFOp>(high, -bound);
  return {};
}

/// x^n as convert-math-to-funcs computes it: squares from the low bit up.
static Value emitPower(KernelBuilder &b, Value x, int64_t exponent) {
  Value one = b.create<arith::ConstantOp>(b.getFloatAttr(x.getType(), 1.0));
  Value result = one;
  for (uint64_t left = std::abs(exponent); left != 0; left >>= 1) {
    if (left & 1)
      result = result == one ? x : b.create<arith::MulFOp>(result, x);
    if (left > 1)
      x = b.create<arith::MulFOp>(x, x);
  }
  return exponent < 0 ? b.create<arith::DivFOp>(one, result) : result;
}

//===----------------------------------------------------------------------===//
// One op, one element
//===----------------------------------------------------------------------===//

/// Whether `op` is arithmetic on bf16 that f32 and one rounding do as well.
static bool isBf16Arithmetic(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      !op->hasTrait<OpTrait::Elementwise>() ||
      isa<arith::BitcastOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp,
          arith::SIToFPOp, arith::UIToFPOp, arith::NegFOp, math::AbsFOp,
          math::CopySignOp, math::FmaOp>(op))
    return false;
  auto isBf16 = [](Type type) { return isa<BFloat16Type>(type); };
  return llvm::any_of(op->getOperandTypes(), isBf16) ||
         llvm::any_of(op->getResultTypes(), isBf16);
}

/// `op` on other operands, with results of these types.
static SmallVector<Value> emitClone(KernelBuilder &b, Operation *op,
                                    ValueRange operands, TypeRange types) {
  if (auto power = dyn_cast<math::FPowIOp>(op)) {
    IntegerAttr exponent;
    if (matchPattern(power.getRhs(), m_Constant(&exponent)) &&
        std::abs(exponent.getInt()) <= kMaxExponent)
      return {emitPower(b, operands[0], exponent.getInt())};
  }
  if (isa<math::RsqrtOp>(op)) {
    Value one = b.create<arith::ConstantOp>(
        b.getFloatAttr(cast<FloatType>(types[0]), 1.0));
    return {b.create<arith::DivFOp>(one, b.create<math::SqrtOp>(operands[0]))};
  }
  IRMapping map;
  map.map(op->getOperands(), operands);
  Operation *copy = b.clone(*op, map);
  for (auto [result, type] : llvm::zip(copy->getResults(), types))
    result.setType(type);
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(copy))
    copy->setAttr(flags.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(b.getContext(),
                                                arith::FastMathFlags::none));
  return copy->getResults();
}

/// `op` on one element. Results in bf16 are still to be rounded, from f32.
static SmallVector<Value> emitOp(KernelBuilder &b, Operation *op,
                                 ValueRange operands) {
  Type f32 = b.getF32Type();
  auto isBf16 = [](Type type) { return isa<BFloat16Type>(type); };
  // Casts of bf16 are LLVM ops, which fp8-expand-arith leaves to the device.
  if (isa<arith::ExtFOp>(op) && isBf16(operands[0].getType()) &&
      op->getResult(0).getType() == f32)
    return {b.create<LLVM::FPExtOp>(f32, operands[0])};
  if (isa<arith::TruncFOp>(op) && operands[0].getType() == f32 &&
      isBf16(op->getResult(0).getType()))
    return {operands[0]};
  if (!isBf16Arithmetic(op))
    return emitClone(b, op, operands, op->getResultTypes());

  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(isBf16(operand.getType())
                       ? b.create<LLVM::FPExtOp>(f32, operand)
                       : operand);
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(isBf16(type) ? f32 : type);
  return emitClone(b, op, wide, types);
}

/// Rounds f32 to bf16, in pairs if the device has something for them.
static void roundToBf16(KernelBuilder &b, SmallVectorImpl<Value> &values) {
  size_t i = 0;
  for (; i + 1 < values.size(); i += 2) {
    Value pair =
        b.getVendor().roundPairToBf16(b, b.getLoc(), values[i], values[i + 1]);
    if (!pair)
      break;
    values[i] = b.create<vector::ExtractOp>(pair, 0);
    values[i + 1] = b.create<vector::ExtractOp>(pair, 1);
  }
  for (; i < values.size(); ++i)
    values[i] = b.create<LLVM::FPTruncOp>(b.getBF16Type(), values[i]);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
/// Emits one body for a number of elements.
class BodyEmitter {
public:
  BodyEmitter(KernelBuilder &b, Block *body, unsigned count,
              ValueRange coordinates)
      : b(b), body(body), count(count), coordinates(coordinates) {}

  void set(Value value, const Lanes &known) { lanes[value] = known; }
  /// Emits what `wanted` needs, in the body's order.
  void emit(ValueRange wanted);
  Lanes get(Value value);
  /// The scalars of it, one an element.
  ArrayRef<Value> getValues(Value value);

private:
  /// The values that emitting `op` takes.
  SmallVector<Value> getNeeds(Operation *op);
  void emit(Operation *op);
  void emitCast(arith::TruncFOp op, Value source);

  KernelBuilder &b;
  Block *body;
  unsigned count;
  ValueRange coordinates;
  llvm::DenseMap<Value, Lanes> lanes;
};
} // namespace

SmallVector<Value> BodyEmitter::getNeeds(Operation *op) {
  if (auto cast = dyn_cast<arith::TruncFOp>(op)) {
    if (Value source = matchSaturatingCast(cast))
      if (b.getVendor().hasConvert(::cast<FloatType>(cast.getType())))
        return {source};
  }
  if (std::optional<ScaleDivision> scale = matchScaleDivision(op))
    return {scale->divisor};
  return llvm::to_vector(op->getOperands());
}

void BodyEmitter::emit(ValueRange wanted) {
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> worklist(wanted);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == body && needed.insert(op).second)
      llvm::append_range(worklist, getNeeds(op));
  }
  for (Operation &op : *body)
    if (needed.contains(&op))
      emit(&op);
}

/// fp8 values in pairs, where there is an instruction for it.
void BodyEmitter::emitCast(arith::TruncFOp op, Value source) {
  auto type = cast<FloatType>(op.getType());
  ArrayRef<Value> wide = getValues(source);
  Lanes result;
  result.element = type;
  if (count % 2 == 0) {
    for (unsigned i = 0; i < count; i += 2)
      result.pairs.push_back(
          b.getVendor().convertPair(b, b.getLoc(), wide[i], wide[i + 1], type));
  } else {
    for (Value value : wide) {
      Value pair = b.getVendor().convertPair(b, b.getLoc(), value, value, type);
      Value low = b.create<arith::TruncIOp>(b.getI8Type(), pair);
      result.values.push_back(b.create<arith::BitcastOp>(type, low));
    }
  }
  lanes[op.getResult()] = result;
}

void BodyEmitter::emit(Operation *op) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    Lanes result;
    result.element = index.getType();
    result.values.assign(
        count, b.create<arith::IndexCastOp>(b.getIndexType(),
                                            coordinates[index.getDim()]));
    lanes[index.getResult()] = result;
    return;
  }
  if (auto cast = dyn_cast<arith::TruncFOp>(op)) {
    Value source = matchSaturatingCast(cast);
    if (source && b.getVendor().hasConvert(::cast<FloatType>(cast.getType())))
      return emitCast(cast, source);
  }
  std::optional<ScaleDivision> scale = matchScaleDivision(op);
  SmallVector<Lanes> results(op->getNumResults());
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Value> values;
    if (scale) {
      values.push_back(
          emitScaleDivision(b, *scale, getValues(scale->divisor)[i]));
    } else {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(getValues(operand)[i]);
      values = emitOp(b, op, operands);
    }
    for (auto [result, value] : llvm::zip(results, values))
      result.values.push_back(value);
  }
  for (auto [result, known] : llvm::zip(op->getResults(), results)) {
    known.element = result.getType();
    if (known.values[0].getType() != known.element)
      roundToBf16(b, known.values);
    lanes[result] = known;
  }
}

Lanes BodyEmitter::get(Value value) {
  // Pairs stay pairs: they are stored as such.
  if (!lanes.contains(value) || lanes[value].pairs.empty())
    (void)getValues(value);
  return lanes[value];
}

ArrayRef<Value> BodyEmitter::getValues(Value value) {
  auto it = lanes.find(value);
  if (it == lanes.end()) {
    // From outside of the body.
    Lanes result;
    result.element = value.getType();
    result.values.assign(count, b.getScalar(value));
    it = lanes.try_emplace(value, result).first;
  }
  b.unpack(it->second);
  return it->second.values;
}

SmallVector<Lanes> KernelBuilder::emitBody(linalg::GenericOp op,
                                           ArrayRef<Lanes> inputs,
                                           ArrayRef<Lanes> outputs,
                                           ValueRange wanted, unsigned count,
                                           ValueRange coordinates) {
  BodyEmitter emitter(*this, op.getBody(), count, coordinates);
  for (auto [argument, lanes, operand] :
       llvm::zip(op.getRegionInputArgs(), inputs, getInputs(op))) {
    if (!lanes.isEmpty()) {
      emitter.set(argument, lanes);
      continue;
    }
    // A scalar: all elements read the same.
    Lanes same;
    same.element = operand.element;
    same.values.assign(count, operand.isBuffer() ? known.lookup(operand.buffer)
                                                 : getScalar(operand.buffer));
    emitter.set(argument, same);
  }
  for (auto [argument, lanes] : llvm::zip(op.getRegionOutputArgs(), outputs))
    emitter.set(argument, lanes);
  emitter.emit(wanted);
  SmallVector<Lanes> results;
  for (Value value : wanted)
    results.push_back(emitter.get(value));
  return results;
}

SmallVector<Lanes> KernelBuilder::loadInputs(linalg::GenericOp op, Value index,
                                             unsigned count, bool vectors) {
  bool strided = llvm::any_of(getInputs(op), [](const KernelOperand &input) {
    return input.isBuffer() && !input.isContiguous && !input.isScalar;
  });
  SmallVector<Value> coordinates;
  if (strided)
    coordinates = delinearize(op, 0, op.getNumLoops(), index);
  return loadInputsAt(op, coordinates, index, count, vectors);
}

SmallVector<Lanes> KernelBuilder::loadInputsAt(linalg::GenericOp op,
                                               ValueRange coordinates,
                                               Value index, unsigned count,
                                               bool vectors) {
  SmallVector<Lanes> inputs;
  unsigned last = op.getNumLoops() - 1;
  for (const KernelOperand &input : getInputs(op)) {
    Lanes &lanes = inputs.emplace_back();
    lanes.element = input.element;
    if (!input.isBuffer() || input.isScalar)
      continue;
    if (input.isContiguous && vectors && count > 1) {
      lanes = loadLanes(input, index, count);
      continue;
    }
    if (input.isContiguous) {
      for (unsigned i = 0; i < count; ++i)
        lanes.values.push_back(loadOne(input, add(index, i64(i))));
      continue;
    }
    if (!input.map.isFunctionOfDim(last)) {
      lanes.values.assign(count, loadOne(input, getOffset(input, coordinates)));
      continue;
    }
    for (unsigned i = 0; i < count; ++i) {
      SmallVector<Value> place(coordinates);
      place[last] = add(place[last], i64(i));
      lanes.values.push_back(loadOne(input, getOffset(input, place)));
    }
  }
  return inputs;
}

void KernelBuilder::emitPrologue(ArrayRef<linalg::GenericOp> ops) {
  known.clear();
  stored.clear();
  for (linalg::GenericOp op : ops) {
    for (const KernelOperand &input : getInputs(op))
      if (input.isBuffer() && input.isScalar && !known.contains(input.buffer))
        known[input.buffer] = loadOne(input, i64(0));
    if (op.getNumLoops() != 0)
      continue;
    SmallVector<Lanes> inputs(op.getNumDpsInputs()), outputs;
    for (auto [output, argument] :
         llvm::zip(getOutputs(op), op.getRegionOutputArgs())) {
      Lanes &old = outputs.emplace_back();
      if (argument.use_empty())
        continue;
      Value value = known.lookup(output.buffer);
      old.values.push_back(value ? value : loadOne(output, i64(0)));
    }
    SmallVector<Lanes> results = emitBody(
        op, inputs, outputs, op.getBody()->getTerminator()->getOperands(), 1);
    for (auto [output, result] : llvm::zip(getOutputs(op), results)) {
      known[output.buffer] = result.values[0];
      if (numbers.contains(output.buffer))
        stored.push_back(output);
    }
  }
}

void KernelBuilder::storeScalars(Value number) {
  if (stored.empty())
    return;
  Value first = isZero(create<arith::OrIOp>(thread, number ? number : block));
  emitIf(first, [&] {
    for (const KernelOperand &output : stored)
      storeOne(output, i64(0), known.lookup(output.buffer));
  });
}
