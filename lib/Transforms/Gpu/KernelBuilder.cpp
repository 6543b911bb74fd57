//===- KernelBuilder.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fp8;

/// The address spaces of global and of shared memory: the same for NVIDIA and
/// for AMD.
static constexpr unsigned kShared = 3;
/// The widest access.
static constexpr int64_t kVectorBytes = 16;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

KernelOperand fp8::getKernelOperand(linalg::GenericOp op, unsigned index) {
  OpOperand &operand = op->getOpOperand(index);
  KernelOperand result;
  result.buffer = operand.get();
  result.map = op.getMatchingIndexingMap(&operand);
  result.element = getElementTypeOrSelf(operand.get().getType());
  result.isScalar = llvm::all_of(result.map.getResults(), [](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && constant.getValue() == 0;
  });
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  result.isContiguous = type && type.getLayout().isIdentity() &&
                        result.map.isIdentity() && !result.isScalar;
  return result;
}

SmallVector<KernelOperand> fp8::getInputs(linalg::GenericOp op) {
  SmallVector<KernelOperand> inputs;
  for (int64_t i = 0, end = op.getNumDpsInputs(); i < end; ++i)
    inputs.push_back(getKernelOperand(op, i));
  return inputs;
}

SmallVector<KernelOperand> fp8::getOutputs(linalg::GenericOp op) {
  SmallVector<KernelOperand> outputs;
  for (int64_t i = op.getNumDpsInputs(), end = op->getNumOperands(); i < end;
       ++i)
    outputs.push_back(getKernelOperand(op, i));
  return outputs;
}

KernelBuilder::KernelBuilder(gpu::GPUFuncOp kernel, func::FuncOp source,
                             const GpuVendor &vendor)
    : ImplicitLocOpBuilder(kernel.getLoc(), kernel.getContext()),
      kernel(kernel), vendor(vendor) {
  setInsertionPointToStart(&kernel.getBody().front());
  for (auto [index, pair] : llvm::enumerate(
           llvm::zip(source.getArguments(), kernel.getArguments()))) {
    arguments.map(std::get<0>(pair), std::get<1>(pair));
    numbers[std::get<0>(pair)] = index;
  }
  auto toI32 = [&](Value index) -> Value {
    return create<arith::IndexCastUIOp>(getI32Type(), index);
  };
  thread = toI32(create<gpu::ThreadIdOp>(gpu::Dimension::x));
  block = toI32(create<gpu::BlockIdOp>(gpu::Dimension::x));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value KernelBuilder::i32(int64_t value) {
  return create<arith::ConstantOp>(getI32IntegerAttr(value));
}

Value KernelBuilder::i64(int64_t value) {
  return create<arith::ConstantOp>(getI64IntegerAttr(value));
}

Value KernelBuilder::widen(Value value) {
  return create<arith::ExtUIOp>(getI64Type(), value);
}

Value KernelBuilder::add(Value x, Value y) {
  return create<arith::AddIOp>(x, y);
}

Value KernelBuilder::sub(Value x, Value y) {
  return create<arith::SubIOp>(x, y);
}

Value KernelBuilder::mul(Value x, Value y) {
  return create<arith::MulIOp>(x, y);
}

Value KernelBuilder::div(Value x, Value y) {
  return create<arith::DivUIOp>(x, y);
}

Value KernelBuilder::rem(Value x, Value y) {
  return create<arith::RemUIOp>(x, y);
}

Value KernelBuilder::less(Value x, Value y) {
  return create<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
}

Value KernelBuilder::isZero(Value x) {
  Value zero = create<arith::ConstantOp>(getIntegerAttr(x.getType(), 0));
  return create<arith::CmpIOp>(arith::CmpIPredicate::eq, x, zero);
}

Value KernelBuilder::both(Value x, Value y) {
  return create<arith::AndIOp>(x, y);
}

Value KernelBuilder::exchange(Value value, unsigned distance) {
  unsigned width = vendor.getSubgroupSize();
  auto exchangeWord = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(*this, getLoc(), word, distance, width,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type type = value.getType(), word = getI32Type();
  if (type.getIntOrFloatBitWidth() == 32)
    return exchangeWord(value);
  // Devices exchange words of 32 bits.
  Value bits = type == getI64Type()
                   ? value
                   : create<arith::BitcastOp>(getI64Type(), value);
  Value low = create<arith::TruncIOp>(word, bits);
  Value high =
      create<arith::TruncIOp>(word, create<arith::ShRUIOp>(bits, i64(32)));
  low = widen(exchangeWord(low));
  high = create<arith::ShLIOp>(widen(exchangeWord(high)), i64(32));
  bits = create<arith::OrIOp>(low, high);
  return type == getI64Type() ? bits : create<arith::BitcastOp>(type, bits);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value KernelBuilder::addSize(SizeArgument size) {
  for (auto [known, value] : llvm::zip(sizes, sizeValues))
    if (known == size)
      return value;
  unsigned index = kernel.getNumArguments();
  [[maybe_unused]] LogicalResult inserted = kernel.insertArgument(
      index, getI64Type(), DictionaryAttr(), kernel.getLoc());
  assert(succeeded(inserted) && "gpu.func takes any argument");
  sizes.push_back(size);
  sizeValues.push_back(kernel.getArgument(index));
  return sizeValues.back();
}

Value KernelBuilder::getLoopSize(linalg::GenericOp op, unsigned dim) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto number = numbers.find(operand.get());
    if (number == numbers.end())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [position, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(dim))
        return addSize({SizeArgument::Size, number->second,
                        static_cast<unsigned>(position)});
  }
  llvm_unreachable("checked before a strategy is chosen");
}

Value KernelBuilder::getLoopProduct(linalg::GenericOp op, unsigned begin,
                                    unsigned end) {
  Value product;
  for (unsigned dim = begin; dim < end; ++dim) {
    Value size = getLoopSize(op, dim);
    product = product ? mul(product, size) : size;
  }
  return product ? product : i64(1);
}

Value KernelBuilder::getStride(Value buffer, unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (succeeded(type.getStridesAndOffset(strides, offset)) &&
      !ShapedType::isDynamic(strides[dim]))
    return i64(strides[dim]);
  return addSize({SizeArgument::Stride, numbers.lookup(buffer), dim});
}

SmallVector<Value> KernelBuilder::delinearize(linalg::GenericOp op,
                                              unsigned begin, unsigned end,
                                              Value index) {
  SmallVector<Value> coordinates(end - begin);
  for (unsigned dim = end; dim-- > begin;) {
    if (dim == begin) {
      coordinates[0] = index;
      break;
    }
    Value size = getLoopSize(op, dim);
    coordinates[dim - begin] = rem(index, size);
    index = div(index, size);
  }
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What values of `element` are in memory.
static Type getMemoryType(Type element) {
  Builder b(element.getContext());
  if (isa<IndexType>(element))
    return b.getI64Type();
  unsigned width = element.getIntOrFloatBitWidth();
  return width <= 8 ? b.getI8Type() : element;
}

Value KernelBuilder::toMemory(Value value) {
  Type type = value.getType(), memory = getMemoryType(type);
  if (type == memory)
    return value;
  if (isa<IndexType>(type))
    return create<arith::IndexCastOp>(memory, value);
  if (isa<FloatType>(type))
    return create<arith::BitcastOp>(memory, value);
  return create<arith::ExtUIOp>(memory, value);
}

Value KernelBuilder::fromMemory(Value value, Type element) {
  if (value.getType() == element)
    return value;
  if (isa<IndexType>(element))
    return create<arith::IndexCastOp>(element, value);
  if (isa<FloatType>(element))
    return create<arith::BitcastOp>(element, value);
  return create<arith::TruncIOp>(element, value);
}

Value KernelBuilder::getPointer(Value buffer) {
  return arguments.lookup(buffer);
}

Value KernelBuilder::getScalar(Value value) {
  if (Operation *constant = value.getDefiningOp())
    return clone(*constant)->getResult(0);
  return arguments.lookup(value);
}

Value KernelBuilder::at(Value pointer, Value bytes) {
  return create<LLVM::GEPOp>(pointer.getType(), getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

/// The address of an element.
static Value getAddress(KernelBuilder &b, const KernelOperand &operand,
                        Value offset) {
  Value pointer = b.getPointer(operand.buffer);
  return b.create<LLVM::GEPOp>(pointer.getType(),
                               getMemoryType(operand.element), pointer,
                               ArrayRef<LLVM::GEPArg>{offset});
}

/// What an affine expression of coordinates is; these are not negative.
static Value evaluate(KernelBuilder &b, AffineExpr expr,
                      ValueRange coordinates) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return coordinates[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return b.i64(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value x = evaluate(b, binary.getLHS(), coordinates);
  Value y = evaluate(b, binary.getRHS(), coordinates);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return b.add(x, y);
  case AffineExprKind::Mul:
    return b.mul(x, y);
  case AffineExprKind::Mod:
    return b.rem(x, y);
  case AffineExprKind::FloorDiv:
    return b.div(x, y);
  default:
    return b.div(b.add(x, b.sub(y, b.i64(1))), y);
  }
}

Value KernelBuilder::getOffset(const KernelOperand &operand,
                               ValueRange coordinates) {
  Value offset;
  for (auto [dim, expr] : llvm::enumerate(operand.map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() == 0)
      continue;
    Value part =
        mul(evaluate(*this, expr, coordinates), getStride(operand.buffer, dim));
    offset = offset ? add(offset, part) : part;
  }
  return offset ? offset : i64(0);
}

Value KernelBuilder::loadOne(const KernelOperand &operand, Value offset) {
  Value value = create<LLVM::LoadOp>(getMemoryType(operand.element),
                                     getAddress(*this, operand, offset));
  return fromMemory(value, operand.element);
}

void KernelBuilder::storeOne(const KernelOperand &operand, Value offset,
                             Value value) {
  create<LLVM::StoreOp>(toMemory(value), getAddress(*this, operand, offset));
}

Lanes KernelBuilder::loadLanes(const KernelOperand &operand, Value offset,
                               unsigned count) {
  int64_t bytes = getElementBytes(operand.element);
  int64_t step = std::min<int64_t>(count, kVectorBytes / bytes);
  auto type = VectorType::get(step, getMemoryType(operand.element));
  Lanes lanes;
  lanes.element = operand.element;
  for (int64_t first = 0; first < count; first += step) {
    Value address = getAddress(*this, operand, add(offset, i64(first)));
    lanes.chunks.push_back(
        create<LLVM::LoadOp>(type, address, step * bytes).getResult());
  }
  return lanes;
}

void KernelBuilder::unpack(Lanes &lanes) {
  if (!lanes.values.empty())
    return;
  for (Value chunk : lanes.chunks)
    for (int64_t i = 0, end = cast<VectorType>(chunk.getType()).getDimSize(0);
         i < end; ++i)
      lanes.values.push_back(
          fromMemory(create<vector::ExtractOp>(chunk, i), lanes.element));
  for (Value pair : lanes.pairs) {
    Value eight = create<arith::ConstantOp>(getI16IntegerAttr(8));
    Value high = create<arith::ShRUIOp>(pair, eight);
    for (Value half : {pair, high})
      lanes.values.push_back(fromMemory(
          create<arith::TruncIOp>(getI8Type(), half), lanes.element));
  }
}

void KernelBuilder::storeLanes(const KernelOperand &operand, Value offset,
                               const Lanes &lanes) {
  int64_t bytes = getElementBytes(operand.element);
  int64_t count =
      lanes.pairs.empty() ? lanes.values.size() : 2 * lanes.pairs.size();
  int64_t step = std::min<int64_t>(count, kVectorBytes / bytes);
  Type memory = getMemoryType(operand.element);
  for (int64_t first = 0; first < count; first += step) {
    Value vector;
    if (!lanes.pairs.empty()) {
      auto words = VectorType::get(step / 2, getI16Type());
      vector = create<vector::FromElementsOp>(
          words, ArrayRef(lanes.pairs).slice(first / 2, step / 2));
      vector = create<vector::BitCastOp>(VectorType::get(step, memory), vector);
    } else {
      SmallVector<Value> values;
      for (Value value : ArrayRef(lanes.values).slice(first, step))
        values.push_back(toMemory(value));
      vector =
          create<vector::FromElementsOp>(VectorType::get(step, memory), values);
    }
    create<LLVM::StoreOp>(vector,
                          getAddress(*this, operand, add(offset, i64(first))),
                          step * bytes);
  }
}

Value KernelBuilder::areAligned(ArrayRef<KernelOperand> operands) {
  Value bits = i64(0);
  for (const KernelOperand &operand : operands)
    bits = create<arith::OrIOp>(
        bits,
        create<LLVM::PtrToIntOp>(getI64Type(), getPointer(operand.buffer)));
  return isZero(create<arith::AndIOp>(bits, i64(kVectorBytes - 1)));
}

Value KernelBuilder::getShared(int64_t bytes) {
  std::string name = (kernel.getName() + "_shared" + Twine(numShared++)).str();
  auto type = LLVM::LLVMArrayType::get(getI8Type(), bytes);
  {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPoint(kernel);
    create<LLVM::GlobalOp>(type, /*isConstant=*/false, LLVM::Linkage::Internal,
                           name, Attribute(), /*alignment=*/kVectorBytes,
                           kShared);
  }
  return create<LLVM::AddressOfOp>(
      LLVM::LLVMPointerType::get(getContext(), kShared), name);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void KernelBuilder::emitIf(Value condition, function_ref<void()> then,
                           function_ref<void()> otherwise) {
  auto op = create<scf::IfOp>(condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
  if (!otherwise)
    return;
  setInsertionPointToStart(op.elseBlock());
  otherwise();
}

SmallVector<Value>
KernelBuilder::emitIf(Value condition, ValueRange otherwise,
                      function_ref<SmallVector<Value>()> then) {
  if (otherwise.empty()) {
    emitIf(condition, [&] { (void)then(); });
    return {};
  }
  auto op = create<scf::IfOp>(otherwise.getTypes(), condition,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  SmallVector<Value> values = then();
  create<scf::YieldOp>(values);
  setInsertionPointToStart(op.elseBlock());
  create<scf::YieldOp>(otherwise);
  return op.getResults();
}

SmallVector<Value> KernelBuilder::emitLoop(
    Value begin, Value end, Value step, ValueRange values,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = create<scf::ForOp>(begin, end, step, values);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (values.empty())
    return {};
  create<scf::YieldOp>(results);
  return loop.getResults();
}

SmallVector<Value> KernelBuilder::emitUnrolledLoop(
    Value begin, Value end, Value step, unsigned unroll, ValueRange values,
    function_ref<SmallVector<Value>(ValueRange, ValueRange)> body) {
  // The index goes along, so that the second loop begins where this one ends.
  SmallVector<Value> carried(values);
  carried.push_back(begin);
  Value last = sub(end, mul(step, i64(unroll - 1)));
  Value stride = mul(step, i64(unroll));
  carried = emitLoop(
      begin, last, stride, carried, [&](Value index, ValueRange current) {
        SmallVector<Value> indices = {index};
        while (indices.size() < unroll)
          indices.push_back(add(indices.back(), step));
        SmallVector<Value> results = body(indices, current.drop_back());
        results.push_back(add(index, stride));
        return results;
      });
  Value rest = carried.pop_back_val();
  return emitLoop(
      rest, end, step, carried,
      [&](Value index, ValueRange current) { return body(index, current); });
}
