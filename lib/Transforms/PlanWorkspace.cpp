//===- PlanWorkspace.cpp ----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-plan-workspace: all temporaries in one buffer that the caller brings.
//
//===----------------------------------------------------------------------===//

#include "Fp8/BlasLt/BlasLt.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/ByteSize.h"
#include "Fp8/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_PLANWORKSPACEPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// What every temporary starts at a multiple of: what a GPU's widest accesses
/// and cuBLASLt's scale pointers ask for, and more.
static constexpr int64_t kAlignment = 256;

/// What a lifetime ends at that no op ends.
static constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

namespace {
/// A temporary: the ops of the function's block between which it lives, both
/// counted, and where it goes.
struct Temporary {
  memref::AllocOp op;
  /// Its number among the temporaries, in program order.
  size_t order;
  int64_t first, last;
  /// In bytes, rounded up; of a static one.
  int64_t size, offset;
};

/// Plans the temporaries of one function.
class WorkspacePlanner {
public:
  explicit WorkspacePlanner(func::FuncOp function)
      : function(function), aliases(function) {}

  LogicalResult run();

private:
  LogicalResult collect();
  /// Gives each static temporary the lowest offset at which it meets none that
  /// lives at the same time, large ones first. Returns the bytes needed.
  int64_t placeStatic();
  /// Replaces allocations by views of a new argument.
  void rewrite(int64_t staticBytes);
  /// Adds NAME_workspace, which takes the same buffers and gives the size, or a
  /// negative number if it is 2^63 or more.
  void addSizeFunction(int64_t staticBytes);

  func::FuncOp function;
  BufferViewFlowAnalysis aliases;
  SmallVector<Temporary> fixed;
  SmallVector<memref::AllocOp> dynamic;
};
} // namespace

/// Emits an error if `op` cannot become a view of bytes.
static LogicalResult checkType(memref::AllocOp op) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity() || type.getMemorySpace())
    return op.emitOpError("expects a temporary without strides in the default "
                          "memory space, but got ")
           << type;
  if (!type.getElementType().isIntOrFloat())
    return op.emitOpError("expects a temporary of integers or floats, but got ")
           << type;
  if (!fitsInMemory(type, /*dynamicSize=*/1))
    return op.emitOpError(
               "expects a temporary of fewer than 2^45 elements, but got ")
           << type;
  if (op->hasAttr(kKeptAttr) && !type.hasStaticShape())
    return op.emitOpError("expects a static size with ")
           << kKeptAttr << ", but got " << type;
  return success();
}

/// Emits an error if the temporary `op`, one of whose views is `alias`, is not
/// free again at the end of each iteration of the loops that allocate it.
static LogicalResult checkLoops(memref::AllocOp op, Value alias) {
  Operation *function = op->getParentOfType<func::FuncOp>();
  for (Operation *loop = op->getParentOp(); loop != function;
       loop = loop->getParentOp()) {
    if (loop->hasTrait<OpTrait::HasParallelRegion>())
      return op.emitOpError("expects no temporary in a parallel loop, whose "
                            "iterations would share it, but is in ")
             << loop->getName();
    // Of the block arguments only those of the loop itself come from outside
    // of the iteration.
    auto argument = dyn_cast<BlockArgument>(alias);
    bool staysInside =
        argument ? loop->isProperAncestor(argument.getOwner()->getParentOp())
                 : loop->isProperAncestor(alias.getDefiningOp());
    if (isa<LoopLikeOpInterface>(loop) && !staysInside)
      return op.emitOpError("expects a temporary that is free at the end of an "
                            "iteration, but it leaves ")
             << loop->getName();
  }
  return success();
}

LogicalResult WorkspacePlanner::collect() {
  Block &body = function.front();
  llvm::DenseMap<Operation *, int64_t> position;
  for (auto [index, op] : llvm::enumerate(body))
    position[&op] = index;
  auto positionOf = [&](Operation *op) {
    return position.lookup(body.findAncestorOpInBlock(*op));
  };
  WalkResult result = function.walk([&](memref::AllocOp op) {
    if (failed(checkType(op)))
      return WalkResult::interrupt();
    if (!op.getDynamicSizes().empty()) {
      dynamic.push_back(op);
      if (op->getBlock() == &body)
        return WalkResult::advance();
      op.emitOpError(
          "expects a temporary of dynamic size outside of loops, but "
          "got ")
          << op.getType();
      return WalkResult::interrupt();
    }
    Temporary temporary{op, fixed.size(), positionOf(op), positionOf(op), 0, 0};
    temporary.size =
        llvm::alignTo(op.getType().getNumElements() *
                          getElementBytes(op.getType().getElementType()),
                      kAlignment);
    for (Value alias : aliases.resolve(op)) {
      if (failed(checkLoops(op, alias)))
        return WalkResult::interrupt();
      for (Operation *user : alias.getUsers())
        temporary.last = std::max(temporary.last, positionOf(user));
    }
    if (op->hasAttr(kKeptAttr)) {
      temporary.first = 0;
      temporary.last = kForever;
    }
    fixed.push_back(temporary);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

int64_t WorkspacePlanner::placeStatic() {
  // Equal sizes keep the program's order, and so there is one plan.
  llvm::sort(fixed, [](const Temporary &x, const Temporary &y) {
    return std::make_pair(-x.size, x.order) < std::make_pair(-y.size, y.order);
  });
  int64_t bytes = 0;
  SmallVector<const Temporary *> byOffset;
  for (Temporary &temporary : fixed) {
    int64_t offset = 0;
    for (const Temporary *other : byOffset) {
      if (other->last < temporary.first || temporary.last < other->first)
        continue;
      if (offset + temporary.size <= other->offset)
        break;
      offset = std::max(offset, other->offset + other->size);
    }
    temporary.offset = offset;
    bytes = std::max(bytes, offset + temporary.size);
    auto *it = llvm::upper_bound(byOffset, &temporary,
                                 [](const Temporary *x, const Temporary *y) {
                                   return x->offset < y->offset;
                                 });
    byOffset.insert(it, &temporary);
  }
  return bytes;
}

namespace {
/// Emits sums and products of sizes, which are no less than 0.
class SizeBuilder {
public:
  /// `type` is that of all sizes: index or i64.
  SizeBuilder(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(type) {}
  virtual ~SizeBuilder() = default;

  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  virtual Value add(Value x, Value y) {
    return arith::AddIOp::create(b, loc, x, y);
  }
  virtual Value mul(Value x, Value y) {
    return arith::MulIOp::create(b, loc, x, y);
  }
  /// The bytes of a temporary of these dynamic sizes, rounded up.
  Value getBytes(MemRefType type, ValueRange dynamicSizes);

protected:
  OpBuilder &b;
  Location loc;
  Type type;
};

/// Notices what 64 bits do not hold. Works on i64: upstream does not lower
/// sums of indices that overflow.
class CheckedSizeBuilder : public SizeBuilder {
public:
  CheckedSizeBuilder(OpBuilder &b, Location loc)
      : SizeBuilder(b, loc, b.getI64Type()) {
    overflow = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  }

  Value add(Value x, Value y) override {
    auto op = arith::AddUIExtendedOp::create(b, loc, x, y);
    note(op.getOverflow());
    return op.getSum();
  }
  Value mul(Value x, Value y) override {
    auto op = arith::MulUIExtendedOp::create(b, loc, x, y);
    note(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, op.getHigh(),
                               number(0)));
    return op.getLow();
  }
  /// `bytes`, or a negative number if it, or what it was made of, is 2^63 or
  /// more.
  Value finish(Value bytes) {
    return arith::SelectOp::create(b, loc, overflow, number(-1), bytes);
  }

private:
  void note(Value condition) {
    overflow = arith::OrIOp::create(b, loc, overflow, condition);
  }

  Value overflow;
};
} // namespace

Value SizeBuilder::getBytes(MemRefType type, ValueRange dynamicSizes) {
  int64_t known = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    known *= ShapedType::isDynamic(size) ? 1 : size;
  Value bytes = number(known);
  for (Value size : dynamicSizes)
    bytes = mul(bytes, size);
  Value units = arith::DivUIOp::create(
      b, loc, add(bytes, number(kAlignment - 1)), number(kAlignment));
  return arith::MulIOp::create(b, loc, units, number(kAlignment));
}

void WorkspacePlanner::rewrite(int64_t staticBytes) {
  Location loc = function.getLoc();
  OpBuilder b(function.getContext());
  Value workspace = function.getArguments().back();
  auto replace = [&](memref::AllocOp op, Value offset) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    auto view = memref::ViewOp::create(b, op.getLoc(), op.getType(), workspace,
                                       offset, op.getDynamicSizes());
    op.replaceAllUsesWith(view.getResult());
    op.erase();
  };
  for (Temporary &temporary : fixed) {
    b.setInsertionPoint(temporary.op);
    replace(temporary.op,
            arith::ConstantIndexOp::create(b, loc, temporary.offset));
  }
  b.setInsertionPointToStart(&function.front());
  Value next = arith::ConstantIndexOp::create(b, loc, staticBytes);
  for (memref::AllocOp op : dynamic) {
    b.setInsertionPoint(op);
    SizeBuilder sizes(b, op.getLoc(), b.getIndexType());
    Value bytes = sizes.getBytes(op.getType(), op.getDynamicSizes());
    Value after = sizes.add(next, bytes);
    replace(op, next);
    next = after;
  }
}

/// What computes the dynamic sizes of `ops`, in an order that works.
static SetVector<Operation *> getSizeOps(ArrayRef<memref::AllocOp> ops) {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.inclusive = true;
  SetVector<Operation *> slice;
  for (memref::AllocOp op : ops)
    for (Value size : op.getDynamicSizes())
      (void)getBackwardSlice(size, &slice, options);
  return slice;
}

void WorkspacePlanner::addSizeFunction(int64_t staticBytes) {
  OpBuilder b(function);
  b.setInsertionPointAfter(function);
  Location loc = function.getLoc();
  auto inputs = function.getFunctionType().getInputs().drop_back();
  auto size = func::FuncOp::create(
      b, loc, (function.getName() + runtime::kWorkspaceSuffix).str(),
      b.getFunctionType(inputs, b.getI64Type()));
  size->setAttr(kCompanionAttr, b.getUnitAttr());
  b.setInsertionPointToStart(size.addEntryBlock());
  IRMapping map;
  map.map(function.getArguments().drop_back(), size.getArguments());
  for (Operation *op : getSizeOps(dynamic))
    b.clone(*op, map);
  CheckedSizeBuilder sizes(b, loc);
  Value bytes = sizes.number(staticBytes);
  for (memref::AllocOp op : dynamic) {
    SmallVector<Value> dynamicSizes;
    for (Value value : op.getDynamicSizes())
      dynamicSizes.push_back(arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                                        map.lookup(value)));
    bytes = sizes.add(bytes, sizes.getBytes(op.getType(), dynamicSizes));
  }
  func::ReturnOp::create(b, loc, sizes.finish(bytes));
}

/// Emits an error if the size of a temporary depends on more than the sizes of
/// the arguments.
static LogicalResult checkSizes(memref::AllocOp op) {
  for (Operation *producer : getSizeOps(op))
    if (!isPure(producer) || isa<memref::AllocOp>(producer))
      return op.emitOpError("expects a size that follows from the sizes of the "
                            "arguments, but it depends on ")
             << producer->getName();
  return success();
}

/// Emits an error if another function calls `function`, whose arguments change,
/// or if the name of its companion is taken.
static LogicalResult checkSymbols(func::FuncOp function) {
  Operation *module = function->getParentOp();
  auto uses = SymbolTable::getSymbolUses(function, module);
  if (uses && !uses->empty())
    return uses->begin()->getUser()->emitOpError(
               "expects no call of a public function, but calls '")
           << function.getName() << "'";
  std::string name = (function.getName() + runtime::kWorkspaceSuffix).str();
  if (Operation *other = SymbolTable::lookupSymbolIn(module, name)) {
    auto diagnostic = function.emitOpError("expects the name '")
                      << name << "' to be free";
    diagnostic.attachNote(other->getLoc()) << "this has it";
    return diagnostic;
  }
  return success();
}

LogicalResult WorkspacePlanner::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects one block, but has ")
           << function.getBody().getBlocks().size();
  if (llvm::any_of(function.getResultTypes(), llvm::IsaPred<MemRefType>))
    return function.emitOpError("expects results as destinations, but returns ")
           << function.getResultTypes();
  if (failed(checkSymbols(function)) || failed(collect()))
    return failure();
  for (memref::AllocOp op : dynamic)
    if (failed(checkSizes(op)))
      return failure();
  auto type = MemRefType::get({ShapedType::kDynamic},
                              IntegerType::get(function.getContext(), 8));
  if (failed(function.insertArgument(function.getNumArguments(), type, {},
                                     function.getLoc())))
    return failure();
  int64_t staticBytes = placeStatic();
  addSizeFunction(staticBytes);
  rewrite(staticBytes);
  return success();
}

/// Gives each matmul a temporary of `bytes` bytes.
static void addMatmulWorkspaces(func::FuncOp function, int64_t bytes) {
  auto type =
      MemRefType::get({bytes}, IntegerType::get(function.getContext(), 8));
  function.walk([&](blaslt::MatmulOp op) {
    OpBuilder b(op);
    if (!op.getWorkspace() && isa<MemRefType>(op.getOut().getType()))
      op.getWorkspaceMutable().assign(
          memref::AllocOp::create(b, op.getLoc(), type));
  });
}

namespace {
struct PlanWorkspacePass : fp8::impl::PlanWorkspacePassBase<PlanWorkspacePass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      // A companion has no temporaries, and nothing asks for its workspace.
      if (function.isExternal() || !function.isPublic() ||
          function->hasAttr(kCompanionAttr))
        continue;
      if (matmulWorkspace > 0)
        addMatmulWorkspaces(function, matmulWorkspace);
      if (failed(WorkspacePlanner(function).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
