# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward, then backward on its residuals, gives the bytes of the joint function.

Whatever is saved and whatever is computed again, for the layouts of each target,
on four exports, and on a joint function with every kind of residual.
"""

import ctypes
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "oracle"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import numpy as np  # noqa: E402

import compiled  # noqa: E402

INPUTS = os.path.join(HERE, "..", "..", "Inputs")
PROGRAMS = ["torch_linear", "torch_linear_bias", "torch_linear_odd", "torch_nanochat_mlp"]
# Options of fp8-partition, and which arguments the backward pass takes.
OPTIONS = {"": [], "recompute-arguments": "all", "max-bytes=33000": None}

# The backward pass reads x, which the forward pass may write; w; and a result.
KINDS = """
#m = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<64xf32> {fp8.donated}, %w: tensor<64xf32>,
                %dy: tensor<64xf32> {fp8.tangent = 0 : i64})
    -> (tensor<64xf32>, tensor<64xf32> {fp8.gradient = 0 : i64},
        tensor<64xf32> {fp8.gradient = 1 : i64}) {
  %e = tensor.empty() : tensor<64xf32>
  %t = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]}
      ins(%x, %w : tensor<64xf32>, tensor<64xf32>) outs(%x : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %dx = linalg.generic {indexing_maps = [#m, #m, #m, #m], iterator_types = ["parallel"]}
      ins(%t, %w, %dy : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %dw = linalg.generic {indexing_maps = [#m, #m, #m, #m], iterator_types = ["parallel"]}
      ins(%t, %x, %dy : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  return %t, %dx, %dw : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
"""


def load(text):
    with tempfile.TemporaryDirectory() as directory:
        path = compiled.compile_library(text, directory, sources=[compiled.runtime()])
        return ctypes.CDLL(path)


def random(port, generator):
    """Numbers of either sign, small ones in bf16."""
    values = generator.standard_normal(port.shape).astype(np.float32)
    return values if port.dtype == np.float32 else (values.view(np.uint32) >> 16).astype(np.uint16)


def run(library, name, ports, inputs):
    """The results of a call. It leaves its inputs as they are."""
    arrays = [array.copy() for array in inputs]
    outputs = [port.empty() for port in ports]
    compiled.call(library, name, *arrays, *outputs)
    return outputs


def run_parts(text, inputs):
    """The results, then the gradients; and the arguments that backward takes."""
    library = load(text)
    arguments, results = compiled.signature(text, "main_forward")
    taken, gradients = compiled.signature(text, "main_backward")
    forward = run(library, "main_forward", results, inputs[: len(arguments)])
    given, tangents, kept = [], iter(inputs[len(arguments) :]), []
    for port in taken:
        if "residual" in port.marks:
            given.append(forward[port.marks["residual"]])
        elif "argument" in port.marks:
            kept.append(port.marks["argument"])
            given.append(inputs[kept[-1]])
        else:
            given.append(next(tangents))
        assert given[-1].shape == port.shape and given[-1].dtype == port.dtype
    backward = run(library, "main_backward", gradients, given)
    saved = sum(array.nbytes for array in forward[len(results) - count_saved(text) :])
    return forward[: len(results) - count_saved(text)] + backward, kept, saved


def count_saved(text):
    return text.count("fp8.saved")


def check(where, joint, parts, generator):
    arguments, results = compiled.signature(joint, "main")
    inputs = [random(port, generator) for port in arguments]
    expected = run(load(joint), "main", results, inputs)
    ours, kept, saved = run_parts(parts, inputs)
    assert len(ours) == len(expected), where
    for index, (one, other) in enumerate(zip(ours, expected)):
        assert one.tobytes() == other.tobytes(), f"{where}: result {index} differs"
        assert np.count_nonzero(one), f"{where}: result {index} is zero"
    print(f"{where}: {len(ours)} results equal, {saved} bytes saved, arguments {kept}")
    return kept, saved


def main():
    generator = np.random.default_rng(4)
    for name in PROGRAMS:
        with open(os.path.join(INPUTS, name + ".mlir")) as file:
            model = file.read()
        joint = compiled.opt(model, "--fp8-train")
        for target in ("cpu", "sm_90"):
            sizes = []
            for options in ("", "recompute-arguments", "max-bytes=33000"):
                parts = compiled.opt(
                    model, f"--fp8-train=target={target}", f"--fp8-partition={options}")
                where = f"{name}, {target}, {options or 'default'}"
                kept, saved = check(where, joint, parts, generator)
                sizes.append(saved)
                if not options:
                    assert kept == [], where
            assert sizes[1] < sizes[0] and sizes[2] <= 33000, (name, target, sizes)
    parts = compiled.opt(KINDS, "--fp8-partition")
    kept, saved = check("every kind", KINDS, parts, generator)
    # x has been written over; w and the result are the caller's.
    assert (kept, saved) == ([1], 256), (kept, saved)
    assert "fp8.residual = 0" in parts


if __name__ == "__main__":
    main()
