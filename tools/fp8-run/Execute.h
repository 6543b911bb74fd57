//===- Execute.h ---------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling a lowered module in this process and calling its function.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8RUN_EXECUTE_H
#define FP8_TOOLS_FP8RUN_EXECUTE_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace fp8run {

/// The types of a function on tensors.
struct Signature {
  std::string name;
  llvm::SmallVector<mlir::RankedTensorType> arguments, results;
};

/// The bytes of a tensor, and its type with the sizes of this run.
struct Buffer {
  mlir::RankedTensorType type;
  std::vector<char> bytes;
};

/// A compiled function that can be called.
class Executable {
public:
  /// Compiles `module`, in the LLVM dialect, whose function `signature.name`
  /// was lowered by `fp8-lower-to-cpu`.
  static llvm::Expected<Executable> compile(mlir::ModuleOp module,
                                            Signature signature);

  /// The types of the results for arguments of `types`, whose shapes are static.
  llvm::Expected<llvm::SmallVector<mlir::RankedTensorType>>
  getResultTypes(llvm::ArrayRef<mlir::RankedTensorType> types);

  /// Runs the function on `arguments` and gives the results. An error is what
  /// the runtime said.
  llvm::Expected<std::vector<Buffer>> run(llvm::ArrayRef<Buffer> arguments);

private:
  Signature signature;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

} // namespace fp8run

#endif // FP8_TOOLS_FP8RUN_EXECUTE_H
