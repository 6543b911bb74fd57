//===- OutlineKernels.cpp ---------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-outline-kernels: each kernel as a function of its buffers.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/Passes.h"
#include "Strategies.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// What a kernel is called that stores an element for each iteration of `op`.
static StringRef getElementName(linalg::GenericOp op) {
  auto isSmall = [](Value value) {
    return getElementBytes(getElementTypeOrSelf(value.getType())) == 1;
  };
  bool transposes = llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isPermutation() && !map.isIdentity();
  });
  bool casts = llvm::any_of(op.getDpsInits(), isSmall) &&
               llvm::none_of(op.getDpsInputs(), isSmall);
  if (casts)
    return transposes ? "cast_transpose" : "cast";
  if (op.getBody()->getOperations().size() > 1)
    return "elementwise";
  return transposes ? "transpose" : "copy";
}

/// What a kernel of these ops is called.
static std::string getKernelName(const KernelUnit &unit) {
  linalg::GenericOp op = unit.main[0];
  if (isScalarOp(op))
    return "scalar";
  if (isAmax(op))
    return "amax";
  std::optional<ElementStores> stores = getElementStores(op);
  if (stores && stores->slot)
    return (getElementName(op) + "_amax").str();
  if (stores && stores->condition)
    return ("redo_" + getElementName(op)).str();
  return op.getNumReductionLoops() != 0 ? "reduce" : getElementName(op).str();
}

/// `type` without the sizes, which kernels take as arguments: what differs in
/// nothing else is one kernel.
static MemRefType withoutSizes(MemRefType type) {
  SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic);
  MemRefLayoutAttrInterface layout;
  if (!type.getLayout().isIdentity()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    // Buffers that come from bufferization are strided.
    if (failed(type.getStridesAndOffset(strides, offset)))
      return type;
    for (int64_t &stride : strides)
      stride = stride == 1 ? 1 : ShapedType::kDynamic;
    layout = StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic,
                                    strides);
  }
  return MemRefType::get(shape, type.getElementType(), layout,
                         type.getMemorySpace());
}

namespace {
/// Outlines the kernels of one module.
class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult outline(func::FuncOp function);

private:
  /// Replaces the ops of `unit` by a call.
  LogicalResult outline(const KernelUnit &unit);
  /// A function with the ops of `unit`, whose buffers and scalars are `inputs`;
  /// buffers in `locals` are used nowhere else.
  func::FuncOp build(const KernelUnit &unit, ArrayRef<Value> inputs,
                     const llvm::SmallSetVector<Value, 2> &locals);
  /// A function that does the same as `kernel`, which it is or which goes away.
  func::FuncOp merge(func::FuncOp kernel);

  ModuleOp module;
  SymbolTable symbols;
  /// By the text of the function without its name.
  llvm::StringMap<func::FuncOp> kernels;
};
} // namespace

static SmallVector<linalg::GenericOp> getOps(const KernelUnit &unit) {
  SmallVector<linalg::GenericOp> ops(unit.prologue);
  llvm::append_range(ops, unit.main);
  return ops;
}

/// The scalars between the ops of `unit` that nobody else reads.
static llvm::SmallSetVector<Value, 2> getLocals(const KernelUnit &unit) {
  SmallVector<linalg::GenericOp> ops = getOps(unit);
  llvm::SmallSetVector<Value, 2> locals;
  for (linalg::GenericOp op : unit.prologue)
    for (Value output : op.getDpsInits())
      if (output.getDefiningOp<memref::AllocOp>() &&
          llvm::all_of(output.getUsers(), [&](Operation *user) {
            return llvm::is_contained(ops, user);
          }))
        locals.insert(output);
  return locals;
}

func::FuncOp Outliner::build(const KernelUnit &unit, ArrayRef<Value> inputs,
                             const llvm::SmallSetVector<Value, 2> &locals) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<linalg::GenericOp> ops = getOps(unit);
  Location loc = ops.back().getLoc();
  SmallVector<Type> types;
  for (Value input : inputs) {
    auto buffer = dyn_cast<MemRefType>(input.getType());
    types.push_back(buffer ? withoutSizes(buffer) : input.getType());
  }
  auto kernel = func::FuncOp::create(b, loc, getKernelName(unit),
                                     b.getFunctionType(types, {}));
  kernel.setPrivate();
  kernel->setAttr(kKernelAttr, b.getUnitAttr());
  b.setInsertionPointToStart(kernel.addEntryBlock());
  IRMapping map;
  map.map(inputs, kernel.getArguments());
  for (Value local : locals)
    map.map(local,
            memref::AllocaOp::create(b, loc, cast<MemRefType>(local.getType()))
                .getResult());
  for (linalg::GenericOp op : ops) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegion(), captured);
    captured.insert_range(op.getDpsInputs());
    for (Value value : captured)
      if (auto constant = value.getDefiningOp<arith::ConstantOp>())
        if (!map.contains(value))
          b.clone(*constant, map);
    b.clone(*op, map);
  }
  func::ReturnOp::create(b, loc);
  return kernel;
}

func::FuncOp Outliner::merge(func::FuncOp kernel) {
  std::string name = kernel.getName().str(), text;
  kernel.setName("kernel");
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope());
  kernel.setName(name);
  auto [it, isNew] = kernels.try_emplace(text, kernel);
  if (isNew) {
    symbols.insert(kernel);
    return kernel;
  }
  kernel.erase();
  return it->second;
}

LogicalResult Outliner::outline(const KernelUnit &unit) {
  SmallVector<linalg::GenericOp> ops = getOps(unit);
  llvm::SmallSetVector<Value, 2> locals = getLocals(unit);
  llvm::SetVector<Value> inputs;
  for (linalg::GenericOp op : ops) {
    llvm::SetVector<Value> values;
    values.insert_range(op->getOperands());
    getUsedValuesDefinedAbove(op.getRegion(), values);
    for (Value value : values) {
      if (locals.contains(value) || value.getDefiningOp<arith::ConstantOp>())
        continue;
      if (!value.getType().isIntOrIndexOrFloat() &&
          !llvm::is_contained(op->getOperands(), value))
        return op.emitOpError("expects to read buffers through its operands, "
                              "but its body uses ")
               << value.getType();
      inputs.insert(value);
    }
  }
  func::FuncOp kernel = merge(build(unit, inputs.getArrayRef(), locals));
  OpBuilder b(ops.back());
  Location loc = ops.back().getLoc();
  SmallVector<Value> arguments;
  for (auto [input, type] :
       llvm::zip(inputs, kernel.getFunctionType().getInputs()))
    arguments.push_back(input.getType() == type
                            ? input
                            : memref::CastOp::create(b, loc, type, input));
  func::CallOp::create(b, loc, kernel, arguments);
  for (linalg::GenericOp op : llvm::reverse(ops))
    op.erase();
  for (Value local : locals)
    local.getDefiningOp()->erase();
  return success();
}

/// Emits an error at an op of `function` that no kernel can be made of.
static LogicalResult checkBuffers(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    if (!isa<linalg::LinalgOp, memref::CopyOp>(op))
      return WalkResult::advance();
    for (Type type : op->getOperandTypes()) {
      if (type.isIntOrIndexOrFloat() ||
          (isa<MemRefType>(type) &&
           cast<MemRefType>(type).getElementType().isIntOrIndexOrFloat()))
        continue;
      op->emitOpError("expects buffers with a rank, of integers or floats, "
                      "but got ")
          << type;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Outliner::outline(func::FuncOp function) {
  if (failed(checkBuffers(function)))
    return failure();
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) {
    if (!isa<linalg::LinalgOp>(block->getParentOp()))
      blocks.push_back(block);
  });
  for (Block *block : blocks)
    if (failed(spellAsGenerics(*block)))
      return failure();
  clearSlotsOnce(function.front());
  for (Block *block : blocks)
    for (const KernelUnit &unit : formKernelUnits(*block))
      if (failed(outline(unit)))
        return failure();
  // What is left runs on the host, which sees none of the buffers.
  WalkResult result = function.walk([](Operation *op) {
    if (!isa<memref::LoadOp, memref::StoreOp>(op))
      return WalkResult::advance();
    op->emitOpError("expects no access to a device's memory from the host");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct OutlineKernelsPass
    : fp8::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    Outliner outliner(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal() || !function.isPublic() ||
          function->hasAttr(kCompanionAttr))
        continue;
      if (failed(outliner.outline(function)))
        return signalPassFailure();
    }
  }
};
} // namespace
