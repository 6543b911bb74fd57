# RUN: %python %s --count=%modules
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random modules (test/support/random_modules.py) through every pipeline.

    random-modules.py [--seed N] [--count N] [--others N] [--variant NAME]

Seeds N, N+1, ... make a module each. Modules of a batch are functions of one
file. Each batch goes through

    wide       the step without FP8 in f64: within 1e-9 of the reference
    fp8        the step on the CPU: as near to the reference as noise is that
               has the size of the roundings
    none       the step without FP8, likewise
    computed   products of two computed tensors in FP8 too, likewise

    sm_90, sm_100, align16, quantize, partition
               layouts and padding of a target, the forward pass alone, and
               forward and backward as two functions: the bytes of `fp8`
    nvidia     compiled for sm_90, to PTX; not run

`wide` and `fp8` always, of the others one in turn, or as many as --others says;
--variant runs one alone. A line says how to run a module that failed again.
"""

import argparse
import concurrent.futures
import ctypes
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(HERE, "..", "..", "support")
sys.path.insert(0, SUPPORT)

import numpy as np  # noqa: E402

import compiled  # noqa: E402
from random_modules import generate  # noqa: E402
from random_program import DTYPES, Noise  # noqa: E402

BATCH = 20
LOWER = "--fp8-lower-to-cpu"
# What makes the step of each variant on tensors.
STEPS = {
    "wide": ["--fp8-train=recipe=none", "--fp8-widen"],
    "fp8": ["--fp8-train"],
    "none": ["--fp8-train=recipe=none"],
    "computed": ["--fp8-train=computed"],
    "sm_90": ["--fp8-train=target=sm_90"],
    "sm_100": ["--fp8-train=target=sm_100"],
    "align16": ["--fp8-train=alignment=16"],
    "quantize": ["--fp8-quantize"],
    "partition": ["--fp8-train=target=sm_90", "--fp8-partition"],
    "nvidia": ["--fp8-train=target=sm_90"],
}
NOISY = ("fp8", "none", "computed")
ALWAYS = ("wide", "fp8")
OTHERS = [name for name in STEPS if name not in ALWAYS]


class Failure(Exception):
    """A module, or a batch, that went wrong; the message says how."""


# ===------------------------------------------------------------------------===#
# Running
# ===------------------------------------------------------------------------===#


def run_tool(command, text, **kwargs):
    result = subprocess.run(command, input=text, capture_output=True, text=True, **kwargs)
    if result.returncode:
        lines = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        errors = [line for line in lines if "error" in line or "Assertion" in line]
        raise Failure(f"{' '.join(command)}: exit code {result.returncode}: {(errors or lines)[0]}")
    return result.stdout


def without_ptxas():
    """The environment of this process without a CUDA toolkit, so that PTX is
    what kernels end as."""
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_HOME"}
    folders = environment["PATH"].split(os.pathsep)
    environment["PATH"] = os.pathsep.join(
        f for f in folders if not os.path.exists(os.path.join(f, "ptxas")))
    return environment


def to_bits(array, type_name):
    """A contiguous array as the C interface of `type_name` takes it."""
    array = np.ascontiguousarray(np.asarray(array).astype(DTYPES[type_name]))
    return array.reshape(array.shape).view(compiled.TYPES[type_name][1])


def to_f64(array, type_name):
    return array.view(DTYPES[type_name]).astype(np.float64)


class Function:
    """A compiled function, with element types of inputs and results."""

    def __init__(self, library, name, inputs, results, ranks):
        self.library, self.name = library, name
        self.inputs, self.results, self.ranks = inputs, results, ranks

    def shapes(self, arrays):
        """What NAME_sizes says of the results."""
        tensors = (compiled.Tensor * len(arrays))(
            *(compiled.describe(*pair) for pair in zip(arrays, self.inputs)))
        sizes = (ctypes.c_int64 * (sum(self.ranks) + 1))()
        status = getattr(self.library, self.name + "_sizes")(tensors, sizes)
        if status:
            raise Failure(f"{self.name}_sizes: status {status}")
        flat = list(sizes)
        return [tuple(flat[sum(self.ranks[:i]):sum(self.ranks[:i + 1])]) for i in range(len(self.ranks))]

    def __call__(self, arrays):
        outputs = [np.empty(shape, compiled.TYPES[type_name][1])
                   for shape, type_name in zip(self.shapes(arrays), self.results)]
        types = self.inputs + self.results
        compiled.call(self.library, self.name, *zip(list(arrays) + outputs, types))
        return outputs


class Case:
    """A program with what it is run on and what it means."""

    def __init__(self, seed):
        self.seed, self.program = seed, generate(seed)
        self.name = self.program.name
        rng = np.random.default_rng(seed)
        results = self.program.results
        self.tangents = [
            rng.standard_normal([d.size for d in r.dims]).astype(DTYPES[r.type]) for r in results]
        self.expected = self.program.reference([t.astype(np.float64) for t in self.tangents])
        self.arguments = self.program.arguments
        self.types = [a.value.type for a in self.arguments] + [r.type for r in results]
        active = [a.value for a in self.arguments if not a.frozen]
        self.result_types = [v.type for v in results + active]
        self.ranks = [v.rank for v in results + active]

    def arrays(self, types):
        """Arguments and tangents, as bits."""
        values = [a.array for a in self.arguments] + self.tangents
        return [to_bits(v, t) for v, t in zip(values, types)]

    def run(self, library, variant, text):
        """The results as bits."""
        if variant == "partition":
            return self.run_parts(library, text)
        types, results, ranks = self.types, self.result_types, self.ranks
        if variant == "wide":
            types, results = ["f64"] * len(types), ["f64"] * len(results)
        if variant == "quantize":
            count = len(self.program.results)
            types, results, ranks = types[:len(self.arguments)], results[:count], ranks[:count]
        return Function(library, self.name, types, results, ranks)(self.arrays(types))

    def run_parts(self, library, text):
        arrays = self.arrays(self.types)
        forward, _ = self.run_part(library, text, "forward", arrays[:len(self.arguments)])
        tangents = iter(arrays[len(self.arguments):])
        given = []
        for port in compiled.signature(text, self.name + "_backward")[0]:
            if "residual" in port.marks:
                given.append(forward[port.marks["residual"]])
            elif "argument" in port.marks:
                given.append(arrays[port.marks["argument"]])
            else:
                given.append(next(tangents))
        backward, ports = self.run_part(library, text, "backward", given)
        count = len(self.program.results)
        return forward[:count] + backward[:len(ports)]

    def run_part(self, library, text, part, arrays):
        name = f"{self.name}_{part}"
        inputs, results = compiled.signature(text, name)
        function = Function(library, name, [p.type for p in inputs], [p.type for p in results],
                            [len(p.shape) for p in results])
        return function(arrays), results


# ===------------------------------------------------------------------------===#
# Checking
# ===------------------------------------------------------------------------===#


def norm(x):
    return float(np.linalg.norm(x))


def check_shapes(case, results):
    for index, (ours, expected) in enumerate(zip(results, case.expected)):
        if ours.shape != np.shape(expected):
            raise Failure(f"result {index} has shape {ours.shape}, not {np.shape(expected)}")


# Constants of derivatives are f32, as 2 / sqrt(pi) in that of erf.
WIDE_LIMIT, WIDE_LIMIT_ERF = 1e-9, 1e-6


def check_wide(case, results):
    relative = WIDE_LIMIT_ERF if "math.erf" in case.program.text else WIDE_LIMIT
    for index, (ours, expected) in enumerate(zip(results, case.expected)):
        error, limit = norm(ours - expected), relative * (norm(expected) + 1e-3)
        if not error <= limit:
            raise Failure(f"result {index} is {error:g} from the reference of norm {norm(expected):g}")


def noise_errors(case, variant, first, count):
    """For each result, the largest distance that noise makes."""
    largest = [0.0] * len(case.expected)
    tangents = [t.astype(np.float64) for t in case.tangents]
    for number in range(first, first + count):
        noise = Noise(number, variant != "none", variant == "computed")
        for i, moved in enumerate(case.program.reference(tangents, noise)):
            largest[i] = max(largest[i], norm(moved - case.expected[i]))
    return largest


def check_noisy(case, variant, results):
    """Four times the noise; more samples of it before anything is called wrong."""
    values = [to_f64(r, t) for r, t in zip(results, case.result_types)]
    errors = [norm(v - e) for v, e in zip(values, case.expected)]
    limits = [0.0] * len(errors)
    for first, count in ((0, 2), (2, 30)):
        limits = [max(l, 4 * n) for l, n in zip(limits, noise_errors(case, variant, first, count))]
        wrong = [i for i, (e, l) in enumerate(zip(errors, limits)) if not e <= l]
        if not wrong:
            return
    i = wrong[0]
    raise Failure(f"result {i} is {errors[i]:g} from the reference of norm "
                  f"{norm(case.expected[i]):g}; noise moves it by {limits[i] / 4:g}")


def check_same(case, results, others):
    for index, (ours, expected) in enumerate(zip(results, others)):
        type_name = case.result_types[index]
        one, other = to_f64(ours, type_name), to_f64(expected, type_name)
        same = (ours == expected) | (np.isnan(one) & np.isnan(other))
        if not same.all():
            raise Failure(f"result {index} differs from `fp8` in {np.count_nonzero(~same)} of "
                          f"{same.size} elements")


def check_variant(case, variant, library, text, fp8):
    """Runs one function; `fp8` holds the results of that variant."""
    results = case.run(library, variant, text)
    check_shapes(case, results)
    if variant == "wide":
        check_wide(case, results)
    elif variant in NOISY:
        check_noisy(case, variant, results)
    else:
        check_same(case, results, fp8[case.seed])
    if variant == "fp8":
        fp8[case.seed] = results


def check_batch(cases, variant, fp8):
    """Failures by seed. Cases that do not compile together are halved."""
    try:
        return check_together(cases, variant, fp8)
    except Failure as failure:
        if len(cases) == 1:
            return {cases[0].seed: f"{variant}: {failure}"}
    half = len(cases) // 2
    return {**check_batch(cases[:half], variant, fp8), **check_batch(cases[half:], variant, fp8)}


def check_together(cases, variant, fp8):
    """Failures by seed of cases that are compiled together; raises Failure if
    they do not compile."""
    module = "module {\n" + "".join(case.program.text for case in cases) + "}\n"
    if variant == "nvidia":
        run_tool([compiled.tool("FP8_OPT"), *STEPS[variant], "--fp8-lower-to-nvidia", "-o", os.devnull],
                 module, env=without_ptxas())
        return {}
    text = run_tool([compiled.tool("FP8_OPT"), *STEPS[variant]], module)
    with tempfile.TemporaryDirectory() as directory:
        try:
            path = compiled.compile_library(text, directory, optimize="-O0")
        except (RuntimeError, subprocess.CalledProcessError) as error:
            raise Failure(f"{LOWER}: {str(error).splitlines()[0]}") from error
        library = ctypes.CDLL(path)
    failures = {}
    for case in cases:
        try:
            check_variant(case, variant, library, text, fp8)
        except (Failure, AssertionError) as failure:
            failures[case.seed] = f"{variant}: {failure}"
    return failures


def work(seeds, variants):
    """A batch in this process; prints a line for each failure."""
    cases, fp8, bad = [Case(seed) for seed in seeds], {}, set()
    for variant in variants:
        good = [case for case in cases if case.seed not in bad]
        for seed, message in (check_batch(good, variant, fp8) if good else {}).items():
            print(f"FAILED {seed} {message}", flush=True)
            bad.add(seed)


def run_worker(seeds, variants):
    """A batch in a process of its own, which may die."""
    command = [sys.executable, os.path.abspath(__file__), f"--seed={seeds[0]}",
               f"--count={len(seeds)}", f"--worker={','.join(variants)}"]
    result = subprocess.run(command, capture_output=True, text=True)
    failures = dict(re.findall(r"^FAILED (\d+) (.*)$", result.stdout, re.M))
    if result.returncode == 0:
        return failures
    if len(seeds) == 1:
        last = (result.stderr.strip().splitlines() or [""])[-1]
        return {**failures, str(seeds[0]): f"exit code {result.returncode}: {last}"}
    half = len(seeds) // 2
    return {**failures, **run_worker(seeds[:half], variants), **run_worker(seeds[half:], variants)}


def report(failures):
    for seed, message in failures.items():
        print(f"{seed}: {message}")
        variant = message.split(":")[0]
        flag = f" --variant={variant}" if variant in STEPS else ""
        print(f"again: random-modules.py --seed={seed}{flag}; text: random_modules.py {seed}", flush=True)


def variants_of(batch, count, only):
    if only:
        return ["fp8", only] if only not in (*NOISY, "wide", "nvidia") else [only]
    turn = [OTHERS[(count * batch + i) % len(OTHERS)] for i in range(count)]
    return [*ALWAYS, *turn]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--others", type=int, default=1, choices=range(len(OTHERS) + 1))
    parser.add_argument("--variant", choices=list(STEPS))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    seeds = list(range(options.seed, options.seed + options.count))
    if options.worker:
        work(seeds, options.worker.split(","))
        return 0
    batches = [seeds[i:i + BATCH] for i in range(0, len(seeds), BATCH)]
    failures = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(run_worker, batch, variants_of(batch[0] // BATCH, options.others, options.variant))
                for batch in batches]
        for job in concurrent.futures.as_completed(jobs):
            failures.update(job.result())
            report(job.result())
    print(f"{len(seeds)} modules, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
