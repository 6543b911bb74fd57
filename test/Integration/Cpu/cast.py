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
SOURCES = {"": ("f32", "float"), "_bf16": ("bf16", "uint16_t")}

FUNCTION = """
func.func @fp8_cast_{name}(%x: tensor<?x{wide}>, %s: tensor<f32>) -> tensor<?x{narrow}> {{
  %q = fp8.cast %x scale %s : tensor<?x{wide}>, tensor<f32> -> tensor<?x{narrow}>
  return %q : tensor<?x{narrow}>
}}
"""

# From the C function that check_cast calls to the one that the compiler makes.
SHIM_HEAD = """
#include <stdint.h>
typedef struct { const void *allocated, *aligned; int64_t offset, size, stride; } memref;
"""
SHIM = """
int32_t _mlir_ciface_fp8_cast_{name}(memref *, memref *, memref *, memref *, void *, void *);
void cast_{name}(const {wide} *x, float scale, uint8_t *q, int64_t n) {{
  memref mx = {{x, x, 0, n, 1}}, ms = {{&scale, &scale, 0, 0, 0}};
  memref mq = {{q, q, 0, n, 1}}, mw = {{0, 0, 0, 0, 1}};
  _mlir_ciface_fp8_cast_{name}(&mx, &ms, &mq, &mw, 0, 0);
}}
"""


def main():
    mlir, shim = "", SHIM_HEAD
    for narrow, type_name in TYPES.items():
        for suffix, (wide, c_type) in SOURCES.items():
            mlir += FUNCTION.format(name=narrow + suffix, wide=wide, narrow=type_name)
            shim += SHIM.format(name=narrow + suffix, wide=c_type)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "shim.c")
        with open(path, "w") as file:
            file.write(shim)
        library = compiled.compile_library(mlir, directory, sources=[path])
        return check_cast.main([library, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
