#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts code of the tree into a document, so that it shows what is there.

Usage: update-snippets.py DOCUMENT -o OUTPUT

A marker in the document names a file and two regular expressions:

    <!-- snippet: lib/IR/Fp8Folds.cpp /^OpFoldResult TransposeOp/ /^}/ -->

The fenced block behind it becomes the lines of the file from the one that matches
the first expression, which no other line does, to the next one that matches the
second. Paths are relative to the repository.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKER = re.compile(r"<!-- snippet: (\S+) /(.*?)/ /(.*?)/ -->")
LANGUAGES = {".cpp": "c++", ".h": "c++", ".td": "tablegen", ".py": "python"}


class SnippetError(Exception):
    """What is wrong with a marker, or behind it."""


def find_snippet(path, first, last):
    """The lines of `path` from the one for `first` to the one for `last`."""
    file = ROOT / path
    if not file.is_file():
        raise SnippetError(f"{path}: no such file")
    lines = file.read_text().splitlines()
    starts = [i for i, line in enumerate(lines) if re.search(first, line)]
    if len(starts) != 1:
        raise SnippetError(
            f"{path}: expects one line that matches /{first}/, but found {len(starts)}"
        )
    start = starts[0]
    for end in range(start, len(lines)):
        if re.search(last, lines[end]):
            return lines[start : end + 1]
    raise SnippetError(f"{path}: no line behind {start + 1} matches /{last}/")


def fence(path, first, last):
    """The block of a snippet; what has a fence in it gets a longer one."""
    code = find_snippet(path, first, last)
    ticks = "````" if any("```" in line for line in code) else "```"
    language = LANGUAGES.get(pathlib.Path(path).suffix, path.rsplit(".", 1)[-1])
    return [ticks + language, *code, ticks]


def skip_block(lines, index):
    """The index behind the fenced block that starts at `index`."""
    ticks = re.match("```+", lines[index]) if index < len(lines) else None
    if not ticks:
        raise SnippetError(f"line {index}: expects a fenced block behind a marker")
    for close in range(index + 1, len(lines)):
        if lines[close] == ticks.group():
            return close + 1
    raise SnippetError(f"line {index + 1}: the block does not end")


def update(text):
    """`text` with every snippet as it is in the tree."""
    lines, out = text.splitlines(), []
    index = 0
    while index < len(lines):
        line = lines[index]
        out.append(line)
        index += 1
        marker = MARKER.search(line)
        if not marker:
            if "<!-- snippet:" in line:
                raise SnippetError(f"line {index}: not a marker: {line.strip()}")
            continue
        out += fence(*marker.groups())
        index = skip_block(lines, index)
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    try:
        text = update(args.document.read_text())
    except SnippetError as error:
        print(f"{args.document}: error: {error}", file=sys.stderr)
        return 1
    args.output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
