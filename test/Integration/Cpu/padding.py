# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Padding changes no byte, and C23's numbers come out.

The CPU takes every size; `--alignment=16` pads as for a GPU. Every result is the
same in every bit. The model's own linear with 17 tokens, all ones, gives y = 16,
dW = 17 and dx = 32.
"""

import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "..", "..", "Inputs")
# Sizes that are no multiples of 16; a bias; batches, a kept matmul and N = 97.
FILES = ("torch_linear_odd", "jax_linear_odd", "torch_nanochat_block", "torch_moe_stacked")

C23 = """
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<17x16xbf16>, %w: tensor<32x16xbf16>, %o: tensor<17x32xf32>) -> tensor<17x32xf32> {
  %0 = linalg.matmul indexing_maps = [#x, #w, #y]
    ins(%x, %w : tensor<17x16xbf16>, tensor<32x16xbf16>)
    outs(%o : tensor<17x32xf32>) -> tensor<17x32xf32>
  return %0 : tensor<17x32xf32>
}
"""


def run(path, directory, *flags):
    """The results of one step, by their names in the directory."""
    subprocess.run(
        ["fp8-run", path, "--backward", f"--outputs={directory}", *flags],
        check=True, stdout=subprocess.DEVNULL,
    )
    return {
        file: np.load(os.path.join(directory, file)) for file in os.listdir(directory)
    }


def check_same(name, directory):
    path = os.path.join(INPUTS, name + ".mlir")
    plain = run(path, os.path.join(directory, name), "--seed=5")
    padded = run(path, os.path.join(directory, name + "16"), "--seed=5", "--alignment=16")
    ir = subprocess.run(
        ["fp8-run", path, "--backward", "--alignment=16", "--emit=pad"],
        check=True, capture_output=True, text=True,
    ).stdout
    pads = len(re.findall(r"tensor\.pad", ir))
    assert pads, f"{name}: nothing is padded"
    assert plain.keys() == padded.keys(), name
    for key in plain:
        same = plain[key].view(np.uint32) == padded[key].view(np.uint32)
        assert same.all(), f"{name}, {key}: {np.count_nonzero(~same)} of {same.size} differ"
    print(f"{name}: {len(plain)} results equal, {pads} pads")


def check_c23(directory):
    path = os.path.join(directory, "c23.mlir")
    with open(path, "w") as file:
        file.write(C23)
    inputs = os.path.join(directory, "in")
    os.makedirs(inputs)
    shapes = [(17, 16), (32, 16), (17, 32), (17, 32)]
    for index, (shape, value) in enumerate(zip(shapes, (1, 1, 0.5, 1))):
        np.save(os.path.join(inputs, f"arg{index}.npy"), np.full(shape, value, np.float32))
    for alignment in (0, 16):
        results = run(path, os.path.join(directory, f"out{alignment}"),
                      f"--inputs={inputs}", f"--alignment={alignment}")
        # y with what outs held, dx, dW, and the gradient of outs.
        for index, expected in enumerate((16.5, 32, 17, 1)):
            result = results[f"result{index}.npy"]
            assert np.allclose(result, expected, rtol=2**-20, atol=0), (index, result)
    print("c23: y, dx and dW as they should be")


def main():
    with tempfile.TemporaryDirectory() as directory:
        check_c23(directory)
        for name in FILES:
            check_same(name, directory)


if __name__ == "__main__":
    sys.exit(main())
