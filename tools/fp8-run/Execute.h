//===- Execute.h ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling a lowered module in this process and calling its functions, on the
// CPU or a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8RUN_EXECUTE_H
#define FP8_TOOLS_FP8RUN_EXECUTE_H

#include "Device.h"
#include "Fp8/Driver/Step.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"

namespace fp8run {

/// The bytes of a tensor, and its type with the sizes of this run.
struct Buffer {
  mlir::RankedTensorType type;
  std::vector<char> bytes;
};

/// The tensors of one call, arguments and then results, on the device.
struct Call {
  llvm::SmallVector<mlir::RankedTensorType> types;
  std::vector<Memory> memory;
  std::vector<fp8rt_tensor> tensors;
};

/// The compiled functions of a step.
class Executable {
public:
  /// Compiles `module`, in the LLVM dialect, which a pipeline lowered for
  /// `device`, which outlives the executable.
  static llvm::Expected<Executable>
  compile(mlir::ModuleOp module,
          llvm::ArrayRef<mlir::fp8::FunctionInfo> functions,
          const Device &device);

  /// The types of the results of the first function for arguments of `types`,
  /// whose shapes are static.
  llvm::Expected<llvm::SmallVector<mlir::RankedTensorType>>
  getResultTypes(llvm::ArrayRef<mlir::RankedTensorType> types);

  /// Runs the functions one after the other on the step's `arguments`, and
  /// gives the results of each. An error is what the runtime said.
  llvm::Expected<std::vector<std::vector<Buffer>>>
  run(llvm::ArrayRef<Buffer> arguments);

private:
  using Function = mlir::fp8::FunctionInfo;

  llvm::Expected<llvm::SmallVector<mlir::RankedTensorType>>
  getResultTypes(const Function &function,
                 llvm::ArrayRef<mlir::RankedTensorType> types);
  llvm::Expected<Call> place(const Function &function,
                             llvm::ArrayRef<const Buffer *> arguments);
  llvm::Error enqueue(const Function &function, Call &placed);
  llvm::Expected<std::vector<Buffer>>
  run(const Function &function, llvm::ArrayRef<const Buffer *> arguments);

  llvm::SmallVector<Function> functions;
  const Device *device = nullptr;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

} // namespace fp8run

#endif // FP8_TOOLS_FP8RUN_EXECUTE_H
