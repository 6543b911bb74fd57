# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s %t %fp8rt_dir %source/include
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp8-run --target=sm_90 without a GPU.

The driver and cuBLASLt are the stand-ins of the runtime's tests, whose matmuls
sum in the order of the CPU; generated kernels run on the emulator. Everything
else is as on a GPU: the code that calls the runtime, plans, memory, copies, the
PTX that is loaded. Exports in one function and in two give the bits of the CPU.
"""

import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import emulated  # noqa: E402

INPUTS = os.path.join(HERE, "..", "..", "Inputs")
PROGRAMS = [
    ("torch_linear", ["--backward"]),
    ("torch_linear", ["--backward", "--split"]),
    ("torch_linear_odd", ["--backward", "--split", "--recompute-arguments"]),
    ("jax_linear_train", ["--split", "--tangents=2"]),
    ("torch_linear_3d_core_dyn", ["--backward", "--split", "--dynamic-size=4"]),
    # Views between the amax reductions and the casts that share a launch.
    ("jax_linear_3d", ["--backward"]),
    ("jax_linear_3d", ["--backward", "--recipe=tensorwise_pow2"]),
]


def environment(folder, fake, kernels):
    """Stand-ins for the GPU's libraries, and no ptxas: they load PTX."""
    folders = os.environ["PATH"].split(os.pathsep)
    kept = [path for path in folders if not os.path.exists(os.path.join(path, "ptxas"))]
    return {
        **os.environ, "PATH": os.pathsep.join(kept), "CUDA_HOME": "",
        "FP8_PLAN_CACHE": "", "FP8RT_LIBCUDA": fake, "FP8RT_CUBLASLT": fake,
        "FP8FAKE_EMULATOR": os.path.join(folder, "libfp8emu.so"),
        "FP8FAKE_KERNELS": kernels,
    }


def run(source, options, outputs, variables=None):
    result = subprocess.run(
        ["fp8-run", source, "--compare", f"--outputs={outputs}", *options],
        capture_output=True, text=True, env=variables,
    )
    assert result.returncode == 0, f"{source}, {options}: {result.stderr}"
    return result.stdout


def results(folder):
    names = sorted(os.listdir(folder))
    return [np.load(os.path.join(folder, name)).view(np.uint32) for name in names]


def check(number, name, options, folder, fake):
    source = os.path.join(INPUTS, name + ".mlir")
    kernels = os.path.join(folder, f"kernels{number}.so")
    emulated.build(source, kernels, options)
    cpu, gpu = os.path.join(folder, f"cpu{number}"), os.path.join(folder, f"gpu{number}")
    expected = run(source, options, cpu)
    printed = run(source, ["--target=sm_90", *options], gpu,
                  environment(folder, fake, kernels))
    for index, (left, right) in enumerate(zip(results(cpu), results(gpu), strict=True)):
        differ = np.count_nonzero(left != right)
        assert differ == 0, f"{name}, {options}, result {index}: {differ} of {left.size}"
        assert np.count_nonzero(left), f"{name}, result {index} is zero"
    # The errors are the same, too: those of both against the wide program.
    errors = [line for line in printed.splitlines() if line.endswith(" dB")]
    assert errors and all(line in expected for line in errors), printed
    print(f"{name} {' '.join(options)}: {len(errors)} results equal")


def main():
    folder, libraries, include = sys.argv[1:]
    emulated.build_emulator(os.path.join(folder, "libfp8emu.so"), include)
    fake = os.path.join(libraries, "libfp8fakecuda.so")
    for number, (name, options) in enumerate(PROGRAMS):
        check(number, name, options, folder, fake)


if __name__ == "__main__":
    main()
