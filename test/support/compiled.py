# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles MLIR with the project's tools and calls it from NumPy.

Finds fp8-opt, mlir-translate and clang on PATH, or in the environment variables
FP8_OPT, MLIR_TRANSLATE and CLANG, and libfp8rt.so in FP8RT or next to fp8-opt.
"""

import ctypes
import os
import re
import shutil
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
         "-Wno-override-module", code, *sources, "-o", library, "-lm",
         "-Wl,-rpath," + os.path.dirname(runtime())],
        check=True,
    )
    return library


def runtime():
    """The path of libfp8rt.so, which compiled matmuls call."""
    beside = os.path.join(os.path.dirname(shutil.which(tool("FP8_OPT"))), "..", "lib")
    return os.environ.get("FP8RT", os.path.join(os.path.realpath(beside), "libfp8rt.so"))


def opt(text, *passes):
    """The text that fp8-opt makes of `text`."""
    return subprocess.run(
        [tool("FP8_OPT"), *passes], input=text, capture_output=True, text=True, check=True
    ).stdout


# NumPy types of the same size as MLIR's.
STORAGE = {"f32": np.float32, "f64": np.float64, "bf16": np.uint16, "i1": np.uint8,
           "f8E4M3FN": np.uint8, "f8E5M2": np.uint8}


class Port:
    """An argument or a result of a function: shape, NumPy type, attributes."""

    def __init__(self, text):
        *sizes, element = re.search(r"tensor<([^>]*)>", text).group(1).split("x")
        self.shape = tuple(int(size) for size in sizes)
        self.dtype = STORAGE[element]
        self.marks = {
            name: int(value) for name, value in re.findall(r"fp8\.(\w+) = (\d+)", text)
        }

    def empty(self):
        return np.empty(self.shape, self.dtype)


def signature(text, name):
    """The arguments and the results of the function `name` on static tensors."""
    line = re.search(rf"func\.func @{name}\((.*)\) -> (.*) \{{\n", text)
    port = r"tensor<[^>]*>(?: \{[^}]*\})?"
    return tuple([Port(p) for p in re.findall(port, part)] for part in line.groups())


def describe(array):
    """The memref descriptor of a contiguous array."""
    assert array.flags["C_CONTIGUOUS"]

    class Descriptor(ctypes.Structure):
        _fields_ = [
            ("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * array.ndim),
            ("strides", ctypes.c_int64 * array.ndim),
        ]

    data = array.ctypes.data
    strides = [stride // array.itemsize for stride in array.strides]
    of_rank = ctypes.c_int64 * array.ndim
    return Descriptor(data, data, 0, of_rank(*array.shape), of_rank(*strides))


def call(library, name, *arrays):
    """Calls a function that fp8-lower-to-cpu made on its inputs and then its
    outputs. One with matmuls is compiled with `runtime()` among the sources."""
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
