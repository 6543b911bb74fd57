//===- ConvertAsserts.cpp ---------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8-convert-asserts: conditions of a program as statuses.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Conversion/Passes.h"
#include "Fp8/Conversion/RuntimeAbi.h"
#include "Fp8/Conversion/RuntimeCalls.h"

namespace mlir::fp8 {
#define GEN_PASS_DEF_CONVERTASSERTSPASS
#include "Fp8/Conversion/Passes.h.inc"
} // namespace mlir::fp8

using namespace mlir;
using namespace mlir::fp8;

/// A constant of `module` with the zero-terminated `text`; equal ones are
/// shared through `known`.
static LLVM::GlobalOp
getText(ModuleOp module, StringAttr text,
        llvm::DenseMap<StringAttr, LLVM::GlobalOp> &known) {
  LLVM::GlobalOp &global = known[text];
  if (global)
    return global;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  std::string bytes = text.str();
  bytes.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  global = LLVM::GlobalOp::create(
      b, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
      "fp8_assert_" + std::to_string(known.size() - 1), b.getStringAttr(bytes));
  return global;
}

/// Replaces an assertion of `runtime`'s block by a call that keeps a status,
/// and a return where the condition does not hold: what follows relies on it.
static void convert(cf::AssertOp op, const RuntimeFunction &runtime,
                    llvm::DenseMap<StringAttr, LLVM::GlobalOp> &texts) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto module = op->getParentOfType<ModuleOp>();
  Block *block = op->getBlock();
  Block *rest = block->splitBlock(op->getNextNode());
  auto *failed = new Block();
  block->getParent()->push_back(failed);

  b.setInsertionPointToStart(failed);
  Value text = LLVM::AddressOfOp::create(
      b, loc, getText(module, op.getMsgAttr(), texts));
  runtime.emitCall(b, loc, runtime::kFailSymbol, text);
  runtime.emitReturn(b, loc);
  b.setInsertionPoint(op);
  cf::CondBranchOp::create(b, loc, op.getArg(), rest, ValueRange(), failed,
                           ValueRange());
  op.erase();
}

namespace {
struct ConvertAssertsPass
    : fp8::impl::ConvertAssertsPassBase<ConvertAssertsPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::DenseMap<StringAttr, LLVM::GlobalOp> texts;
    SmallVector<cf::AssertOp> assertions;
    getOperation()->walk([&](cf::AssertOp op) { assertions.push_back(op); });
    for (cf::AssertOp op : assertions) {
      auto function = dyn_cast<func::FuncOp>(op->getParentOp());
      if (!function) {
        op.emitOpError("expects to be in the block of a function, but is in ")
            << op->getParentOp()->getName();
        return signalPassFailure();
      }
      FailureOr<RuntimeFunction> runtime = RuntimeFunction::get(function);
      if (failed(runtime))
        return signalPassFailure();
      convert(op, *runtime, texts);
    }
  }
};
} // namespace
