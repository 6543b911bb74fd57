//===- ParserFuzzer.cpp - Text of modules with our dialects ---------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text is parsed and verified, or refused with an error. What verifies
// prints as text that parses, verifies and prints the same, and folds.
//
//===----------------------------------------------------------------------===//

#include "Fp8/BlasLt/BlasLt.h"
#include "Fp8/IR/Fp8Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static MLIRContext *getContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, blaslt::BlasLtDialect, fp8::Fp8Dialect,
                    func::FuncDialect, tensor::TensorDialect>();
    auto *made = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    made->loadAllAvailableDialects();
    return made;
  }();
  return context;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext *context = getContext();
  unsigned errors = 0;
  ScopedDiagnosticHandler count(context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  std::string text(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
  if (!module) {
    // Refused without a word is a bug.
    if (errors == 0)
      abort();
    return 0;
  }
  std::string first = print(*module);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(first, context);
  if (!again || print(*again) != first)
    abort();
  PassManager pm(context);
  pm.addPass(createCanonicalizerPass());
  if (failed(pm.run(*module)) || failed(verify(*module)))
    abort();
  return 0;
}
