# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp8-run on a GPU, against fp8-run on the CPU of the same machine.

    run.py BUNDLE

BUNDLE is what `utils/gpu-bundle.sh --with-tools` made: fp8-run, the libraries that
it needs and models in BUNDLE/tools, Debian's packages of LLVM in BUNDLE/packages,
which are unpacked to BUNDLE/llvm first. Each model runs as a step in one function
and in two. Against the wide program in f64, each result is as good as the CPU's,
to SLACK dB; of a linear both forms give the same bits, and so do two runs.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

SLACK = 0.5
TARGET = os.environ.get("FP8_TARGET", "sm_90")


def unpack(bundle):
    """The folders of the libraries of LLVM."""
    root = os.path.join(bundle, "llvm")
    if not os.path.isdir(root):
        for package in glob.glob(os.path.join(bundle, "packages", "*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        subprocess.run(["tar", "-C", bundle, "-xf", os.path.join(bundle, "tools.tar.xz")],
                       check=True)
    return [os.path.join(root, "usr/lib", name) for name in ("llvm-22/lib", "x86_64-linux-gnu")]


def run(bundle, folders, model, options, outputs):
    libraries = [os.path.join(bundle, "lib"), os.path.join(bundle, "tools"), *folders]
    # Behind them what is there: PyTorch's libraries stay out of it.
    environment = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(libraries)}
    result = subprocess.run(
        [os.path.join(bundle, "tools", "fp8-run"), model, "--compare",
         f"--outputs={outputs}", *options],
        capture_output=True, text=True, env=environment)
    assert result.returncode == 0, f"{model}, {options}: {result.stderr}"
    return result.stdout


def decibels(text):
    return {name: float(value) for name, value in
            re.findall(r"^(\S+) +(-?\d+\.\d\d|inf) dB$", text, re.M)}


def load(folder):
    paths = sorted(glob.glob(os.path.join(folder, "*.npy")))
    return [np.load(path).view(np.uint32) for path in paths]


def same(left, right):
    return all(np.array_equal(*pair) for pair in zip(left, right, strict=True))


def check(bundle, folders, model):
    name = os.path.basename(model)[:-5]
    data = model[:-5]
    options = ["--backward"] + ([f"--inputs={data}"] if os.path.isdir(data) else [])
    gpu = [f"--target={TARGET}", *options]
    with tempfile.TemporaryDirectory() as folder:
        def results(kind, arguments):
            outputs = os.path.join(folder, kind)
            text = run(bundle, folders, model, arguments, outputs)
            return decibels(text), load(outputs)

        expected, _ = results("cpu", options)
        joint, joint_bits = results("joint", gpu)
        split, split_bits = results("split", [*gpu, "--split"])
        _, again = results("again", gpu)
    assert same(joint_bits, again), f"{name}: a second run differs"
    assert "linear" not in name or same(joint_bits, split_bits), \
        f"{name}: one and two functions differ"
    assert expected.keys() == joint.keys() == split.keys(), name
    for result, cpu in expected.items():
        print(f"{name}  {result}  CPU {cpu} dB, GPU {joint[result]} dB, split {split[result]} dB")
        least = min(joint[result], split[result])
        assert least >= cpu - SLACK, f"{name}, {result}: {least} dB < {cpu} dB"


def main():
    bundle = os.path.abspath(sys.argv[1])
    folders = unpack(bundle)
    models = sorted(glob.glob(os.path.join(bundle, "tools", "*.mlir")))
    failed = 0
    for model in models:
        try:
            check(bundle, folders, model)
        except AssertionError as error:
            failed += 1
            print("FAILED", error)
    print(f"{len(models) - failed} passed, {failed} failed")
    return 1 if failed or not models else 0


if __name__ == "__main__":
    sys.exit(main())
