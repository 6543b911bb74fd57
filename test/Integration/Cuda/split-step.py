# REQUIRES: torch
# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s %t %fp8rt_dir/libfp8rt.so
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda_step.Split without a GPU: libraries for the CPU, on tensors of the CPU.

What steps.py and the benchmark do on a GPU: the header of a library with two
functions tells which tensors there are and what goes from one to the other. Both
forms give the same bits, also after residuals and workspaces were overwritten.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import torch  # noqa: E402

import cuda_step  # noqa: E402

INPUTS = os.path.join(HERE, "..", "..", "Inputs")
# Shapes of the arguments, of the result, and so of the tangent.
PROGRAMS = {
    "torch_linear": ([(64, 128), (256, 128)], (64, 256)),
    "torch_nanochat_mlp": ([(64, 64), (256, 64), (64, 256)], (64, 64)),
}


def results(runtime, path, inputs, shapes):
    outputs = [torch.full(shape, float("nan"), dtype=torch.bfloat16) for shape in shapes]
    step = cuda_step.open_step(runtime, path, inputs, outputs)
    step()
    first = [output.clone() for output in outputs]
    step.overwrite(lambda memory: memory.fill_(0xFF))
    step()
    assert all(torch.equal(*pair) for pair in zip(first, outputs)), path
    return first


def main():
    folder, runtime_path = sys.argv[1:]
    runtime = cuda_step.Runtime(runtime_path, backend="cpu")
    torch.manual_seed(1)
    for name, (arguments, result) in PROGRAMS.items():
        inputs = [torch.randn(shape).bfloat16() for shape in [*arguments, result]]
        forms = []
        for form in ("", "-split"):
            path = os.path.join(folder, name + form + ".so")
            subprocess.run(
                ["fp8-compile", os.path.join(INPUTS, name + ".mlir"), "--backward",
                 *(["--split"] if form else []), "-o", path], check=True)
            forms.append(results(runtime, path, inputs, [result, *arguments]))
        for joint, split in zip(*forms):
            assert torch.equal(joint, split) and joint.count_nonzero(), name
        print(f"{name}: {len(forms[0])} results equal")


if __name__ == "__main__":
    main()
