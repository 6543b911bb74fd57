#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a linear layer of JAX, forward and backward in FP8.

    jax_linear.py [--export FILE] [--target cpu|sm_90]

jaxlib exports the layer as linalg, fp8 compiles it, and JAX's arrays go in and out. With
--export the file takes the place of the export (test/Inputs/jax_linear.mlir is one); then it
runs without JAX, too, on NumPy arrays.
"""

import argparse
import sys

import ml_dtypes
import numpy as np

import fp8

TOKENS, IN, OUT, STEPS, RATE = 64, 128, 256, 8, 0.3


def export():
    """The layer as MLIR: StableHLO, which jaxlib takes to linalg on tensors."""
    try:
        import jax
        import jax._src.interpreters.mlir as jax_mlir
        from jaxlib.mlir import ir, passmanager
        from jaxlib.mlir.dialects import stablehlo
    except ImportError as missing:
        sys.exit(f"{missing}: expects JAX; install with\n    pip install jax\n"
                 "or name a file that was exported: --export FILE")

    specs = [jax.ShapeDtypeStruct(s, jax.numpy.bfloat16) for s in [(TOKENS, IN), (IN, OUT)]]
    text = jax.jit(lambda x, w: x @ w).lower(*specs).as_text()
    stablehlo.register_stablehlo_passes()
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        passmanager.PassManager.parse(
            "builtin.module(func.func(chlo-legalize-to-stablehlo),stablehlo-legalize-to-linalg)"
        ).run(module.operation)
        return str(module)


def make_data():
    """x, a weight to begin with, and the outputs of the weight to be found."""
    rng = np.random.default_rng(0)
    x, start, goal = (
        rng.standard_normal(shape).astype(np.float32) / np.float32(scale)
        for shape, scale in [((TOKENS, IN), 1), ((IN, OUT), IN ** 0.5), ((IN, OUT), IN ** 0.5)])
    return x, start, x @ goal


def train(step, xp, narrow):
    """With `xp`, jax.numpy or numpy, which read alike."""
    x, weight, goal = (xp.asarray(array) for array in make_data())
    losses = []
    for _ in range(STEPS):
        y, saved = step.forward(x.astype(narrow), weight.astype(narrow))
        error = y.astype(xp.float32) - goal
        _, d_weight = step.backward(saved, (error / TOKENS).astype(narrow))
        weight = weight - RATE * d_weight.astype(xp.float32)
        losses.append(float(xp.square(error).sum(1).mean() / 2))
    return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--export", metavar="FILE", help="MLIR that was exported before")
    parser.add_argument("--target", default="cpu", help="cpu, or a GPU as sm_90")
    args = parser.parse_args()

    source = args.export or export()
    step = fp8.compile(source, backward=True, split=True, target=args.target,
                       argument_names=["x", "weight"], result_names=["y"])
    print(step.reports)
    try:
        import jax.numpy as jnp
    except ImportError:
        if args.target != "cpu":
            sys.exit(f"target {args.target}: expects JAX; install with\n    pip install jax")
        print("JAX is not installed: on NumPy arrays")
        losses = train(step, np, ml_dtypes.bfloat16)
    else:
        losses = train(step, jnp, jnp.bfloat16)
    print("loss:", " ".join(f"{loss:.4f}" for loss in losses))
    if not losses[-1] < losses[0] / 4:
        sys.exit("the loss does not go down")


if __name__ == "__main__":
    main()
