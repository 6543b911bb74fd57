# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matmuls of slices that no leading dimension describes, and their gradients.

Every other column, one column of many, the first batches of several, a bias that
is a column: a library reads copies of them. All numbers are small integers, so
that NumPy's are theirs.
"""

import ctypes
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import compiled  # noqa: E402

TEXT = """
func.func @step(%x: tensor<?x16xf32>, %w: tensor<8x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x16xf32>
  %s = tensor.extract_slice %x[0, 1] [%m, 8] [1, 2] : tensor<?x16xf32> to tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %y = linalg.matmul ins(%s, %w : tensor<?x8xf32>, tensor<8x5xf32>) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}
func.func @row(%x: tensor<8x16xf32>, %w: tensor<8x5xf32>) -> tensor<1x5xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %x[0, 3] [8, 1] [1, 1] : tensor<8x16xf32> to tensor<8x1xf32>
  %l = tensor.collapse_shape %s [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %r = tensor.expand_shape %l [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %e = tensor.empty() : tensor<1x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5xf32>) -> tensor<1x5xf32>
  %y = linalg.matmul ins(%r, %w : tensor<1x8xf32>, tensor<8x5xf32>) outs(%f : tensor<1x5xf32>) -> tensor<1x5xf32>
  return %y : tensor<1x5xf32>
}
#a = affine_map<(b, h, m, n, k) -> (b, h, m, k)>
#b = affine_map<(b, h, m, n, k) -> (b, h, k, n)>
#c = affine_map<(b, h, m, n, k) -> (b, h, m, n)>
func.func @batches(%x: tensor<2x4x6x5xf32>, %w: tensor<2x3x5x4xf32>) -> tensor<2x3x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %x[0, 1, 0, 0] [2, 3, 6, 5] [1, 1, 1, 1] : tensor<2x4x6x5xf32> to tensor<2x3x6x5xf32>
  %e = tensor.empty() : tensor<2x3x6x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x6x4xf32>) -> tensor<2x3x6x4xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %w : tensor<2x3x6x5xf32>, tensor<2x3x5x4xf32>) outs(%f : tensor<2x3x6x4xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %p = arith.mulf %i, %j : f32
    %q = arith.addf %out, %p : f32
    linalg.yield %q : f32
  } -> tensor<2x3x6x4xf32>
  return %y : tensor<2x3x6x4xf32>
}
#id = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
func.func @bias(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %t: tensor<5x7xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %t[0, 2] [5, 1] [1, 1] : tensor<5x7xf32> to tensor<5xf32>
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = linalg.matmul ins(%x, %w : tensor<3x4xf32>, tensor<4x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %z = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %s : tensor<3x5xf32>, tensor<5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%i: f32, %j: f32, %out: f32):
    %q = arith.addf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<3x5xf32>
  return %z : tensor<3x5xf32>
}
"""


def place(shape, index, value):
    """Zeros of `shape` but for `value` at `index`."""
    result = np.zeros(shape)
    result[index] = value
    return result


def swap(x):
    return np.swapaxes(x, -1, -2)


def step(x, w, g):
    s = np.s_[:, 1::2]
    return x[s] @ w, place(x.shape, s, g @ w.T), x[s].T @ g


def row(x, w, g):
    s = np.s_[:, 3]
    return x[s][None] @ w, place(x.shape, s, (g @ w.T)[0]), x[s][:, None] @ g


def batches(x, w, g):
    s = np.s_[:, 1:4]
    return x[s] @ w, place(x.shape, s, g @ swap(w)), swap(x[s]) @ g


def bias(x, w, t, g):
    s = np.s_[:, 2]
    return x @ w + t[s], g @ w.T, x.T @ g, place(t.shape, s, g.sum(0))


CASES = ((step, (6, 16), (8, 5), (6, 5)), (row, (8, 16), (8, 5), (1, 5)),
         (batches, (2, 4, 6, 5), (2, 3, 5, 4), (2, 3, 6, 4)),
         (bias, (3, 4), (4, 5), (5, 7), (3, 5)))


def main():
    ir = compiled.opt(TEXT, "--fp8-train=recipe=none")
    buffers = compiled.opt(ir, "--convert-fp8-to-linalg", "--convert-fp8-to-blaslt",
                           "--fp8-results-to-destinations", "--fp8-split-empty-tensors",
                           "--one-shot-bufferize=bufferize-function-boundaries "
                           "function-boundary-type-conversion=identity-layout-map", "--canonicalize")
    copied = compiled.opt(buffers, "--fp8-copy-strided-operands")
    assert copied.count("memref.copy") > buffers.count("memref.copy"), "nothing is copied"
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as directory:
        library = ctypes.CDLL(compiled.compile_library(ir, directory))
        for function, *shapes in CASES:
            inputs = [rng.integers(-4, 5, shape).astype(np.float32) for shape in shapes]
            expected = function(*inputs)
            outputs = [np.empty(e.shape, np.float32) for e in expected]
            compiled.call(library, function.__name__, *((x, "f32") for x in inputs + outputs))
            for index, (ours, numpy) in enumerate(zip(outputs, expected)):
                assert (ours == numpy).all(), (function.__name__, index, ours, numpy)
            print(f"{function.__name__}: {len(outputs)} results equal")


if __name__ == "__main__":
    main()
