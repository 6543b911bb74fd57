#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward of four exported programs, written out by hand.

    emulate.py NAME [--data DIR] [--recipe tensorwise|tensorwise_pow2|none]
               [--fnuz] [--seed-dy N] [--out DIR] [--save-inputs DIR]

prints, for every result, its distance in dB from the program in float64 and
from the stored resultN.npy, and with --out writes each as float32 .npy, named
as in index.json (y, d_x, d_weight, ...). --save-inputs writes what the
compiled forward and backward takes: argN.npy, dy last, and index.json.

Programs (test/Inputs/NAME.mlir) and shapes, PyTorch's weights being [out, in]:

    torch_linear        x [64, 128], weight [256, 128] -> y [64, 256]
    torch_linear_bias   the same, and bias [256]
    torch_linear_odd    x [33, 100], weight [97, 100] -> y [33, 97]
    torch_nanochat_mlp  x [64, 64], c_fc [256, 64], c_proj [64, 256]
                        -> y [64, 64] = relu(x c_fc^T)^2 c_proj^T

dy has y's shape, each gradient its argument's. Arguments hold bf16 values.

The roundings are those of fp8_oracle.py: one FP8 quantization per
tensor (E4M3 for activations and weights, E5M2 for gradients), every matmul
accumulated in float32 with k ascending and rounded once to bf16, every
elementwise body computed in float32 and rounded once to bf16, sums in float32
in ascending order. The recipe `none` is the same without FP8. `reference_*`
are the programs and their derivatives in float64 without any rounding.
"""

import argparse
import json
import os
import sys

import numpy as np

import fp8_oracle as fp8
from fp8_oracle import BF16, round_to, to_f32

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, os.pardir, "Inputs")


class Wide:
    """Recipe `none`: bf16 operands as they are."""

    def forward(self, x):
        return x

    def gradient(self, dy):
        return dy

    def mm(self, a, b, trans_a=False, trans_b=False, bias=None):
        return fp8.matmul(a, b, trans_a, trans_b, bias=bias)


class Tensorwise:
    """Recipes `tensorwise` and, with scales rounded down to a power of two,
    `tensorwise_pow2`: an operand is (FP8 values, descale)."""

    def __init__(self, power_of_two=False, fnuz=False):
        self.power_of_two = power_of_two
        self.forward_format = fp8.E4M3FNUZ if fnuz else fp8.E4M3FN
        self.gradient_format = fp8.E5M2FNUZ if fnuz else fp8.E5M2

    def forward(self, x):
        return fp8.quantize(
            x, self.forward_format, power_of_two=self.power_of_two
        )

    def gradient(self, dy):
        return fp8.quantize(
            dy, self.gradient_format, power_of_two=self.power_of_two
        )

    def mm(self, a, b, trans_a=False, trans_b=False, bias=None):
        return fp8.scaled_mm(
            a[0], b[0], a[1], b[1], trans_a, trans_b, bias=bias
        )


def positive(h):
    """cmpf ugt, h, 0: NaN counts as greater."""
    return ~(to_f32(h) <= 0)


def linear(recipe, x, weight, bias=None, dy=None):
    """Results in order: y, then d_x, d_weight, d_bias if there is a dy."""
    x8 = recipe.forward(x)
    w8 = recipe.forward(weight)
    y = recipe.mm(x8, w8, trans_b=True, bias=bias)
    if dy is None:
        return [y]
    dy8 = recipe.gradient(dy)
    d_x = recipe.mm(dy8, w8)
    d_weight = recipe.mm(dy8, x8, trans_a=True)
    if bias is None:
        return [y, d_x, d_weight]
    d_bias = np.zeros(dy.shape[-1], np.float32)
    for row in to_f32(dy):
        d_bias += row
    return [y, d_x, d_weight, round_to(d_bias, BF16)]


def nanochat_mlp(recipe, x, c_fc, c_proj, dy=None):
    """Results in order: y, then d_x, d_c_fc, d_c_proj if there is a dy."""
    x8 = recipe.forward(x)
    w1 = recipe.forward(c_fc)
    w2 = recipe.forward(c_proj)
    zero = np.zeros((), BF16)
    with np.errstate(all="ignore"):
        h = recipe.mm(x8, w1, trans_b=True)
        r = np.where(positive(h), h, zero)
        a = round_to(to_f32(r) * to_f32(r), BF16)
        a8 = recipe.forward(a)
        y = recipe.mm(a8, w2, trans_b=True)
        if dy is None:
            return [y]
        dy8 = recipe.gradient(dy)
        d_a = recipe.mm(dy8, w2)
        d_c_proj = recipe.mm(dy8, a8, trans_a=True)
        # Doubling is exact, so where the 2 stands does not matter.
        d_r = round_to(to_f32(d_a) * np.float32(2) * to_f32(r), BF16)
        d_h = np.where(positive(h), d_r, zero)
        dh8 = recipe.gradient(d_h)
        d_x = recipe.mm(dh8, w1)
        d_c_fc = recipe.mm(dh8, x8, trans_a=True)
    return [y, d_x, d_c_fc, d_c_proj]


def reference_linear(x, weight, bias=None, dy=None):
    """`linear` in float64; arguments are float64."""
    y = x @ weight.T
    if bias is not None:
        y = y + bias
    if dy is None:
        return [y]
    gradients = [dy @ weight, dy.T @ x]
    if bias is not None:
        gradients.append(dy.sum(0))
    return [y] + gradients


def reference_nanochat_mlp(x, c_fc, c_proj, dy=None):
    """`nanochat_mlp` in float64; arguments are float64."""
    h = x @ c_fc.T
    keep = ~(h <= 0)
    r = np.where(keep, h, 0.0)
    a = r**2
    y = a @ c_proj.T
    if dy is None:
        return [y]
    d_h = np.where(keep, dy @ c_proj * 2 * r, 0.0)
    return [y, d_h @ c_fc, d_h.T @ x, dy.T @ a]


def make_recipe(name, fnuz=False):
    """The recipe that fp8-run has by this name."""
    if name == "none":
        return Wide()
    return Tensorwise(power_of_two=name == "tensorwise_pow2", fnuz=fnuz)


# name -> (emulation, reference, number of arguments before dy)
PROGRAMS = {
    "torch_linear": (linear, reference_linear, 2),
    "torch_linear_bias": (linear, reference_linear, 3),
    "torch_linear_odd": (linear, reference_linear, 2),
    "torch_nanochat_mlp": (nanochat_mlp, reference_nanochat_mlp, 3),
}


def exact_bf16(a, what):
    """float32 -> bf16; refuses a value that bf16 does not hold."""
    rounded = round_to(a, BF16)
    if not np.array_equal(to_f32(rounded), a, equal_nan=True):
        raise ValueError(f"{what} holds a value that is not a bf16")
    return rounded


def seeded_dy(seed, shape):
    """Standard normal numbers of numpy's default_rng(seed), rounded to bf16.

    They are rounded to float32 on the way, which is part of the definition.
    """
    numbers = np.random.default_rng(seed).standard_normal(shape)
    return round_to(numbers.astype(np.float32), BF16)


def load(name, directory):
    """(argument names, bf16 arguments, dy or None, [(name, stored result)])."""
    with open(os.path.join(directory, "index.json")) as f:
        index = json.load(f)
    read = lambda entry: np.load(os.path.join(directory, entry["file"]))
    entries = index["args"]
    count = PROGRAMS[name][2]
    args = [exact_bf16(read(e), e["name"]) for e in entries]
    dy = args[count] if len(args) > count else None
    names = [e["name"] for e in entries[:count]]
    results = [(e["name"], read(e)) for e in index["results"]]
    return names, args[:count], dy, results


def save_inputs(directory, names, args, dy):
    """Writes argN.npy (float32, dy last) and index.json."""
    os.makedirs(directory, exist_ok=True)
    entries = []
    pairs = list(zip(names, args)) + ([] if dy is None else [("dy", dy)])
    for i, (name, value) in enumerate(pairs):
        file = f"arg{i}.npy"
        np.save(os.path.join(directory, file), to_f32(value))
        entries.append(dict(file=file, name=name, shape=list(value.shape)))
    with open(os.path.join(directory, "index.json"), "w") as f:
        json.dump({"args": entries, "results": []}, f, indent=1)
        f.write("\n")


def run(name, args, dy, recipe):
    """(emulated results in bf16, the same in float64)."""
    emulation, reference, count = PROGRAMS[name]
    bias = list(args) + [None] * (3 - count)
    wide = [None if t is None else t.astype(np.float64) for t in bias + [dy]]
    return emulation(recipe, *bias, dy), reference(*wide)


def main(argv=None):
    parser = argparse.ArgumentParser(
        description="FP8 forward and backward of an exported program in numpy"
    )
    parser.add_argument("name", choices=sorted(PROGRAMS))
    parser.add_argument("--data", help="folder of argN.npy and index.json")
    parser.add_argument("--recipe", default="tensorwise",
                        choices=["tensorwise", "tensorwise_pow2", "none"])
    parser.add_argument("--fnuz", action="store_true",
                        help="the FNUZ pair of types")
    parser.add_argument("--seed-dy", type=int, metavar="N",
                        help="take dy from this seed, not from the data")
    parser.add_argument("--out", help="write the results here")
    parser.add_argument("--save-inputs", metavar="DIR",
                        help="write the arguments and dy here")
    options = parser.parse_args(argv)

    directory = options.data or os.path.join(INPUTS, "data", options.name)
    names, args, dy, stored = load(options.name, directory)
    if options.seed_dy is not None:
        matrices = [a for a in args if a.ndim == 2]
        shape = (matrices[0].shape[0], matrices[-1].shape[0])
        dy = seeded_dy(options.seed_dy, shape)
        stored = stored[:1]  # the stored gradients belong to another dy
    recipe = make_recipe(options.recipe, options.fnuz)
    results, references = run(options.name, args, dy, recipe)
    labels = ["y"] + ["d_" + n for n in names]
    stored = dict(stored)
    for label, result, reference in zip(labels, results, references):
        line = f"{label}  {fp8.db(reference, result):.2f} dB"
        if label in stored:
            line += f"  stored {fp8.db(stored[label], result):.2f} dB"
        print(line)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        for label, result in zip(labels, results):
            np.save(os.path.join(options.out, label + ".npy"), to_f32(result))
    if options.save_inputs:
        save_inputs(options.save_inputs, names, args, dy)
    return 0


if __name__ == "__main__":
    sys.exit(main())
