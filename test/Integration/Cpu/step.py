# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward of four exports, byte for byte.

fp8-run compiles and runs each; test/oracle/emulate.py, which shares no code with
it, computes the same step. Every result is equal in every bit, the errors that
fp8-run prints are those of the emulation, and large enough in decibels.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "oracle"))

import numpy as np  # noqa: E402

import emulate  # noqa: E402
import fp8_oracle  # noqa: E402

INPUTS = os.path.join(HERE, "..", "..", "Inputs")
# At least, in dB, of y and of each gradient.
LEAST = {"tensorwise": (23, 18), "tensorwise_pow2": (23, 18), "none": (40, 40)}


def check(name, recipe_name, directory):
    data = os.path.join(INPUTS, "data", name)
    names, args, dy, _ = emulate.load(name, data)
    if dy is None:
        matrices = [array for array in args if array.ndim == 2]
        dy = emulate.seeded_dy(1, (matrices[0].shape[0], matrices[-1].shape[0]))
    recipe = emulate.make_recipe(recipe_name)
    results, references = emulate.run(name, args, dy, recipe)
    inputs, outputs = os.path.join(directory, "in"), os.path.join(directory, "out")
    emulate.save_inputs(inputs, names, args, dy)
    run = subprocess.run(
        ["fp8-run", os.path.join(INPUTS, name + ".mlir"), "--backward", "--compare",
         f"--recipe={recipe_name}", f"--inputs={inputs}", f"--outputs={outputs}"],
        capture_output=True, text=True,
    )
    assert run.returncode == 0, run.stderr
    printed = re.findall(r"^(\S+) +(-?\d+\.\d\d) dB$", run.stdout, re.M)
    labels = ["result0"] + ["d_" + argument for argument in names]
    assert [label for label, _ in printed] == labels, run.stdout
    for index, (expected, reference) in enumerate(zip(results, references)):
        ours = np.load(os.path.join(outputs, f"result{index}.npy"))
        expected = fp8_oracle.to_f32(expected)
        where = f"{name}, {recipe_name}, {labels[index]}"
        assert ours.shape == expected.shape, f"{where}: {ours.shape}"
        same = ours.view(np.uint32) == expected.view(np.uint32)
        assert same.all(), f"{where}: {np.count_nonzero(~same)} of {same.size} differ"
        db, shown = fp8_oracle.db(reference, expected), float(printed[index][1])
        assert abs(db - shown) < 0.1, f"{where}: {db:.2f} dB, fp8-run says {shown}"
        assert db >= LEAST[recipe_name][min(index, 1)], f"{where}: {db:.2f} dB"
        print(f"{where}: equal, {db:.2f} dB")


def main():
    for name in emulate.PROGRAMS:
        for recipe in LEAST:
            with tempfile.TemporaryDirectory() as directory:
                check(name, recipe, directory)


if __name__ == "__main__":
    main()
