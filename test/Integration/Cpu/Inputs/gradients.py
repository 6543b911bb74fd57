# ===- gradients.py ------------------------------------------------------------===#
#
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
#
# Compiles functions on f64 with their gradients by stock passes, and compares
# the gradients with finite differences. Shares no code with the derivative.

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

LLVM = "/usr/lib/llvm-22/bin"
ROOT = pathlib.Path(__file__).resolve().parents[4]
LOWERING = ",".join(
    """
    func.func(convert-elementwise-to-linalg) canonicalize cse
    func.func(llvm-request-c-wrappers)
    one-shot-bufferize{bufferize-function-boundaries~function-boundary-type-conversion=identity-layout-map}
    buffer-results-to-out-params{modify-public-functions=true}
    func.func(convert-linalg-to-loops) convert-scf-to-cf convert-math-to-funcs
    convert-math-to-llvm convert-math-to-libm expand-strided-metadata
    lower-affine convert-arith-to-llvm convert-cf-to-llvm convert-index-to-llvm
    finalize-memref-to-llvm convert-func-to-llvm reconcile-unrealized-casts
    """.split()
).replace("~", " ")


def find_tool(name):
    for candidate in (
        os.environ.get(name.upper().replace("-", "_")),
        shutil.which(name),
        ROOT / "build" / "bin" / name,
        f"{LLVM}/{name}",
    ):
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    sys.exit(f"{name} not found")


def tensor(shape, element="f64"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Case:
    """A function, arguments for it, and, where finite differences cannot tell
    (ties), the gradients to expect."""

    def __init__(self, name, text, arguments, expected=None):
        # Not the name of a function of libm.
        self.name, self.text = name, text.replace(f"@{name}(", f"@case_{name}(")
        self.arguments = [np.asarray(a, np.float64) for a in arguments]
        self.expected = expected


def maps(*entries):
    return "[" + ", ".join(f"affine_map<{entry}>" for entry in entries) + "]"


MATMUL = re.compile(
    r"(%\S+) = fp8\.matmul (%\S+), (%\S+)(?: acc (%\S+))?(?: bias (%\S+))?( trans_a)?( trans_b)?"
    r"(?: role \w+)?(?: gradient \w+)? : (\S+), (\S+)(?: acc \S+)?(?: bias (\S+))? -> (\S+)")


def expand_matmul(match):
    """fp8.matmul on f64 as fill and linalg.generic, the equation spelled out."""
    r, a, b, acc, bias, ta, tb, at, bt, biast, rt = match.groups()
    rank = rt.count("x")
    own = "%m" + r[1:]  # a prefix for values of our own
    batch = "".join(f"b{i}, " for i in range(rank - 2))
    dims = f"({batch}m, n, k) -> "
    kinds = ", ".join(['"parallel"'] * rank + ['"reduction"'])
    lines = [f"{own}_z = arith.constant 0.0 : f64", f"{own}_e = tensor.empty() : {rt}",
             f"{own}_f = linalg.fill ins({own}_z : f64) outs({own}_e : {rt}) -> {rt}",
             f"{own + '_p' if acc or bias else r} = linalg.generic {{indexing_maps = "
             + maps(dims + f"({batch}{'k, m' if ta else 'm, k'})", dims + f"({batch}{'n, k' if tb else 'k, n'})",
                    dims + f"({batch}m, n)")
             + f", iterator_types = [{kinds}]}} ins({a}, {b} : {at}, {bt}) outs({own}_f : {rt}) {{",
             "^bb0(%ma: f64, %mb: f64, %mo: f64):", "  %mp = arith.mulf %ma, %mb : f64",
             "  %ms = arith.addf %mo, %mp : f64", "  linalg.yield %ms : f64", f"}} -> {rt}"]
    if acc or bias:
        plain = f"({batch}m, n) -> "
        kinds = ", ".join(['"parallel"'] * rank)
        lines += [f"{r} = linalg.generic {{indexing_maps = "
                  + maps(plain + f"({batch}m, n)", plain + f"({batch}m, n)", plain + "(n)", plain + f"({batch}m, n)")
                  + f", iterator_types = [{kinds}]}} ins({own}_p, {acc}, {bias} : {rt}, {rt}, {biast}) outs({own}_e : {rt}) {{",
                  "^bb0(%ma: f64, %mb: f64, %mc: f64, %mo: f64):", "  %mp = arith.addf %ma, %mb : f64",
                  "  %ms = arith.addf %mp, %mc : f64", "  linalg.yield %ms : f64", f"}} -> {rt}"]
    return "\n".join(lines)


def run(command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)[:200]} failed:\n{result.stderr[:4000]}")
    return result.stdout


def compile_module(text, folder):
    opt, source = find_tool("fp8-opt"), folder / "cases.mlir"
    source.write_text(text)
    derived = run([opt, str(source), "--fp8-derive-backward", "--canonicalize", "--cse", "--mlir-print-local-scope"])
    derived = MATMUL.sub(expand_matmul, derived)
    (folder / "derived.mlir").write_text(derived)
    lowered = run([opt, str(folder / "derived.mlir"), f"--pass-pipeline=builtin.module({LOWERING})"])
    (folder / "lowered.mlir").write_text(lowered)
    ir = run([find_tool("mlir-translate"), "--mlir-to-llvmir"], lowered)
    (folder / "cases.ll").write_text(ir)
    run([find_tool("clang-22"), "-O1", "-w", "-ffp-contract=off", "-shared", "-fPIC", "-x", "ir", str(folder / "cases.ll"),
         "-o", str(folder / "cases.so"), f"-L{LLVM}/../lib", f"-Wl,-rpath,{LLVM}/../lib", "-lmlir_c_runner_utils", "-lm"])
    return ctypes.CDLL(str(folder / "cases.so"))


def descriptor(array):
    """A memref descriptor of a contiguous array."""
    rank = array.ndim
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    kind = type("Descriptor", (ctypes.Structure,), {"_fields_": fields})
    value = kind(array.ctypes.data, array.ctypes.data, 0)
    for i in range(rank):
        value.sizes[i] = array.shape[i]
        value.strides[i] = array.strides[i] // 8
    return value


class Function:
    """A joint function: buffers are bound once and refilled for each call."""

    def __init__(self, library, case):
        self.call = getattr(library, f"_mlir_ciface_case_{case.name}")
        results = re.search(r"->\s*\(?(.*?)\)? \{", case.text.strip().split("\n")[0]).group(1)
        self.result_shapes = [self.parse(t, case) for t in re.findall(r"tensor<[^>]*>", results)]
        self.inputs = [np.array(a, order="C") for a in case.arguments]
        self.tangents = [np.zeros(s) for s in self.result_shapes]
        frozen = [("%arg0" in case.text and f"%arg{i}: {tensor(a.shape)} {{fp8.frozen}}" in case.text)
                  for i, a in enumerate(case.arguments)]
        self.wanted = [i for i, f in enumerate(frozen) if not f]
        self.results = [np.zeros(s) for s in self.result_shapes]
        self.gradients = [np.zeros(self.inputs[i].shape) for i in self.wanted]
        self.buffers = [np.array(a) for a in self.inputs + self.tangents]
        self.descriptors = [descriptor(a) for a in self.buffers + self.results + self.gradients]
        self.pointers = [ctypes.byref(d) for d in self.descriptors]

    @staticmethod
    def parse(text, case):
        sizes = re.findall(r"(\d+|\?)x", text)
        return tuple(case.arguments[0].shape[0] if s == "?" else int(s) for s in sizes)

    def __call__(self, inputs):
        for buffer, value in zip(self.buffers, inputs + self.tangents):
            buffer[...] = value
        self.call(*self.pointers)
        return self.results, self.gradients


def finite_difference(function, inputs, index, step=1e-3):
    """Fourth-order central differences of the sum of tangent · result."""
    def value(at, delta):
        moved = [a.copy() for a in inputs]
        moved[index].reshape(-1)[at] += delta
        results, _ = function(moved)
        return sum(np.sum(t * r) for t, r in zip(function.tangents, results))

    gradient = np.zeros(inputs[index].size)
    for at in range(gradient.size):
        near = value(at, step) - value(at, -step)
        far = value(at, 2 * step) - value(at, -2 * step)
        gradient[at] = (8 * near - far) / (12 * step)
    return gradient.reshape(inputs[index].shape)


def check(library, case):
    """An error message, or None."""
    function = Function(library, case)
    rng = np.random.default_rng(7)
    for tangent in function.tangents:
        tangent[...] = rng.uniform(0.5, 1.5, tangent.shape)
    _, gradients = function(case.arguments)
    gradients = [g.copy() for g in gradients]
    for slot, index in enumerate(function.wanted):
        actual = gradients[slot]
        if case.expected is not None:
            # Shares of the only tangent, spread over the reduced dimension.
            tangent = function.tangents[0]
            while tangent.ndim < actual.ndim:
                tangent = tangent[..., None]
            want = np.asarray(case.expected[index]) * tangent * np.ones(actual.shape)
        else:
            want = finite_difference(function, case.arguments, index)
        scale = max(1.0, np.max(np.abs(want), initial=0.0))
        error = np.max(np.abs(actual - want), initial=0.0) / scale
        if not error <= 1e-9:
            return f"{case.name}: gradient {index} is off by {error:.3g}\n got {actual}\nwant {want}"
    return None
