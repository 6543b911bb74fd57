# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step takes and gives, and what the compiler reports about it."""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

import numpy as np

from ._types import BY_NAME


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """An argument or a result: `shape` has None for a size that is chosen at the
    call, `type` is the element type as MLIR spells it ("bf16")."""

    name: str
    shape: Tuple[Optional[int], ...]
    type: str

    @property
    def dtype(self) -> np.dtype:
        """The element type for NumPy, of ml_dtypes where NumPy has none."""
        return BY_NAME[self.type].dtype

    def __str__(self) -> str:
        sizes = ", ".join("?" if size is None else str(size) for size in self.shape)
        return f"{self.name}: {self.type}[{sizes}]"


@dataclasses.dataclass(frozen=True)
class Port:
    """A tensor of a compiled function. `kind` is "argument" or "result" of the program;
    "saved" by the forward function for the backward function, where it is a "residual".
    `origin` is the tensor of the forward function, arguments first, that an argument of the
    backward function is; -1 for a gradient."""

    spec: TensorSpec
    kind: str
    origin: int = -1


@dataclasses.dataclass(frozen=True)
class FunctionSpec:
    """A compiled function."""

    name: str
    arguments: Tuple[Port, ...]
    results: Tuple[Port, ...]


@dataclasses.dataclass(frozen=True)
class Signature:
    """Arguments and results in their order. With a backward pass the gradients of
    results (d_y) follow the arguments, and the gradients of arguments (d_x) the
    results."""

    arguments: Tuple[TensorSpec, ...]
    results: Tuple[TensorSpec, ...]

    @classmethod
    def of(cls, functions) -> Signature:
        """What functions that run one after the other take and give together."""
        arguments, results = [], []
        for function in functions:
            arguments += [
                port.spec for port in function.arguments
                if port.kind == "argument" and port.origin < 0]
            results += [port.spec for port in function.results if port.kind == "result"]
        return cls(tuple(arguments), tuple(results))

    def __str__(self) -> str:
        def show(specs):
            return ", ".join(map(str, specs))

        return f"({show(self.arguments)}) -> ({show(self.results)})"


@dataclasses.dataclass(frozen=True)
class Linear:
    """One linear layer: `sizes` is M x K x N of its forward matmul; of its `matmuls`,
    forward and backward, `converted` are in FP8."""

    name: str
    sizes: str
    matmuls: int
    converted: int


@dataclasses.dataclass(frozen=True)
class Kept:
    """A value that the backward pass needs of the forward pass, and its bytes."""

    description: str
    bytes: int


@dataclasses.dataclass(frozen=True)
class Reports:
    """Linear layers, and what the backward pass needs of the forward pass.
    `wide_kept_bytes` is what the program without FP8 needs. A dynamic size counts
    as 1024 in bytes."""

    linears: Tuple[Linear, ...]
    kept: Tuple[Kept, ...]
    wide_kept_bytes: int

    @property
    def kept_bytes(self) -> int:
        return sum(value.bytes for value in self.kept)

    def __str__(self) -> str:
        lines = [
            f"{linear.name}: {linear.sizes}, {linear.converted} of {linear.matmuls} matmuls in fp8"
            for linear in self.linears
        ]
        if self.kept:
            lines.append(
                f"kept for the backward pass: {self.kept_bytes} bytes, {self.wide_kept_bytes} "
                "without fp8")
        return "\n".join(lines)
