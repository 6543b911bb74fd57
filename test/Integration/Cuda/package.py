# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package on a GPU, with arrays of PyTorch and, where they are, CuPy and JAX.

    package.py BUNDLE

Loads BUNDLE/python/steps/torch_linear.so, which `Step.save` wrote, with the package in
BUNDLE/python; no compiler is there. Arguments and results of the CPU are in
BUNDLE/steps/torch_linear; results differ from those by the order of sums and one rounding,
LINEAR in the L2 norm. All libraries, streams, a captured graph and a second run give the
same bits.
"""

import importlib.util
import os
import sys

import numpy as np
import torch

BUNDLE = sys.argv[1]
sys.path.insert(0, os.path.join(BUNDLE, "python"))

import fp8  # noqa: E402

LINEAR = 2e-3


def load(kind):
    folder = os.path.join(BUNDLE, "steps", "torch_linear")
    return [
        torch.from_numpy(np.load(os.path.join(folder, f"{kind}{index}.npy"))).bfloat16().cuda()
        for index in range(3)
    ]


def bits(results):
    torch.cuda.synchronize()
    return [torch.from_dlpack(r).view(torch.int16).clone() for r in results]


def same(left, right):
    return all(torch.equal(a, b) for a, b in zip(left, right))


def refused(error, message, call):
    try:
        call()
    except error as caught:
        assert message in str(caught), caught
        return
    raise AssertionError(f"nothing raised: {message}")


def check_torch(step, arguments, expected):
    results = step(*arguments)
    first = bits(results)
    for spec, result, ref in zip(step.signature.results, results, expected):
        assert isinstance(result, torch.Tensor) and result.is_cuda
        difference = ((result.double() - ref.double()).norm() / ref.double().norm()).item()
        assert difference < LINEAR, f"{spec.name}: {difference:.2e}"
        print(f"{spec.name}: {difference:.1e} from the CPU")
    out = tuple(torch.full_like(result, float("nan")) for result in results)
    assert all(a is b for a, b in zip(step(*arguments, out=out), out))
    assert same(bits(out), first), "out= differs"
    return first


def check_streams(step, arguments, first):
    """Another stream, current or passed, while the arguments are still being made."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        made = [a.neg().neg() for a in arguments]
        results = step(*made)
    assert same(bits(results), first), "on a stream that is current"
    torch.cuda._sleep(20_000_000)
    made = [a.neg().neg() for a in arguments]
    results = step(*made, stream=stream)
    assert same(bits(results), first), "on a stream that is passed"


def check_graph(step, arguments, first):
    fixed = [a.clone() for a in arguments]
    out = tuple(torch.zeros_like(torch.from_dlpack(b)).view(torch.bfloat16) for b in first)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(*fixed, out=out)
    assert not same(bits(out), first), "capturing ran it"
    for _ in range(3):
        for tensor in out:
            tensor.fill_(float("nan"))
        graph.replay()
        assert same(bits(out), first), "a replayed graph differs"
    # Its workspace is its own: calls between replays change nothing.
    others = step(*[2 * a for a in arguments])
    graph.replay()
    step(*[4 * a for a in arguments])
    assert same(bits(out), first) and not same(bits(others), first)
    size = step.workspace_size(*arguments)
    workspace = torch.full((size,), 0xFF, dtype=torch.uint8, device="cuda")
    assert same(bits(step(*arguments, workspace=workspace)), first), "workspace="


def check_errors(step, arguments):
    refused(ValueError, "argument 0 (x): expects memory of GPU 0 for target sm_90, but got CPU memory",
            lambda: step(arguments[0].cpu(), *arguments[1:]))
    refused(TypeError, "argument 1 (w): expects bfloat16, but got float16",
            lambda: step(arguments[0], arguments[1].half(), arguments[2]))
    refused(ValueError, "argument 2 (d_y): expects shape [64, 256], but got [32, 256]",
            lambda: step(*arguments[:2], arguments[2][:32]))


def check_others(step, arguments, first):
    if importlib.util.find_spec("cupy"):
        import cupy
        stream = cupy.cuda.Stream(non_blocking=True)
        raw = [cupy.from_dlpack(a.view(torch.int16)) for a in arguments]

        class BFloat16:  # CuPy's arrays have no bf16; PyTorch's view of the same memory has.
            def __init__(self, array):
                self.tensor = torch.from_dlpack(array).view(torch.bfloat16)

            def __dlpack_device__(self):
                return self.tensor.__dlpack_device__()

            def __dlpack__(self, **options):
                return self.tensor.__dlpack__(**options)

        results = step(*map(BFloat16, raw), stream=stream)
        assert all(isinstance(r, fp8.Tensor) for r in results)
        stream.synchronize()
        assert same(bits(results), first), "CuPy's memory and stream"
        print("CuPy: the same bits")
    if importlib.util.find_spec("jax"):
        import jax
        results = step(*[jax.dlpack.from_dlpack(a) for a in arguments])
        assert all(isinstance(r, jax.Array) for r in results)
        assert same(bits(results), first), "JAX's arrays"
        print("JAX: the same bits")


def main():
    step = fp8.load(os.path.join(BUNDLE, "python", "steps", "torch_linear.so"))
    arguments, expected = load("arg"), load("result")
    before = bits(arguments)
    first = check_torch(step, arguments, expected)
    check_streams(step, arguments, first)
    check_graph(step, arguments, first)
    check_errors(step, arguments)
    check_others(step, arguments, first)
    assert same(bits(arguments), before), "an argument was written"
    with open("/proc/self/maps") as maps:
        assert "libMLIR" not in maps.read()
    print("the Python package: all good")


if __name__ == "__main__":
    main()
