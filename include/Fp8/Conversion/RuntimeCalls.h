//===- RuntimeCalls.h -------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiled function needs to call the runtime: its context, its stream
// and its status; and calls that go with them.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_CONVERSION_RUNTIMECALLS_H
#define FP8_CONVERSION_RUNTIMECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::fp8 {

/// A function that `fp8-add-runtime-arguments` prepared.
class RuntimeFunction {
public:
  /// The function, or an error at it that names the pass.
  static FailureOr<RuntimeFunction> get(func::FuncOp function);

  func::FuncOp getFunction() const { return function; }
  Value getContext() const { return context; }
  /// Null in NAME_prepare, which enqueues nothing.
  Value getStream() const { return stream; }

  /// Calls `symbol`, which returns a status, and keeps the status if it is the
  /// first that is not 0. Declares the symbol if need be.
  void emitCall(OpBuilder &b, Location loc, StringRef symbol,
                ValueRange arguments) const;

  /// Returns the status.
  void emitReturn(OpBuilder &b, Location loc) const;

private:
  func::FuncOp function;
  Value context, stream, status;
};

/// The companion of `function` that `fp8-add-runtime-arguments` made: it takes
/// the same buffers and the context, and does once what calls rely on.
FailureOr<RuntimeFunction> getPrepareFunction(func::FuncOp function);

/// Clones into `companion`, which takes the same leading arguments, what
/// `value` of `function` is computed by. It has to follow from the sizes of the
/// arguments; an error is emitted where it does not.
FailureOr<Value> cloneSizeComputation(OpBuilder &b, func::FuncOp function,
                                      func::FuncOp companion, Value value);

} // namespace mlir::fp8

#endif // FP8_CONVERSION_RUNTIMECALLS_H
