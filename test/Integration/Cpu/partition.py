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
        return ctypes.CDLL(compiled.compile_library(text, directory))


def random(port, generator):
    """Numbers of either sign, small ones in bf16."""
    values = generator.standard_normal(port.shape).astype(np.float32)
    return values if port.dtype == np.float32 else (values.view(np.uint32) >> 16).astype(np.uint16)


def run(library, text, name, inputs):
    """The results of a call on copies of `inputs`."""
    arguments, results = compiled.signature(text, name)
    outputs = [port.empty() for port in results]
    arrays = [array.copy() for array in inputs] + outputs
    compiled.call(library, name, *zip(arrays, [p.type for p in arguments + results]))
    return outputs


def run_parts(text, inputs):
    """The results, then the gradients; the arguments that the backward function
    takes; the bytes that are saved."""
    library = load(text)
    num_arguments = len(compiled.signature(text, "main_forward")[0])
    forward = run(library, text, "main_forward", inputs[:num_arguments])
    tangents = iter(inputs[num_arguments:])
    given, kept = [], []
    for port in compiled.signature(text, "main_backward")[0]:
        if "residual" in port.marks:
            given.append(forward[port.marks["residual"]])
        elif "argument" in port.marks:
            kept.append(port.marks["argument"])
            given.append(inputs[kept[-1]])
        else:
            given.append(next(tangents))
    num_results = len(forward) - text.count("fp8.saved")
    saved = sum(array.nbytes for array in forward[num_results:])
    backward = run(library, text, "main_backward", given)
    return forward[:num_results] + backward, kept, saved


def check(where, joint, parts, generator):
    ports = compiled.signature(joint, "main")[0]
    inputs = [random(port, generator) for port in ports]
    expected = run(load(joint), joint, "main", inputs)
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
    joint, parts = compiled.opt(KINDS), compiled.opt(KINDS, "--fp8-partition")
    kept, saved = check("every kind", joint, parts, generator)
    # x has been written over; w and the result are the caller's.
    assert (kept, saved) == ([1], 256), (kept, saved)
    assert "fp8.residual = 0" in parts


if __name__ == "__main__":
    main()
