//===- NpyFuzzer.cpp - Damaged .npy files ---------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What parseNpy takes has as many values as its shape says, encodes as every
// element type or is refused with a reason, and is the same shape when it is
// written and read again.
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include <cmath>

using namespace mlir;
using namespace fp8run;

/// The number of elements that `shape` has; the values of an array fit in
/// memory, so this does not overflow unless a size is 0.
static uint64_t count(ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0))
    return 0;
  uint64_t number = 1;
  for (int64_t size : shape)
    number *= static_cast<uint64_t>(size);
  return number;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MLIRContext context;
  llvm::Expected<Array> array =
      parseNpy({reinterpret_cast<const char *>(data), size});
  if (!array) {
    if (llvm::toString(array.takeError()).empty())
      abort();
    return 0;
  }
  if (count(array->shape) != array->values.size())
    abort();
  Builder b(&context);
  for (Type type : std::initializer_list<Type>{
           b.getF32Type(), b.getBF16Type(), b.getF16Type(), b.getF64Type(),
           b.getI1Type(), b.getI8Type(), b.getI32Type(), b.getI64Type()}) {
    auto tensorType = RankedTensorType::get(
        SmallVector<int64_t>(array->shape.size(), ShapedType::kDynamic), type);
    auto bytes = encode(*array, tensorType, "fuzz");
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      continue;
    }
    // No value of f64 is changed on the way.
    Array back = decode(*bytes, tensorType.clone(array->shape));
    for (auto [one, other] : llvm::zip_equal(array->values, back.values))
      if (one != other && !(std::isnan(one) && std::isnan(other)))
        abort();
  }
  llvm::Expected<Array> again = parseNpy(encodeNpy(*array));
  if (!again || again->shape != array->shape)
    abort();
  return 0;
}
