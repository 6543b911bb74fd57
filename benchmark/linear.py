#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward of one bias-free linear layer on a GPU, side by side.

    linear.py BUNDLE [--shapes MxKxN ...] [--prototype FILE] [--json FILE] [--plot FILE]

BUNDLE holds lib/libfp8rt.so.0 and linear/MxKxN[-pow2|-gemms].so, which
utils/gpu-bundle.sh makes. Columns, in ms: bf16 PyTorch, torchao's tensorwise
recipe compiled (where torchao is installed), a plan written by hand in Triton
(with --prototype), and the compiled functions of the recipes tensorwise ("ours")
and tensorwise_pow2 ("ours-pow2", which reads x, weight and dy once while its
predictions are right, as they are here but for the first call), and those of steps
in two functions, forward and then backward (linear/MxKxN[-pow2]-split.so,
"ours-split"), each called plainly and as a CUDA graph; three FP8 matmuls alone,
the better of torch._scaled_mm and of the compiled ones, with tuned plans where
FP8_PLAN_CACHE has them; and the floors: those and the bytes of the glue at the copy
bandwidth of this run, 6 an element of x, weight and dy (bf16 read twice, FP8
written twice), or 4 with the recipe that reads once. Times are medians of
triton.testing.do_bench, which flushes the L2 cache, after 0.6 s of idle, all
columns of a shape in turn, three times.

Before anything is timed, the results are compared: scales and FP8 bytes are
those of PyTorch's eager formula, so y and the gradients must equal
torch._scaled_mm on them within the rounding of bf16.
"""

import argparse
import ast
import itertools
import json
import os
import statistics
import sys
import time
import types

import torch
from triton.testing import do_bench

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "support"))

import cuda_step  # noqa: E402

SHAPES = ["2048x2048x2048", "4096x4096x4096", "16384x768x3072", "16384x2048x8192",
          "8192x8192x8192", "16384x4096x14336"]
E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2


def median(function):
    torch.cuda.synchronize()
    time.sleep(0.6)
    return do_bench(function, warmup=15, rep=60, return_mode="median")


def graphed(function):
    """`function` captured once, and replayed."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            function()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function()
    return graph.replay


def quantize(x, dtype, pow2=False):
    """PyTorch's eager formula: bytes and the reciprocal of the scale."""
    top = torch.finfo(dtype).max
    scale = (top / x.float().abs().max().double().clamp(min=1e-12)).float()
    if pow2:  # without its fraction
        scale = (scale.view(torch.int32) & -0x800000).view(torch.float32)
    q = (x.float() * scale).clamp(-top, top).to(dtype)
    return q, scale.reciprocal()


def scaled_mm(a, b_transposed, scale_a, scale_b, fast):
    return torch._scaled_mm(a, b_transposed.t(), scale_a=scale_a, scale_b=scale_b,
                            out_dtype=torch.bfloat16, use_fast_accum=fast)


def expected(x, w, dy, pow2):
    (qx, sx), (qw, sw) = quantize(x, E4M3, pow2), quantize(w, E4M3, pow2)
    qd, sd = quantize(dy, E5M2, pow2)
    y = scaled_mm(qx, qw, sx, sw, True)
    dx = scaled_mm(qd, qw.t().contiguous(), sd, sw, False)
    dw = scaled_mm(qd.t().contiguous(), qx.t().contiguous(), sd, sx, False)
    return y, dx, dw


def relative(out, ref):
    return ((out.double() - ref.double()).norm() / ref.double().norm()).item()


def copy_bandwidth():
    """Bytes read and written a second by a device-to-device copy."""
    a = torch.empty(1 << 31, dtype=torch.uint8, device="cuda")
    b = torch.empty_like(a)
    return 2 * a.numel() / (median(lambda: b.copy_(a)) * 1e-3)


def torchao_step(x, w, dy):
    """A compiled linear of torchao's tensorwise recipe, or None."""
    try:
        from torchao.float8 import Float8LinearConfig, convert_to_float8_training
    except ImportError as error:
        print("torchao is left out:", error)
        return None
    layer = torch.nn.Linear(w.shape[1], w.shape[0], bias=False, device="cuda",
                            dtype=torch.bfloat16)
    layer.weight.data.copy_(w)
    model = torch.nn.Sequential(layer)
    convert_to_float8_training(
        model, config=Float8LinearConfig.from_recipe_name("tensorwise"))
    model = torch.compile(model)
    x = x.clone().requires_grad_()

    def step():
        x.grad = None
        for parameter in model.parameters():
            parameter.grad = None
        model(x).backward(dy)

    step()
    return step


def load_prototype(path):
    """The class Lin of a Triton script, without running what it does besides."""
    with open(path) as file:
        tree = ast.parse(file.read())
    definitions = [node for node in tree.body if isinstance(
        node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))]
    first = min(node.lineno for node in definitions
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    tree.body = [node for node in tree.body if node in definitions
                 or isinstance(node, ast.Assign) and node.lineno < first]
    module = types.ModuleType("prototype")
    module.__file__ = path
    sys.modules["prototype"] = module
    exec(compile(tree, path, "exec"), module.__dict__)
    return module.Lin


def prototype_step(prototype, speculative, x, w, dy):
    step = prototype(x.shape[0], x.shape[1], w.shape[0])
    step.spec = speculative
    step.x, step.w, step.go = x, w, dy
    step()
    step()
    return step


def columns(bundle, runtime, prototype, x, w, dy):
    """Name -> function of everything that is timed."""
    m, k = x.shape
    n = w.shape[0]
    y, dx, dw = torch.empty_like(dy), torch.empty_like(x), torch.empty_like(w)
    functions = {}

    def add(name, function):
        if function is None:
            return
        functions[name] = function
        try:
            functions[name + " graph"] = graphed(function)
        except RuntimeError as error:
            print(f"{name} cannot be captured: {error}")

    def bf16():
        torch.mm(x, w.t(), out=y)
        torch.mm(dy, w, out=dx)
        torch.mm(dy.t(), x, out=dw)

    add("bf16", bf16)
    add("torchao", torchao_step(x, w, dy))
    if prototype:
        add("triton", prototype_step(prototype, False, x, w, dy))
        add("triton-pow2", prototype_step(prototype, True, x, w, dy))
    for suffix, form in itertools.product(("", "-pow2"), ("", "-split")):
        name = f"{m}x{k}x{n}{suffix}{form}"
        path = os.path.join(bundle, "linear", name + ".so")
        if not os.path.exists(path):
            continue
        step = cuda_step.open_step(runtime, path, [x, w, dy], [y, dx, dw])
        for tensor in (y, dx, dw):
            tensor.fill_(float("nan"))
        step()
        errors = [relative(out, ref) for out, ref in
                  zip((y, dx, dw), expected(x, w, dy, suffix == "-pow2"))]
        print(f"{name}: relative difference from torch._scaled_mm "
              + ", ".join(f"{error:.1e}" for error in errors))
        assert all(error < 1e-2 for error in errors), errors
        add("ours" + suffix + form, step)
    return functions


def gemm_time(bundle, runtime, x, w, dy):
    """The three FP8 matmuls alone, on operands that lie right."""
    (qx, sx), (qw, sw), (qd, sd) = quantize(x, E4M3), quantize(w, E4M3), quantize(dy, E5M2)
    qwt, qxt, qdt = qw.t().contiguous(), qx.t().contiguous(), qd.t().contiguous()

    def library():
        scaled_mm(qx, qw, sx, sw, True)
        scaled_mm(qd, qwt, sd, sw, False)
        scaled_mm(qdt, qxt, sd, sx, False)

    name = f"{x.shape[0]}x{x.shape[1]}x{w.shape[0]}-gemms.so"
    compiled = cuda_step.Step(
        runtime, os.path.join(bundle, "linear", name),
        [qx, qw, qd, qxt, qwt, qdt, sx, sw, sd,
         torch.empty_like(dy), torch.empty_like(x), torch.empty_like(w)])
    return min(median(graphed(step)) for step in (library, compiled, library, compiled))


def measure(bundle, runtime, prototype, shape, bandwidth):
    m, k, n = map(int, shape.split("x"))
    x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(n, k, device="cuda", dtype=torch.bfloat16) / k**0.5
    dy = torch.randn(m, n, device="cuda", dtype=torch.bfloat16)
    functions = columns(bundle, runtime, prototype, x, w, dy)
    times = {name: [] for name in functions}
    for _ in range(3):
        for name, function in functions.items():
            times[name].append(median(function))
    row = {name: statistics.median(values) for name, values in times.items()}
    row["gemms"] = gemm_time(bundle, runtime, x, w, dy)
    elements = x.numel() + w.numel() + dy.numel()
    for name, size in (("floor", 6), ("floor-pow2", 4)):
        row[name] = row["gemms"] + size * elements / bandwidth * 1e3
    return row


def plot(rows, path):
    """Each column over the floor."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(9, 5))
    names = [name for name in next(iter(rows.values()))
             if name not in ("gemms", "floor", "floor-pow2")]
    for name in names:
        axes.plot(list(rows), [row.get(name, float("nan")) / row["floor"]
                               for row in rows.values()], marker="o", label=name)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_ylabel("time / floor")
    axes.set_ylim(0, 4)
    axes.tick_params(axis="x", rotation=20)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description="one linear, forward and backward")
    parser.add_argument("bundle")
    parser.add_argument("--shapes", nargs="+", default=SHAPES)
    parser.add_argument("--prototype", help="Triton script with a class Lin(M, K, N)")
    parser.add_argument("--json")
    parser.add_argument("--plot")
    options = parser.parse_args()
    cuda_step.find_cublaslt()
    runtime = cuda_step.Runtime(
        os.path.join(options.bundle, "lib", "libfp8rt.so.0"),
        plan_cache=os.environ.get("FP8_PLAN_CACHE", ""))
    bandwidth = copy_bandwidth()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, copy "
          f"{bandwidth / 1e12:.2f} TB/s")
    prototype = load_prototype(options.prototype) if options.prototype else None
    rows = {}
    for shape in options.shapes:
        rows[shape] = measure(options.bundle, runtime, prototype, shape, bandwidth)
        print(shape, " ".join(f"{name} {value:.4f}" for name, value in
                              rows[shape].items()), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"copy_bytes_per_s": bandwidth, "ms": rows}, file, indent=1)
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
