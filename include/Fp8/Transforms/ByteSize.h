//===- ByteSize.h -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes in bytes that can be added up.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_BYTESIZE_H
#define FP8_TRANSFORMS_BYTESIZE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fp8 {

/// 2^48: more than a machine has, and so little that thousands of such sizes
/// add up in 63 bits.
inline constexpr int64_t kMaxBytes = int64_t(1) << 48;

/// The bytes that one element takes in memory, an index 8; 0 for what is no
/// number.
inline int64_t getElementBytes(Type element) {
  if (isa<IndexType>(element))
    return 8;
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 0;
}

/// The bytes of a tensor of `shape` with elements of `elementBytes`, or the
/// largest number if 64 bits do not hold them. A dynamic size is `dynamicSize`.
inline uint64_t getByteSize(ArrayRef<int64_t> shape, uint64_t elementBytes,
                            int64_t dynamicSize = 1) {
  uint64_t bytes = elementBytes;
  for (int64_t size : shape)
    bytes = llvm::SaturatingMultiply<uint64_t>(
        bytes, ShapedType::isDynamic(size) ? dynamicSize : size);
  return bytes;
}

/// Whether `type` would have at most kMaxBytes with elements of 8 bytes and
/// `dynamicSize` for its dynamic sizes.
inline bool fitsInMemory(ShapedType type, int64_t dynamicSize) {
  if (llvm::is_contained(type.getShape(), 0))
    return true;
  int64_t bytes = 8;
  for (int64_t size : type.getShape()) {
    size = ShapedType::isDynamic(size) ? dynamicSize : size;
    if (size > kMaxBytes / bytes)
      return false;
    bytes *= std::max<int64_t>(size, 1);
  }
  return true;
}

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_BYTESIZE_H
