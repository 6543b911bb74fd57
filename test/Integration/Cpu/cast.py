# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every byte that a compiled fp8.cast makes, against ml_dtypes.

Compiles fp8.cast of f32 and bf16 to each fp8 type for the CPU and hands the code
to test/oracle/check_cast.py. Arguments are passed on: --exhaustive takes all 2^32
floats.
"""

import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", folder) for folder in ("oracle", "support")]

import check_cast  # noqa: E402
import compiled  # noqa: E402

TYPES = {
    "e4m3fn": "f8E4M3FN", "e5m2": "f8E5M2",
    "e4m3fnuz": "f8E4M3FNUZ", "e5m2fnuz": "f8E5M2FNUZ",
}
SOURCES = {
    "": ("f32", "float", "FP8RT_F32"), "_bf16": ("bf16", "uint16_t", "FP8RT_BF16"),
}

FUNCTION = """
func.func @fp8_cast_{name}(%x: tensor<?x{wide}>, %s: tensor<f32>) -> tensor<?x{narrow}> {{
  %q = fp8.cast %x scale %s : tensor<?x{wide}>, tensor<f32> -> tensor<?x{narrow}>
  return %q : tensor<?x{narrow}>
}}
"""

# From the C function that check_cast calls to the one that the compiler makes.
SHIM_HEAD = """
#include "fp8rt/fp8rt.h"
#include <stdlib.h>
"""
SHIM = """
int32_t fp8_cast_{name}(const fp8rt_tensor *, fp8rt_context *, void *, fp8rt_stream *);
void cast_{name}(const {wide} *x, float scale, uint8_t *q, int64_t n) {{
  fp8rt_tensor tensors[] = {{{{(void *)x, &n, 0, 1, {wide_type}}},
                            {{&scale, 0, 0, 0, FP8RT_F32}},
                            {{q, &n, 0, 1, {narrow_type}}}}};
  if (fp8_cast_{name}(tensors, 0, 0, 0))
    abort();
}}
"""


def main():
    mlir, shim = "", SHIM_HEAD
    for narrow, type_name in TYPES.items():
        for suffix, (wide, c_type, wide_type) in SOURCES.items():
            mlir += FUNCTION.format(name=narrow + suffix, wide=wide, narrow=type_name)
            shim += SHIM.format(
                name=narrow + suffix, wide=c_type, wide_type=wide_type,
                narrow_type="FP8RT_" + type_name.upper())
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "shim.c")
        with open(path, "w") as file:
            file.write(shim)
        library = compiled.compile_library(mlir, directory, sources=[path])
        return check_cast.main([library, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
