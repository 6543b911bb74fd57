#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU time of a compiled step on a GPU, beside the calls that it cannot do without.

    cpu_time.py BUNDLE [--shape MxKxN] [--steps N]

A step of one linear, forward and backward, enqueues a few kernels, a memset and
three matmuls. The time inside cuLaunchKernel, cuMemsetD8Async and cublasLtMatmul
is measured in the same steps by cpu_time.c, which stands between the runtime and
those libraries; needs a C compiler and the libraries where the loader finds
them. Steps run in rows short enough for the device's queue; the medians of many rows,
in microseconds, and their ratio are printed, and the CPU time of replaying the
same step as a CUDA graph.
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "support"))

import cuda_step  # noqa: E402


def build(directory):
    """Compiles cpu_time.c and puts it in the place of the libraries."""
    cuda_step.find_cublaslt()
    cublaslt = os.environ.get("FP8RT_CUBLASLT", "libcublasLt.so.13")
    path = os.path.join(directory, "libcpu_time.so")
    # Both libraries must be in the process before the stand-in asks for them.
    for name in ("libcuda.so.1", cublaslt):
        ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    folder = os.path.dirname(cublaslt)
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", os.path.join(HERE, "cpu_time.c"), "-o", path,
         "-Wl,--no-as-needed", "-l:libcuda.so.1", f"-L{folder or '.'}",
         f"-l:{os.path.basename(cublaslt)}", f"-Wl,-rpath,{folder}"],
        check=True)
    os.environ["FP8RT_LIBCUDA"] = os.environ["FP8RT_CUBLASLT"] = path
    timer = ctypes.CDLL(path)
    timer.fp8_capture_step.restype = ctypes.c_void_p
    return timer


def time_steps(timer, step, count):
    """Microseconds a step, of its calls, and calls a step."""
    total, inside, calls = ctypes.c_double(), ctypes.c_double(), ctypes.c_long()
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    step.runtime.check(timer.fp8_time_steps(
        step.function, step.array, step.runtime.context, step.start, stream, count,
        ctypes.byref(total), ctypes.byref(inside), ctypes.byref(calls)))
    torch.cuda.synchronize()
    return total.value / count * 1e6, inside.value / count * 1e6, calls.value / count


def replay_time(timer, step, count, rows):
    """Microseconds of CPU to launch the step as a graph, in rows of `count`."""
    stream = ctypes.c_void_p(torch.cuda.Stream().cuda_stream)
    torch.cuda.synchronize()
    graph = ctypes.c_void_p(timer.fp8_capture_step(
        step.function, step.array, step.runtime.context, step.start, stream))
    if not graph:
        sys.exit("cpu_time.py: error: the step could not be captured")
    times = []
    for _ in range(rows + 1):
        total = ctypes.c_double()
        step.runtime.check(timer.fp8_time_replays(graph, stream, count, ctypes.byref(total)))
        torch.cuda.synchronize()
        times.append(total.value / count * 1e6)
    return statistics.median(times[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bundle")
    parser.add_argument("--shape", default="2048x2048x2048")
    parser.add_argument("--steps", type=int, default=20, help="steps in a row")
    parser.add_argument("--rows", type=int, default=200)
    options = parser.parse_args()
    m, k, n = map(int, options.shape.split("x"))
    with tempfile.TemporaryDirectory() as directory:
        timer = build(directory)
        runtime = cuda_step.Runtime(os.path.join(options.bundle, "lib", "libfp8rt.so.0"))
        sizes = [(m, k), (n, k), (m, n), (m, n), (m, k), (n, k)]
        tensors = [torch.randn(size, device="cuda", dtype=torch.bfloat16)
                   for size in sizes]
        for suffix in ("", "-pow2"):
            path = os.path.join(options.bundle, "linear", options.shape + suffix + ".so")
            if not os.path.exists(path):
                continue
            step = cuda_step.Step(runtime, path, tensors)
            time_steps(timer, step, options.steps)
            rows = [time_steps(timer, step, options.steps) for _ in range(options.rows)]
            total = statistics.median(row[0] for row in rows)
            inside = statistics.median(row[1] for row in rows)
            ratio = statistics.median(row[0] / row[1] for row in rows)
            print(f"{options.shape}{suffix}: {total:.1f} us a step, {inside:.1f} us in its "
                  f"{rows[0][2]:.0f} calls, ratio {ratio:.3f}; graph replay "
                  f"{replay_time(timer, step, options.steps, options.rows):.1f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
