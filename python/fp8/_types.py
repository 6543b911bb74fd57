# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: the runtime's numbers, NumPy's types, DLPack's codes."""

from __future__ import annotations

import dataclasses

import ml_dtypes
import numpy as np


@dataclasses.dataclass(frozen=True)
class ElementType:
    """One element type under all its names. `number` is an fp8rt_type, `dlpack` a
    pair of DLPack's type code and bits."""

    name: str
    number: int
    dtype: np.dtype
    dlpack: tuple[int, int]

    @property
    def framework_name(self) -> str:
        """What PyTorch and CuPy call it."""
        return self.dtype.name


def _make(name, number, dtype, code):
    dtype = np.dtype(dtype)
    return ElementType(name, number, dtype, (code, 8 * dtype.itemsize))


# Codes of DLPack 1.1: 0 int, 2 float, 4 bfloat, 6 bool, then one for each FP8 type.
ELEMENT_TYPES = (
    _make("f64", 1, np.float64, 2),
    _make("f32", 2, np.float32, 2),
    _make("f16", 3, np.float16, 2),
    _make("bf16", 4, ml_dtypes.bfloat16, 4),
    _make("f8E4M3FN", 5, ml_dtypes.float8_e4m3fn, 10),
    _make("f8E5M2", 6, ml_dtypes.float8_e5m2, 12),
    _make("f8E4M3FNUZ", 7, ml_dtypes.float8_e4m3fnuz, 11),
    _make("f8E5M2FNUZ", 8, ml_dtypes.float8_e5m2fnuz, 13),
    _make("f8E8M0FNU", 9, ml_dtypes.float8_e8m0fnu, 14),
    _make("i1", 10, np.bool_, 6),
    _make("i8", 11, np.int8, 0),
    _make("i32", 12, np.int32, 0),
    _make("i64", 13, np.int64, 0),
)

BY_NUMBER = {element.number: element for element in ELEMENT_TYPES}
BY_NAME = {element.name: element for element in ELEMENT_TYPES}
BY_DTYPE = {element.dtype: element for element in ELEMENT_TYPES}
BY_DLPACK = {element.dlpack: element for element in ELEMENT_TYPES}
