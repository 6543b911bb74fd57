#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/Cases.md has every case, and that its tests exist.

Usage: check-cases.py --root DIR CASES.md

A row of the page is a case: its number, what went wrong elsewhere with at least one
source, what is right here, and its tests. A test is a path of the tree, `test/...`,
and maybe the name of one check in it. The file has to be there, to be run, to have
that name, and to mention the case.
"""

import argparse
import pathlib
import re
import sys

CASES = ("C01 C02 C04 C06 C07 C09 C10 C12 C14 C15 C18 C19 C20 C21 C22 C23 C25 C27 C28 C29 C30 C31 "
         "C33 C34 C35 C36 C38 C40").split()
ROW = re.compile(r"^\| (C\d\d) \| (.*) \| (.*) \| (.*) \|$", re.MULTILINE)
SOURCE = re.compile(r"\b[\w.-]+/[\w.-]+#\d+")
TEST = re.compile(r"`(test/[\w./-]+)`(?: `(\w+)`)?")
# Folders and names that no test suite picks up.
NOT_RUN = re.compile(r"/(Inputs|support|oracle/golden)/")


def problems(root, case, wrong, right, tests):
    """What a row lacks."""
    if not SOURCE.search(wrong):
        yield "names no source"
    if not right.strip():
        yield "does not say what is right"
    found = TEST.findall(tests)
    if not found and not tests.startswith("waits for"):
        yield "names no test and nothing that it waits for"
    for path, name in found:
        file = root / path
        if not file.is_file() or NOT_RUN.search(path):
            yield f"{path} is no test"
            continue
        text = file.read_text()
        if name and not re.search(rf"\b{name}\b", text):
            yield f"{path} has no {name}"
        if not re.search(rf"(?<![A-Za-z0-9]){case}", text, re.IGNORECASE):
            yield f"{path} does not mention the case"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("page", type=pathlib.Path)
    args = parser.parse_args()

    rows = ROW.findall(args.page.read_text())
    found = [f"{row[0]} {problem}" for row in rows for problem in problems(args.root, *row)]
    if [row[0] for row in rows] != CASES:
        found.append(f"expects the rows {' '.join(CASES)}, but got {' '.join(row[0] for row in rows)}")
    for problem in found:
        print(f"{args.page}: {problem}", file=sys.stderr)
    print(f"{len(rows)} cases")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main())
