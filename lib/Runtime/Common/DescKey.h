//===- DescKey.h - A desc as a key ------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two descs are equal when all fields but the size of the struct are.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_DESCKEY_H
#define FP8RT_COMMON_DESCKEY_H

#include "Table.h"
#include "fp8rt/fp8rt.h"

#include <string.h>
#include <string>

namespace fp8rt {

struct DescKey {
  DescKey(const fp8rt_matmul_desc &desc) {
    memcpy(words, &desc.type_a, sizeof(words));
  }
  fp8rt_matmul_desc desc() const {
    fp8rt_matmul_desc desc = {};
    desc.struct_size = sizeof(desc);
    memcpy(&desc.type_a, words, sizeof(words));
    return desc;
  }
  bool operator==(const DescKey &other) const {
    return memcmp(words, other.words, sizeof(words)) == 0;
  }

  uint64_t words[(sizeof(fp8rt_matmul_desc) - sizeof(uint64_t)) / 8];
};

inline uint64_t hashOf(const DescKey &key) {
  return hashWords(key.words, sizeof(key.words) / 8);
}

/// A desc for messages: "f8E4M3FN x f8E4M3FN -> bf16, M 16, N 16, K 32".
std::string describe(const fp8rt_matmul_desc &desc);

} // namespace fp8rt

#endif // FP8RT_COMMON_DESCKEY_H
