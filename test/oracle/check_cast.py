#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks compiled FP8 casts against the oracle, byte for byte.

    check_cast.py LIBRARY [--types e4m3fn,...] [--sources f32,bf16]
                  [--exhaustive] [--processes N]

LIBRARY exports, for T in e4m3fn, e5m2, e4m3fnuz and e5m2fnuz,

    void cast_T(const float *x, float scale, uint8_t *q, int64_t n);
    void cast_T_bf16(const uint16_t *x, float scale, uint8_t *q, int64_t n);

with q[i] = rne_T(clamp(f32(x[i]) * scale, -max(T), max(T))), NaN kept and
compared as a class. A function that is missing is a failure.

By default, with several scales (zero, infinity and NaN among them) against
ml_dtypes: all 65,536 bf16 inputs; and a million float32: values within 2 ulp of
every rounding midpoint (of the product, too), then uniform bit patterns from a
fixed seed. Then lengths 0 to 70 at every offset modulo 16 elements, with guard
bytes around the output.

--exhaustive: all 2^32 float32 bit patterns at scale 1, in chunks of 2^24,
against the constant intervals of `fp8_oracle.interval_starts` (exact
fractions, no ml_dtypes). With --reference ml_dtypes it compares against that;
LIBRARY `ml_dtypes` stands for ml_dtypes itself as the candidate.

Exit status: 0 if nothing is wrong, 1 if anything is, 2 for a usage error.
"""

import argparse
import concurrent.futures
import ctypes
import multiprocessing
import os
import sys
import time

import numpy as np

import fp8_oracle as fp8
from fp8_oracle import BF16, FORMATS

CHUNK = 1 << 24
CHUNKS = (1 << 32) // CHUNK
RANDOM = 1_000_000
SEED = 20240
GUARD = 64
SHOWN = 5


class Library:
    """The candidate; `call` runs one cast into a given output."""

    def __init__(self, path):
        self.path = path
        self.library = ctypes.CDLL(os.path.abspath(path))

    def function(self, fmt, source):
        name = f"cast_{fmt.name}" + ("_bf16" if source == "bf16" else "")
        function = getattr(self.library, name)
        function.restype = None
        function.argtypes = [ctypes.c_void_p, ctypes.c_float, ctypes.c_void_p,
                             ctypes.c_int64]
        return function

    def has(self, fmt, source):
        try:
            self.function(fmt, source)
        except AttributeError:
            return False
        return True

    def call(self, fmt, source, x, scale, q):
        self.function(fmt, source)(x.ctypes.data, scale, q.ctypes.data, len(x))


class MlDtypes:
    """ml_dtypes as the candidate, to check one oracle with the other."""

    def has(self, fmt, source):
        return True

    def call(self, fmt, source, x, scale, q):
        if source == "bf16":
            x = x.view(BF16)
        q[:] = fp8.cast(x, np.float32(scale), fmt).view(np.uint8)


def open_library(path):
    return MlDtypes() if path == "ml_dtypes" else Library(path)


class Report:
    """Counts per function, and the first wrong inputs of each."""

    def __init__(self):
        self.failed = False

    def mismatch(self, name, x, scale, got, want):
        print(f"{name}: x {x} scale {scale!r}: got {got:#04x}, "
              f"expected {want:#04x}")

    def line(self, name, inputs, wrong):
        print(f"{name}: {inputs} inputs, {wrong} wrong", flush=True)
        self.failed |= wrong > 0


def scales_of(fmt):
    """1, usual scales, both ends, powers of two, and what is not finite."""
    usual = [fp8.scale(np.float32(a), fmt) for a in (3.0, 0.007, 448.0, 1e-12)]
    ends = [fmt.max / 3.4028235e38, 2.0**-126, 2.0**127]
    special = [0.0, float("inf"), float("nan")]
    return [np.float32(s) for s in [1.0, *usual, 2.0**-3, *ends, *special]]


def near_midpoints(fmt, scale):
    """float32 whose product with `scale` is within 2 ulp of a midpoint."""
    starts = fp8.interval_starts(fmt)
    midpoints = (starts - (np.arange(len(starts)) & 1)).astype(np.uint32)
    values = midpoints.view(np.float32)
    with np.errstate(all="ignore"):
        values = values / scale
    values = values[np.isfinite(values)]
    near = values.view(np.uint32).astype(np.int64)[:, None] + np.arange(-2, 3)
    near = near.ravel().clip(0, 0x7FFFFFFF).astype(np.uint32)
    return np.concatenate([near, near | np.uint32(fp8.F32_SIGN)])


def f32_inputs(fmt, scale, index):
    rng = np.random.default_rng([SEED, index])
    edges = [near_midpoints(fmt, np.float32(1))]
    if np.isfinite(scale) and scale > 0:
        edges.append(near_midpoints(fmt, scale))
    edges = np.concatenate(edges)
    random = rng.integers(0, 1 << 32, RANDOM - len(edges), dtype=np.uint32)
    return np.concatenate([edges, random]).view(np.float32)


def compare(library, fmt, source, x, scale, report, shown):
    """Number of wrong bytes; prints the first ones."""
    q = np.full(len(x), 0xA5, np.uint8)
    library.call(fmt, source, x, float(scale), q)
    wide = x.view(BF16) if source == "bf16" else x
    want = fp8.canonical(fp8.cast(wide, scale, fmt).view(np.uint8), fmt)
    wrong = np.flatnonzero(fp8.canonical(q, fmt) != want)
    raw = x.view(np.uint16 if source == "bf16" else np.uint32)
    for i in wrong[: max(0, SHOWN - shown)]:
        report.mismatch(f"{fmt.name} {source}", f"{raw[i]:#x}", float(scale),
                        q[i], want[i])
    return len(wrong)


def check_values(library, fmt, source, report):
    inputs = wrong = 0
    for index, scale in enumerate(scales_of(fmt)):
        if source == "bf16":
            x = np.arange(1 << 16, dtype=np.uint16)
        else:
            every = np.arange(1 << 16, dtype=np.uint32) << 16
            x = np.concatenate([every.view(np.float32),
                                f32_inputs(fmt, scale, index)])
        wrong += compare(library, fmt, source, x, scale, report, wrong)
        inputs += len(x)
    report.line(f"{fmt.name} {source}", inputs, wrong)


def check_lengths(library, fmt, source, report):
    """Short, unaligned arrays: tails of vector loops and stores past them."""
    rng = np.random.default_rng(SEED)
    data = rng.standard_normal(200).astype(np.float32)
    data = data.astype(BF16) if source == "bf16" else data
    want = fp8.cast(data, 3.0, fmt).view(np.uint8)
    storage = data.view(np.uint16) if source == "bf16" else data
    cases = wrong = 0
    for n in range(71):
        for offset in range(16):
            q = np.full(2 * GUARD + 16 + n, 0xA5, np.uint8)
            first = GUARD + (offset * 7) % 16
            x = storage[offset : offset + n]
            library.call(fmt, source, x, 3.0, q[first : first + n])
            expected = np.full_like(q, 0xA5)
            expected[first : first + n] = want[offset : offset + n]
            wrong += not np.array_equal(q, expected)
            cases += 1
    report.line(f"{fmt.name} {source} lengths", cases, wrong)


# ----- every float32


def expected_chunk(fmt, first):
    """uint8[CHUNK]: bytes of the bit patterns first .. first + CHUNK - 1."""
    sign = first & fp8.F32_SIGN
    low = first & (fp8.F32_SIGN - 1)
    starts = fp8.interval_starts(fmt).astype(np.int64)
    codes = np.arange(len(starts)) | (0x80 if sign else 0)
    if fmt.fnuz:
        codes[0] = 0
    starts = np.append(starts, fp8.F32_INF + 1)
    codes = np.append(codes, fmt.nan_code)
    edges = np.append(starts, 1 << 31).clip(low, low + CHUNK)
    return np.repeat(codes.astype(np.uint8), np.diff(edges))


def check_chunk(job):
    """(wrong, [(bits, got, want)]) of one chunk; runs in a child process."""
    path, name, index, reference = job
    fmt = FORMATS[name]
    first = index * CHUNK
    bits = np.arange(first, first + CHUNK, dtype=np.int64).astype(np.uint32)
    x = bits.view(np.float32)
    q = np.full(CHUNK, 0xA5, np.uint8)
    open_library(path).call(fmt, "f32", x, 1.0, q)
    got = fp8.canonical(q, fmt)
    if reference == "ml_dtypes":
        want = fp8.canonical(fp8.cast(x, 1, fmt).view(np.uint8), fmt)
    else:
        want = expected_chunk(fmt, first)
    wrong = np.flatnonzero(got != want)
    samples = [(int(bits[i]), int(q[i]), int(want[i])) for i in wrong[:SHOWN]]
    return len(wrong), samples


def check_every(path, fmt, reference, pool, report):
    jobs = [(path, fmt.name, i, reference) for i in range(CHUNKS)]
    wrong, samples, begin = 0, [], time.monotonic()
    for done, result in enumerate(pool.map(check_chunk, jobs), 1):
        wrong += result[0]
        samples += result[1]
        if sys.stderr.isatty():
            seconds = time.monotonic() - begin
            print(f"\r{fmt.name}: {done}/{CHUNKS} chunks, {wrong} wrong, "
                  f"{seconds:.0f} s", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    for bits, got, want in samples[:SHOWN]:
        report.mismatch(fmt.name, f"{bits:#010x}", 1.0, got, want)
    report.line(fmt.name, CHUNKS * CHUNK, wrong)


def main(argv=None):
    parser = argparse.ArgumentParser(
        description="compare compiled FP8 casts with the oracle"
    )
    parser.add_argument("library", help="shared library, or ml_dtypes")
    parser.add_argument("--types", default=",".join(FORMATS))
    parser.add_argument("--sources", default="f32,bf16")
    parser.add_argument("--exhaustive", action="store_true",
                        help="every float32, at scale 1")
    parser.add_argument("--reference", default="intervals",
                        choices=["intervals", "ml_dtypes"],
                        help="what --exhaustive compares with")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args(argv)

    names, sources = options.types.split(","), options.sources.split(",")
    if set(names) - set(FORMATS) or set(sources) - {"f32", "bf16"}:
        parser.error(f"expects types of {','.join(FORMATS)} and sources of "
                     f"f32,bf16, but got {options.types} and {options.sources}")
    try:
        library = open_library(options.library)
    except OSError as error:
        parser.error(str(error))

    report = Report()
    pool = None
    if options.exhaustive:
        sources = ["f32"]
        # Unlike multiprocessing.Pool, raises when the library kills a child.
        pool = concurrent.futures.ProcessPoolExecutor(
            options.processes, multiprocessing.get_context("fork")
        )
    for name in names:
        fmt = FORMATS[name]
        for source in sources:
            if not library.has(fmt, source):
                print(f"{name} {source}: the library has no such function")
                report.failed = True
            elif pool:
                check_every(options.library, fmt, options.reference, pool,
                            report)
            else:
                check_values(library, fmt, source, report)
                check_lengths(library, fmt, source, report)
    if pool:
        pool.shutdown()
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
