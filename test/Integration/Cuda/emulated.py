# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels.py without a GPU: the same programs, their kernels on the emulator."""
# REQUIRES: torch
# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s %t %fp8rt_dir/libfp8rt.so %source/include
# RUN: %python %t/kernels.py --emulated --quick
# Threads in the other order: what depends on the order differs.
# RUN: env FP8_EMULATOR_ORDER=reverse %python %t/kernels.py --emulated --quick quantize_bf16_e4m3 quantize_pow2 amax3 column_sum row_sum transpose_bf16

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import emulated  # noqa: E402


def main():
    folder, runtime, include = sys.argv[1:]
    for name in ("lib", "kernels/cpu", "kernels/sm_90", "kernels/emulated"):
        os.makedirs(os.path.join(folder, name))
    shutil.copy(os.path.join(HERE, "kernels.py"), folder)
    shutil.copy(runtime, os.path.join(folder, "lib", "libfp8rt.so.0"))
    emulated.build_emulator(
        os.path.join(folder, "lib", "libfp8emu.so"), include
    )
    sources = os.path.join(HERE, "kernels")
    for file in sorted(os.listdir(sources)):
        name = os.path.splitext(file)[0]
        source = os.path.join(sources, file)
        for target in ("cpu", "sm_90"):
            output = os.path.join(folder, "kernels", target, name + ".so")
            subprocess.run(
                ["fp8-compile", source, f"--target={target}", "-o", output],
                check=True,
            )
        emulated.build(
            source, os.path.join(folder, "kernels", "emulated", name + ".so")
        )


if __name__ == "__main__":
    main()
