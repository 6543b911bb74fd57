//===- GpuToRuntime.cpp -----------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-gpu-to-fp8rt: binaries, launches and memsets as calls of fp8rt.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Conversion/Passes.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/Conversion/RuntimeCalls.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_CONVERTGPUTOFP8RTPASS
#include "Fp8/Conversion/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

namespace {
/// What fp8rt_image says of an object.
struct Image {
  std::string data;
  int32_t kind, arch, isExact;
};
} // namespace

/// The image of `object`, or an error at `op`.
static FailureOr<Image> getImage(Operation *op, gpu::ObjectAttr object) {
  auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
  if (!target)
    return op->emitOpError("expects an object for a target that the runtime "
                           "loads kernels on, but got ")
           << object.getTarget();
  Image image;
  image.data = object.getObject().str();
  StringRef chip = target.getChip();
  image.isExact = chip.consume_back("a");
  if (!chip.consume_front("sm_") || chip.getAsInteger(10, image.arch))
    return op->emitOpError("expects a chip such as sm_90, but got ")
           << target.getChip();
  switch (object.getFormat()) {
  case gpu::CompilationTarget::Binary:
    image.kind = FP8RT_IMAGE_CUBIN;
    return image;
  case gpu::CompilationTarget::Assembly:
    image.kind = FP8RT_IMAGE_PTX;
    if (image.data.empty() || image.data.back() != '\0')
      image.data.push_back('\0');
    return image;
  default:
    return op->emitOpError("expects machine code or PTX");
  }
}

namespace {
/// Makes the constants of one module.
class GlobalBuilder {
public:
  explicit GlobalBuilder(ModuleOp module)
      : module(module), symbols(module),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  /// An fp8rt_binary with these images and kernels.
  LLVM::GlobalOp createBinary(Location loc, ArrayRef<Image> images,
                              ArrayRef<StringRef> kernels);

private:
  LLVM::GlobalOp createBytes(Location loc, StringRef name, StringRef bytes);
  /// A constant that `build` gives the value of.
  LLVM::GlobalOp createConstant(Location loc, StringRef name, Type type,
                                function_ref<Value(OpBuilder &)> build);
  LLVM::GlobalOp createImages(Location loc, ArrayRef<Image> images);
  LLVM::GlobalOp createNames(Location loc, ArrayRef<StringRef> kernels);

  ModuleOp module;
  SymbolTable symbols;
  LLVM::LLVMPointerType pointer;
};
} // namespace

LLVM::GlobalOp GlobalBuilder::createBytes(Location loc, StringRef name,
                                          StringRef bytes) {
  OpBuilder b(module.getContext());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(
      b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
      b.getStringAttr(bytes), /*alignment=*/16);
  symbols.insert(global, module.getBody()->begin());
  return global;
}

LLVM::GlobalOp
GlobalBuilder::createConstant(Location loc, StringRef name, Type type,
                              function_ref<Value(OpBuilder &)> build) {
  OpBuilder b(module.getContext());
  auto global =
      LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  symbols.insert(global, module.getBody()->begin());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, loc, build(b));
  return global;
}

/// `aggregate` with `value` at `position`.
static Value insert(OpBuilder &b, Location loc, Value aggregate, Value value,
                    ArrayRef<int64_t> position) {
  return LLVM::InsertValueOp::create(b, loc, aggregate, value, position);
}

static Value constant(OpBuilder &b, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

LLVM::GlobalOp GlobalBuilder::createImages(Location loc,
                                           ArrayRef<Image> images) {
  SmallVector<LLVM::GlobalOp> data;
  for (const Image &image : images)
    data.push_back(createBytes(loc, "fp8rt_image", image.data));
  MLIRContext *context = module.getContext();
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  SmallVector<Type> fields = {pointer, i64};
  fields.append(runtime::kImageI32s, i32);
  auto type = LLVM::LLVMArrayType::get(
      LLVM::LLVMStructType::getLiteral(context, fields), images.size());
  auto build = [&](OpBuilder &b) -> Value {
    Value all = LLVM::ZeroOp::create(b, loc, type);
    for (int64_t i = 0, end = images.size(); i < end; ++i) {
      const Image &image = images[i];
      Value address = LLVM::AddressOfOp::create(b, loc, data[i]);
      all = insert(b, loc, all, address, {i, 0});
      all =
          insert(b, loc, all, constant(b, loc, i64, image.data.size()), {i, 1});
      int32_t numbers[] = {image.kind, image.arch, image.isExact};
      for (auto [field, number] : llvm::enumerate(numbers))
        all = insert(b, loc, all, constant(b, loc, i32, number),
                     {i, static_cast<int64_t>(field) + 2});
    }
    return all;
  };
  return createConstant(loc, "fp8rt_images", type, build);
}

LLVM::GlobalOp GlobalBuilder::createNames(Location loc,
                                          ArrayRef<StringRef> kernels) {
  SmallVector<LLVM::GlobalOp> names;
  for (StringRef kernel : kernels) {
    std::string text = kernel.str();
    text.push_back('\0');
    names.push_back(createBytes(loc, "fp8rt_kernel_name", text));
  }
  auto type = LLVM::LLVMArrayType::get(pointer, kernels.size());
  return createConstant(
      loc, "fp8rt_kernel_names", type, [&](OpBuilder &b) -> Value {
        Value all = LLVM::ZeroOp::create(b, loc, type);
        for (int64_t i = 0, end = names.size(); i < end; ++i)
          all = insert(b, loc, all, LLVM::AddressOfOp::create(b, loc, names[i]),
                       i);
        return all;
      });
}

LLVM::GlobalOp GlobalBuilder::createBinary(Location loc, ArrayRef<Image> images,
                                           ArrayRef<StringRef> kernels) {
  LLVM::GlobalOp imageTable = createImages(loc, images);
  LLVM::GlobalOp nameTable = createNames(loc, kernels);
  MLIRContext *context = module.getContext();
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  auto type = LLVM::LLVMStructType::getLiteral(
      context, {i64, i32, i32, pointer, pointer});
  auto build = [&](OpBuilder &b) -> Value {
    Value binary = LLVM::ZeroOp::create(b, loc, type);
    Value fields[] = {constant(b, loc, i64, sizeof(fp8rt_binary)),
                      constant(b, loc, i32, images.size()),
                      constant(b, loc, i32, kernels.size()),
                      LLVM::AddressOfOp::create(b, loc, imageTable),
                      LLVM::AddressOfOp::create(b, loc, nameTable)};
    for (auto [index, field] : llvm::enumerate(fields))
      binary = insert(b, loc, binary, field, static_cast<int64_t>(index));
    return binary;
  };
  return createConstant(loc, "fp8rt_binary", type, build);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// A converted `gpu.binary`.
struct Binary {
  LLVM::GlobalOp global;
  SmallVector<StringRef> kernels;
};

/// Emits the calls of one function. Dimensions and arguments of all launches
/// share memory on the stack: the runtime is done with them when it returns.
class LaunchBuilder {
public:
  LaunchBuilder(const RuntimeFunction &runtime, unsigned maxArgs);

  void convert(gpu::LaunchFuncOp op, const Binary &binary);
  LogicalResult convert(gpu::MemsetOp op);

private:
  Value getField(OpBuilder &b, Location loc, Type type, Value pointer,
                 ArrayRef<LLVM::GEPArg> path);

  const RuntimeFunction &runtime;
  LLVM::LLVMStructType dimsType;
  Type valuesType;
  Value dims, values, args;
};
} // namespace

Value LaunchBuilder::getField(OpBuilder &b, Location loc, Type type,
                              Value pointer, ArrayRef<LLVM::GEPArg> path) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), type, pointer, path);
}

LaunchBuilder::LaunchBuilder(const RuntimeFunction &runtime, unsigned maxArgs)
    : runtime(runtime) {
  func::FuncOp function = runtime.getFunction();
  Location loc = function.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> fields = {b.getI64Type()};
  fields.append(runtime::kLaunchDimsI32s, b.getI32Type());
  dimsType = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  valuesType = LLVM::LLVMArrayType::get(b.getI64Type(), maxArgs);
  auto argsType = LLVM::LLVMArrayType::get(pointer, maxArgs);
  Value one = constant(b, loc, b.getI64Type(), 1);
  dims = LLVM::AllocaOp::create(b, loc, pointer, dimsType, one);
  values = LLVM::AllocaOp::create(b, loc, pointer, valuesType, one);
  args = LLVM::AllocaOp::create(b, loc, pointer, argsType, one);
  Value size = constant(b, loc, b.getI64Type(), sizeof(fp8rt_launch_dims));
  LLVM::StoreOp::create(b, loc, size, getField(b, loc, dimsType, dims, {0, 0}));
  // Every value is 8 bytes at most and has its place.
  for (int32_t i = 0; i < static_cast<int32_t>(maxArgs); ++i)
    LLVM::StoreOp::create(b, loc, getField(b, loc, valuesType, values, {0, i}),
                          getField(b, loc, argsType, args, {0, i}));
}

void LaunchBuilder::convert(gpu::LaunchFuncOp op, const Binary &binary) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type i32 = b.getI32Type();
  auto kernel = llvm::find(binary.kernels, op.getKernelName().getValue());
  gpu::KernelDim3 grid = op.getGridSizeOperandValues();
  gpu::KernelDim3 block = op.getBlockSizeOperandValues();
  SmallVector<Value> numbers;
  for (Value size : {grid.x, grid.y, grid.z, block.x, block.y, block.z})
    numbers.push_back(size.getType().isIndex()
                          ? arith::IndexCastOp::create(b, loc, i32, size)
                          : size);
  Value shared = op.getDynamicSharedMemorySize();
  numbers.push_back(shared ? shared : constant(b, loc, i32, 0));
  numbers.push_back(constant(b, loc, i32, op.getNumKernelOperands()));
  for (auto [index, number] : llvm::enumerate(numbers))
    LLVM::StoreOp::create(
        b, loc, number,
        getField(b, loc, dimsType, dims, {0, static_cast<int32_t>(index) + 1}));
  for (auto [index, operand] : llvm::enumerate(op.getKernelOperands()))
    LLVM::StoreOp::create(
        b, loc, operand,
        getField(b, loc, valuesType, values, {0, static_cast<int32_t>(index)}));
  Value address = LLVM::AddressOfOp::create(b, loc, binary.global);
  Value number = constant(b, loc, i32, kernel - binary.kernels.begin());
  runtime.emitCall(
      b, loc, runtime::kLaunchSymbol,
      {runtime.getContext(), address, number, dims, args, runtime.getStream()});
  op.erase();
}

LogicalResult LaunchBuilder::convert(gpu::MemsetOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getDst().getType());
  if (!type.getLayout().isIdentity())
    return op.emitOpError("expects a buffer without gaps, but got ") << type;
  Attribute value;
  bool isZero = matchPattern(op.getValue(), m_Constant(&value));
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    isZero &= number.getValue().bitcastToAPInt().isZero();
  else if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    isZero &= integer.getValue().isZero();
  if (!isZero)
    return op.emitOpError("expects bytes of 0");
  Type i64 = b.getI64Type();
  Value bytes =
      constant(b, loc, i64, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value size = memref::DimOp::create(b, loc, op.getDst(), dim);
    bytes = arith::MulIOp::create(
        b, loc, bytes, arith::IndexCastOp::create(b, loc, i64, size));
  }
  Value address = arith::IndexCastOp::create(
      b, loc, i64,
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op.getDst()));
  Value pointer = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
  runtime.emitCall(b, loc, runtime::kMemsetSymbol,
                   {runtime.getContext(), pointer,
                    constant(b, loc, b.getI32Type(), 0), bytes,
                    runtime.getStream()});
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// The kernels that launches name, by their binary, in the order of the module.
static llvm::MapVector<StringAttr, SmallVector<StringRef>>
collectKernels(ModuleOp module) {
  llvm::MapVector<StringAttr, SmallVector<StringRef>> kernels;
  module.walk([&](gpu::LaunchFuncOp op) {
    SmallVector<StringRef> &names = kernels[op.getKernelModuleName()];
    if (!llvm::is_contained(names, op.getKernelName().getValue()))
      names.push_back(op.getKernelName().getValue());
  });
  return kernels;
}

/// Makes the constant of `op`.
static FailureOr<Binary> convertBinary(gpu::BinaryOp op,
                                       ArrayRef<StringRef> kernels,
                                       GlobalBuilder &globals) {
  SmallVector<Image> images;
  for (auto object : op.getObjects().getAsRange<gpu::ObjectAttr>()) {
    FailureOr<Image> image = getImage(op, object);
    if (failed(image))
      return failure();
    if (image->kind == FP8RT_IMAGE_PTX)
      remark::analysis(op.getLoc(),
                       remark::RemarkOpts::name("GpuToRuntime").category("fp8"))
          << remark::reason(
                 "PTX is embedded, as no ptxas was found: the driver "
                 "compiles it when the library is prepared");
    images.push_back(*image);
  }
  Binary binary;
  binary.kernels.assign(kernels.begin(), kernels.end());
  binary.global = globals.createBinary(op.getLoc(), images, kernels);
  return binary;
}

/// Converts what `function` enqueues; binaries are known by their name.
static LogicalResult
convertFunction(func::FuncOp function,
                const llvm::MapVector<StringAttr, Binary> &binaries) {
  SmallVector<Operation *> ops;
  unsigned maxArgs = 0;
  llvm::SmallSetVector<StringAttr, 2> used;
  function.walk([&](Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      maxArgs = std::max<unsigned>(maxArgs, launch.getNumKernelOperands());
      used.insert(launch.getKernelModuleName());
      ops.push_back(op);
    } else if (isa<gpu::MemsetOp>(op)) {
      ops.push_back(op);
    }
  });
  if (ops.empty())
    return success();
  FailureOr<RuntimeFunction> runtime = RuntimeFunction::get(function);
  if (failed(runtime))
    return failure();
  FailureOr<RuntimeFunction> prepare = getPrepareFunction(function);
  if (failed(prepare))
    return failure();
  LaunchBuilder builder(*runtime, maxArgs);
  for (Operation *op : ops) {
    auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
    if (!launch) {
      if (failed(builder.convert(cast<gpu::MemsetOp>(op))))
        return failure();
      continue;
    }
    const auto *binary = binaries.find(launch.getKernelModuleName());
    if (binary == binaries.end())
      return launch.emitOpError("expects a gpu.binary of its name, which "
                                "gpu-module-to-binary makes");
    builder.convert(launch, binary->second);
  }
  // Before the status is read and returned.
  OpBuilder b(prepare->getFunction().front().getTerminator()->getPrevNode());
  for (StringAttr name : used)
    prepare->emitCall(
        b, function.getLoc(), runtime::kBinaryPrepareSymbol,
        {prepare->getContext(),
         LLVM::AddressOfOp::create(b, function.getLoc(),
                                   const_cast<LLVM::GlobalOp &>(
                                       binaries.find(name)->second.global))});
  return success();
}

namespace {
struct ConvertGpuToFp8rtPass
    : fp8::impl::ConvertGpuToFp8rtPassBase<ConvertGpuToFp8rtPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = collectKernels(module);
    GlobalBuilder globals(module);
    llvm::MapVector<StringAttr, Binary> binaries;
    for (auto op : llvm::to_vector(module.getOps<gpu::BinaryOp>())) {
      if (auto it = kernels.find(op.getSymNameAttr()); it != kernels.end()) {
        FailureOr<Binary> binary = convertBinary(op, it->second, globals);
        if (failed(binary))
          return signalPassFailure();
        binaries.insert({op.getSymNameAttr(), *binary});
      }
      op.erase();
    }
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!function.isExternal() && failed(convertFunction(function, binaries)))
        return signalPassFailure();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace
