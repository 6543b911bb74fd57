# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps on NumPy arrays: every bit, and every refusal."""

import os
import re
import subprocess
import sys
import threading
import weakref

import emulate
import ml_dtypes
import numpy as np
import pytest
from conftest import INPUTS, RECIPES, Program, same

import fp8


@pytest.mark.parametrize("name", sorted(emulate.PROGRAMS))
@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_bits(name, recipe):
    program = Program(name, recipe)
    results = program.compile()(*program.arguments)
    assert len(results) == len(program.expected)
    for result, expected in zip(results, program.expected):
        assert type(result) is np.ndarray and same(result, expected)


@pytest.mark.parametrize("name", sorted(emulate.PROGRAMS))
def test_split(name):
    program = Program(name, "tensorwise")
    step = program.compile(split=True)
    *arguments, dy = program.arguments
    y, saved = step.forward(*arguments)
    assert same(y, program.expected[0])
    # What is saved is not used up, and does not depend on a call between.
    step.forward(*(a[::-1].copy() for a in arguments))
    for _ in range(2):
        gradients = step.backward(saved, dy)
        assert len(gradients) == len(program.expected) - 1
        assert all(map(same, gradients, program.expected[1:]))


def test_split_has_the_signature_of_the_joint_step(step, linear):
    split = linear.compile(split=True)
    assert split.signature == step.signature
    assert split.reports == step.reports


def test_split_keeps_no_more_than_it_needs(linear):
    split = linear.compile(split=True)
    x, w = (array.copy() for array in linear.arguments[:2])
    alive = [weakref.ref(x), weakref.ref(w)]
    y, saved = split.forward(x, w)
    alive.append(weakref.ref(y))
    del x, w, y
    assert [ref() for ref in alive] == [None] * 3
    assert all(map(same, split.backward(saved, linear.arguments[2]), linear.expected[1:]))


def test_split_with_out_and_errors(step, linear, tmp_path):
    split = linear.compile(split=True)
    x, w, dy = linear.arguments
    out = make_outs(split)
    y, saved = split.forward(x, w, out=out[0])
    assert y is out[0]
    d_x, d_w = split.backward(saved, dy, out=[None, out[2]])
    assert d_w is out[2] and all(map(same, (y, d_x, d_w), linear.expected))
    with pytest.raises(TypeError, match="backward: expects 1 gradients of results, but got 2"):
        split.backward(saved, dy, dy)
    with pytest.raises(TypeError, match="saved: expects what forward of this step gave"):
        split.backward(linear.compile(split=True).forward(x, w)[1], dy)
    with pytest.raises(TypeError, match=re.escape("gradient 0 (d_y): expects bfloat16")):
        split.backward(saved, dy.astype(np.float32))
    with pytest.raises(TypeError, match="call forward, then backward"):
        split(x, w, dy)
    with pytest.raises(TypeError, match="split=True"):
        step.forward(x, w)
    with pytest.raises(fp8.CompileError, match="expects a backward pass for two functions"):
        fp8.compile(linear.path, split=True)
    split.save(tmp_path / "split.so")
    y, saved = fp8.load(tmp_path / "split.so").forward(x, w)
    assert same(y, linear.expected[0])
    assert all(map(same, saved._step.backward(saved, dy), linear.expected[1:]))


def test_split_with_dynamic_sizes():
    step = fp8.compile(os.path.join(INPUTS, "torch_linear_dyn.mlir"), backward=True, split=True,
                       argument_names=["x", "w"], result_names=["y"])
    x, w, dy = (
        np.random.default_rng(5).standard_normal(s).astype(ml_dtypes.bfloat16)
        for s in [(33, 128), (256, 128), (33, 256)])
    expected = emulate.linear(emulate.Tensorwise(), x, w, dy=dy)
    y, saved = step.forward(x, w)
    assert all(map(same, (y, *step.backward(saved, dy)), expected))
    with pytest.raises(ValueError, match=re.escape(
            "gradient 0 (d_y): expects shape [33, 256] of the result, but got [32, 256]")):
        step.backward(saved, dy[:32])


def test_forward_alone_gives_one_array(linear):
    step = fp8.compile(linear.path)
    assert not step.signature.results[1:]
    assert same(step(*linear.arguments[:2]), linear.expected[0])


def test_dynamic_sizes():
    step = fp8.compile(os.path.join(INPUTS, "torch_linear_dyn.mlir"), backward=True)
    assert step.signature.arguments[0].shape == (None, 128)
    rng = np.random.default_rng(0)
    for rows in (1, 33, 64, 33):
        arrays = [
            rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
            for shape in [(rows, 128), (256, 128), (rows, 256)]
        ]
        x, w, dy = arrays
        expected = emulate.linear(emulate.Tensorwise(), x, w, dy=dy)
        results = step(*arrays)
        assert all(map(same, results, expected))


def test_gradient_of_another_size_is_refused():
    step = fp8.compile(os.path.join(INPUTS, "torch_linear_dyn.mlir"), backward=True,
                       argument_names=["x", "w"], result_names=["y"])
    arrays = [np.zeros(s, ml_dtypes.bfloat16) for s in [(64, 128), (256, 128), (32, 256)]]
    with pytest.raises(ValueError, match=re.escape(
            "argument 2 (d_y): expects shape [64, 256] of the result, but got [32, 256]")):
        step(*arrays)


def test_out_is_written_and_given_back(step, linear):
    out = tuple(np.empty(s.shape, s.dtype) for s in step.signature.results)
    results = step(*linear.arguments, out=out)
    assert all(result is array for result, array in zip(results, out))
    assert all(map(same, out, linear.expected))
    # Some of them.
    dw = np.zeros_like(out[2])
    results = step(*linear.arguments, out=[None, None, dw])
    assert results[2] is dw and all(map(same, results, linear.expected))
    one = fp8.compile(linear.path)
    y = np.empty_like(out[0])
    assert one(*linear.arguments[:2], out=y) is y and same(y, out[0])


def test_arguments_are_not_written(step, linear):
    arrays = [array.copy() for array in linear.arguments]
    for array in arrays:
        array.flags.writeable = False
    step(*arrays)
    assert all(map(same, arrays, linear.arguments))


def replaced(linear, index, array):
    arrays = list(linear.arguments)
    arrays[index] = array
    return arrays


@pytest.mark.parametrize("index, change, error, message", [
    (0, lambda a: a[:63], ValueError,
     "argument 0 (x): expects shape [64, 128], but got [63, 128]"),
    (1, lambda a: a[None], ValueError,
     "argument 1 (weight): expects shape [256, 128], but got [1, 256, 128]"),
    (2, lambda a: a.astype(np.float32), TypeError,
     "argument 2 (d_y): expects bfloat16, but got float32"),
    (0, lambda a: a.view(np.uint16), TypeError,
     "argument 0 (x): expects bfloat16, but got another type"),
    (0, lambda a: np.asfortranarray(a), ValueError,
     "argument 0 (x): expects a row-major array without gaps, but got strides [1, 64] for "
     "shape [64, 128]"),
    (0, lambda a: a.tolist(), TypeError,
     "argument 0 (x): expects a NumPy array or one with __dlpack__, but got list"),
])
def test_wrong_argument(step, linear, index, change, error, message):
    with pytest.raises(error, match=re.escape(message)):
        step(*replaced(linear, index, change(linear.arguments[index])))


def test_wrong_number_of_arguments(step, linear):
    with pytest.raises(TypeError, match=re.escape(
            "expects 3 arguments (x, weight, d_y), but got 2")):
        step(*linear.arguments[:2])


def make_outs(step):
    return [np.empty(s.shape, s.dtype) for s in step.signature.results]


def test_wrong_out(step, linear):
    outs = make_outs(step)
    with pytest.raises(ValueError, match="out: expects 3 arrays, but got 1"):
        step(*linear.arguments, out=outs[0])
    with pytest.raises(ValueError, match=re.escape(
            "out 0 (y): expects shape [64, 256], but got [64, 128]")):
        step(*linear.arguments, out=[outs[1], outs[1], outs[2]])
    with pytest.raises(TypeError, match=re.escape("out 2 (d_weight): expects bfloat16")):
        step(*linear.arguments, out=[*outs[:2], outs[2].astype(np.float32)])
    outs[1].flags.writeable = False
    with pytest.raises(ValueError, match=re.escape("out 1 (d_x)") + ".*read-only"):
        step(*linear.arguments, out=outs)


def test_overlap_is_refused(step, linear):
    outs = make_outs(step)
    x = linear.arguments[0].copy()
    with pytest.raises(ValueError, match=re.escape("out 1 (d_x)") + ".*shares some with argument 0"):
        step(*replaced(linear, 0, x), out=[outs[0], x, outs[2]])
    # By one row.
    both = np.empty((64 + 255, 128), ml_dtypes.bfloat16)
    with pytest.raises(ValueError, match=re.escape("out 2 (d_weight)") + ".*shares some with out 1"):
        step(*linear.arguments, out=[outs[0], both[:64], both[63:]])
    # Neighbours do not overlap.
    both = np.empty((64 + 256, 128), ml_dtypes.bfloat16)
    results = step(*linear.arguments, out=[outs[0], both[:64], both[64:]])
    assert all(map(same, results, linear.expected))


def check_workspace(call, size):
    """What `call` gives with a workspace of `size` bytes, which it uses, and no byte beside
    it; smaller and less aligned ones are refused."""
    assert size > 0
    memory = np.full(size + 512, 0xAB, np.uint8)
    start = -memory.ctypes.data % 256
    workspace = memory[start:start + size]
    with pytest.raises(ValueError, match=f"workspace: expects {size} contiguous bytes"):
        call(workspace[:-1])
    with pytest.raises(ValueError, match="aligned to 256"):
        call(memory[start + 1:start + 1 + size])
    results = call(workspace)
    assert (workspace != 0xAB).any()
    assert (memory[:start] == 0xAB).all() and (memory[start + size:] == 0xAB).all()
    return results


def test_workspace(step, linear):
    results = check_workspace(
        lambda workspace: step(*linear.arguments, workspace=workspace),
        step.workspace_size(*linear.arguments))
    assert all(map(same, results, linear.expected))


def test_split_workspaces(linear):
    split = linear.compile(split=True)
    *arguments, dy = linear.arguments
    y, saved = check_workspace(
        lambda workspace: split.forward(*arguments, workspace=workspace),
        split.forward_workspace_size(*arguments))
    gradients = check_workspace(
        lambda workspace: split.backward(saved, dy, workspace=workspace),
        split.backward_workspace_size(saved, dy))
    assert all(map(same, (y, *gradients), linear.expected))
    # The step kept none of its own.
    assert not any(function._idle for function in split._functions)


def test_split_workspace_sizes_and_errors(step, linear):
    split = linear.compile(split=True)
    x, w, dy = linear.arguments
    saved = split.forward(x, w)[1]
    with pytest.raises(TypeError, match="expects 2 arguments"):
        split.forward_workspace_size(x)
    with pytest.raises(TypeError, match="backward: expects 1 gradients of results, but got 0"):
        split.backward_workspace_size(saved)
    with pytest.raises(ValueError, match=re.escape("gradient 0 (d_y): expects shape [64, 256]")):
        split.backward_workspace_size(saved, dy[:32])
    with pytest.raises(TypeError, match="call forward, then backward"):
        split.workspace_size(x, w, dy)
    for call in (step.forward_workspace_size, step.backward_workspace_size):
        with pytest.raises(TypeError, match="split=True"):
            call(x, w)


def test_workspaces_are_reused(linear):
    step = linear.compile()
    for _ in range(3):
        step(*linear.arguments)
    (workspace,) = step._functions[0]._idle
    assert workspace.pointer % 256 == 0


def test_stream_is_for_gpus(step, linear):
    with pytest.raises(ValueError, match="target cpu, which has no streams"):
        step(*linear.arguments, stream=1)


def test_threads(linear):
    """Many at once, on a step that was not called before: no workspace is shared."""
    step = linear.compile()
    rng = np.random.default_rng(3)
    start = threading.Barrier(4)
    wrong = []

    def work(seed):
        x, w, dy = (
            (array.astype(np.float32) * 2.0 ** seed).astype(array.dtype)
            for array in linear.arguments)
        expected = emulate.linear(emulate.Tensorwise(), x, w, dy=dy)
        start.wait()
        for _ in range(20):
            if not all(map(same, step(x, w, dy), expected)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_outlive_the_step(linear):
    results = linear.compile()(*linear.arguments)
    assert all(map(same, results, linear.expected))


RUN_SAVED = """
import sys, numpy as np, ml_dtypes, fp8
step = fp8.load(sys.argv[1])
arrays = [np.load(path).astype(ml_dtypes.bfloat16) for path in sys.argv[2:]]
results = step(*arrays)
print(step, [int(r.view(np.uint16).astype(np.uint64).sum()) for r in results])
print(step.reports)
assert "libMLIR" not in open("/proc/self/maps").read()
"""


def test_saved_step_needs_no_compiler(step, linear, tmp_path):
    step.save(tmp_path / "linear.so")
    assert sorted(os.listdir(tmp_path)) == ["linear.h", "linear.json", "linear.so"]
    paths = []
    for index, array in enumerate(linear.arguments):
        paths.append(str(tmp_path / f"{index}.npy"))
        np.save(paths[-1], array.astype(np.float32))
    run = subprocess.run(
        [sys.executable, "-c", RUN_SAVED, str(tmp_path / "linear.so"), *paths],
        capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    sums = [int(e.view(np.uint16).astype(np.uint64).sum()) for e in linear.expected]
    assert run.stdout == f"{step} {sums}\n{step.reports}\n"


def test_loading_what_is_no_step(step, tmp_path):
    with pytest.raises(ValueError, match="ends in .so"):
        step.save(tmp_path / "step")
    with pytest.raises(OSError):
        fp8.load(tmp_path / "step.so")
    (tmp_path / "step.json").write_text('{"format": 99}')
    with pytest.raises(ValueError, match="expects a step of format 1"):
        fp8.load(tmp_path / "step.so")
