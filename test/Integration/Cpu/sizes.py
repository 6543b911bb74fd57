# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions of dynamic sizes: 0, negative, and those that 31 or 63 bits do not hold.

--large adds more than 2^31 elements in memory, which takes 14 GB and two minutes.
"""
# RUN: rm -rf %t && mkdir -p %t/cpu %t/sm_90
# RUN: %python %s %t

import ctypes
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

import compiled  # noqa: E402
from compiled import TYPES, Tensor  # noqa: E402

# Two linears: the hidden tensor is no argument and no result.
MLP = """
func.func @mlp(%x: tensor<?x?xbf16>, %w1: tensor<?x?xbf16>, %w2: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %h = tensor.dim %w1, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %w2, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %h) : tensor<?x?xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %a = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w1 : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %f2 = linalg.fill ins(%zero : bf16) outs(%e2 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %w2 : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f2 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
"""
# All tensors of the amax, the cast and its transpose have one size.
CAST = """
func.func @cast(%x: tensor<?x?xbf16>, %s: tensor<f32>) -> (tensor<f32>, tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) {
  %a = fp8.amax %x : tensor<?x?xbf16> -> tensor<f32>
  %q = fp8.cast %x scale %s : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  %t = fp8.transpose %q : tensor<?x?xf8E4M3FN>
  return %a, %q, %t : tensor<f32>, tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>
}
"""


class Program:
    """A function of a library that fp8-compile made."""

    def __init__(self, folder, name, text, target="cpu"):
        source = os.path.join(folder, target, name + ".mlir")
        with open(source, "w") as file:
            file.write(text)
        output = source[:-5] + ".so"
        subprocess.run(["fp8-compile", source, f"--target={target}", "-o", output], check=True)
        # Compiled libraries find the runtime by its name once it is loaded.
        runtime = ctypes.CDLL(compiled.runtime())
        self.library = ctypes.CDLL(output)
        self.name = name
        runtime.fp8rt_last_error.restype = ctypes.c_char_p
        self.last_error = lambda: runtime.fp8rt_last_error().decode()

    def workspace(self, tensors):
        """The bytes of workspace, or the message of the failure."""
        size = ctypes.c_uint64(7)
        if getattr(self.library, self.name + "_workspace")(tensors, ctypes.byref(size)):
            assert size.value == 7, size.value
            return self.last_error()
        return size.value

    def run(self, tensors):
        """None, or the message of the failure."""
        bytes_ = self.workspace(tensors)
        if isinstance(bytes_, str):
            bytes_ = 0
        memory = np.empty(bytes_ + 256, np.uint8)
        start = ctypes.c_void_p(memory.ctypes.data + -memory.ctypes.data % 256)
        for status in (getattr(self.library, self.name + "_prepare")(tensors, None),
                       getattr(self.library, self.name)(tensors, None, start, None)):
            if status:
                return self.last_error()
        return None


def describe(*tensors):
    """An array of fp8rt_tensor: each a shape, a type and an array or None for one that
    may not be touched."""
    return (Tensor * len(tensors))(*(
        Tensor(array.ctypes.data if array is not None else 1 << 12,
               (ctypes.c_int64 * max(len(shape), 1))(*shape), None, len(shape), TYPES[kind][0])
        for shape, kind, array in tensors))


def mlp(m, k, h, n, arrays=(None,) * 4):
    shapes = (m, k), (h, k), (n, h), (m, n)
    return describe(*((shape, "bf16", array) for shape, array in zip(shapes, arrays)))


def check_hidden(program):
    """The workspace of tensors that are no arguments."""
    ask = lambda *sizes: program.workspace(mlp(*sizes))  # noqa: E731
    # Straight in m, where no rounding hides it, up to sizes that no memory has.
    small, large = ask(1 << 10, 16, 256, 16), ask(1 << 11, 16, 256, 16)
    slope = (large - small) >> 10
    assert slope >= 256 and (large - small) % (1 << 10) == 0, (small, large)
    for m in (1 << 31, (1 << 31) + 256, 1 << 32, 1 << 40):
        assert ask(m, 16, 256, 16) == small + slope * (m - (1 << 10)), m
    too_large = "workspace: expects fewer than 2^63 bytes of temporaries for these sizes"
    for sizes in ((1 << 40, 1, 1 << 40, 1), (1 << 32, 1, 1 << 32, 1), (1 << 31, 1, 1 << 32, 1),
                  ((1 << 62) // 3, 1, 3, 1)):
        assert ask(*sizes) == too_large, (sizes, ask(*sizes))
        assert program.run(mlp(*sizes)) == too_large, sizes


def check_arguments(program):
    """Sizes that arguments may not have."""
    def message(*sizes):
        tensors = mlp(*sizes)
        answer = program.workspace(tensors)
        assert program.run(tensors) == answer, answer
        return answer

    assert message(-1, 8, 8, 8) == (
        "tensor 0 (arg0): expects a size of 0 or more in dimension 0, but got -1")
    assert message(1 << 40, 1 << 40, 8, 8) == (
        "tensor 0 (arg0): expects fewer than 2^63 elements")
    assert message(-(1 << 63), 0, 8, 8) == (
        f"tensor 0 (arg0): expects a size of 0 or more in dimension 0, but got {-(1 << 63)}")
    # A product that comes out small again.
    assert message(1 << 33, 1 << 33, 8, 8) == (
        "tensor 0 (arg0): expects fewer than 2^63 elements")


def check_empty(program):
    """Sizes of 0: a sum of no product is 0, and nothing else is written."""
    for sizes in ((4, 8, 8, 8), (0, 8, 8, 8), (4, 0, 8, 8), (4, 8, 0, 8), (4, 8, 8, 0), (0, 0, 0, 0)):
        m, k, h, n = sizes
        arrays = [np.full(shape, 0x3F80, np.uint16) for shape in ((m, k), (h, k), (n, h))]
        guarded = np.full(m * n + 2, 0x4242, np.uint16)
        failure = program.run(mlp(*sizes, [*arrays, guarded[1:]]))
        assert failure is None, failure
        want = 0x4280 if k and h else 0  # 64 = 8 x 8
        assert (guarded[1:-1] == want).all(), (sizes, guarded)
        assert guarded[0] == guarded[-1] == 0x4242, sizes


def check_large(program, m, n):
    """More than 2^31 elements: each is where it belongs."""
    count = m * n
    # A pattern of small whole numbers, whose period divides no size.
    x = np.resize(np.arange(-120, 121).astype(np.float32).view(np.uint32) >> 16, count)
    x = x.astype(np.uint16)
    x[-1] = np.float32(448).view(np.uint32) >> 16
    scale, amax = np.float32([1]), np.float32([0])
    q, t = np.zeros(count, np.uint8), np.zeros(count, np.uint8)
    failure = program.run(describe(
        ((m, n), "bf16", x), ((), "f32", scale), ((), "f32", amax),
        ((m, n), "f8E4M3FN", q), ((n, m), "f8E4M3FN", t)))
    assert failure is None, failure
    assert amax[0] == 448, amax
    codes = np.arange(1 << 16).astype(np.uint16).view(ml_dtypes.bfloat16).astype(np.float32)
    with np.errstate(invalid="ignore"):
        codes = codes.clip(-448, 448).astype(ml_dtypes.float8_e4m3fn)
    assert (codes.view(np.uint8)[x] == q).all()
    assert (q.reshape(m, n).T == t.reshape(n, m)).all()


def main():
    folder = sys.argv[1]
    program = Program(folder, "mlp", MLP)
    check_hidden(program)
    check_hidden(Program(folder, "mlp", MLP, "sm_90"))
    check_arguments(program)
    check_empty(program)
    if "--large" in sys.argv:
        check_large(Program(folder, "cast", CAST), (1 << 20) + 1, 2050)


if __name__ == "__main__":
    main()
