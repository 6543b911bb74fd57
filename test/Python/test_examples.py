# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples, and the Python of README.md and docs/Python.md."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest
from conftest import INPUTS, ROOT

EXAMPLES = [("pytorch_linear.py", "torch_linear", "torch_mlir", "pip install torch torch-mlir"),
            ("jax_linear.py", "jax_linear", "jax", "pip install jax")]


def run(*command):
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("script, export, module, install", EXAMPLES)
def test_on_stored_export(script, export, module, install):
    result = run(f"examples/{script}", "--export", os.path.join(INPUTS, export + ".mlir"))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "weight: 64 x 128 x 256, 3 of 3 matmuls in fp8" in result.stdout
    losses = [float(x) for x in re.search(r"^loss: (.*)$", result.stdout, re.M).group(1).split()]
    assert losses == sorted(losses, reverse=True) and losses[-1] < 4


@pytest.mark.parametrize("script, export, module, install", EXAMPLES)
def test_export(script, export, module, install):
    """Exports for real where the exporter is, and else names what to install."""
    result = run(f"examples/{script}")
    if importlib.util.find_spec(module):
        assert result.returncode == 0, result.stdout + result.stderr
    else:
        assert result.returncode == 1 and install in result.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/Python.md"])
def test_documentation(page, monkeypatch, capsys):
    """The blocks of a page are one program. What a comment `# prints TEXT` says comes out."""
    monkeypatch.chdir(ROOT)
    with open(os.path.join(ROOT, page)) as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    assert blocks
    program = "".join(blocks)
    exec(compile(program, page, "exec"), {"__name__": page})
    printed = capsys.readouterr().out
    expected = re.findall(r"# prints (.*)", program)
    assert expected and [line for line in printed.splitlines() if line] == expected
