# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fp8-run --stats says of the casts of arguments, against NumPy.

One weight is given values of very different sizes, so that both shares count.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "oracle"))

import numpy as np  # noqa: E402

import fp8_oracle as fp8  # noqa: E402

INPUTS = os.path.join(HERE, "..", "..", "Inputs")


def shares(x, fmt):
    """Percent that saturate, percent that are not zero and become zero."""
    scale = fp8.scale(fp8.amax(x), fmt)
    product = np.abs(fp8.to_f32(x) * scale)
    bytes_ = np.asarray(fp8.cast(x, scale, fmt)).view(np.uint8)
    flushed = ((bytes_ & 0x7F) == 0) & (fp8.to_f32(x) != 0)
    return 100 * np.mean(product > 448), 100 * np.mean(flushed)


def main():
    rng = np.random.default_rng(3)
    x = fp8.round_to(rng.standard_normal((64, 128)).astype(np.float32), fp8.BF16)
    w = rng.standard_normal((256, 128)) * 2.0 ** rng.integers(-24, 1, (256, 128))
    w = fp8.round_to(w.astype(np.float32), fp8.BF16)
    with tempfile.TemporaryDirectory() as directory:
        for index, array in enumerate((x, w)):
            np.save(os.path.join(directory, f"arg{index}.npy"), fp8.to_f32(array))
        text = subprocess.run(
            ["fp8-run", os.path.join(INPUTS, "torch_linear.mlir"), "--stats",
             "--inputs=" + directory],
            capture_output=True, text=True, check=True).stdout
    for name, array in (("arg0", x), ("arg1", w)):
        printed = re.search(rf"^{name} in f8E4M3FN +(\S+) % +(\S+) %$", text, re.M)
        expected = shares(array, fp8.FORMATS["e4m3fn"])
        for ours, theirs in zip(printed.groups(), expected):
            assert abs(float(ours) - theirs) < 6e-4, (name, printed.groups(), expected)
        print(name, *printed.groups())
    assert shares(w, fp8.FORMATS["e4m3fn"])[1] > 10, "nothing is flushed: no test"


if __name__ == "__main__":
    main()
