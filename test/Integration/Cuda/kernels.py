#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated kernels on a GPU, byte for byte against the same programs compiled
for the CPU, and against PyTorch where it has them.

Runs in the folder that utils/bundle-kernels.sh makes; needs PyTorch with CUDA
and neither LLVM nor this repository. `--time` adds the speed of the kernels that
matter beside a copy. Exits with 1 if a byte differs. NaNs compare as a class.
"""

import argparse
import ctypes
import itertools
import os
import statistics
import sys
import time

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {  # fp8rt_type, bytes, dtype of the same width
    "f32": (2, 4, torch.float32),
    "f16": (3, 2, torch.float16),
    "bf16": (4, 2, torch.bfloat16),
    "e4m3": (5, 1, torch.float8_e4m3fn),
    "e5m2": (6, 1, torch.float8_e5m2),
}


class Tensor(ctypes.Structure):
    """fp8rt_tensor"""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("type", ctypes.c_int32),
    ]


class ContextOptions(ctypes.Structure):
    """fp8rt_context_options"""

    _fields_ = [
        ("struct_size", ctypes.c_uint64),
        ("backend", ctypes.c_char_p),
        ("device", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("plan_cache", ctypes.c_char_p),
    ]


class Runtime:
    """libfp8rt, and a context of the first GPU; or, in place of the GPU, the
    emulator of test/support."""

    def __init__(self, emulated):
        self.device = "cpu" if emulated else "cuda"
        self.emulator = None
        if emulated:
            self.emulator = ctypes.CDLL(
                os.path.join(HERE, "lib", "libfp8emu.so"),
                mode=ctypes.RTLD_GLOBAL,
            )
            self.emulator.emu_count_barriers.restype = ctypes.c_int64
        self.lib = ctypes.CDLL(
            os.path.join(HERE, "lib", "libfp8rt.so.0"), mode=ctypes.RTLD_GLOBAL
        )
        self.lib.fp8rt_last_error.restype = ctypes.c_char_p
        options = ContextOptions(
            ctypes.sizeof(ContextOptions), b"cuda", 0, 0, b""
        )
        self.context = ctypes.c_void_p()
        if emulated:
            return
        self.check(
            self.lib.fp8rt_context_create(
                ctypes.byref(options), ctypes.byref(self.context)
            )
        )

    def synchronize(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def check(self, status):
        if status != 0:
            message = self.lib.fp8rt_last_error().decode()
            raise RuntimeError(f"status {status}: {message}")


class Program:
    """One compiled function, for `cpu` or for `sm_90`."""

    def __init__(self, runtime, name, target):
        self.runtime = runtime
        self.target = target
        self.kernels = os.path.join(HERE, "kernels", "emulated", name + ".so")
        path = os.path.join(HERE, "kernels", target, name + ".so")
        lib = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
        self.call = getattr(lib, name)
        self.prepare = getattr(lib, name + "_prepare")
        self.workspace_size = getattr(lib, name + "_workspace")

    def bind(self, types, tensors):
        """A callable that runs on these tensors (byte tensors and shapes)."""
        array = (Tensor * len(tensors))()
        keep = [array]
        for slot, kind, (data, shape) in zip(array, types, tensors):
            sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)
            keep.append(sizes)
            slot.data = data.data_ptr()
            slot.sizes = sizes
            slot.strides = None
            slot.rank = len(shape)
            slot.type = TYPES[kind][0]
        on_gpu = self.target != "cpu" and self.runtime.device == "cuda"
        emulated = self.target != "cpu" and not on_gpu
        context = self.runtime.context if on_gpu else None
        check = self.runtime.check
        check(self.prepare(array, context))
        size = ctypes.c_uint64()
        check(self.workspace_size(array, ctypes.byref(size)))
        device = "cuda" if on_gpu else "cpu"
        memory = torch.empty(size.value + 256, dtype=torch.uint8, device=device)
        memory.fill_(0xA5)
        workspace = ctypes.c_void_p((memory.data_ptr() + 255) // 256 * 256)
        keep += [memory, tensors]

        def run():
            stream = None
            if emulated:
                self.runtime.emulator.emu_load(self.kernels.encode())
            if on_gpu:
                stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            check(self.call(array, context, workspace, stream))
            return keep

        run.workspace = memory
        return run


# Name: types of the arguments, their shapes from (m, n), and the same of the
# results; "exact" inputs are small integers, so that sums have no rounding.
def square(m, n):
    return (m, n)


def quantize(wide, narrow):
    return ([wide], lambda m, n: [(m, n)], [narrow, narrow, "f32"],
            lambda m, n: [(m, n), (n, m), ()], "special")


# Three tensors, of which the last ones have sizes of their own, and are not empty
# where the first one is.
QUANTIZE3 = (
    ["bf16"] * 3, lambda m, n: [(m, n), (n, 2 * m + 1), (m + 16, 48)],
    ["e4m3", "e4m3", "f32", "e4m3", "e4m3", "f32", "e5m2", "e5m2", "f32"],
    lambda m, n: [(m, n), (n, m), (), (n, 2 * m + 1), (2 * m + 1, n), (),
                  (m + 16, 48), (48, m + 16), ()], "special")
CASES = {
    "quantize3": QUANTIZE3,
    "quantize3_pow2": QUANTIZE3,
    "quantize_bf16_e4m3": quantize("bf16", "e4m3"),
    "quantize_bf16_e5m2": quantize("bf16", "e5m2"),
    "quantize_f32_e4m3": quantize("f32", "e4m3"),
    "quantize_f16_e5m2": quantize("f16", "e5m2"),
    "quantize_pow2": quantize("bf16", "e4m3"),
    "quantize_rows": (["bf16"], lambda m, n: [(m, n)], ["e4m3", "f32"],
                      lambda m, n: [(m, n), (m, 1)], "special"),
    "quantize_columns": (["f32"], lambda m, n: [(m, n)], ["e4m3", "f32"],
                         lambda m, n: [(m, n), (1, n)], "special"),
    "quantize_pow2_rows": (
        ["bf16"], lambda m, n: [(m, n)], ["e5m2", "f32"],
        lambda m, n: [(m, n), ()], "special"),
    "quantize_pow2_columns": (
        ["f32"], lambda m, n: [(2, m, n)], ["e4m3", "f32"],
        lambda m, n: [(2, n, m), ()], "special"),
    "quantize2_pow2": (
        ["bf16", "f32"], lambda m, n: [(m, n), (n, 2 * m + 1)],
        ["e4m3", "e4m3", "f32", "e5m2", "f32"],
        lambda m, n: [(m, n), (n, m), (), (n, 2 * m + 1), ()], "special"),
    "relu_square_backward_pow2": (
        ["bf16", "bf16"], lambda m, n: [(m, n), (m, n)],
        ["e5m2", "e5m2", "f32"], lambda m, n: [(m, n), (n, m), ()], "special"),
    "relu_square": quantize("bf16", "e4m3"),
    "relu_square_backward": (
        ["bf16", "bf16"], lambda m, n: [(m, n), (m, n)],
        ["e5m2", "e5m2", "f32"], lambda m, n: [(m, n), (n, m), ()], "special"),
    "cast_transpose": (
        ["bf16", "f32"], lambda m, n: [(m, n), ()],
        ["e4m3", "e4m3"], lambda m, n: [(m, n), (n, m)], "special"),
    "cast_e4m3": (["bf16", "f32"], lambda m, n: [(m, n), ()],
                  ["e4m3"], lambda m, n: [(m, n)], "special"),
    "cast_e5m2": (["bf16", "f32"], lambda m, n: [(m, n), ()],
                  ["e5m2"], lambda m, n: [(m, n)], "special"),
    "amax": (["bf16"], lambda m, n: [(m, n)], ["f32"], lambda m, n: [()],
             "special"),
    "amax3": (["bf16", "f32", "f16"],
              lambda m, n: [(m, n), (m * n // 2 + 1,), (2, m, n)],
              ["f32"] * 3, lambda m, n: [(), (), ()], "special"),
    "transpose_f8": (["e4m3"], lambda m, n: [(m, n)], ["e4m3"],
                     lambda m, n: [(n, m)], "bytes"),
    "transpose_bf16": (["bf16"], lambda m, n: [(m, n)], ["bf16"],
                       lambda m, n: [(n, m)], "bytes"),
    "transpose_f32": (["f32"], lambda m, n: [(m, n)], ["f32"],
                      lambda m, n: [(n, m)], "bytes"),
    "transpose_batch": (["bf16"], lambda m, n: [(3, m, n)], ["bf16"],
                        lambda m, n: [(3, n, m)], "bytes"),
    "permute": (["f32"], lambda m, n: [(3, m, n)], ["f32"],
                lambda m, n: [(n, 3, m)], "bytes"),
    "column_sum": (["bf16"], lambda m, n: [(m, n)], ["f32"],
                   lambda m, n: [(n,)], "exact"),
    "row_sum": (["bf16"], lambda m, n: [(m, n)], ["f32"], lambda m, n: [(m,)],
                "exact"),
    "row_max": (["f32"], lambda m, n: [(m, n)], ["f32"], lambda m, n: [(m,)],
                "special"),
    "row_sum_bf16": (["bf16"], lambda m, n: [(m, n)], ["bf16"],
                     lambda m, n: [(m,)], "normal"),
    "add_bias": (["bf16", "bf16", "f32"], lambda m, n: [(m, n), (n,), (m,)],
                 ["bf16"], lambda m, n: [(m, n)], "special"),
}
# What is only run with --large: the cast's bytes decide, the matmul's sums are near.
LINEAR = (["bf16", "bf16"], lambda m, n: [(m, n), (48, n)], ["bf16"],
          lambda m, n: [(m, 48)], "near")

SHAPES = [
    (1, 1), (1, 17), (17, 1), (3, 5), (16, 16), (15, 33), (64, 64), (127, 129),
    (128, 128), (128, 144), (130, 256), (255, 257), (256, 384), (384, 272),
    (208, 128), (144, 272), (300, 1000), (1024, 1040), (1, 4096), (4099, 3), (513, 2048),
]
# Of kernels whose blocks take several parts of the work: more tiles than blocks
# (264), and, too many for the emulator, more chunks of 4096 elements.
MANY_TILES = [(2, 34100)]
MANY_CHUNKS = [(2048, 4100)]
# Sizes of 0: nothing is computed, and scales are those of an amax of 0.
EMPTY = [(0, 16), (16, 0)]


def make(kind, shape, flavour, seed, special):
    """Bytes of one argument on the CPU."""
    generator = torch.Generator().manual_seed(seed)
    count = 1
    for size in shape:
        count *= size
    _, width, dtype = TYPES[kind]
    if flavour == "bytes":
        return torch.randint(0, 256, (count * width,), generator=generator,
                             dtype=torch.uint8)
    if flavour == "exact":
        values = torch.randint(-4, 5, (count,), generator=generator).float()
    else:
        values = torch.randn(count, generator=generator)
        # Several binades, so that small values meet the subnormals of fp8.
        values *= torch.exp2(
            torch.randint(-12, 6, (count,), generator=generator).float()
        )
    if shape == ():
        values = values.abs() + 0.25
    if special == "nan" and count > 2 and flavour == "special":
        values[count // 2] = float("nan")
    if special == "inf" and count > 2 and flavour == "special":
        values[count // 3] = -float("inf")
    if special == "zero":
        values *= 0
    return values.to(dtype).view(torch.uint8) if width else values


def all_bf16():
    """Every bf16, as a matrix of 256 x 256."""
    return torch.arange(65536, dtype=torch.int32).to(torch.int16).view(
        torch.uint8)


def place(data, device, offset):
    """A copy of `data` that starts `offset` bytes behind an aligned address."""
    memory = torch.zeros(data.numel() + 512, dtype=torch.uint8, device=device)
    start = (-memory.data_ptr()) % 256 + offset
    part = memory[start:start + data.numel()]
    part.copy_(data)
    return part


def same(kind, x, y):
    """Whether the bytes agree, NaNs as a class; the number that do not."""
    if kind == "bytes":
        return int((x != y).sum())
    dtype = TYPES[kind][2]
    a, b = x.view(dtype), y.view(dtype)
    differs = (a.view(torch.uint8) != b.view(torch.uint8)).view(
        a.numel(), -1).any(1)
    wide_a, wide_b = a.float(), b.float()
    both_nan = wide_a.isnan() & wide_b.isnan()
    return int((differs & ~both_nan).sum())


def states(run, inputs, runtime):
    """Runs a program with every kind of prediction in its workspace: yields what
    was there. Results are to be the same each time."""
    memory = run.workspace
    yield "what a run left"
    # A run with larger inputs leaves another scale; zeros leave the largest.
    for what, change in (("a small scale", lambda x: x * 512),
                         ("the largest scale", lambda x: x * 0)):
        saved = [data.clone() for data, _ in inputs]
        for data, dtype in inputs:
            data.copy_(change(data.view(dtype).float()).to(dtype).view(
                torch.uint8))
        run()
        runtime.synchronize()
        for (data, _), old in zip(inputs, saved):
            data.copy_(old)
        yield what
    for what, byte in (("zeros", 0), ("NaN", 0xFF), ("bytes of 0x3F", 0x3F)):
        memory.fill_(byte)
        yield what
    memory.random_(0, 256)
    yield "random bytes"


def run_states(runtime, run, kinds, tensors, outputs, out_types, want):
    """Compares the results for every state of the workspace with `want`."""
    inputs = [(data, TYPES[kind][2]) for kind, (data, _) in zip(kinds, tensors)]
    for what in states(run, inputs, runtime):
        for data, _ in outputs:
            data.fill_(0x5A)
        run()
        runtime.synchronize()
        for i, (kind, (data, _)) in enumerate(zip(out_types, outputs)):
            wrong = same(kind, want[i], data.cpu()) if data.numel() else 0
            if wrong:
                return (f"result {i} with {what} in the workspace: {wrong} of "
                        f"{data.numel()} differ")
    return None


def count_barriers(runtime, run):
    """Barriers that the threads of a run meet, on the emulator."""
    runtime.emulator.emu_count_barriers()
    run()
    return runtime.emulator.emu_count_barriers()


def check_hit(runtime, run):
    """With the right prediction nothing is cast twice."""
    run.workspace.fill_(0x3F)
    miss = count_barriers(runtime, run)
    hit = count_barriers(runtime, run)
    if not 0 < 2 * hit <= miss:
        return f"{hit} barriers with the right prediction, {miss} without"
    return None


def compare(runtime, name, m, n, offset, special, inputs=None):
    in_types, in_shapes, out_types, out_shapes, flavour = CASES[name]
    shapes = in_shapes(m, n)
    if inputs is None:
        inputs = [make(kind, shape, flavour, 7 * i + m + n, special)
                  for i, (kind, shape) in enumerate(zip(in_types, shapes))]
    results = {}
    for target, device in (("cpu", "cpu"), ("sm_90", runtime.device)):
        shift = offset if target != "cpu" else 0
        tensors = []
        for kind, data, shape in zip(in_types, inputs, shapes):
            width = TYPES[kind][1]
            tensors.append((place(data, device, shift * width), shape))
        outputs = []
        for kind, shape in zip(out_types, out_shapes(m, n)):
            width = TYPES[kind][1]
            count = width
            for size in shape:
                count *= size
            # Guards of 64 bytes on both sides.
            guarded = torch.full((count + 128,), 0x5A, dtype=torch.uint8)
            part = place(guarded, device, shift * width)
            outputs.append((part[64:64 + count], shape))
            results.setdefault((target, "guards"), []).append((part, count))
        program = PROGRAMS[name, target]
        run = program.bind(in_types + out_types, tensors + outputs)
        run()
        runtime.synchronize()
        results[target] = [data.cpu() for data, _ in outputs]
        # On the emulator, which is slow, not for every size.
        if target != "cpu" and "pow2" in name and not (
                runtime.emulator
                and (m, n) not in MANY_TILES
                and (offset or m * n > (5000 if special else 20000))):
            error = run_states(runtime, run, in_types, tensors, outputs,
                               out_types, results["cpu"])
            if not error and runtime.emulator and name == "quantize_pow2" and m * n:
                error = check_hit(runtime, run)
            if error:
                return error
        for part, count in results[target, "guards"]:
            edges = torch.cat([part[:64], part[64 + count:]]).cpu()
            if not bool((edges == 0x5A).all()):
                return f"{target} wrote outside of a result"
    kinds = ["bytes"] * len(out_types) if flavour == "bytes" else out_types
    for i, (kind, x, y) in enumerate(
            zip(kinds, results["cpu"], results["sm_90"])):
        wrong = same(kind, x, y) if x.numel() else 0
        if wrong:
            return f"result {i}: {wrong} of {x.numel()} differ"
    return None


def torch_cast(x, scale, dtype):
    """A cast by a scale in PyTorch: result and transposed."""
    top = torch.finfo(dtype).max
    q = (x.float() * scale).clamp(-top, top).to(dtype)
    return q, q.t().contiguous()


def torch_quantize(x, dtype, pow2=False):
    """The formula of the project in PyTorch: result, transposed, descale."""
    amax = x.float().abs().max().double()
    scale = (torch.finfo(dtype).max / torch.clamp(amax, min=1e-12)).float()
    if pow2:
        _, exponent = torch.frexp(scale)
        scale = torch.ldexp(torch.ones_like(scale), exponent - 1)
    return *torch_cast(x, scale, dtype), 1.0 / scale


def compare_torch(runtime, m, n, dtype_name):
    """Against PyTorch which shares nothing with our compiler."""
    _, _, dtype = TYPES[dtype_name]
    x = torch.randn(m, n, device=runtime.device, dtype=torch.bfloat16) * 3
    q = torch.empty(m, n, device=runtime.device, dtype=torch.uint8)
    t = torch.empty(n, m, device=runtime.device, dtype=torch.uint8)
    d = torch.empty(4, device=runtime.device, dtype=torch.uint8)
    program = PROGRAMS["quantize_bf16_" + dtype_name, "sm_90"]
    program.bind(
        ["bf16", dtype_name, dtype_name, "f32"],
        [(x, (m, n)), (q, (m, n)), (t, (n, m)), (d, ())])()
    runtime.synchronize()
    want = torch_quantize(x, dtype)
    got = (q, t, d)
    return sum(int((g.flatten() != w.reshape(-1).view(torch.uint8)).sum())
               for g, w in zip(got, want))


def run_all(runtime, quick, names):
    failures = count = 0
    shapes = SHAPES
    if quick:
        shapes = [shape for shape in SHAPES if shape[0] * shape[1] < 70000]
    for name in names:
        for (m, n), offset, special in itertools.product(
                shapes, (0, 1), ("", "nan", "inf", "zero")):
            if special and CASES[name][4] != "special":
                continue
            if special and (m * n > 100000 or (quick and m * n > 20000)):
                continue
            count += 1
            error = compare(runtime, name, m, n, offset, special)
            if error:
                failures += 1
                print(f"FAILED {name} {m}x{n} offset {offset} {special}: {error}")
        more = list(EMPTY)
        if "pow2" in name:
            more += MANY_TILES + ([] if quick else MANY_CHUNKS)
        for m, n in more:
            count += 1
            error = compare(runtime, name, m, n, 0, "")
            if error:
                failures += 1
                print(f"FAILED {name} {m}x{n}: {error}")
        if CASES[name][0][0] == "bf16" and CASES[name][4] == "special":
            arguments = zip(CASES[name][0], CASES[name][1](256, 256))
            inputs = [make(kind, shape, "normal", i, "")
                      for i, (kind, shape) in enumerate(arguments)]
            inputs[0] = all_bf16()
            count += 1
            error = compare(runtime, name, 256, 256, 0, "", inputs)
            if error:
                failures += 1
                print(f"FAILED {name} all bf16: {error}")
        print(f"{name}: done", flush=True)
    large = [] if quick else [(4096, 4096)]
    for dtype_name, (m, n) in itertools.product(
            ("e4m3", "e5m2"), [(64, 64), (500, 333)] + large):
        if "quantize_bf16_" + dtype_name not in names:
            continue
        count += 1
        wrong = compare_torch(runtime, m, n, dtype_name)
        if wrong:
            failures += 1
            print(f"FAILED PyTorch {dtype_name} {m}x{n}: {wrong} bytes differ")
    print(f"{count} comparisons, {failures} failed")
    return failures


# More than 2^31 elements: whole parts, edges that are no multiple of anything, and
# all in one row.
LARGE = [((1 << 20) + 16, 2064), ((1 << 20) + 3, 2051), (1, (1 << 31) + 48)]


def large_cases(m, n):
    """Programs, inputs on the device, and what PyTorch has for the results, in turn."""
    x = torch.randn(m, n, device="cuda", dtype=torch.bfloat16) * 3
    scale = torch.full((), 17.5, device="cuda")
    e4m3 = torch.float8_e4m3fn
    yield "quantize_bf16_e4m3", [x], torch_quantize(x, e4m3)
    yield "quantize_pow2", [x], torch_quantize(x, e4m3, pow2=True)
    yield "cast_transpose", [x, scale], torch_cast(x, scale, e4m3)
    yield "cast_e4m3", [x, scale], torch_cast(x, scale, e4m3)[:1]
    yield "transpose_bf16", [x], [x.t().contiguous()]
    # Sums of small whole numbers have no rounding in any order.
    x = x.clamp_(-1, 1).round_()
    yield "column_sum", [x], [x.sum(0, dtype=torch.float32)]
    yield "row_sum", [x], [x.sum(1, dtype=torch.float32)]
    if m % 16 == 0:
        w = torch.randn(48, n, device="cuda").clamp_(-1, 1).round_().bfloat16()
        yield "linear", [x, w], [x @ w.t()]


def run_large_case(runtime, m, n, name, inputs, want):
    """The numbers of results that differ from `want`."""
    in_types, in_shapes, out_types, out_shapes, flavour = (
        LINEAR if name == "linear" else CASES[name])
    outputs = [torch.full((result.numel() * result.element_size(),), 0x5A,
                          dtype=torch.uint8, device="cuda") for result in want]
    run = Program(runtime, name, "sm_90").bind(
        in_types + out_types, [*zip(inputs, in_shapes(m, n)), *zip(outputs, out_shapes(m, n))])
    run()
    runtime.synchronize()

    def is_good(got, expected):
        if flavour == "near":
            return torch.allclose(got.view(expected.dtype).float(),
                                  expected.reshape(-1).float(), rtol=2**-7, atol=1)
        return torch.equal(got, expected.reshape(-1).view(torch.uint8))

    return [i for i, pair in enumerate(zip(outputs, want)) if not is_good(*pair)]


def run_large(runtime):
    count = failures = 0
    for m, n in LARGE:
        for name, inputs, want in large_cases(m, n):
            count += 1
            wrong = run_large_case(runtime, m, n, name, inputs, want)
            failures += bool(wrong)
            for i in wrong:
                print(f"FAILED {name} {m}x{n}: result {i} differs")
        print(f"{m}x{n}: done", flush=True)
    print(f"{count} comparisons with PyTorch, {failures} failed")
    return failures


def measure(runs, repeats=11):
    """Milliseconds a run, all in turn in one CUDA graph; the median of replays.

    The runs work on memory of their own, more than the L2 cache holds together: each
    finds the cache full of another run's data, as in a program, and pays for writing
    back about as much as it leaves behind. (Clearing the cache by writing to it would
    charge a kernel that only reads for tens of megabytes of write-back.)
    """
    for run in runs:
        run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for run in runs:
            run()
    time.sleep(0.6)
    graph.replay()
    times = []
    for _ in range(repeats):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / len(runs))
    return statistics.median(times)


# Name: bytes an element that a kernel has to move, and its tensors: "wide" is bf16 of
# the full size, "narrow" a byte an element, "turned" the same transposed, "one" a
# scalar, "row" and "column" a value a column and a row.
TIMED = {
    "amax": (2, "wide one", "bf16 f32"),
    "cast_e4m3": (3, "wide one narrow", "bf16 f32 e4m3"),
    "cast_transpose": (4, "wide one narrow turned", "bf16 f32 e4m3 e4m3"),
    "quantize_bf16_e4m3": (6, "wide narrow turned one", "bf16 e4m3 e4m3 f32"),
    "relu_square": (6, "wide narrow turned one", "bf16 e4m3 e4m3 f32"),
    "relu_square_backward": (10, "wide wide narrow turned one", "bf16 bf16 e5m2 e5m2 f32"),
    "quantize_pow2": (4, "wide narrow turned one", "bf16 e4m3 e4m3 f32"),
    "relu_square_backward_pow2": (
        6, "wide wide narrow turned one", "bf16 bf16 e5m2 e5m2 f32"),
    "transpose_bf16": (4, "wide wide_turned", "bf16 bf16"),
    "column_sum": (2, "wide row", "bf16 f32"),
    "row_sum": (2, "wide column", "bf16 f32"),
}


def make_tensor(role, m, n):
    """A tensor of the device and its shape."""
    wide, narrow = torch.bfloat16, torch.uint8
    shape, dtype = {
        "wide": ((m, n), wide), "wide_turned": ((n, m), wide), "narrow": ((m, n), narrow),
        "turned": ((n, m), narrow), "one": ((), torch.float32),
        "row": ((n,), torch.float32), "column": ((m,), torch.float32)}[role]
    if dtype == narrow:
        return torch.empty(shape, device="cuda", dtype=dtype), shape
    return torch.randn(shape, device="cuda").to(dtype), shape


def time_all():
    for m, n in ((2048, 2048), (4096, 4096), (16384, 4096), (16384, 14336)):
        sets = range(max(4, (1 << 29) // (4 * m * n)))

        def copy():
            x, y = make_tensor("wide", m, n)[0], make_tensor("wide", m, n)[0]
            return lambda: y.copy_(x)

        ms = measure([copy() for _ in sets])
        speed = 4 * m * n / ms / 1e6
        print(f"{m}x{n}: copy {ms:.4f} ms, {speed:.0f} GB/s")
        for name, (bytes_each, roles, types) in TIMED.items():
            program = PROGRAMS[name, "sm_90"]
            ms = measure([
                program.bind(types.split(), [make_tensor(role, m, n) for role in roles.split()])
                for _ in sets])
            rate = bytes_each * m * n / ms / 1e6
            print(f"  {name:22} {ms:.4f} ms  {rate:6.0f} GB/s  "
                  f"{100 * rate / speed:5.1f}% of copy", flush=True)


PROGRAMS = {}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", action="store_true", help="time kernels, too")
    parser.add_argument("--only-time", action="store_true")
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--large", action="store_true",
                        help="only sizes of more than 2^31 elements, against PyTorch")
    parser.add_argument("--emulated", action="store_true",
                        help="on the emulator, without a GPU")
    parser.add_argument("names", nargs="*", help="programs (default: all)")
    options = parser.parse_args()
    if not options.emulated:
        if not torch.cuda.is_available():
            sys.exit("kernels.py: error: needs a GPU")
        torch.zeros(1, device="cuda")
    runtime = Runtime(options.emulated)
    if options.large:
        return 1 if run_large(runtime) else 0
    names = options.names or list(CASES)
    for name in list(CASES) if options.time or options.only_time else names:
        for target in ("cpu", "sm_90"):
            PROGRAMS[name, target] = Program(runtime, name, target)
    failures = 0
    if not options.only_time:
        failures = run_all(runtime, options.quick, names)
    if options.time or options.only_time:
        time_all()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
