# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled training steps on a GPU, against the CPU's results and PyTorch.

    steps.py BUNDLE

For each BUNDLE/steps/NAME.so, the arguments are NAME/argN.npy and the results of
the CPU, which are equal to a NumPy emulation, NAME/resultN.npy. NAME-split.so has
the same step in two functions; of a linear it gives the bits of NAME.so. Of one linear the
FP8 bytes and scales of both are the same, and results differ by the order of sums
and one rounding to bf16. Behind it, a value that differs in its last bf16 bit may
be quantized to the next FP8 value, so in longer programs the difference grows; there
NAME/refN.npy, the program in f64 where it is stored, tells whether the GPU is as
close to it as the CPU. LINEAR bounds the difference of linears, in the L2 norm, and
RATIO the error of the GPU over that of the CPU. A second run, runs after the
workspace was overwritten, and a replayed CUDA graph give the same bits: what a
workspace keeps from call to call (recipe tensorwise_pow2, NAME-pow2) is a hint. A
graph of the linear of ones, captured once, reads today's x and W (C33, C40).
"""

import glob
import os
import sys

import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import cuda_step  # noqa: E402

LINEAR, RATIO = 2e-3, 1.1


OVERWRITES = {
    "a run": lambda workspace: None,
    "zeros": lambda workspace: workspace.zero_(),
    "NaNs": lambda workspace: workspace.fill_(0xFF),
    "random bytes": lambda workspace: workspace.random_(0, 256),
}


def load(folder, kind):
    paths = glob.glob(os.path.join(folder, kind + "*.npy"))
    paths.sort(key=lambda path: int("".join(filter(str.isdigit, os.path.basename(path)))))
    return [torch.from_numpy(np.load(path)).to(torch.bfloat16).cuda() for path in paths]


def distance(out, ref):
    """Relative, in the L2 norm."""
    return ((out.double() - ref.double()).norm() / ref.double().norm()).item()


def bits(tensors):
    return [tensor.view(torch.int16).clone() for tensor in tensors]


def same(left, right):
    return all(torch.equal(a, b) for a, b in zip(left, right))


def check(runtime, library):
    """The bits of the results."""
    name = os.path.basename(library)[:-3]
    folder = library[:-3].removesuffix("-split")
    arguments, expected = load(folder, "arg"), load(folder, "result")
    before = bits(arguments)
    results = [torch.full_like(tensor, float("nan")) for tensor in expected]
    step = cuda_step.open_step(runtime, library, arguments, results)
    step()
    torch.cuda.synchronize()
    first = bits(results)
    for index, (out, ref) in enumerate(zip(results, expected)):
        difference = distance(out, ref)
        path = os.path.join(folder, f"ref{index}.npy")
        if os.path.exists(path):
            exact = torch.from_numpy(np.load(path)).cuda()
            ours, cpus = distance(out, exact), distance(ref, exact)
            assert ours <= RATIO * cpus, f"{name}, result {index}: {ours:.2e} > {cpus:.2e}"
        assert "linear" not in name or difference < LINEAR, f"{name}, result {index}: {difference:.2e}"
        print(f"{name}  result {index}  {difference:.1e} from the CPU")
    for what, overwrite in OVERWRITES.items():
        step.overwrite(overwrite)
        for tensor in results:
            tensor.fill_(float("nan"))
        step()
        torch.cuda.synchronize()
        assert same(bits(results), first), f"{name}: a run after {what} differs"
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(3):
        for tensor in results:
            tensor.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        assert same(bits(results), first), f"{name}: a replay differs"
    # A replay reads today's data: four times the input is another result, the
    # same whether the workspace is that of the last replay or not.
    arguments[0].mul_(4)
    graph.replay()
    torch.cuda.synchronize()
    changed = bits(results)
    assert not same(changed[:1], first[:1]), f"{name}: a replay is stale"
    for what, overwrite in OVERWRITES.items():
        step.overwrite(overwrite)
        graph.replay()
        torch.cuda.synchronize()
        assert same(bits(results), changed), f"{name}: a replay after {what} differs"
    arguments[0].mul_(0.25)
    graph.replay()
    torch.cuda.synchronize()
    assert same(bits(results), first), f"{name}: a replay of the first data differs"
    assert same(bits(arguments), before), f"{name}: an argument was written"
    return first


def check_graph_of_ones(runtime, library):
    """Amax, scale, casts and three matmuls in one graph: 64x128 by (256x128)ᵀ."""
    shapes = ((64, 128), (256, 128), (64, 256), (64, 256), (64, 128), (256, 128))
    tensors = [torch.ones(shape, dtype=torch.bfloat16, device="cuda") for shape in shapes]
    x, weight, _, *results = tensors
    step = cuda_step.Step(runtime, library, tensors)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()

    def expect(*values):
        for tensor in results:
            tensor.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        for tensor, value in zip(results, values):
            assert (tensor == value).all(), f"{value} expected, but {tensor.flatten()[:4]}"

    expect(128, 256, 64)
    x.fill_(4)
    for _ in range(100):
        expect(512, 256, 256)
    weight.mul_(2)
    expect(1024, 512, 256)
    print("a graph of ones follows x and W")


def main():
    if not torch.cuda.is_available():
        print("no GPU")
        return 1 if os.environ.get("FP8_REQUIRE_GPU") else 0
    bundle = sys.argv[1]
    cuda_step.find_cublaslt()
    runtime = cuda_step.Runtime(os.path.join(bundle, "lib", "libfp8rt.so.0"))
    libraries = sorted(glob.glob(os.path.join(bundle, "steps", "*.so")))
    failed, found = 0, {}
    for library in libraries:
        name = os.path.basename(library)[:-3].removesuffix("-split")
        try:
            first = check(runtime, library)
            equal = same(first, found.setdefault(name, first))
            assert equal or "linear" not in name, f"{name}: one and two functions differ"
            if os.path.basename(library) == "torch_linear.so":
                check_graph_of_ones(runtime, library)
        except (AssertionError, RuntimeError) as error:
            failed += 1
            print("FAILED", error)
    print(f"{len(libraries) - failed} passed, {failed} failed")
    return 1 if failed or not libraries else 0


if __name__ == "__main__":
    sys.exit(main())
