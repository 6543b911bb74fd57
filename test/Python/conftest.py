# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the package share."""

import os
import sys

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, os.pardir, os.pardir)
INPUTS = os.path.join(HERE, os.pardir, "Inputs")
sys.path.insert(0, os.path.join(HERE, os.pardir, "oracle"))

import emulate  # noqa: E402
import fp8  # noqa: E402


RECIPES = {
    "none": emulate.Wide(),
    "tensorwise": emulate.Tensorwise(),
    "tensorwise_pow2": emulate.Tensorwise(power_of_two=True),
}


class Program:
    """An export with arguments, and what the NumPy emulation makes of them."""

    def __init__(self, name, recipe):
        self.name = name
        self.path = os.path.join(INPUTS, name + ".mlir")
        names, arguments, dy, _ = emulate.load(name, os.path.join(INPUTS, "data", name))
        if dy is None:
            matrices = [array for array in arguments if array.ndim == 2]
            dy = emulate.seeded_dy(1, (matrices[0].shape[0], matrices[-1].shape[0]))
        emulated = RECIPES[recipe]
        self.names = list(names)
        self.arguments = [np.ascontiguousarray(a) for a in [*arguments, dy]]
        self.expected, _ = emulate.run(name, arguments, dy, emulated)
        self.recipe = recipe

    def compile(self, **options):
        return fp8.compile(
            self.path, backward=True, recipe=self.recipe, argument_names=self.names,
            result_names=["y"], **options)


def same(result, expected):
    """Whether two arrays are equal in type, shape and every bit."""
    result, expected = np.asarray(result), np.asarray(expected)
    return (result.dtype == expected.dtype and result.shape == expected.shape
            and result.tobytes() == expected.tobytes())


@pytest.fixture(scope="session")
def linear():
    return Program("torch_linear", "tensorwise")


@pytest.fixture(scope="session")
def step(linear):
    return linear.compile()
