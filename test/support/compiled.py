# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles MLIR with the project's tools and calls it from NumPy.

Finds fp8-opt, mlir-translate and clang on PATH, or in the environment variables
FP8_OPT, MLIR_TRANSLATE and CLANG.
"""

import ctypes
import os
import re
import shutil
import subprocess

import numpy as np

TOOLS = {"FP8_OPT": "fp8-opt", "MLIR_TRANSLATE": "mlir-translate", "CLANG": "clang"}


INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")


def tool(name):
    return os.environ.get(name, TOOLS[name])


def runtime():
    """The path of libfp8rt.so, beside the tools or in FP8RT."""
    beside = os.path.join(os.path.dirname(shutil.which(tool("FP8_OPT"))), "..", "lib")
    return os.environ.get("FP8RT", os.path.join(beside, "libfp8rt.so"))


def opt(text, *passes):
    """The text that fp8-opt makes of `text`."""
    return subprocess.run(
        [tool("FP8_OPT"), *passes], input=text, capture_output=True, text=True, check=True
    ).stdout


def compile_library(mlir, directory, passes=("--fp8-lower-to-cpu",), sources=(), optimize="-O2"):
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
        [tool("CLANG"), optimize, "-march=native", *(["-I", INCLUDE] if sources else []), "-fPIC", "-shared",
         "-Wno-override-module", code, *sources, "-o", library, "-lm", runtime(),
         "-Wl,-rpath," + os.path.dirname(os.path.abspath(runtime()))],
        check=True,
    )
    return library


class Tensor(ctypes.Structure):
    """fp8rt_tensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_int32),
        ("type", ctypes.c_int32),
    ]


# fp8rt_type by MLIR's name, and what NumPy keeps the elements in.
TYPES = {"f64": (1, np.float64), "f32": (2, np.float32), "f16": (3, np.float16),
         "bf16": (4, np.uint16), "f8E4M3FN": (5, np.uint8), "f8E5M2": (6, np.uint8),
         "f8E4M3FNUZ": (7, np.uint8), "f8E5M2FNUZ": (8, np.uint8), "f8E8M0FNU": (9, np.uint8)}


class Port:
    """An argument or a result of a function: shape, with -1 for a dynamic size,
    element type, attributes."""

    def __init__(self, text):
        *sizes, self.type = re.search(r"tensor<([^>]*)>", text).group(1).split("x")
        self.shape = tuple(-1 if size == "?" else int(size) for size in sizes)
        self.dtype = TYPES[self.type][1]
        self.marks = {
            name: int(value) for name, value in re.findall(r"fp8\.(\w+) = (\d+)", text)
        }

    def empty(self):
        return np.empty(self.shape, self.dtype)


def signature(text, name):
    """The arguments and the results of the function `name` on tensors, of text
    that fp8-opt printed."""
    # A function may have no result.
    line = (re.search(rf"func\.func @{name}\((.*)\) -> (.*) \{{\n", text)
            or re.search(rf"func\.func @{name}\((.*?)\)()(?: attributes \{{.*\}})? \{{\n", text))
    port = r"tensor<[^>]*>(?: \{[^}]*\})?"
    return tuple([Port(p) for p in re.findall(port, part)] for part in line.groups())


def describe(array, type_name):
    """The fp8rt_tensor of a contiguous array; bf16 and fp8 are their bits."""
    number, dtype = TYPES[type_name]
    assert array.dtype == dtype and array.flags["C_CONTIGUOUS"]
    sizes = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    return Tensor(array.ctypes.data, sizes, None, array.ndim, number)


def call(library, name, *tensors):
    """Calls a compiled function on its inputs and then its outputs, each a pair
    of an array and its MLIR element type."""
    array = (Tensor * len(tensors))(*(describe(*tensor) for tensor in tensors))
    size = ctypes.c_uint64()
    status = getattr(library, name + "_workspace")(array, ctypes.byref(size))
    assert status == 0, f"{name}_workspace: status {status}"
    workspace = np.empty(size.value + 256, np.uint8)
    start = ctypes.c_void_p(workspace.ctypes.data + -workspace.ctypes.data % 256)
    assert getattr(library, name + "_prepare")(array, None) == 0, name
    status = getattr(library, name)(array, None, start, None)
    assert status == 0, f"{name}: status {status}"
