# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling: sources, options, remarks, reports and errors."""

import os
import pathlib
import pickle
import re

import ml_dtypes
import numpy as np
import pytest
from conftest import INPUTS, same

import fp8
from fp8 import _compiler


def test_sources(linear):
    with open(linear.path) as file:
        text = file.read()

    class Module:  # As MLIR's Python bindings have it.
        operation = None

        def __str__(self):
            return text

    for source in (linear.path, pathlib.Path(linear.path), text, text.encode(), Module()):
        step = fp8.compile(source)
        assert same(step(*linear.arguments[:2]), linear.expected[0])


def test_source_of_a_wrong_type():
    with pytest.raises(TypeError, match="source: expects MLIR as str or bytes, .* but got int"):
        fp8.compile(3)


def test_missing_file():
    with pytest.raises(fp8.CompileError, match="cannot open input file 'missing.mlir'"):
        fp8.compile("missing.mlir")


def test_error_has_its_place(tmp_path):
    path = tmp_path / "bad.mlir"
    path.write_text("func.func @f(%x: tensor<4xf32>) {\n  foo.bar\n}\n")
    with pytest.raises(fp8.CompileError) as caught:
        fp8.compile(path)
    first = caught.value.messages[0]
    assert (first.severity, first.file, first.line, first.column) == ("error", str(path), 2, 3)
    assert str(caught.value).startswith(f"{path}:2:3: error: ")
    assert caught.value.messages[1].severity == "note"
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.messages == caught.value.messages and str(again) == str(caught.value)


@pytest.mark.parametrize("options, message", [
    ({"target": "sm_77"}, "expects a target among cpu, .* but got 'sm_77'"),
    ({"target": "gfx942"}, "but got 'gfx942', which has no lowering yet"),
    ({"recipe": "magic"}, "expects a recipe among .* but got 'magic'"),
    ({"cpu": "magic"}, "expects a processor that LLVM knows, but got 'magic'"),
    ({"argument_names": ["a", "b", "c"]}, "2 arguments at most, but got 3"),
    ({"exclude": "("}, r"exclude"),
])
def test_wrong_options(linear, options, message):
    with pytest.raises(fp8.CompileError, match=message):
        fp8.compile(linear.path, **options)


def test_signature(step):
    assert str(step.signature) == (
        "(x: bf16[64, 128], weight: bf16[256, 128], d_y: bf16[64, 256]) -> "
        "(y: bf16[64, 256], d_x: bf16[64, 128], d_weight: bf16[256, 128])")
    x = step.signature.arguments[0]
    assert x.shape == (64, 128) and x.dtype == np.dtype(ml_dtypes.bfloat16)
    assert step.target == "cpu" and step.recipe == "tensorwise"


def test_remarks_and_reports(step, linear):
    texts = [(r.name, r.kind, r.text) for r in step.remarks]
    for role, sizes in [("forward", "64x128x256"), ("dgrad", "64x256x128"), ("wgrad", "256x64x128")]:
        assert ("QuantizeMatmuls", "passed",
                f"weight ({role}, {sizes}) converted, recipe tensorwise") in texts
    assert all(r.file == linear.path and r.line > 0 for r in step.remarks)
    assert not step.warnings
    reports = step.reports
    assert reports.linears == (fp8.Linear("weight", "64 x 128 x 256", 3, 3),)
    assert reports.kept_bytes == 64 * 128 + 256 * 128 + 2 * 4
    assert reports.wide_kept_bytes == 2 * (64 * 128 + 256 * 128)
    assert "weight: 64 x 128 x 256, 3 of 3 matmuls in fp8" in str(reports)


@pytest.mark.parametrize("options, reason", [
    ({"exclude": "c_fc|no such"}, "its name matches 'c_fc|no such'"),
    ({"include": 'c_proj|a"b'}, "its name does not match 'c_proj|a\"b'"),
    ({"min_n": 100}, "N = 64 is less than 100"),
])
def test_filters(options, reason):
    step = fp8.compile(
        os.path.join(INPUTS, "torch_nanochat_mlp.mlir"), argument_names=["x", "c_fc", "c_proj"],
        **options)
    converted = {linear.name: linear.converted for linear in step.reports.linears}
    assert sorted(converted.values()) == [0, 1]
    missed = [r.text for r in step.remarks if r.kind == "missed"]
    assert len(missed) == 1 and reason in missed[0]


def test_option_text_that_cannot_be_quoted(linear):
    with pytest.raises(ValueError, match="exclude: expects at most one kind of quotes"):
        fp8.compile(linear.path, exclude="a'b\"c d")


def test_differentiated_program_with_tangents():
    path = os.path.join(INPUTS, "torch_nanochat_mlp_split_backward.mlir")
    step = fp8.compile(path)
    assert sum(linear.converted for linear in step.reports.linears) == 4
    with pytest.raises(fp8.CompileError):
        fp8.compile(path, tangents=[99])


def test_transform(linear):
    result = fp8.transform(linear.path, "fp8-train{target=sm_90}")
    assert str(result) == result.text and result.text.count("fp8.scaled_mm") == 3
    assert sum(m.kind == "passed" for m in result.messages) == 3
    # And it parses again.
    lowered = fp8.transform(result.text, "builtin.module(fp8-lower-to-cpu)")
    assert "llvm.func" in lowered.text and "fp8.scaled_mm" not in lowered.text
    with pytest.raises(fp8.CompileError, match="fp8-nothing"):
        fp8.transform(linear.path, "fp8-nothing")


class Ledger:
    """Addresses that the compiler's C interface gave and has not got back."""

    # Each takes where to put the address last.
    GIVERS = ["context_create", "module_parse", "module_parse_file", "module_compile",
              "module_print"]
    TAKERS = ["context_destroy", "module_destroy", "library_destroy", "string_free"]

    def __init__(self, monkeypatch):
        self.open, self.count = [], 0
        library = _compiler._library()
        for name in self.GIVERS:
            monkeypatch.setattr(library, "fp8_" + name, self.giver(getattr(library, "fp8_" + name)))
        for name in self.TAKERS:
            monkeypatch.setattr(library, "fp8_" + name, self.taker(getattr(library, "fp8_" + name)))

    @staticmethod
    def address(value):
        value = getattr(value, "_obj", value)  # What byref refers to.
        return value.data if isinstance(value, _compiler._String) else value.value

    def giver(self, function):
        def call(*arguments):
            status = function(*arguments)
            if self.address(arguments[-1]):
                self.open.append(self.address(arguments[-1]))
                self.count += 1
            return status
        return call

    def taker(self, function):
        def call(value):
            if self.address(value):
                self.open.remove(self.address(value))
            function(value)
        return call


def test_everything_is_given_back(linear, monkeypatch):
    ledger = Ledger(monkeypatch)
    fp8.transform(linear.path, "canonicalize")
    assert not ledger.open and ledger.count == 3  # A context, a module, a text.
    linear.compile()
    assert not ledger.open and ledger.count == 6  # A context, a module, a library.
    for failing in (lambda: fp8.transform("}", "canonicalize"),
                    lambda: fp8.transform(linear.path, "fp8-nothing"),
                    lambda: fp8.compile(linear.path, target="sm_77")):
        with pytest.raises(fp8.CompileError):
            failing()
        assert not ledger.open
    assert ledger.count == 6 + 1 + 2 + 2


def test_temporary_files_go_away(linear):
    step = fp8.compile(linear.path)
    folder = os.path.dirname(step._path)
    assert os.path.isdir(folder)
    del step
    assert not os.path.exists(folder)


def test_no_linker(linear, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(fp8.CompileError, match="expects cc, clang or gcc on PATH"):
        fp8.compile(linear.path)


def test_linker_that_fails(linear, monkeypatch, tmp_path):
    linker = tmp_path / "cc"
    linker.write_text("#!/bin/sh\necho no way >&2\nexit 1\n")
    linker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(fp8.CompileError, match=re.escape("linking with cc failed: no way")):
        fp8.compile(linear.path)
