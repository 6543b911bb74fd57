# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles MLIR with the project's tools and calls it from NumPy.

Finds fp8-opt, mlir-translate and clang on PATH, or in the environment variables
FP8_OPT, MLIR_TRANSLATE and CLANG.
"""

import ctypes
import os
import subprocess

import numpy as np

TOOLS = {"FP8_OPT": "fp8-opt", "MLIR_TRANSLATE": "mlir-translate", "CLANG": "clang"}


def tool(name):
    return os.environ.get(name, TOOLS[name])


def compile_library(mlir, directory, passes=("--fp8-lower-to-cpu",), sources=()):
    """Compiles the text `mlir`, and C files `sources`, to a shared library in
    `directory`. Returns its path; a failing tool raises."""
    ir = subprocess.run(
        [tool("FP8_OPT"), *passes], input=mlir, capture_output=True, text=True
    )
    if ir.returncode:
        raise RuntimeError(ir.stderr)
    llvm = subprocess.run(
        [tool("MLIR_TRANSLATE"), "--mlir-to-llvmir"],
        input=ir.stdout, capture_output=True, text=True, check=True,
    ).stdout
    code = os.path.join(directory, "code.ll")
    with open(code, "w") as file:
        file.write(llvm)
    library = os.path.join(directory, "code.so")
    subprocess.run(
        [tool("CLANG"), "-O2", "-march=native", "-fPIC", "-shared",
         "-Wno-override-module", code, *sources, "-o", library, "-lm"],
        check=True,
    )
    return library


class Descriptor(ctypes.Structure):
    """A memref of rank 0 or 1."""

    _fields_ = [
        ("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64), ("size", ctypes.c_int64),
        ("stride", ctypes.c_int64),
    ]


def describe(array):
    """The memref descriptor of a contiguous array of rank 0 or 1."""
    assert array.ndim < 2 and array.flags["C_CONTIGUOUS"]
    data = array.ctypes.data
    return Descriptor(data, data, 0, array.size, 1)


def call(library, name, *arrays):
    """Calls a function that fp8-lower-to-cpu made, without matmuls, on its
    inputs and then its outputs."""
    descriptors = [describe(array) for array in arrays]
    references = [ctypes.byref(d) for d in descriptors]
    size = getattr(library, f"_mlir_ciface_{name}_workspace")
    size.restype = ctypes.c_int64
    workspace = np.empty(size(*references) + 256, np.uint8)
    start = -workspace.ctypes.data % 256
    references.append(ctypes.byref(describe(workspace[start:])))
    function = getattr(library, f"_mlir_ciface_{name}")
    function.restype = ctypes.c_int32
    status = function(*references, None, None)
    assert status == 0, f"{name}: status {status}"
