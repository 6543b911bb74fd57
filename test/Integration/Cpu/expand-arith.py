# RUN: %python %s --fp8-opt fp8-opt
#
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what fp8-expand-arith builds and compares every bit with an oracle.

Programs go through fp8-expand-arith and upstream's conversions, clang compiles
the LLVM IR, and ctypes calls it. The oracle rounds exact f64 values, integers
and fractions by looking between the neighbours in the table of all numbers of a
type, which ml_dtypes decodes. All NaNs are one.
"""

import argparse
import bisect
import ctypes
import math
import os
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

import ml_dtypes
import numpy as np

FP8 = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU"]
SMALL = FP8 + ["bf16"]
NUMPY = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
STORAGE = {**{t: np.uint8 for t in FP8}, "bf16": np.uint16, "f16": np.float16,
           "f32": np.float32, "f64": np.float64, "i1": np.uint8,
           "i16": np.int16, "i32": np.int32, "i64": np.int64, "i48": np.int64,
           "i60": np.int64}
# One past the greatest finite number, were the exponent or mantissa to go on.
BEYOND = {"f8E4M3FN": 480.0, "f8E5M2": 65536.0, "f8E4M3FNUZ": 256.0,
          "f8E5M2FNUZ": 65536.0, "f8E8M0FNU": 2.0**128, "bf16": 2.0**128}
PREDICATES = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord",
              "ueq", "ugt", "uge", "ult", "ule", "une", "uno"]
CONFIGURATIONS = [("", []), ("canonicalize,cse,", ["-march=native"])]

# Signalling NaNs and overflow are what the inputs are for.
np.seterr(all="ignore")
rng = np.random.default_rng(20240607)
failures = []


# ---------------------------------------------------------------------------
# Oracle
# ---------------------------------------------------------------------------


def decode(codes, type):
    """The f64 values of codes, by ml_dtypes."""
    return np.asarray(codes).view(NUMPY[type]).astype(np.float64)


def all_codes(type):
    return np.arange(65536 if type == "bf16" else 256, dtype=STORAGE[type])


class Table:
    """The magnitudes of a type, ascending, and their codes."""

    def __init__(self, type):
        self.type = type
        self.sign = 0x8000 if type == "bf16" else 0x80
        self.fnuz = type.endswith("FNUZ")
        codes = all_codes(type)
        values = decode(codes, type)
        keep = np.isfinite(values)
        if type != "f8E8M0FNU":
            keep &= codes < self.sign
        self.finite = values[keep]
        assert (np.diff(self.finite) > 0).all()
        self.values = np.append(self.finite, BEYOND[type])
        nan = codes[np.isnan(values)]
        self.nan = int(nan[0])
        self.over = 0x7C if type == "f8E5M2" else self.nan
        self.over = 0x7F80 if type == "bf16" else self.over
        self.middles = (self.values[1:] + self.values[:-1]) / 2
        # Python compares its own floats with integers and fractions exactly.
        self.exact_values = self.values.tolist()
        self.exact_middles = self.middles.tolist()

    def finish(self, magnitude_code, negative, is_nan):
        """Adds the sign and the special codes."""
        code = np.where(magnitude_code >= len(self.finite), self.over,
                        magnitude_code)
        if self.type == "f8E8M0FNU":
            code = np.where(negative, self.nan, code)
        elif self.fnuz:
            code = np.where(negative & (code != 0), code | self.sign, code)
        else:
            code = np.where(negative, code | self.sign, code)
        return np.where(is_nan, self.nan, code).astype(STORAGE[self.type])

    def round(self, x):
        """Rounds f64 values to nearest, ties to the even code."""
        x = np.asarray(x, np.float64)
        is_nan = np.isnan(x)
        magnitude = np.where(is_nan, 0, np.abs(x))
        # The last value not above, and whether the rest reaches the middle.
        low = np.searchsorted(self.values, magnitude, side="right") - 1
        low = np.clip(low, 0, len(self.middles) - 1)
        middle = self.middles[low]
        tie_up = (low % 2 == 1) | (self.type == "f8E8M0FNU")
        up = (magnitude > middle) | ((magnitude == middle) & tie_up)
        negative = np.signbit(x)
        if self.type == "f8E8M0FNU":
            negative = x < 0
        return self.finish(low + up, negative, is_nan)

    def round_exact(self, x):
        """Rounds one Fraction or int."""
        magnitude = abs(x)
        low = bisect.bisect_right(self.exact_values, magnitude) - 1
        low = min(max(low, 0), len(self.exact_middles) - 1)
        middle = self.exact_middles[low]
        tie_up = low % 2 == 1 or self.type == "f8E8M0FNU"
        up = magnitude > middle or (magnitude == middle and tie_up)
        return self.finish(np.array(low + up), x < 0, False)[()]


TABLES = {type: Table(type) for type in SMALL}


def canonical(values, type):
    """Codes with every NaN replaced by one."""
    values = np.asarray(values)
    if type in TABLES:
        bad = np.isnan(decode(values, type))
        return np.where(bad, TABLES[type].nan, values)
    if type in ("f16", "f32", "f64"):
        bits = values.view({2: np.uint16, 4: np.uint32, 8: np.uint64}
                           [values.itemsize])
        return np.where(np.isnan(values), 1, bits)
    return values


def expect(what, got, want, type, inputs=()):
    got, want = canonical(got, type), canonical(want, type)
    wrong = np.flatnonzero(got != want)
    if len(wrong) == 0:
        return
    i = wrong[0]
    operands = ", ".join(str(np.asarray(x)[i]) for x in inputs)
    failures.append(f"{what}: {len(wrong)} of {len(got)} differ, first "
                    f"({operands}): expected {want[i]:#x}, got {got[i]:#x}"
                    if got.dtype.kind in "ui" else
                    f"{what}: ({operands}): expected {want[i]}, got {got[i]}")


# ---------------------------------------------------------------------------
# Compiling
# ---------------------------------------------------------------------------


class Program:
    """Functions that apply a few ops to each element of arrays."""

    def __init__(self):
        self.text, self.signatures = [], {}

    def add(self, name, inputs, output, body):
        """`body` names its operands %0, %1, ... and its result %r."""
        if name in self.signatures:
            return name
        self.signatures[name] = (inputs, output)
        types = inputs + [output]
        arguments = ", ".join(f"%m{i}: memref<?x{t}>"
                              for i, t in enumerate(types))
        loads = "\n".join(f"    %{i} = memref.load %m{i}[%i] : memref<?x{t}>"
                          for i, t in enumerate(inputs))
        self.text.append(f"""
func.func @{name}({arguments}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {{
{loads}
    {body}
    memref.store %r, %m{len(inputs)}[%i] : memref<?x{output}>
  }}
  return
}}""")
        return name

    def compile(self, tools, directory, index):
        passes, flags = CONFIGURATIONS[index]
        pipeline = (
            f"builtin.module(fp8-expand-arith,{passes}convert-scf-to-cf,"
            "convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,"
            "convert-cf-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,"
            "reconcile-unrealized-casts)")
        path = os.path.join(directory, f"program{index}")
        with open(path + ".mlir", "w") as file:
            file.write("\n".join(self.text))
        run(tools.fp8_opt, path + ".mlir", "--pass-pipeline=" + pipeline,
            "-o", path + ".lower.mlir")
        run(tools.mlir_translate, "--mlir-to-llvmir", path + ".lower.mlir",
            "-o", path + ".ll")
        self.check_llvm(path + ".ll")
        # Every symbol must be found: there is no __truncsfbf2 in libgcc.
        run(tools.clang, "-O2", "-shared", "-fPIC", "-Wno-override-module",
            *flags, path + ".ll", "-o", path + ".so", "-Wl,-z,defs", "-lm",
            "-lc")
        self.library = ctypes.CDLL(path + ".so")

    def check_llvm(self, path):
        """No arithmetic on bfloat, nor on any FP8 type, is left."""
        arithmetic = re.compile(
            r"\b(f(add|sub|mul|div|rem|neg|cmp|ptrunc|pext|ptosi|ptoui)|"
            r"[su]itofp|llvm\.\w+\.\S*bf16)\b.*")
        with open(path) as file:
            for line in file:
                if arithmetic.search(line) and re.search("bfloat|bf16", line):
                    failures.append("bf16 arithmetic in LLVM IR: " + line)

    def __call__(self, name, *arrays):
        """Runs a function on arrays of storage, and returns another."""
        inputs, output = self.signatures[name]
        shape = np.shape(arrays[0])
        arrays = [aligned(a, t) for a, t in zip(arrays, inputs)]
        result = aligned(np.zeros(shape), output)
        arguments = []
        for array in arrays + [result]:
            pointer = ctypes.c_void_p(array.ctypes.data)
            arguments += [pointer, pointer] + [
                ctypes.c_int64(k) for k in (0, shape[0], 1)]
        getattr(self.library, name)(*arguments, ctypes.c_int64(shape[0]))
        return result


def aligned(array, type):
    """A copy of `array` on a 64-byte boundary, as vector types ask for."""
    storage = STORAGE[re.sub(r"vector<(.*x)?(\w+)>", r"\2", type)]
    array = np.asarray(array, storage)
    buffer = np.zeros(array.nbytes + 64, np.uint8)
    start = -buffer.ctypes.data % 64
    copy = buffer[start:start + array.nbytes].view(storage)
    copy = copy.reshape(array.shape)
    copy[...] = array
    return copy


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


# ---------------------------------------------------------------------------
# Inputs
# ---------------------------------------------------------------------------


def interesting_f32(type, random=1000000):
    """Random bits, every middle and number of `type`, and what is beside."""
    table = TABLES[type]
    points = np.concatenate([table.values, table.middles])
    points = points[points < 2.0**128].astype(np.float32)
    bits = points.view(np.uint32).astype(np.int64)
    near = np.concatenate([bits + k for k in range(-2, 3)])
    near = near[near >= 0].astype(np.uint32)
    special = np.array([0, 1, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000,
                        0x7FFFFFFF, 0x007FFFFF, 0x00800000], np.uint32)
    positive = np.concatenate([near, special])
    random_bits = rng.integers(0, 2**32, random, np.uint32)
    in_range = (rng.standard_normal(random // 4) * 100).astype(np.float32)
    return np.concatenate([positive, positive | np.uint32(0x80000000),
                           random_bits, in_range.view(np.uint32)]
                          ).view(np.float32)


def interesting_f64(type):
    """f64 beside the middles of `type` and of f32, and random ones."""
    f32 = interesting_f32(type, 20000).astype(np.float64)
    f32 = f32[np.isfinite(f32)]
    beside = np.concatenate([np.nextafter(f32, np.inf),
                             np.nextafter(f32, -np.inf),
                             f32 * (1 + 2.0**-30), f32 * (1 - 2.0**-30)])
    following = np.nextafter(f32.astype(np.float32), np.float32(np.inf))
    middle = (f32 + following) / 2
    bits = rng.integers(0, 2**64, 100000, np.uint64).view(np.float64)
    scaled = rng.standard_normal(100000) * 10.0**rng.integers(-8, 8, 100000)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300,
                        1e-300, -1e-300, 5e-324])
    return np.concatenate([f32, beside, middle, bits, scaled, special])


def pairs(type):
    if type != "bf16":
        a, b = np.meshgrid(all_codes(type), all_codes(type))
        return a.ravel(), b.ravel()
    special = np.array([0, 1, 0x7F, 0x80, 0x3F80, 0x3F81, 0x7F7F, 0x7F80,
                        0x7FC0, 0x8000, 0xBF80, 0xFF80], np.uint16)
    a, b = np.meshgrid(special, special)
    near = rng.integers(0x3C00, 0x4400, (2, 50000)).astype(np.uint16)
    near |= (rng.integers(0, 2, (2, 50000)) << 15).astype(np.uint16)
    any = rng.integers(0, 65536, (2, 50000)).astype(np.uint16)
    return (np.concatenate([x.ravel(), near[i], any[i]])
            for i, x in enumerate((a, b)))


# ---------------------------------------------------------------------------
# Tests: each adds functions to a program and returns what to run
# ---------------------------------------------------------------------------


def test_decode(program, type):
    wides = ["f32", "f64"] + (["bf16", "f16"] if type != "bf16" else [])
    names = {wide: program.add(
        f"extf_{type}_{wide}", [type], wide,
        f"%r = arith.extf %0 : {type} to {wide}") for wide in wides}

    def check():
        codes = all_codes(type)
        for wide, name in names.items():
            want = decode(codes, type).astype(NUMPY[wide])
            if wide == "bf16":
                want = want.view(np.uint16)
            expect(name, program(name, codes), want, wide, [codes])

    return check


def test_truncate(program, type):
    sources = ["f32", "f64"] + (["bf16", "f16"] if type != "bf16" else [])
    names = {source: program.add(
        f"truncf_{source}_{type}", [source], type,
        f"%r = arith.truncf %0 : {source} to {type}") for source in sources}
    table = TABLES[type]

    def check():
        x = interesting_f32(type)
        got = program(names["f32"], x)
        expect(names["f32"], got, table.round(x), type, [x.view(np.uint32)])
        if type != "f8E8M0FNU":
            theirs = x.astype(NUMPY[type]).view(STORAGE[type])
            expect(names["f32"] + " (ml_dtypes)", got, theirs, type, [x])
        x = interesting_f64(type)
        expect(names["f64"], program(names["f64"], x), table.round(x), type,
               [x])
        if type == "bf16":
            return
        x = all_codes("bf16")
        expect(names["bf16"], program(names["bf16"], x),
               table.round(decode(x, "bf16")), type, [x])
        x = np.arange(65536, dtype=np.uint16).view(np.float16)
        expect(names["f16"], program(names["f16"], x), table.round(x), type,
               [x])

    return check


def test_literal_cases(program):
    """Bytes from the case collection: C01, C02, C04, C07."""
    cases = [
        ("f8E4M3FN", [1.0625 + 2**-23, 1.0625], "39 38"),
        ("f8E5M2", [1.125 + 2**-23], "3d"),
        ("f8E5M2", [9, 11, 1.125, 1.375, 13, 15], "48 4a 3c 3e 4a 4c"),
        ("f8E4M3FN", [126.24, 1.9375, 1.0625, 1.1875, 124], "70 40 38 3a 70"),
        ("f8E4M3FN", [256, 448, 464, 464 + 2**-15, 465, 1000, math.inf,
                      -math.inf, math.nan], "78 7e 7e 7f 7f 7f 7f ff 7f"),
        ("f8E5M2", [61439, 61440, math.inf], "7b 7c 7c"),
        ("f8E4M3FNUZ", [247, 248, math.inf, math.nan], "7f 80 80 80"),
        ("f8E4M3FNUZ", [-1e-5, -2**-11, -(2**-11 + 2**-30), -2**-10],
         "00 00 81 81"),
    ]

    def check():
        for type, x, want in cases:
            got = program(f"truncf_f32_{type}", np.array(x, np.float32))
            want = np.frombuffer(bytes.fromhex(want), np.uint8)
            # C01's 464 + 2^-15 and both bytes of a NaN are kept apart here.
            if (got != want).any():
                failures.append(f"{type} {x}: {got.tobytes().hex(' ')}, "
                                f"expected {want.tobytes().hex(' ')}")

    return check


def test_binary(program, type):
    ops = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply,
           "divf": np.divide, "remf": np.fmod, "maximumf": np.maximum,
           "minimumf": np.minimum, "maxnumf": np.fmax, "minnumf": np.fmin}
    names = {op: program.add(f"{op}_{type}", [type, type], type,
                             f"%r = arith.{op} %0, %1 : {type}") for op in ops}

    def check():
        a, b = pairs(type)
        x, y = decode(a, type), decode(b, type)
        for op, name in names.items():
            want = TABLES[type].round(ops[op](x, y))
            got = program(name, a, b)
            if "m" in op[:1] and op != "mulf":
                # Which zero a maxnumf returns is open.
                zero = (x == 0) & (y == 0)
                got, want = got[~zero], want[~zero]
            expect(name, got, want, type, [a, b] if len(got) == len(a) else [])

    return check


def test_signs(program, type):
    ops = {"negf": "arith.negf", "absf": "math.absf"}
    names = {op: program.add(f"{op}_{type}", [type], type,
                             f"%r = {full} %0 : {type}")
             for op, full in ops.items()}
    names["copysign"] = program.add(
        f"copysign_{type}", [type, type], type,
        f"%r = math.copysign %0, %1 : {type}")
    names["isnormal"] = program.add(
        f"isnormal_{type}", [type], "i1", f"%r = math.isnormal %0 : {type}")

    def check():
        codes = all_codes(type)
        x = decode(codes, type)
        table = TABLES[type]
        expect(names["negf"], program(names["negf"], codes), table.round(-x),
               type, [codes])
        expect(names["absf"], program(names["absf"], codes),
               table.round(np.abs(x)), type, [codes])
        a, b = pairs(type)
        known = ~np.isnan(decode(b, type))
        a, b = a[known], b[known]
        want = table.round(np.copysign(decode(a, type), decode(b, type)))
        expect(names["copysign"], program(names["copysign"], a, b), want, type,
               [a, b])
        least = float(ml_dtypes.finfo(NUMPY[type]).smallest_normal)
        if type == "f8E8M0FNU":
            least = 2.0**-127
        want = np.isfinite(x) & (np.abs(x) >= least)
        expect(names["isnormal"], program(names["isnormal"], codes), want, "i1",
               [codes])

    return check


def test_compare(program, type):
    names = {p: program.add(f"cmpf_{p}_{type}", [type, type], "i1",
                            f"%r = arith.cmpf {p}, %0, %1 : {type}")
             for p in PREDICATES}

    def check():
        a, b = pairs(type)
        x, y = decode(a, type), decode(b, type)
        unordered = np.isnan(x) | np.isnan(y)
        relations = {"eq": x == y, "gt": x > y, "ge": x >= y, "lt": x < y,
                     "le": x <= y, "ne": (x != y) & ~unordered}
        for p, name in names.items():
            if p in ("ord", "uno"):
                want = unordered ^ (p == "ord")
            else:
                want = relations[p[1:]] | (unordered & (p[0] == "u"))
            expect(name, program(name, a, b), want, "i1", [a, b])

    return check


def test_integers(program, type):
    widths = ["i16", "i32", "i48", "i60", "i64"]
    names = {(s, i): program.add(
        f"{s}itofp_{i}_{type}", [i], type,
        f"%r = arith.{s}itofp %0 : {i} to {type}")
        for s in "su" for i in widths}
    back = program.add(f"fptosi_{type}", [type], "i64",
                       f"%r = arith.fptosi %0 : {type} to i64")

    def integers(signed, width):
        points = [int(v) for v in np.concatenate(
            [TABLES[type].values, TABLES[type].middles])
                  if 1 <= v < 2.0**65]
        points = points if len(points) < 400 else points[::len(points) // 400]
        near = [p + k for p in points for k in (-1, 0, 1)]
        near += [2**k + d for k in range(64) for d in (-1, 0, 1)]
        near += [int(v) for v in rng.integers(0, 2**63, 1000)]
        near += [int(v) << 1 | 1 for v in rng.integers(0, 2**63, 1000)]
        if signed:
            near += [-v for v in near]
        low, high = ((-2**(width - 1), 2**(width - 1) - 1) if signed else
                     (0, 2**width - 1))
        return [v for v in near if low <= v <= high]

    def check():
        for (s, i), name in names.items():
            width = int(i[1:])
            values = integers(s == "s", width)
            unsigned = {16: np.uint16, 32: np.uint32}.get(width, np.uint64)
            array = np.array(values, STORAGE[i] if s == "s" else unsigned)
            array = array.view(STORAGE[i])
            want = np.array([TABLES[type].round_exact(v) for v in values])
            expect(name, program(name, array), want, type, [values])
        codes = all_codes(type)
        x = decode(codes, type)
        codes, x = codes[np.abs(x) < 2.0**62], x[np.abs(x) < 2.0**62]
        expect(back, program(back, codes), x.astype(np.int64), "i64", [codes])

    return check


def fma_inputs(type):
    """Random ones, and products at a middle with an addend far below."""
    count = 256 if type == "bf16" else 128
    a, b, c = rng.integers(0, len(all_codes(type)), (3, 3000))
    ties = []
    finite = [int(k) for k in rng.permutation(count)[:40]]
    one = int(np.array(1, NUMPY[type]).view(STORAGE[type]))
    for k in finite:
        for m in finite[:20]:
            for tiny in (1, 2, one, one + 1):
                ties.append((one + k % 128 if type == "bf16" else k,
                             one + m % 128 if type == "bf16" else m, tiny))
    a, b, c = (np.concatenate([x, [t[i] for t in ties], [t[i] for t in ties]])
               .astype(STORAGE[type]) for i, x in enumerate((a, b, c)))
    if type != "f8E8M0FNU":
        c[-len(ties):] |= STORAGE[type](TABLES[type].sign)
    return a, b, c


def test_fma(program, type):
    name = program.add(f"fma_{type}", [type] * 3, type,
                       f"%r = math.fma %0, %1, %2 : {type}")

    def check():
        codes = fma_inputs(type)
        values = [decode(c, type) for c in codes]
        finite = np.logical_and.reduce([np.isfinite(v) for v in values])
        codes = [c[finite] for c in codes]
        want, signs = [], []
        for x, y, z in zip(*(v[finite] for v in values)):
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            want.append(TABLES[type].round_exact(exact))
            signs.append(exact != 0)
        keep = np.array(signs)
        got = program(name, *codes)
        expect(name, got[keep], np.array(want)[keep], type,
               [c[keep] for c in codes])

    return check


def test_functions(program, type):
    """Through f32: within one code of the function in f64."""
    ops = {"exp": np.exp, "log": np.log, "tanh": np.tanh, "sqrt": np.sqrt,
           "floor": np.floor, "ceil": np.ceil, "roundeven": np.rint,
           "trunc": np.trunc, "rsqrt": lambda x: 1 / np.sqrt(x)}
    names = {op: program.add(f"{op}_{type}", [type], type,
                             f"%r = math.{op} %0 : {type}") for op in ops}

    def check():
        codes = all_codes(type)
        x = decode(codes, type)
        for op, name in names.items():
            want = TABLES[type].round(ops[op](x))
            got = program(name, codes)
            if op in ("exp", "log", "tanh", "rsqrt"):
                close = np.abs(got.astype(int) - want.astype(int)) <= 1
                got = np.where(close, want, got)
            expect(name, got, want, type, [codes])

    return check


def test_vectors(program, type):
    shapes = {"d0": ("", 1, slice(None)), "d5": ("5x", 8, slice(0, 5)),
              "d2x3": ("2x3x", 8, [0, 1, 2, 4, 5, 6])}
    names = []
    for key, (shape, padded, lanes) in shapes.items():
        def vector(t):
            return f"vector<{shape}{t}>"
        v, w = vector(type), vector("f32")
        names += [
            (program.add(f"vtrunc_{type}_{key}", [w], v,
                         f"%r = arith.truncf %0 : {w} to {v}"),
             f"truncf_f32_{type}", padded, lanes),
            (program.add(f"vext_{type}_{key}", [v], w,
                         f"%r = arith.extf %0 : {v} to {w}"),
             f"extf_{type}_f32", padded, lanes)]
        for op, scalar in [("arith.addf %0, %1", f"addf_{type}"),
                           ("math.copysign %0, %1", f"copysign_{type}")]:
            names.append((program.add(f"v{scalar}_{key}", [v, v], v,
                                      f"%r = {op} : {v}"), scalar, padded,
                          lanes))
        for op in ("arith.negf", "math.absf"):
            scalar = f"{op[-4:]}_{type}"
            names.append((program.add(f"v{scalar}_{key}", [v], v,
                                      f"%r = {op} %0 : {v}"), scalar, padded,
                          lanes))
        for name, ins, out, op, scalar in [
                ("vtrunc64", ["f64"], type, "arith.truncf %0 : {0} to {r}",
                 f"truncf_f64_{type}"),
                ("vfma", [type] * 3, type, "math.fma %0, %1, %2 : {0}",
                 f"fma_{type}"),
                ("vint", ["i64"], type, "arith.sitofp %0 : {0} to {r}",
                 f"sitofp_i64_{type}")]:
            body = "%r = " + op.format(vector(ins[0]), r=vector(out))
            names.append((program.add(f"{name}_{type}_{key}",
                                      [vector(t) for t in ins], vector(out),
                                      body), scalar, padded, lanes))

    def check():
        for name, scalar, padded, lanes in names:
            inputs, output = program.signatures[scalar]
            arrays = []
            for t in inputs:
                size = np.dtype(STORAGE[t]).itemsize
                raw = rng.integers(0, 256, 1000 * padded * size)
                arrays.append(raw.astype(np.uint8).view(STORAGE[t])
                              .reshape(1000, padded))
            got = program(name, *arrays)[:, lanes].ravel()
            picked = [a[:, lanes].ravel() for a in arrays]
            expect(name, got, program(scalar, *picked), output, picked)

    return check


def test_constants(program, type):
    numbers = ["1.0", "0.5", "4.0"]
    values = [1.0, 0.5, 4.0]
    scalars = [program.add(f"constant{i}_{type}", ["i16"], type,
                           f"%r = arith.constant {n} : {type}")
               for i, n in enumerate(numbers)]
    dense = f"dense<[{', '.join(numbers * 2)[:-5]}]> : vector<5x{type}>"
    vector = program.add(f"constantv_{type}", ["vector<5xi16>"],
                         f"vector<5x{type}>", f"%r = arith.constant {dense}")
    splat = program.add(
        f"constants_{type}", ["vector<2x3xi16>"], f"vector<2x3x{type}>",
        f"%r = arith.constant dense<2.0> : vector<2x3x{type}>")

    def check():
        want = TABLES[type].round(values)
        got = np.concatenate([program(s, np.zeros(1)) for s in scalars])
        expect(f"constants of {type}", got, want, type)
        got = program(vector, np.zeros((1, 8)))[0, :5]
        expect(vector, got, np.append(want, want[:2]), type)
        got = program(splat, np.zeros((1, 8)))[0, [0, 1, 2, 4, 5, 6]]
        expect(splat, got, np.repeat(TABLES[type].round([2.0]), 6), type)

    return check


def test_chain(program):
    """C29: each sum is rounded, whatever the flags say."""
    flags = "fastmath<contract>"
    pair = program.add(
        "chain_pair", ["f32"], "f32",
        f"%q = arith.truncf %0 {flags} : f32 to f8E4M3FN\n"
        f"    %r = arith.extf %q {flags} : f8E4M3FN to f32")
    sums = program.add(
        "chain_sums", ["f8E4M3FN"] * 3, "f8E4M3FN",
        f"%s = arith.addf %0, %1 {flags} : f8E4M3FN\n"
        f"    %r = arith.addf %s, %2 {flags} : f8E4M3FN")

    def check():
        x = np.array([1.06, 300.0], np.float32)
        expect(pair, program(pair, x), np.array([1.0, 288.0], np.float32),
               "f32", [x])
        sixteen, one = TABLES["f8E4M3FN"].round([16.0, 1.0])
        got = program(sums, [sixteen], [one], [one])
        expect(sums, got, np.array([sixteen]), "f8E4M3FN")

    return check


def test_f16(program):
    """Left to LLVM, which must round once, too."""
    trunc = program.add("f16_trunc", ["f64"], "f16",
                        "%r = arith.truncf %0 : f64 to f16")
    ops = {"addf": np.add, "mulf": np.multiply, "divf": np.divide}
    names = {op: program.add(f"f16_{op}", ["f16", "f16"], "f16",
                             f"%r = arith.{op} %0, %1 : f16") for op in ops}

    def check():
        halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16)
        x = halves.astype(np.float64)
        middle = (x[1:] + x[:-1]) / 2
        x = np.concatenate([x, middle, np.nextafter(middle, np.inf),
                            np.nextafter(middle, 0), [1e6, np.inf, np.nan]])
        expect(trunc, program(trunc, x), x.astype(np.float16), "f16", [x])
        a, b = rng.integers(0, 65536, (2, 100000)).astype(np.uint16).view(
            np.float16)
        for op, name in names.items():
            want = ops[op](a.astype(np.float64), b.astype(np.float64))
            want = want.astype(np.float16)
            expect(name, program(name, a, b), want, "f16", [a, b])

    return check


# ---------------------------------------------------------------------------
# Main
# ---------------------------------------------------------------------------


def build(program):
    checks = []
    for type in SMALL:
        for test in (test_decode, test_truncate, test_binary, test_signs,
                     test_compare, test_integers, test_fma, test_functions,
                     test_vectors, test_constants):
            checks.append(test(program, type))
    return checks + [test_literal_cases(program), test_chain(program),
                     test_f16(program)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    tool = os.environ.get
    parser.add_argument("--fp8-opt", default=tool("FP8_OPT", "fp8-opt"))
    parser.add_argument("--mlir-translate",
                        default=tool("MLIR_TRANSLATE", "mlir-translate-22"))
    parser.add_argument("--clang", default=tool("CLANG", "clang-22"))
    tools = parser.parse_args()

    for index, (passes, _) in enumerate(CONFIGURATIONS):
        program = Program()
        checks = build(program)
        with tempfile.TemporaryDirectory() as directory:
            program.compile(tools, directory, index)
            for check in checks:
                check()
        if failures:
            print(f"with '{passes}':", *failures[:40], sep="\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
