//===- Validate.h - Checks of a matmul's arguments --------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks that every backend shares. After them a desc and its arguments are
// sound: only what a backend cannot do is left to refuse.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_VALIDATE_H
#define FP8RT_COMMON_VALIDATE_H

#include "fp8rt/fp8rt.h"

namespace fp8rt {

/// All but the pointers. FP8RT_OK, or the status of the first check that fails.
int32_t validateDesc(const fp8rt_matmul_desc *desc);

/// The pointers, for a desc that has been checked.
int32_t validateArgs(const fp8rt_matmul_desc &desc,
                     const fp8rt_matmul_args &args);

/// Both.
int32_t validateMatmul(const fp8rt_matmul_desc &desc,
                       const fp8rt_matmul_args &args);

} // namespace fp8rt

#endif // FP8RT_COMMON_VALIDATE_H
