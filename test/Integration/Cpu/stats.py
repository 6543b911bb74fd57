# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fp8-run --stats says of the casts of arguments and of a tangent, against NumPy.

The step forward alone, with its backward pass, and in two functions.

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
    return 100 * np.mean(product > fmt.max), 100 * np.mean(flushed)


def run(arrays, *options):
    with tempfile.TemporaryDirectory() as directory:
        for index, array in enumerate(arrays):
            np.save(os.path.join(directory, f"arg{index}.npy"), fp8.to_f32(array))
        return subprocess.run(
            ["fp8-run", os.path.join(INPUTS, "torch_linear.mlir"), "--stats",
             "--inputs=" + directory, *options],
            capture_output=True, text=True, check=True).stdout


def check(text, name, array, fmt, mlir):
    printed = re.search(rf"^{name} in {mlir} +(\S+) % +(\S+) %$", text, re.M)
    assert printed, f"{name}: {text}"
    expected = shares(array, fp8.FORMATS[fmt])
    for ours, theirs in zip(printed.groups(), expected):
        assert abs(float(ours) - theirs) < 6e-4, (name, printed.groups(), expected)
    print(name, *printed.groups())


def main():
    rng = np.random.default_rng(3)

    def spread(shape, least):
        values = rng.standard_normal(shape) * 2.0 ** rng.integers(least, 1, shape)
        return fp8.round_to(values.astype(np.float32), fp8.BF16)

    x, w, dy = spread((64, 128), 0), spread((256, 128), -24), spread((64, 256), -48)
    assert shares(w, fp8.FORMATS["e4m3fn"])[1] > 10, "nothing is flushed: no test"
    assert shares(dy, fp8.FORMATS["e5m2"])[1] > 10, "nothing is flushed: no test"
    for options in ([], ["--backward"], ["--backward", "--split"]):
        text = run((x, w, dy) if options else (x, w), *options)
        check(text, "arg0", x, "e4m3fn", "f8E4M3FN")
        check(text, "arg1", w, "e4m3fn", "f8E4M3FN")
        if options:
            check(text, "d_result0", dy, "e5m2", "f8E5M2")


if __name__ == "__main__":
    main()
