#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the examples of op descriptions are part of tests.

Usage: check-examples.py --tests DIR [--tests DIR ...] FILE.td [FILE.td ...]

An example is a block fenced with ```mlir that follows a line "Example:"; each op
has one. It has to occur in a file below the directories, where any white space
may stand for any other. Tests are run, so what they hold parses.
"""

import argparse
import pathlib
import re
import sys

EXAMPLE = re.compile(r"^ *Example:\s*```mlir\n(.*?)```", re.MULTILINE | re.DOTALL)
OP = re.compile(r"^def (\w+Op) *:", re.MULTILINE)


def fold(text):
    """`text` with one space for each run of white space."""
    return " ".join(text.split())


def examples(td):
    """The examples of a file, with the line each is on."""
    text = td.read_text()
    for match in EXAMPLE.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        yield line, fold(match.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", type=pathlib.Path, action="append", required=True)
    parser.add_argument("td", type=pathlib.Path, nargs="+")
    args = parser.parse_args()

    paths = [path for tests in args.tests for path in sorted(tests.rglob("*.mlir"))]
    tests = [fold(path.read_text()) for path in paths]
    count = 0
    failed = False
    for td in args.td:
        found = list(examples(td))
        ops = OP.findall(td.read_text())
        if len(found) != len(ops):
            print(f"{td}: {len(ops)} ops, but {len(found)} examples", file=sys.stderr)
            failed = True
        for line, example in found:
            count += 1
            if not any(example in test for test in tests):
                print(f"{td}:{line}: example is in no test: {example}", file=sys.stderr)
                failed = True
    print(f"{count} examples")
    return failed


if __name__ == "__main__":
    sys.exit(main())
