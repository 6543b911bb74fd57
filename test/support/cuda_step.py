# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions on PyTorch tensors of a GPU, or of the CPU.

Needs torch, libfp8rt.so and libraries that fp8-compile made; no LLVM.
"""

import ctypes
import glob
import os
import re

import torch

TYPES = {
    torch.float64: 1, torch.float32: 2, torch.float16: 3, torch.bfloat16: 4,
    torch.float8_e4m3fn: 5, torch.float8_e5m2: 6,
}

# The same by MLIR's name.
NAMES = {
    "f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
    "bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
}


class Tensor(ctypes.Structure):
    """fp8rt_tensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_int32),
        ("type", ctypes.c_int32),
    ]


class ContextOptions(ctypes.Structure):
    """fp8rt_context_options."""

    _fields_ = [
        ("struct_size", ctypes.c_uint64), ("backend", ctypes.c_char_p),
        ("device", ctypes.c_int32), ("reserved", ctypes.c_int32),
        ("plan_cache", ctypes.c_char_p),
    ]


def describe(tensors):
    """An array of fp8rt_tensor for contiguous torch tensors."""
    array = (Tensor * len(tensors))()
    for entry, tensor in zip(array, tensors):
        assert tensor.is_contiguous()
        sizes = (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.shape)
        entry.data, entry.sizes, entry.strides = tensor.data_ptr(), sizes, None
        entry.rank, entry.type = tensor.dim(), TYPES[tensor.dtype]
    return array


class Runtime:
    """libfp8rt and a context of the first GPU (or, with backend "cpu", none)."""

    def __init__(self, path, backend="cuda", plan_cache=""):
        self.library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.library.fp8rt_last_error.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        options = ContextOptions(
            ctypes.sizeof(ContextOptions), backend.encode(), 0, 0,
            plan_cache.encode())
        self.check(self.library.fp8rt_context_create(
            ctypes.byref(options), ctypes.byref(self.context)))

    def check(self, status):
        if status:
            raise RuntimeError(self.library.fp8rt_last_error().decode())


class Step:
    """One function of a compiled library, prepared for tensors of its sizes."""

    def __init__(self, runtime, path, tensors, name="main"):
        self.runtime = runtime
        library = ctypes.CDLL(path)
        self.function = getattr(library, name)
        self.tensors = tensors
        self.array = describe(tensors)
        size = ctypes.c_uint64()
        runtime.check(getattr(library, name + "_workspace")(
            self.array, ctypes.byref(size)))
        self.workspace = torch.empty(
            size.value + 256, dtype=torch.uint8, device=tensors[0].device)
        start = self.workspace.data_ptr() + -self.workspace.data_ptr() % 256
        self.start = ctypes.c_void_p(start)
        runtime.check(getattr(library, name + "_prepare")(
            self.array, runtime.context))

    def overwrite(self, function):
        """Calls `function` on the bytes that a step may not rely on."""
        function(self.workspace)

    def __call__(self):
        stream = None
        if self.workspace.is_cuda:
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        status = self.function(self.array, self.runtime.context, self.start, stream)
        if status:
            self.runtime.check(status)


def empty(text, device):
    """An uninitialized tensor for `64x128xbf16`, whose sizes are static."""
    *sizes, name = text.split("x")
    return torch.empty([int(size) for size in sizes], dtype=NAMES[name], device=device)


class Split:
    """The forward and the backward function of a library that `fp8-compile --split`
    made, and the residuals between them, which its header describes."""

    def __init__(self, runtime, path, inputs, outputs):
        """`inputs` are the arguments of the model, then the tangents; `outputs` its
        results, then the gradients."""
        with open(path[:-3] + ".h") as file:
            header = file.read()
        name, numbers = re.search(r"(\w+)_backward_from\[\] = \{(.*)\};", header).groups()
        origins = [int(number) for number in numbers.split(",")]
        text = header[header.index(f"// Tensors of {name}_forward"):
                      header.index(f"// Tensors of {name}_backward")]
        arguments, results, saved = (
            re.findall(r"^//   \d+  .*: tensor<(.*)>$", part, re.M)
            for part in re.split(r"^// and .*$", text + "// and \n", flags=re.M)[:3])
        self.residuals = [empty(residual, inputs[0].device) for residual in saved]
        forward = [*inputs[:len(arguments)], *outputs[:len(results)], *self.residuals]
        tangents = iter(inputs[len(arguments):])
        backward = [forward[origin] if origin >= 0 else next(tangents)
                    for origin in origins]
        backward += outputs[len(results):]
        self.parts = [Step(runtime, path, forward, name + "_forward"),
                      Step(runtime, path, backward, name + "_backward")]

    def overwrite(self, function):
        """Calls `function` on the bytes that a step may not rely on."""
        for residual in self.residuals:
            function(residual.reshape(-1).view(torch.uint8))
        for part in self.parts:
            part.overwrite(function)

    def __call__(self):
        for part in self.parts:
            part()


def open_step(runtime, path, inputs, outputs):
    """The step in the library `path`, in one function or two."""
    with open(path[:-3] + ".h") as file:
        split = "_backward_from" in file.read()
    if split:
        return Split(runtime, path, inputs, outputs)
    return Step(runtime, path, [*inputs, *outputs])


def find_cublaslt():
    """Names the cuBLASLt of PyTorch's own packages to the runtime."""
    root = os.path.join(os.path.dirname(torch.__file__), "..", "nvidia")
    found = glob.glob(os.path.join(root, "**", "libcublasLt.so.*"), recursive=True)
    if found and "FP8RT_CUBLASLT" not in os.environ:
        os.environ["FP8RT_CUBLASLT"] = sorted(found)[-1]
