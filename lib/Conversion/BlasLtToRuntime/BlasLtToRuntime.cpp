//===- BlasLtToRuntime.cpp --------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-blaslt-to-runtime: library calls as calls of fp8rt.
//
//===----------------------------------------------------------------------===//

#include "Fp8/BlasLt/MatrixBuffers.h"
#include "Fp8/Conversion/Passes.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/Conversion/RuntimeCalls.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_CONVERTBLASLTTORUNTIMEPASS
#include "Fp8/Conversion/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

fp8rt_type fp8::runtime::getRuntimeType(Type type) {
  return llvm::TypeSwitch<Type, fp8rt_type>(type)
      .Case<Float64Type>([](Type) { return FP8RT_F64; })
      .Case<Float32Type>([](Type) { return FP8RT_F32; })
      .Case<Float16Type>([](Type) { return FP8RT_F16; })
      .Case<BFloat16Type>([](Type) { return FP8RT_BF16; })
      .Case<Float8E4M3FNType>([](Type) { return FP8RT_F8E4M3FN; })
      .Case<Float8E5M2Type>([](Type) { return FP8RT_F8E5M2; })
      .Case<Float8E4M3FNUZType>([](Type) { return FP8RT_F8E4M3FNUZ; })
      .Case<Float8E5M2FNUZType>([](Type) { return FP8RT_F8E5M2FNUZ; })
      .Case<Float8E8M0FNUType>([](Type) { return FP8RT_F8E8M0FNU; })
      .Case<IntegerType>([](IntegerType integer) {
        switch (integer.getWidth()) {
        case 1:
          return FP8RT_BOOL;
        case 8:
          return FP8RT_I8;
        case 32:
          return FP8RT_I32;
        case 64:
          return FP8RT_I64;
        default:
          return FP8RT_NONE;
        }
      })
      .Default([](Type) { return FP8RT_NONE; });
}

//===----------------------------------------------------------------------===//
// Facts about buffers
//===----------------------------------------------------------------------===//

namespace {
/// How a buffer of rank 2 or more lies in memory, in elements. Each is a
/// constant or a value of type i64.
struct MatrixLayout {
  OpFoldResult rows, cols, ld, batch, stride;
  /// The rows and columns are those of the buffer's transpose.
  bool transposed = false;
};
} // namespace

/// An index as a constant or as a value of type i64.
static OpFoldResult toI64(OpBuilder &b, Location loc, OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return b.getI64IntegerAttr(*known);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), cast<Value>(size))
      .getResult();
}

/// The dimension of the source of `view` that dimension `dim` of it is.
static int64_t getSourceDim(memref::SubViewOp view, int64_t dim) {
  llvm::SmallBitVector dropped = view.getDroppedDims();
  int64_t source = 0;
  for (int64_t kept = 0; dropped[source] || kept++ < dim;)
    ++source;
  return source;
}

/// The stride of dimension `dim` of `buffer`, from sizes alone, too.
static Value createStride(OpBuilder &b, Location loc, Value buffer,
                          int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  auto times = [&](Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  };
  int64_t known = type.getStridesAndOffset().first[dim];
  if (!ShapedType::isDynamic(known))
    return arith::ConstantIndexOp::create(b, loc, known);
  if (type.getLayout().isIdentity()) {
    Value product = arith::ConstantIndexOp::create(b, loc, 1);
    for (int64_t inner = dim + 1; inner < type.getRank(); ++inner)
      product = times(product, blaslt::createBufferSize(b, loc, buffer, inner));
    return product;
  }
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    int64_t source = getSourceDim(view, dim);
    return times(createStride(b, loc, view.getSource(), source),
                 getValueOrCreateConstantIndexOp(
                     b, loc, view.getMixedStrides()[source]));
  }
  if (auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>()) {
    for (auto [outer, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      if (dim > group.back())
        continue;
      Value product = createStride(b, loc, expand.getSrc(), outer);
      for (int64_t inner = dim + 1; inner <= group.back(); ++inner)
        product =
            times(product, blaslt::createBufferSize(b, loc, buffer, inner));
      return product;
    }
  }
  if (auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>()) {
    // What became one dimension has the stride of the last one that has any.
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    while (group.size() > 1 &&
           collapse.getSrcType().getDimSize(group.back()) == 1)
      group.pop_back();
    return createStride(b, loc, collapse.getSrc(), group.back());
  }
  return memref::ExtractStridedMetadataOp::create(b, loc, buffer)
      .getStrides()[dim];
}

/// The layout of `buffer`, or of its transpose where that is how it lies and
/// `mayTranspose`. Batch dimensions beyond the first are folded into one, which
/// their strides must allow.
static FailureOr<MatrixLayout> getMatrixLayout(OpBuilder &b, Operation *op,
                                               Value buffer,
                                               bool mayTranspose = false) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(buffer.getType());
  int64_t rank = type.getRank();
  if (!blaslt::hasLeadingDimension(type, mayTranspose))
    return op->emitOpError("expects a contiguous last dimension, but got ")
           << type;
  if (!blaslt::hasOneBatchStride(type))
    return op->emitOpError("expects a contiguous buffer where there are "
                           "several batch dimensions, but got ")
           << type;
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  bool transposed = mayTranspose && blaslt::getMatrixOrder(type) ==
                                        blaslt::MatrixOrder::Columns;
  auto size = [&](int64_t dim) -> OpFoldResult {
    if (!type.isDynamicDim(dim))
      return b.getI64IntegerAttr(type.getDimSize(dim));
    return toI64(b, loc, blaslt::createBufferSize(b, loc, buffer, dim));
  };
  auto stride = [&](int64_t dim) -> OpFoldResult {
    if (!ShapedType::isDynamic(strides[dim]))
      return b.getI64IntegerAttr(strides[dim]);
    return toI64(b, loc, createStride(b, loc, buffer, dim));
  };
  int64_t row = rank - 2, col = rank - 1;
  if (transposed)
    std::swap(row, col);
  // One row is as long as it is, whatever its stride.
  MatrixLayout layout{size(row),
                      size(col),
                      type.getDimSize(row) == 1 ? size(col) : stride(row),
                      b.getI64IntegerAttr(1),
                      b.getI64IntegerAttr(0),
                      transposed};
  if (rank == 2)
    return layout;
  layout.stride = stride(rank - 3);
  layout.batch = size(0);
  for (int64_t dim = 1; dim < rank - 2; ++dim) {
    std::optional<int64_t> x = getConstantIntValue(layout.batch);
    std::optional<int64_t> y = getConstantIntValue(size(dim));
    if (!x || !y)
      return op->emitOpError("expects static sizes where there are several "
                             "batch dimensions, but got ")
             << type;
    layout.batch = b.getI64IntegerAttr(*x * *y);
  }
  return layout;
}

/// A pointer to the first element of `buffer`.
static Value getPointer(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Type i64 = b.getI64Type();
  Value address = arith::IndexCastOp::create(
      b, loc, i64,
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer));
  SmallVector<int64_t> strides;
  int64_t offset;
  bool strided = succeeded(type.getStridesAndOffset(strides, offset));
  if (!strided || offset != 0) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    Value elements =
        arith::IndexCastOp::create(b, loc, i64, metadata.getOffset());
    Value width = arith::ConstantOp::create(
        b, loc,
        b.getI64IntegerAttr(type.getElementType().getIntOrFloatBitWidth() / 8));
    Value bytes = arith::MulIOp::create(b, loc, elements, width);
    address = arith::AddIOp::create(b, loc, address, bytes);
  }
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

//===----------------------------------------------------------------------===//
// The descriptor
//===----------------------------------------------------------------------===//

static LLVM::LLVMStructType getDescType(MLIRContext *context) {
  Type i64 = IntegerType::get(context, 64), i32 = IntegerType::get(context, 32);
  SmallVector<Type> fields = {i64};
  fields.append(runtime::kMatmulDescI32s, i32);
  fields.append(runtime::kMatmulDescI64s, i64);
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

static LLVM::LLVMStructType getArgsType(MLIRContext *context) {
  SmallVector<Type> fields = {IntegerType::get(context, 64)};
  fields.append(runtime::kMatmulArgsPointers,
                LLVM::LLVMPointerType::get(context));
  fields.push_back(fields.front());
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

/// The fields of the descriptor of `op`, in the order of fp8rt_matmul_desc.
static FailureOr<SmallVector<OpFoldResult>> getDescFields(OpBuilder &b,
                                                          blaslt::MatmulOp op) {
  auto typeOf = [&](Value value) -> OpFoldResult {
    return b.getI32IntegerAttr(
        value ? runtime::getRuntimeType(getElementTypeOrSelf(value.getType()))
              : FP8RT_NONE);
  };
  auto modeOf = [&](Value descale,
                    GranularityAttr granularity) -> OpFoldResult {
    if (!descale)
      return b.getI32IntegerAttr(FP8RT_SCALE_NONE);
    return b.getI32IntegerAttr(granularity.isTensor() ? FP8RT_SCALE_TENSOR
                                                      : FP8RT_SCALE_OUTER);
  };
  FailureOr<MatrixLayout> la =
      getMatrixLayout(b, op, op.getA(), /*mayTranspose=*/true);
  FailureOr<MatrixLayout> lb =
      getMatrixLayout(b, op, op.getB(), /*mayTranspose=*/true);
  if (failed(la) || failed(lb))
    return failure();
  bool transA = op.getTransA() != la->transposed;
  bool transB = op.getTransB() != lb->transposed;
  SmallVector<OpFoldResult> fields = {
      b.getI64IntegerAttr(sizeof(fp8rt_matmul_desc)),
      typeOf(op.getA()),
      typeOf(op.getB()),
      typeOf(op.getOut()),
      typeOf(op.getAcc()),
      typeOf(op.getBias()),
      modeOf(op.getDescaleA(), op.getGranularityA()),
      modeOf(op.getDescaleB(), op.getGranularityB()),
      b.getI32IntegerAttr(transA),
      b.getI32IntegerAttr(transB),
      b.getI32IntegerAttr(op.getFastAccum())};
  FailureOr<MatrixLayout> ld = getMatrixLayout(b, op, op.getOut());
  FailureOr<MatrixLayout> lc =
      MatrixLayout{{}, {}, b.getI64IntegerAttr(0), {}, b.getI64IntegerAttr(0)};
  if (op.getAcc())
    lc = getMatrixLayout(b, op, op.getAcc());
  if (failed(ld) || failed(lc))
    return failure();
  // One bias, and one descale of a whole tensor, serve every batch.
  OpFoldResult zero = b.getI64IntegerAttr(0);
  auto outerStride = [&](Value descale, GranularityAttr granularity,
                         OpFoldResult size) {
    return descale && !granularity.isTensor() ? size : zero;
  };
  llvm::append_range(
      fields,
      ArrayRef<OpFoldResult>{
          ld->rows, ld->cols, transA ? la->rows : la->cols, ld->batch, la->ld,
          lb->ld, ld->ld, lc->ld, la->stride, lb->stride, ld->stride,
          lc->stride, zero,
          outerStride(op.getDescaleA(), op.getGranularityA(), ld->rows),
          outerStride(op.getDescaleB(), op.getGranularityB(), ld->cols)});
  return fields;
}

namespace {
/// Emits the calls of one module.
class CallBuilder {
public:
  explicit CallBuilder(ModuleOp module) : module(module) {
    for (LLVM::GlobalOp global : module.getOps<LLVM::GlobalOp>())
      names.insert(global.getSymName());
  }

  /// Replaces `op` by a call in `function`, and has `prepare` prepare it.
  LogicalResult convert(blaslt::MatmulOp op, const RuntimeFunction &function,
                        const RuntimeFunction &prepare);

private:
  /// A pointer to a descriptor with `fields`.
  Value getDescriptor(OpBuilder &b, Location loc, func::FuncOp function,
                      ArrayRef<OpFoldResult> fields);
  /// A constant of the module with the static ones of `fields`, others 0.
  LLVM::GlobalOp getGlobal(Location loc, ArrayRef<OpFoldResult> fields);
  /// A pointer to the args struct of `function`, filled in for `op`.
  Value getArgs(OpBuilder &b, blaslt::MatmulOp op, func::FuncOp function);
  /// Emits the preparation of a matmul with `fields`.
  LogicalResult emitPrepare(Location loc, func::FuncOp function,
                            const RuntimeFunction &prepare,
                            ArrayRef<OpFoldResult> fields);

  ModuleOp module;
  llvm::StringSet<> names;
  /// By the text of the static fields.
  llvm::StringMap<LLVM::GlobalOp> globals;
  /// One args struct a function: the runtime is done with it when it returns.
  llvm::DenseMap<Operation *, Value> argsOf;
};
} // namespace

LLVM::GlobalOp CallBuilder::getGlobal(Location loc,
                                      ArrayRef<OpFoldResult> fields) {
  std::string key;
  for (OpFoldResult field : fields)
    key += std::to_string(getConstantIntValue(field).value_or(0)) + ",";
  LLVM::GlobalOp &global = globals[key];
  if (global)
    return global;
  std::string name = "fp8rt_desc_" + std::to_string(globals.size() - 1);
  while (!names.insert(name).second)
    name += "_";
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  LLVM::LLVMStructType type = getDescType(context);
  global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                  LLVM::Linkage::Internal, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  Value value = LLVM::ZeroOp::create(b, loc, type);
  for (auto [index, field] : llvm::enumerate(fields)) {
    int64_t known = getConstantIntValue(field).value_or(0);
    Value constant = LLVM::ConstantOp::create(
        b, loc, b.getIntegerAttr(type.getBody()[index], known));
    value = LLVM::InsertValueOp::create(b, loc, value, constant, index);
  }
  LLVM::ReturnOp::create(b, loc, value);
  return global;
}

/// A struct on the stack of `function`, for all its calls.
static Value createStruct(Location loc, func::FuncOp function,
                          LLVM::LLVMStructType type) {
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  return LLVM::AllocaOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), type, one);
}

static void storeField(OpBuilder &b, Location loc, LLVM::LLVMStructType type,
                       Value pointer, int32_t index, Value value) {
  Value address = LLVM::GEPOp::create(b, loc, pointer.getType(), type, pointer,
                                      ArrayRef<LLVM::GEPArg>{0, index});
  LLVM::StoreOp::create(b, loc, value, address);
}

Value CallBuilder::getDescriptor(OpBuilder &b, Location loc,
                                 func::FuncOp function,
                                 ArrayRef<OpFoldResult> fields) {
  Value global = LLVM::AddressOfOp::create(b, loc, getGlobal(loc, fields));
  if (llvm::all_of(fields,
                   [](OpFoldResult field) { return isa<Attribute>(field); }))
    return global;
  // Sizes are known at run time: a copy of the constant, with them filled in.
  LLVM::LLVMStructType type = getDescType(module.getContext());
  Value desc = createStruct(loc, function, type);
  Value known = LLVM::LoadOp::create(b, loc, type, global);
  LLVM::StoreOp::create(b, loc, known, desc);
  for (auto [index, field] : llvm::enumerate(fields))
    if (auto value = dyn_cast<Value>(field))
      storeField(b, loc, type, desc, index, value);
  return desc;
}

Value CallBuilder::getArgs(OpBuilder &b, blaslt::MatmulOp op,
                           func::FuncOp function) {
  Location loc = op.getLoc();
  LLVM::LLVMStructType type = getArgsType(module.getContext());
  Value &args = argsOf[function];
  if (!args)
    args = createStruct(loc, function, type);
  Value size = LLVM::ConstantOp::create(
      b, loc, b.getI64IntegerAttr(sizeof(fp8rt_matmul_args)));
  storeField(b, loc, type, args, 0, size);
  Value operands[] = {op.getA(),    op.getB(),        op.getAcc(),
                      op.getBias(), op.getDescaleA(), op.getDescaleB(),
                      op.getOut(),  op.getWorkspace()};
  for (auto [index, operand] : llvm::enumerate(operands)) {
    Value pointer =
        operand ? getPointer(b, loc, operand)
                : LLVM::ZeroOp::create(b, loc, args.getType()).getResult();
    storeField(b, loc, type, args, index + 1, pointer);
  }
  int64_t bytes = 0;
  if (Value workspace = op.getWorkspace())
    bytes = cast<MemRefType>(workspace.getType()).getNumElements();
  storeField(b, loc, type, args, std::size(operands) + 1,
             LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes)));
  return args;
}

LogicalResult CallBuilder::emitPrepare(Location loc, func::FuncOp function,
                                       const RuntimeFunction &prepare,
                                       ArrayRef<OpFoldResult> fields) {
  func::FuncOp companion = prepare.getFunction();
  // Before the status is read and returned.
  OpBuilder b(companion.front().getTerminator()->getPrevNode());
  SmallVector<OpFoldResult> cloned(fields);
  for (OpFoldResult &field : cloned) {
    auto value = dyn_cast<Value>(field);
    if (!value)
      continue;
    FailureOr<Value> copy = cloneSizeComputation(b, function, companion, value);
    if (failed(copy))
      return failure();
    field = *copy;
  }
  Value desc = getDescriptor(b, loc, companion, cloned);
  prepare.emitCall(b, loc, runtime::kMatmulPrepareSymbol,
                   {prepare.getContext(), desc});
  return success();
}

LogicalResult CallBuilder::convert(blaslt::MatmulOp op,
                                   const RuntimeFunction &function,
                                   const RuntimeFunction &prepare) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  func::FuncOp parent = function.getFunction();
  if (!isa<MemRefType>(op.getOut().getType()))
    return op.emitOpError("expects buffers, but got ") << op.getOut().getType();
  // The runtime takes no strides for these.
  for (Value vector : {op.getBias(), op.getDescaleA(), op.getDescaleB()}) {
    auto type =
        dyn_cast_if_present<MemRefType>(vector ? vector.getType() : Type());
    if (type && !blaslt::isContiguousVector(type))
      return op.emitOpError(
                 "expects a contiguous bias and contiguous descales, "
                 "but got ")
             << type;
  }
  FailureOr<SmallVector<OpFoldResult>> fields = getDescFields(b, op);
  if (failed(fields) || failed(emitPrepare(loc, parent, prepare, *fields)))
    return failure();
  Value desc = getDescriptor(b, loc, parent, *fields);
  Value args = getArgs(b, op, parent);
  function.emitCall(b, loc, runtime::kMatmulSymbol,
                    {function.getContext(), desc, args, function.getStream()});
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Converts the calls of `function`.
static LogicalResult convertFunction(func::FuncOp function,
                                     CallBuilder &calls) {
  SmallVector<blaslt::MatmulOp> matmuls;
  function.walk([&](blaslt::MatmulOp op) { matmuls.push_back(op); });
  if (matmuls.empty())
    return success();
  FailureOr<RuntimeFunction> runtime = RuntimeFunction::get(function);
  if (failed(runtime))
    return failure();
  FailureOr<RuntimeFunction> prepare = getPrepareFunction(function);
  if (failed(prepare))
    return failure();
  for (blaslt::MatmulOp op : matmuls)
    if (failed(calls.convert(op, *runtime, *prepare)))
      return failure();
  return success();
}

namespace {
struct ConvertBlasLtToRuntimePass
    : fp8::impl::ConvertBlasLtToRuntimePassBase<ConvertBlasLtToRuntimePass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    CallBuilder calls(module);
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!function.isExternal() && function.isPublic() &&
          failed(convertFunction(function, calls)))
        return signalPassFailure();
    // A private function has no context to pass on.
    WalkResult left = module.walk([](blaslt::MatmulOp op) {
      op.emitOpError("expects to be in a public function");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
