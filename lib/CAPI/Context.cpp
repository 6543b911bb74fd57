//===- Context.cpp ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts: everything registered, and all that is said collected.
//
//===----------------------------------------------------------------------===//

#include "Fp8/InitAll.h"
#include "Handles.h"
#include "mlir/IR/Remarks.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;
using namespace fp8capi;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void MessageList::add(Message message, Location location) {
  if (auto place = location->findInstanceOf<FileLineColLoc>()) {
    message.file = place.getFilename().str();
    message.line = place.getLine();
    message.column = place.getColumn();
  }
  std::lock_guard<std::mutex> lock(mutex);
  messages.push_back(std::move(message));
}

static fp8_severity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return FP8_NOTE;
  case DiagnosticSeverity::Warning:
    return FP8_WARNING;
  case DiagnosticSeverity::Error:
    return FP8_ERROR;
  case DiagnosticSeverity::Remark:
    return FP8_REMARK;
  }
  llvm_unreachable("unknown severity");
}

static fp8_remark_kind getKind(llvm::remarks::Type type) {
  switch (type) {
  case llvm::remarks::Type::Passed:
    return FP8_REMARK_PASSED;
  case llvm::remarks::Type::Missed:
    return FP8_REMARK_MISSED;
  case llvm::remarks::Type::Failure:
    return FP8_REMARK_FAILED;
  default:
    return FP8_REMARK_ANALYSIS;
  }
}

namespace {
/// Puts remarks among the messages.
class RemarkCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkCollector(MessageList &messages) : messages(messages) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    Message message{FP8_REMARK, getKind(remark.getRemarkType()), "",
                    remark.getRemarkName().str(), ""};
    for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
      if (!message.text.empty())
        message.text += "; ";
      // Text as it is, a figure with its name.
      if (arg.key != "Reason" && arg.key != "Remark")
        message.text += arg.key + " = ";
      message.text += arg.val;
    }
    messages.add(std::move(message), remark.getLocation());
  }

private:
  MessageList &messages;
};
} // namespace

/// A registry of everything, and passes by their names. Once for all contexts.
static const DialectRegistry &getRegistry() {
  static const DialectRegistry &registry = [&]() -> DialectRegistry & {
    mlir::registerAllPasses();
    fp8::registerAllPasses();
    auto *made = new DialectRegistry;
    fp8::registerCompilerDialects(*made);
    return *made;
  }();
  return registry;
}

fp8_context::fp8_context() : context(getRegistry()) {
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    messages.add({getSeverity(diagnostic.getSeverity()), FP8_REMARK_NONE,
                  diagnostic.str(), "", ""},
                 diagnostic.getLocation());
    for (Diagnostic &note : diagnostic.getNotes())
      messages.add({FP8_NOTE, FP8_REMARK_NONE, note.str(), "", ""},
                   note.getLocation());
    return success();
  });
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = "fp8";
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkCollector>(messages),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

int32_t fp8capi::invalid(fp8_context *context, const llvm::Twine &message) {
  (void)fp8::emitFailure(&context->context, message);
  return FP8_INVALID_ARGUMENT;
}

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

const char *fp8_status_name(int32_t status) {
  switch (status) {
  case FP8_OK:
    return "FP8_OK";
  case FP8_INVALID_ARGUMENT:
    return "FP8_INVALID_ARGUMENT";
  case FP8_FAILED:
    return "FP8_FAILED";
  default:
    return "an unknown status";
  }
}

const char *fp8_version(void) { return FP8_VERSION; }

int32_t fp8_context_create(fp8_context **context) {
  if (!context)
    return FP8_INVALID_ARGUMENT;
  try {
    *context = new fp8_context;
    return FP8_OK;
  } catch (...) {
    *context = nullptr;
    return FP8_FAILED;
  }
}

void fp8_context_destroy(fp8_context *context) { delete context; }

uint64_t fp8_context_num_messages(const fp8_context *context) {
  return context ? context->messages.get().size() : 0;
}

int32_t fp8_context_get_message(const fp8_context *context, uint64_t index,
                                fp8_message *message) {
  if (index >= fp8_context_num_messages(context))
    return FP8_INVALID_ARGUMENT;
  const Message &from = context->messages.get()[index];
  return fill<fp8_message>(message,
                           {sizeof(fp8_message), from.severity, from.kind,
                            from.text.c_str(), from.name.c_str(),
                            from.file.c_str(), from.line, from.column});
}
