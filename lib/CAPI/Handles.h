//===- Handles.h ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the opaque types of the C interface are, and what its functions share.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_LIB_CAPI_HANDLES_H
#define FP8_LIB_CAPI_HANDLES_H

#include "Fp8/Driver/Compile.h"
#include "fp8-c/Fp8.h"
#include "mlir/IR/MLIRContext.h"
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

/// A message whose strings `fp8_message` points to.
struct Message {
  fp8_severity severity;
  fp8_remark_kind kind = FP8_REMARK_NONE;
  std::string text, name, file;
  unsigned line = 0, column = 0;
};

/// The messages of one call. Passes may emit from several threads.
class MessageList {
public:
  void add(Message message, mlir::Location location);
  void clear() { messages.clear(); }
  llvm::ArrayRef<Message> get() const { return messages; }

private:
  std::mutex mutex;
  std::vector<Message> messages;
};

struct fp8_context {
  fp8_context();

  // Outlives the context, which writes to it.
  MessageList messages;
  mlir::MLIRContext context;
};

struct fp8_module {
  fp8_context *context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

struct fp8_library {
  struct Tensor {
    std::string name;
    std::vector<int64_t> sizes;
    fp8rt_type type;
    fp8_tensor_kind kind;
    int32_t origin;
  };
  struct Function {
    std::string name;
    size_t numArguments;
    std::vector<Tensor> tensors;
  };
  struct Linear {
    std::string name, sizes;
    unsigned matmuls, converted;
  };
  struct Kept {
    std::string description;
    int64_t bytes;
  };
  std::vector<Function> functions;
  std::vector<Linear> linears;
  std::vector<Kept> kept;
  uint64_t wideKeptBytes;
};

namespace fp8capi {

/// Adds an error about an argument to the messages of `context`.
int32_t invalid(fp8_context *context, const llvm::Twine &message);

/// Calls `function`, which returns a status, as a call of its own that takes
/// `context`: only its messages are kept. No exception leaves.
template <typename Function>
int32_t enter(fp8_context *context, Function function) {
  try {
    context->messages.clear();
    return function();
  } catch (const std::exception &exception) {
    context->messages.add(
        {FP8_ERROR, FP8_REMARK_NONE, exception.what(), "", ""},
        mlir::UnknownLoc::get(&context->context));
    return FP8_FAILED;
  }
}

/// Copies what the caller's struct has room for. The struct has `struct_size`
/// first.
template <typename T> int32_t fill(T *to, T from) {
  if (!to || to->struct_size < sizeof(T))
    return FP8_INVALID_ARGUMENT;
  from.struct_size = to->struct_size;
  std::memcpy(to, &from, sizeof(T));
  return FP8_OK;
}

} // namespace fp8capi

#endif // FP8_LIB_CAPI_HANDLES_H
