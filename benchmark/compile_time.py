#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How compile time grows with the number of linear layers.

Generates a model of 100, 300 and 1,000 linears in the spelling of torch-mlir,
with relu^2 between them, and times fp8-opt from the model to buffers: fp8-train,
then what the CPU pipeline does up to and with one-shot bufferization. Fails unless time
grows linearly and the largest stays below a limit (--check). Large modules leave
the caches, the more so where other work shares them; --instructions counts
instructions under valgrind instead, which does not depend on that.

    benchmark/compile_time.py build/bin/fp8-opt --check
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

# The stages up to bufferization, as in lib/Pipelines/Pipelines.cpp.
LOWER = [
    "--convert-fp8-to-linalg",
    "--convert-fp8-to-blaslt",
    "--cse",
    "--fp8-add-size-functions",
    "--fp8-fold-empty-tensors",
    "--fp8-results-to-destinations",
    "--fp8-split-empty-tensors",
    "--eliminate-empty-tensors",
    "--one-shot-bufferize=bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map",
]
SIZES = (100, 300, 1000)
# t(1000) / t(100) at most, and seconds for the largest.
MOST_GROWTH, MOST_SECONDS = 13, 5.0

ELEMENTWISE = (
    '{indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}'
)


def layer(number, last):
    """The text of one linear and its activation; reads %h{number}."""
    n, t = number, "tensor<64x64x"
    text = f"""
    %t{n} = linalg.transpose ins(%w{n} : {t}bf16>) outs(%e : {t}bf16>) permutation = [1, 0]
    %m{n} = linalg.matmul ins(%h{n}, %t{n} : {t}bf16>, {t}bf16>) outs(%z : {t}f32>) -> {t}f32>
    %{"y" if last else "r"}{n} = linalg.generic {ELEMENTWISE} ins(%m{n} : {t}f32>) outs(%e : {t}bf16>) {{
    ^bb0(%in: f32, %out: bf16):
      %c = arith.truncf %in : f32 to bf16
      linalg.yield %c : bf16
    }} -> {t}bf16>"""
    if last:
        return text
    return text + f"""
    %h{n + 1} = linalg.generic {ELEMENTWISE} ins(%r{n} : {t}bf16>) outs(%e : {t}bf16>) {{
    ^bb0(%in: bf16, %out: bf16):
      %p = arith.maximumf %in, %zero : bf16
      %s = arith.mulf %p, %p : bf16
      linalg.yield %s : bf16
    }} -> {t}bf16>"""


def module(count):
    weights = ", ".join(f"%w{n}: tensor<64x64xbf16>" for n in range(count))
    layers = "".join(layer(n, n == count - 1) for n in range(count))
    return f"""#map = affine_map<(d0, d1) -> (d0, d1)>
module {{
  func.func @main(%h0: tensor<64x64xbf16>, {weights}) -> tensor<64x64xbf16> {{
    %zero = arith.constant 0.0 : bf16
    %cst = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x64xbf16>
    %e32 = tensor.empty() : tensor<64x64xf32>
    %z = linalg.fill ins(%cst : f32) outs(%e32 : tensor<64x64xf32>) -> tensor<64x64xf32>{layers}
    return %y{count - 1} : tensor<64x64xbf16>
  }}
}}
"""


def seconds(opt, path, flags, repeats):
    """The shortest of several runs, in seconds of processor time."""
    best = float("inf")
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([opt, path, *flags, "-o", os.devnull], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime
                   + after.ru_stime - before.ru_stime)
    return best


def instructions(opt, path, flags):
    """Instructions executed, in units of 10^9."""
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", opt,
         path, *flags, "-o", os.devnull],
        check=True, capture_output=True, text=True,
    )
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1)) / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("opt", help="path of fp8-opt")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--timing", action="store_true",
                        help="also print the time of each pass of the largest")
    parser.add_argument("--check", action="store_true",
                        help="exit with 1 if time grows faster than linearly")
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions, in 10^9, and not seconds")
    parser.add_argument("--print-module", type=int, metavar="N",
                        help="print the module of N linears and stop")
    args = parser.parse_args()
    if args.print_module:
        print(module(args.print_module))
        return 0

    flags = [f"--fp8-train=target={args.target}", *LOWER, "--mlir-disable-threading"]
    times = {}
    with tempfile.TemporaryDirectory() as directory:
        for count in args.sizes:
            path = os.path.join(directory, f"linears{count}.mlir")
            with open(path, "w") as file:
                file.write(module(count))
            if args.instructions:
                times[count] = instructions(args.opt, path, flags)
            else:
                times[count] = seconds(args.opt, path, flags, args.repeats)
            print(f"{count:5} linears  {times[count]:7.3f}  "
                  f"{1e3 * times[count] / count:6.2f} / 1000 each", flush=True)
        if args.timing:
            subprocess.run([args.opt, path, *flags, "-o", os.devnull, "--mlir-timing"])
    first, last = min(times), max(times)
    growth = times[last] / times[first]
    print(f"growth {growth:.1f} for {last / first:.0f} times the linears")
    good = growth <= MOST_GROWTH * last / first / 10 and (
        last < 1000 or args.instructions or times[last] <= MOST_SECONDS)
    return 0 if good or not args.check else 1


if __name__ == "__main__":
    sys.exit(main())
