//===- DescKey.cpp - A desc in messages -----------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says what tells one matmul from another in few words.
//
//===----------------------------------------------------------------------===//

#include "DescKey.h"

#include "Types.h"

using namespace fp8rt;

std::string fp8rt::describe(const fp8rt_matmul_desc &desc) {
  std::string text = findType(desc.type_a)->name;
  text += std::string(" x ") + findType(desc.type_b)->name + " -> " +
          findType(desc.type_d)->name;
  text += ", M " + std::to_string(desc.m) + ", N " + std::to_string(desc.n) +
          ", K " + std::to_string(desc.k);
  if (desc.batch != 1)
    text += ", batch " + std::to_string(desc.batch);
  if (desc.trans_a)
    text += ", trans_a";
  if (desc.trans_b)
    text += ", trans_b";
  static const char *const modes[] = {"no", "tensor", "outer"};
  if (desc.scale_mode_a || desc.scale_mode_b)
    text += std::string(", ") + modes[desc.scale_mode_a] + " x " +
            modes[desc.scale_mode_b] + " descales";
  if (desc.type_acc)
    text += std::string(", acc ") + findType(desc.type_acc)->name;
  if (desc.type_bias)
    text += std::string(", bias ") + findType(desc.type_bias)->name;
  if (desc.fast_accum)
    text += ", fast accumulation";
  return text;
}
