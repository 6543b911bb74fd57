# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s %t %fp8rt_dir/libfp8rt.so
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every export becomes a library for sm_90, with its backward pass, and LLVM IR for
sm_100.

The library has the function and its three companions, and it needs nothing of
CUDA's. For sm_100, whose matmuls take every transposition, the kernels stay PTX.
"""

import concurrent.futures
import ctypes
import os
import re
import subprocess
import sys

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs")
# Differentiated by their exporter.
JOINT = re.compile(r"_train$|_loss$|_split_")


def run(command, environment=None):
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, f"{' '.join(command)}: {result.stderr[-2000:]}"
    return result.stdout


def without_ptxas():
    folders = os.environ["PATH"].split(os.pathsep)
    kept = [path for path in folders if not os.path.exists(os.path.join(path, "ptxas"))]
    return {**os.environ, "PATH": os.pathsep.join(kept), "CUDA_HOME": ""}


def check(name, folder):
    model = os.path.join(INPUTS, name + ".mlir")
    backward = [] if JOINT.search(name) else ["--backward"]
    path = os.path.join(folder, name + ".so")
    run(["fp8-compile", model, "--target=sm_90", *backward, "-o", path])
    library = ctypes.CDLL(path)
    for suffix in ("", "_workspace", "_prepare", "_sizes"):
        assert getattr(library, "main" + suffix), f"{name}{suffix}"
    ir = run(["fp8-run", model, "--target=sm_100", *backward, "--emit=llvm"], without_ptxas())
    assert "sm_100" in ir and "fp8rt_launch" in ir, name
    return name


def main():
    names = sorted(file[:-5] for file in os.listdir(INPUTS) if file.endswith(".mlir"))
    assert len(names) == 58, len(names)
    ctypes.CDLL(sys.argv[2])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda name: check(name, sys.argv[1]), names))
    print(f"{len(done)} exports compiled")


if __name__ == "__main__":
    main()
