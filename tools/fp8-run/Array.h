//===- Array.h --------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of numbers on the host: from and to `.npy` files, random ones, and the
// bytes that a compiled function reads and writes.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8RUN_ARRAY_H
#define FP8_TOOLS_FP8RUN_ARRAY_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace fp8run {

/// A row-major array. Values are kept as f64, which holds every value of the
/// types that functions take (integers up to 2^53).
struct Array {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> values;
};

/// "64x128xf32" or "f32" for messages.
std::string describeShape(llvm::ArrayRef<int64_t> shape, llvm::StringRef type);

/// Reads an `.npy` file, version 1 to 3, of bool, 32- or 64-bit integers, or
/// 16-, 32- or 64-bit floats, in C order. The error names the file, what was
/// expected and what was found.
llvm::Expected<Array> readNpy(llvm::StringRef path);

/// The same from the bytes of a file; the error does not name it.
llvm::Expected<Array> parseNpy(llvm::StringRef bytes);

/// An `.npy` file of float32, in C order.
std::string encodeNpy(const Array &array);

/// An array for an argument of `type`, standard normal, rounded to the element
/// type; integers are 0. The values depend on `seed` and `number` alone, on
/// every machine.
Array makeRandom(mlir::RankedTensorType type, uint64_t seed, uint64_t number);

/// The bytes of `array` as elements of `type`, or what is wrong with it: a
/// shape that differs, or a value that `type` cannot hold exactly. `what` names
/// the array in the message.
llvm::Expected<std::vector<char>>
encode(const Array &array, mlir::RankedTensorType type, llvm::StringRef what);

/// The numbers in `bytes`, elements of `type`.
Array decode(llvm::ArrayRef<char> bytes, mlir::RankedTensorType type);

/// 10·log10(sum ref² / sum (ref - out)²) in decibels; infinite where both
/// agree, NaN where either has a NaN.
double getDecibels(const Array &reference, const Array &output);

} // namespace fp8run

#endif // FP8_TOOLS_FP8RUN_ARRAY_H
