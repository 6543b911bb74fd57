# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch and JAX, where they are installed: their arrays in, their arrays out."""

import numpy as np
import pytest
from conftest import same


def test_torch(step, linear):
    torch = pytest.importorskip("torch")

    def convert(array):
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)

    def bits(tensor):
        return tensor.view(torch.int16).numpy()

    arguments = [convert(a) for a in linear.arguments]
    results = step(*arguments)
    for result, expected in zip(results, linear.expected):
        assert isinstance(result, torch.Tensor) and result.dtype == torch.bfloat16
        assert same(bits(result), expected.view(np.int16))
    out = tuple(torch.zeros_like(result) for result in results)
    assert all(a is b for a, b in zip(step(*arguments, out=out), out))
    assert all(same(bits(a), bits(b)) for a, b in zip(out, results))
    split = linear.compile(split=True)
    y, saved = split.forward(*arguments[:2])
    gradients = split.backward(saved, arguments[2])
    assert all(same(bits(a), bits(b)) for a, b in zip((y, *gradients), results))
    with pytest.raises(TypeError, match="expects bfloat16, but got float32"):
        step(arguments[0].float(), *arguments[1:])
    with pytest.raises(ValueError, match="argument 0 .x.: .*row-major"):
        step(torch.empty(128, 64, dtype=torch.bfloat16).T, *arguments[1:])
    with pytest.raises(ValueError, match="argument 0 .x.: .*detach"):
        step(arguments[0].clone().requires_grad_(), *arguments[1:])


def test_jax(step, linear):
    jax = pytest.importorskip("jax")
    arguments = [jax.numpy.asarray(a) for a in linear.arguments]
    results = step(*arguments)
    for result, expected in zip(results, linear.expected):
        assert isinstance(result, jax.Array) and result.dtype == jax.numpy.bfloat16
        assert same(np.asarray(result), expected)
    split = linear.compile(split=True)
    y, saved = split.forward(*arguments[:2])
    gradients = split.backward(saved, arguments[2])
    assert all(isinstance(a, jax.Array) for a in (y, *gradients))
    assert all(same(np.asarray(a), b) for a, b in zip((y, *gradients), linear.expected))
    # Its arrays are constants.
    with pytest.raises(ValueError, match="out 0 .y.: .*read-only"):
        step(*arguments, out=results)
