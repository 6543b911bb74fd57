//===- Module.cpp -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules: parsing, pipelines, printing.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdlib>

using namespace mlir;
using namespace fp8capi;

static int32_t parse(fp8_context *context,
                     std::unique_ptr<llvm::MemoryBuffer> buffer,
                     fp8_module **module) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  auto parsed = parseSourceFile<ModuleOp>(sources, &context->context);
  if (!parsed)
    return FP8_FAILED;
  *module = new fp8_module{context, std::move(parsed)};
  return FP8_OK;
}

int32_t fp8_module_parse(fp8_context *context, const char *text,
                         uint64_t length, const char *name,
                         fp8_module **module) {
  if (!context)
    return FP8_INVALID_ARGUMENT;
  return enter(context, [&]() -> int32_t {
    if (!text || !module)
      return invalid(context, "expects text and a place for the module, but "
                              "got null");
    *module = nullptr;
    return parse(context,
                 llvm::MemoryBuffer::getMemBufferCopy(StringRef(text, length),
                                                      name ? name : "<text>"),
                 module);
  });
}

int32_t fp8_module_parse_file(fp8_context *context, const char *path,
                              fp8_module **module) {
  if (!context)
    return FP8_INVALID_ARGUMENT;
  return enter(context, [&]() -> int32_t {
    if (!path || !module)
      return invalid(context, "expects a path and a place for the module, but "
                              "got null");
    *module = nullptr;
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      (void)fp8::emitFailure(&context->context,
                             "cannot open input file '" + Twine(path) +
                                 "': " + buffer.getError().message());
      return FP8_FAILED;
    }
    return parse(context, std::move(*buffer), module);
  });
}

void fp8_module_destroy(fp8_module *module) { delete module; }

int32_t fp8_module_run(fp8_module *module, const char *pipeline) {
  if (!module)
    return FP8_INVALID_ARGUMENT;
  return enter(module->context, [&]() -> int32_t {
    if (!pipeline)
      return invalid(module->context, "expects a pipeline, but got null");
    MLIRContext *context = &module->context->context;
    std::string message;
    llvm::raw_string_ostream os(message);
    FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, os);
    if (failed(parsed)) {
      (void)fp8::emitFailure(context, message);
      return FP8_FAILED;
    }
    StringRef anchor = ModuleOp::getOperationName();
    if (parsed->getOpAnchorName() != anchor) {
      (void)fp8::emitFailure(context, "expects a pipeline on " + anchor +
                                          ", but got one on " +
                                          parsed->getOpAnchorName());
      return FP8_FAILED;
    }
    PassManager pm(context, anchor);
    static_cast<OpPassManager &>(pm) = std::move(*parsed);
    return succeeded(pm.run(*module->module)) ? FP8_OK : FP8_FAILED;
  });
}

int32_t fp8_module_print(fp8_module *module, fp8_string *text) {
  if (!module || !text)
    return FP8_INVALID_ARGUMENT;
  *text = {};
  return enter(module->context, [&]() -> int32_t {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    module->module->print(os);
    auto *data = static_cast<char *>(std::malloc(printed.size() + 1));
    if (!data)
      throw std::bad_alloc();
    std::memcpy(data, printed.c_str(), printed.size() + 1);
    *text = {data, printed.size()};
    return FP8_OK;
  });
}

void fp8_string_free(fp8_string *text) {
  if (!text)
    return;
  std::free(text->data);
  *text = {};
}
