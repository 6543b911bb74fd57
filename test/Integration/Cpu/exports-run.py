# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every export runs on the CPU, wide and in FP8; `--write` makes docs/Exports.md.

Without FP8 each result is at most 1.05 times as far from the stored reference as
the exported program itself was (test/Inputs/README.md has those figures). In FP8
each result of a file with data is 20 dB or more from the wide program in f64, and
each gradient 15 dB or more. Real sizes (`*_8b`, `*_d20`) are compiled elsewhere
and not run.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
INPUTS = os.path.join(ROOT, "test", "Inputs")
# Files that share another one's data.
SHARED = {"torch_gpt2_mlp_core": "torch_gpt2_mlp", "torch_linear_core_bias": "torch_linear_bias"}
# Differentiated by their exporter.
JOINT = re.compile(r"_train$|_loss$|_split_")
TOO_LARGE = re.compile(r"_8b$|_d20$")
LEAST_FORWARD, LEAST_GRADIENT = 20.0, 15.0


def data_folder(name):
    """The folder with all arguments of `name`, or None."""
    base = SHARED.get(name, re.sub("_train$", "", name))
    folder = os.path.join(INPUTS, "data", base)
    if not os.path.isdir(folder):
        return None
    with open(os.path.join(INPUTS, name + ".mlir")) as file:
        arguments = len(re.findall(r"^// arg\d+:", file.read(), re.M))
    with open(os.path.join(folder, "index.json")) as file:
        return folder if len(json.load(file)["args"]) >= arguments else None


def run(name, recipe, outputs):
    command = ["fp8-run", os.path.join(INPUTS, name + ".mlir"), "--compare",
               f"--recipe={recipe}", f"--outputs={outputs}"]
    if not JOINT.search(name):
        command.append("--backward")
    folder = data_folder(name)
    if folder:
        command.append("--inputs=" + folder)
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, f"{name}, {recipe}: {result.stderr}"
    return result.stdout


def decibels(text):
    return [(label, float(value)) for label, value in
            re.findall(r"^(\S+) +(-?\d+\.\d\d|inf) dB$", text, re.M)]


def own_errors():
    """Relative error of each result of each exported program, as it is."""
    with open(os.path.join(INPUTS, "README.md")) as file:
        rows = re.findall(r"^\| `(\w+)` \| ((?:\S+ [\d.]+e-\d+(?:, )?)+) \|$",
                          file.read(), re.M)
    return {name: [float(entry.split()[-1]) for entry in errors.split(", ")]
            for name, errors in rows}


def check_wide(name, outputs, limits):
    folder = data_folder(name)
    for index, limit in enumerate(limits):
        path = os.path.join(folder, f"result{index}.npy")
        reference = np.load(path).astype(np.float64)
        ours = np.load(os.path.join(outputs, f"result{index}.npy")).astype(np.float64)
        error = np.linalg.norm(ours - reference) / np.linalg.norm(reference)
        assert error <= 1.05 * limit, f"{name}, result {index}: {error} > {limit}"


def check_fp8(name, text):
    for index, (label, value) in enumerate(decibels(text)):
        gradient = index > 0
        least = LEAST_GRADIENT if gradient else LEAST_FORWARD
        assert value >= least, f"{name}, {label}: {value} dB"


def check(name, limits):
    with tempfile.TemporaryDirectory() as directory:
        run(name, "none", directory)
        if name in limits and data_folder(name):
            check_wide(name, directory, limits[name])
    with tempfile.TemporaryDirectory() as directory:
        text = run(name, "tensorwise", directory)
    if data_folder(name):
        check_fp8(name, text)
    return name, text


def describe(name, text):
    """A row of docs/Exports.md."""
    found = re.search(r"^Linears: (\d+) found, (\d+) of (\d+) matmuls in fp8$", text, re.M)
    errors = decibels(text)
    gradients = [value for _, value in errors[1:]]
    least = f"{min(gradients):.1f}" if gradients else ""
    total = re.search(r"^total +(\d+)$", text, re.M)
    wide = re.search(r"^the wide program +(\d+)$", text, re.M)
    kept = f"{total[1]} / {wide[1]}" if total and wide else ""
    return (f"| `{name}` | {found[1]} | {found[2]} of {found[3]} | "
            f"{errors[0][1]:.1f} | {least} | {kept} |\n")


HEAD = """\
# Exports

What `fp8-run --compare` says of each file of `test/Inputs`, on the CPU, recipe
tensorwise, with its reference data where there is any, else random arguments. Errors
are in dB against the wide program in f64; the gradient column has the least of all.
Bytes are what is kept for the backward pass, in FP8 and in the wide program. Made by
`test/Integration/Cpu/exports-run.py --write`.

Kept wide: the products of two computed tensors in attention. Not run here, for their
size: the files that end in `_8b` and `_d20`. `torch_moe_stacked` has random arguments
of variance 1 for weights too; its gradients suffer from that.

| file | linears | matmuls in fp8 | result | gradients | bytes kept, fp8 / wide |
| --- | --- | --- | --- | --- | --- |
"""


def main():
    names = sorted(file[:-5] for file in os.listdir(INPUTS) if file.endswith(".mlir"))
    names = [name for name in names if not TOO_LARGE.search(name)]
    limits = own_errors()
    assert len(names) >= 55 and len(limits) >= 20, (len(names), len(limits))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: check(name, limits), names))
    print(f"{len(results)} exports run")
    if "--write" in sys.argv:
        with open(os.path.join(ROOT, "docs", "Exports.md"), "w") as file:
            file.write(HEAD + "".join(describe(*result) for result in results))


if __name__ == "__main__":
    main()
