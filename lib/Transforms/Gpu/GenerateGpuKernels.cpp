//===- GenerateGpuKernels.cpp -----------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-generate-gpu-kernels: outlined kernels as code for a GPU, calls of them
// as launches.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Transforms/ExpandArith.h"
#include "Fp8/Transforms/Passes.h"
#include "Strategies.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_GENERATEGPUKERNELSPASS
#include "Fp8/Transforms/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

static constexpr StringLiteral kModuleName = "fp8_kernels";

//===----------------------------------------------------------------------===//
// The device's side
//===----------------------------------------------------------------------===//

/// The ops of an outlined kernel.
static KernelUnit getUnit(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops =
      llvm::to_vector(function.front().getOps<linalg::GenericOp>());
  KernelUnit unit;
  auto *main = llvm::find_if_not(ops, isScalarOp);
  // Scalars only: the last of them is what the kernel is for.
  if (main == ops.end() && !ops.empty())
    --main;
  unit.prologue.assign(ops.begin(), main);
  unit.main.assign(main, ops.end());
  return unit;
}

/// Emits an error if the size of a loop of `op` is not that of a dimension.
static LogicalResult checkLoops(linalg::GenericOp op) {
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    AffineExpr expr = getAffineDimExpr(dim, op.getContext());
    bool found = llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
      return llvm::is_contained(map.getResults(), expr);
    });
    if (!found)
      return op.emitOpError("expects an operand with loop d")
             << dim << " as a dimension";
  }
  return success();
}

/// Emits an error if an operand of `op` is neither an argument of the kernel
/// nor a scalar of it.
static LogicalResult checkOperands(linalg::GenericOp op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (type ? isa<BlockArgument>(operand) ||
                   (type.getRank() == 0 &&
                    operand.getDefiningOp<memref::AllocaOp>())
             : operand.getType().isIntOrIndexOrFloat())
      continue;
    return op.emitOpError("expects arguments and scalars of the kernel as "
                          "operands, but got one of type ")
           << operand.getType();
  }
  return success();
}

static const Strategy *findStrategy(const KernelUnit &unit) {
  if (!unit.main.empty())
    for (const std::unique_ptr<Strategy> &strategy : getStrategies())
      if (strategy->takes(unit))
        return strategy.get();
  return nullptr;
}

namespace {
/// A kernel that was written, and what its launches need.
struct Kernel {
  gpu::GPUFuncOp function;
  KernelUnit unit;
  const Strategy *strategy;
  SmallVector<SizeArgument> sizes;
};
} // namespace

static gpu::GPUFuncOp createFunction(OpBuilder &b, func::FuncOp source,
                                     unsigned threads) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), /*global=*/1);
  SmallVector<Type> types;
  for (Type type : source.getArgumentTypes())
    types.push_back(isa<MemRefType>(type) ? Type(pointer) : type);
  auto kernel = gpu::GPUFuncOp::create(b, source.getLoc(), source.getName(),
                                       b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  return kernel;
}

static FailureOr<Kernel> generate(OpBuilder &b, func::FuncOp source,
                                  const GpuVendor &vendor) {
  Kernel result;
  result.unit = getUnit(source);
  for (linalg::GenericOp op : getPrologueOps(result.unit))
    if (failed(checkOperands(op)) || failed(checkLoops(op)))
      return failure();
  result.strategy = findStrategy(result.unit);
  if (!result.strategy)
    return source.emitOpError("expects a kernel whose results have an element "
                              "of their own for each iteration of the parallel "
                              "loops");
  LaunchPlan plan = result.strategy->getPlan(result.unit, vendor);
  result.function = createFunction(b, source, plan.threads);
  if (plan.residentThreads != 0)
    vendor.setResidentBlocks(result.function,
                             plan.residentThreads / plan.threads);
  KernelBuilder builder(result.function, source, vendor);
  result.strategy->emit(builder, result.unit);
  builder.create<gpu::ReturnOp>();
  result.sizes = llvm::to_vector(builder.getSizeArguments());
  remark::analysis(source.getLoc(), remark::RemarkOpts::name("GpuKernel")
                                        .category("fp8")
                                        .function(source.getName()))
      << remark::reason("{0}, {1} threads a block", result.strategy->getName(),
                        plan.threads);
  return result;
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

/// The address of the first element of `buffer`.
static Value getDevicePointer(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Type i64 = b.getI64Type();
  Value address = arith::IndexCastOp::create(
      b, loc, i64,
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer));
  if (!type.getLayout().isIdentity()) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    Value offset =
        arith::IndexCastOp::create(b, loc, i64, metadata.getOffset());
    Value bytes = arith::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(getElementBytes(type.getElementType())));
    address = arith::AddIOp::create(
        b, loc, address, arith::MulIOp::create(b, loc, offset, bytes));
  }
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
}

/// The stride of dimension `dim` of `buffer`, as an index.
static Value getHostStride(OpBuilder &b, Location loc, Value buffer,
                           unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getLayout().isIdentity())
    return memref::ExtractStridedMetadataOp::create(b, loc, buffer)
        .getStrides()[dim];
  Value stride = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned inner = dim + 1; inner < type.getRank(); ++inner)
    stride = arith::MulIOp::create(
        b, loc, stride, memref::DimOp::create(b, loc, buffer, inner));
  return stride;
}

/// The blocks of a launch: at least one, which the prologue runs in.
static Value getBlocks(OpBuilder &b, Location loc, Value work,
                       const LaunchPlan &plan) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value blocks =
      arith::CeilDivUIOp::create(b, loc, work, index(plan.workPerBlock));
  if (plan.maxBlocks != 0)
    blocks = arith::MinUIOp::create(b, loc, blocks, index(plan.maxBlocks));
  return arith::MaxUIOp::create(b, loc, blocks, index(1));
}

static void launch(func::CallOp call, const Kernel &kernel,
                   const GpuVendor &vendor) {
  OpBuilder b(call);
  Location loc = call.getLoc();
  // Buffers of the unit are the arguments of the function that the call names.
  auto getSize = [&](linalg::GenericOp op, unsigned dim) -> Value {
    for (OpOperand &operand : op->getOpOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand.get());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [position, expr] : llvm::enumerate(map.getResults()))
        if (argument && expr == getAffineDimExpr(dim, op.getContext()))
          return memref::DimOp::create(
              b, loc, call.getOperand(argument.getArgNumber()), position);
    }
    llvm_unreachable("checked when the kernel was written");
  };
  LaunchPlan plan = kernel.strategy->getPlan(kernel.unit, vendor);
  Value work = kernel.strategy->emitWork(b, loc, kernel.unit, getSize);
  Value blocks = getBlocks(b, loc, work, plan);
  SmallVector<Value> arguments;
  for (Value operand : call.getOperands())
    arguments.push_back(isa<MemRefType>(operand.getType())
                            ? getDevicePointer(b, loc, operand)
                            : operand);
  for (const SizeArgument &size : kernel.sizes) {
    Value value = blocks;
    if (size.kind == SizeArgument::Size)
      value =
          memref::DimOp::create(b, loc, call.getOperand(size.buffer), size.dim);
    else if (size.kind == SizeArgument::Stride)
      value = getHostStride(b, loc, call.getOperand(size.buffer), size.dim);
    arguments.push_back(
        arith::IndexCastOp::create(b, loc, b.getI64Type(), value));
  }
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value threads = arith::ConstantIndexOp::create(b, loc, plan.threads);
  gpu::KernelDim3 grid{blocks, one, one};
  gpu::LaunchFuncOp::create(b, loc, kernel.function, grid,
                            gpu::KernelDim3{threads, one, one},
                            /*dynamicSharedMemorySize=*/Value(), arguments);
  call.erase();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// The LLVM intrinsic that is `op`, exact or correctly rounded; "" if there is
/// none. Upstream's conversions take these ops to vendors' libraries.
static StringRef getIntrinsic(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::AbsFOp>([](auto) { return "llvm.fabs"; })
      .Case<math::CeilOp>([](auto) { return "llvm.ceil"; })
      .Case<math::CopySignOp>([](auto) { return "llvm.copysign"; })
      .Case<math::FloorOp>([](auto) { return "llvm.floor"; })
      .Case<math::FmaOp>([](auto) { return "llvm.fma"; })
      .Case<math::RoundEvenOp>([](auto) { return "llvm.roundeven"; })
      .Case<math::SqrtOp>([](auto) { return "llvm.sqrt"; })
      .Case<math::TruncOp>([](auto) { return "llvm.trunc"; })
      .Default([](Operation *) { return ""; });
}

/// What is left of small floats and of functions, without a library.
static LogicalResult expandMath(gpu::GPUModuleOp kernels) {
  RewritePatternSet arith(kernels.getContext());
  populateExpandArithPatterns(arith);
  walkAndApplyPatterns(kernels, std::move(arith));
  RewritePatternSet math(kernels.getContext());
  populateMathPolynomialApproximationPatterns(math);
  if (failed(applyPatternsGreedily(kernels, std::move(math))))
    return failure();
  SmallVector<Operation *> left;
  kernels.walk([&](Operation *op) {
    if (isa_and_present<math::MathDialect>(op->getDialect()))
      left.push_back(op);
  });
  for (Operation *op : left) {
    StringRef intrinsic = getIntrinsic(op);
    Type type = op->getResult(0).getType();
    if (intrinsic.empty() || !isa<Float16Type, Float32Type, Float64Type>(type))
      return op->emitOpError("has no code for a GPU yet on ") << type;
    OpBuilder b(op);
    std::string name =
        (intrinsic + ".f" + Twine(type.getIntOrFloatBitWidth())).str();
    auto call = LLVM::CallIntrinsicOp::create(
        b, op->getLoc(), type, b.getStringAttr(name), op->getOperands());
    op->replaceAllUsesWith(call->getResults());
    op->erase();
  }
  return success();
}

namespace {
struct GenerateGpuKernelsPass
    : fp8::impl::GenerateGpuKernelsPassBase<GenerateGpuKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetInfo *info = lookupTarget(target);
    std::unique_ptr<GpuVendor> vendor =
        info ? GpuVendor::create(*info, ptxVersion) : nullptr;
    if (!vendor) {
      module.emitError("expects a GPU among ")
          << getTargetNames() << ", but got '" << target << "'";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> sources;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr))
        sources.push_back(function);
    if (sources.empty())
      return;

    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(
        b, module.getLoc(), kModuleName,
        b.getArrayAttr(vendor->getTargetAttr(&getContext())));
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    b.getUnitAttr());
    llvm::StringMap<Kernel> byName;
    for (func::FuncOp source : sources) {
      b.setInsertionPointToEnd(kernels.getBody());
      FailureOr<Kernel> kernel = generate(b, source, *vendor);
      if (failed(kernel))
        return signalPassFailure();
      byName.try_emplace(source.getName(), *kernel);
    }
    SmallVector<func::CallOp> calls;
    module.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      if (auto it = byName.find(call.getCallee()); it != byName.end())
        launch(call, it->second, *vendor);
    for (func::FuncOp source : sources)
      source.erase();
    if (failed(expandMath(kernels)))
      signalPassFailure();
  }
};
} // namespace
