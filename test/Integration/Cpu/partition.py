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

# The backward pass reads x, over which the forward pass writes; w; and the
# result y.
KINDS = """
#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
!matrix = tensor<8x16xf32>
func.func @main(%x: !matrix {fp8.donated}, %w: !matrix,
                %dy: tensor<8xf32> {fp8.tangent = 1 : i64})
    -> (!matrix, tensor<8xf32>, !matrix {fp8.gradient = 0 : i64},
        !matrix {fp8.gradient = 1 : i64}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !matrix
  %e1 = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : !matrix, !matrix) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %dx = linalg.generic {indexing_maps = [#all, #row, #row, #all],
                        iterator_types = ["parallel", "parallel"]}
      ins(%w, %y, %dy : !matrix, tensor<8xf32>, tensor<8xf32>) outs(%e : !matrix) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> !matrix
  %dw = linalg.generic {indexing_maps = [#all, #row, #row, #all],
                        iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %dy : !matrix, tensor<8xf32>, tensor<8xf32>) outs(%e : !matrix) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> !matrix
  %z = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%x : !matrix) {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> !matrix
  return %z, %y, %dx, %dw : !matrix, tensor<8xf32>, !matrix, !matrix
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
    # A copy of x is saved; w and y are the caller's.
    assert (kept, saved) == ([1], 8 * 16 * 4), (kept, saved)
    assert "fp8.residual = 1" in parts and "fp8.residual = 2" in parts


if __name__ == "__main__":
    main()
