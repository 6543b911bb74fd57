#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a linear layer of PyTorch, forward and backward in FP8.

    pytorch_linear.py [--export FILE] [--target cpu|sm_90]

torch-mlir exports the layer, fp8 compiles it, and autograd calls it. With --export the file
takes the place of the export (test/Inputs/torch_linear.mlir is one); then it runs without
PyTorch, too, on NumPy arrays.
"""

import argparse
import sys

import ml_dtypes
import numpy as np

import fp8

TOKENS, IN, OUT, STEPS, RATE = 64, 128, 256, 8, 0.3


def export():
    """The layer as MLIR: linalg on tensors, the weight as an argument."""
    try:
        import torch
        from torch_mlir.fx import export_and_import
    except ImportError as missing:
        sys.exit(f"{missing}: expects PyTorch and torch-mlir; install with\n"
                 "    pip install torch torch-mlir\n"
                 "or name a file that was exported: --export FILE")

    class Linear(torch.nn.Module):
        def forward(self, x, weight):
            return torch.nn.functional.linear(x, weight)

    x = torch.zeros(TOKENS, IN, dtype=torch.bfloat16)
    weight = torch.zeros(OUT, IN, dtype=torch.bfloat16)
    return str(export_and_import(Linear(), x, weight, output_type="linalg-on-tensors"))


def make_data():
    """x, a weight to begin with, and the outputs of the weight to be found."""
    rng = np.random.default_rng(0)
    x, start, goal = (
        rng.standard_normal(shape) / scale
        for shape, scale in [((TOKENS, IN), 1), ((OUT, IN), IN ** 0.5), ((OUT, IN), IN ** 0.5)])
    return x, start, x @ goal.T


def train_torch(torch, step, device):
    """With autograd: the layer is a function with a backward pass of its own."""

    class Fp8Linear(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            y, ctx.saved = step.forward(x.detach(), weight.detach())
            return y

        @staticmethod
        def backward(ctx, d_y):
            return step.backward(ctx.saved, d_y.contiguous())

    x, weight, goal = (torch.tensor(a, dtype=torch.float32, device=device) for a in make_data())
    weight.requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=RATE)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        # Master weights in f32, the layer in bf16, as autocast has it.
        y = Fp8Linear.apply(x.bfloat16(), weight.bfloat16())
        loss = (y.float() - goal).square().sum(1).mean() / 2
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_numpy(step):
    """The same with the gradient of the loss by hand."""
    x, weight, goal = (a.astype(np.float32) for a in make_data())
    narrow = ml_dtypes.bfloat16
    losses = []
    for _ in range(STEPS):
        y, saved = step.forward(x.astype(narrow), weight.astype(narrow))
        error = y.astype(np.float32) - goal
        _, d_weight = step.backward(saved, (error / TOKENS).astype(narrow))
        weight -= RATE * d_weight.astype(np.float32)
        losses.append(float(np.square(error).sum(1).mean() / 2))
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
        import torch
    except ImportError:
        if args.target != "cpu":
            sys.exit(f"target {args.target}: expects PyTorch; install with\n    pip install torch")
        print("PyTorch is not installed: on NumPy arrays")
        losses = train_numpy(step)
    else:
        losses = train_torch(torch, step, "cpu" if args.target == "cpu" else "cuda")
    print("loss:", " ".join(f"{loss:.4f}" for loss in losses))
    if not losses[-1] < losses[0] / 4:
        sys.exit("the loss does not go down")


if __name__ == "__main__":
    main()
