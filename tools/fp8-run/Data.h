//===- Data.h ---------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step reads and writes: arrays from files, random ones, and files of
// results.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8RUN_DATA_H
#define FP8_TOOLS_FP8RUN_DATA_H

#include "Array.h"
#include "Execute.h"

namespace fp8run {

/// Where arrays come from.
struct Source {
  /// The folder of argN.npy; empty for random arrays.
  std::string directory;
  uint64_t seed = 0;
  /// What every dynamic size of a random array is.
  int64_t dynamicSize = 0;
};

/// Arguments of `types`, the first ones of a step: from files, or random.
mlir::FailureOr<llvm::SmallVector<Array>>
getInputs(const Source &source, llvm::ArrayRef<mlir::RankedTensorType> types);

/// Appends tangents of `types`, whose shapes are static, to `inputs`: from
/// files where there are any, else random.
mlir::LogicalResult addTangents(const Source &source,
                                llvm::ArrayRef<mlir::RankedTensorType> types,
                                llvm::SmallVectorImpl<Array> &inputs);

/// `inputs` as buffers of `types`. `what` names them in a message.
mlir::FailureOr<std::vector<Buffer>>
makeBuffers(llvm::StringRef what, llvm::ArrayRef<mlir::RankedTensorType> types,
            llvm::ArrayRef<Array> inputs);

/// Writes `arrays` to files in `directory` that start with `kind`, all or none.
mlir::LogicalResult writeArrays(llvm::StringRef directory, llvm::StringRef kind,
                                llvm::ArrayRef<Array> arrays);

} // namespace fp8run

#endif // FP8_TOOLS_FP8RUN_DATA_H
