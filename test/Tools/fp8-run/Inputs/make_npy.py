# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes folders of arguments for torch_linear, each but `good` with one fault."""

import os
import sys

import numpy as np


def main():
    x, w = np.ones((64, 128), np.float32), np.ones((256, 128), np.float32)
    inexact = w.copy()
    inexact.flat[5] = 0.1
    faults = {
        "good": w, "missing": None, "shape": w.T.copy(), "type": w.astype(np.complex64),
        "exact": inexact, "short": w, "fortran": np.asfortranarray(w), "text": w,
    }
    for name, second in faults.items():
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder)
        np.save(os.path.join(folder, "arg0.npy"), x)
        if second is not None:
            np.save(os.path.join(folder, "arg1.npy"), second)
    path = os.path.join(sys.argv[1], "short", "arg1.npy")
    os.truncate(path, os.path.getsize(path) - 4)
    with open(os.path.join(sys.argv[1], "text", "arg1.npy"), "w") as file:
        file.write("1 2 3 of something else")


if __name__ == "__main__":
    main()
