# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of the compiler, and exceptions."""

from __future__ import annotations

import dataclasses
from typing import Sequence


@dataclasses.dataclass(frozen=True)
class Message:
    """Something that the compiler says about a place in the program.

    `severity` is "error", "warning", "remark" or "note"; a note belongs to the
    message before it. Of a remark, `kind` is "passed" (done), "missed" (not done,
    the text says why), "failed" or "analysis" (facts and figures), and `name` says
    what emitted it; both are "" for others. `file` is "", `line` and `column` are 0
    where there is no place.
    """

    severity: str
    text: str
    file: str = ""
    line: int = 0
    column: int = 0
    name: str = ""
    kind: str = ""

    @property
    def location(self) -> str:
        """FILE:LINE:COLUMN, or "" without a place."""
        return f"{self.file}:{self.line}:{self.column}" if self.file else ""

    def __str__(self) -> str:
        place = self.location + ": " if self.file else ""
        return f"{place}{self.severity}: {self.text}"


class Error(Exception):
    """What this package raises, wrong arguments aside (TypeError, ValueError)."""


class CompileError(Error):
    """A program or an option that the compiler refuses.

    `messages` has all that was said until then; str() gives errors, with their
    places and notes.
    """

    def __init__(self, messages: Sequence[Message]):
        self.messages = tuple(messages)
        shown, error = [], False
        for message in self.messages:
            error = message.severity == "error" or (error and message.severity == "note")
            if error:
                shown.append(str(message))
        super().__init__("\n".join(shown) or "compiling failed without a message")

    def __reduce__(self):  # Exceptions rebuild from str() otherwise.
        return type(self), (self.messages,)


class ExecutionError(Error):
    """A call that the runtime or the device refused. `status` is the name of the
    runtime's status, FP8RT_FAILED or another one."""

    def __init__(self, status: str, text: str):
        self.status, self.text = status, text
        super().__init__(f"{status}: {text}")

    def __reduce__(self):
        return type(self), (self.status, self.text)
