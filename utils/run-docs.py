#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what a page of documentation shows, and compares.

Usage: run-docs.py --source DIR --build DIR [--at-root] FILE.md

A fence with a language and a name, as in ```mlir linear.mlir, is a file. In a fence
```console, a line after "$ " is a command of the shell, and what follows it has to
be its output, stdout and stderr: "..." stands for any text, on a line of its own for
any lines, and a number of ms for any other. A command fails if and only if what is
shown of it has "error:".

Commands find the tools on PATH, the tree at $FP8 with the build in $FP8/build. They
run in an empty folder, with --at-root in the tree.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"\s*[\d.]+ ms$")


def commands(text):
    """The commands of a console block, each with the lines shown after it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            line, _, shown = shown.partition("\n")
            command = command[:-1] + line
        yield command, shown.splitlines()


def pattern(lines):
    """What the lines that a page shows stand for, as a regular expression."""
    result = ""
    for line in lines:
        if line.strip() == "...":
            result += r"(?:[^\n]*\n)*?"
            continue
        time = TIME.search(line)
        if time:
            line = line[:time.start()]
        result += ".*".join(map(re.escape, line.rstrip().split("...")))
        result += (r"\s*[\d.]+ ms" if time else "") + r"[ \t]*\n"
    return re.compile(result)


def run(command, shown, folder, environment):
    """Why the command does not do what is shown, or None."""
    result = subprocess.run(
        ["bash", "-c", "set -o pipefail; " + command], cwd=folder, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    fails = any("error:" in line for line in shown)
    if (result.returncode != 0) != fails:
        return f"exit status {result.returncode}, printing\n{result.stdout}"
    output = result.stdout
    if output and not output.endswith("\n"):
        output += "\n"
    # Tools end what they print with an empty line or two.
    if not pattern(shown).fullmatch(output.rstrip("\n") + "\n" if output.strip() else ""):
        return f"expected\n{chr(10).join(shown)}\nbut it prints\n{output}"
    return None


def link_tree(folder, source, build):
    """A tree with everything of `source`, and `build` as its build folder."""
    os.mkdir(folder)
    for name in os.listdir(source):
        if name != "build":
            os.symlink(os.path.join(source, name), os.path.join(folder, name))
    os.symlink(build, os.path.join(folder, "build"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--at-root", action="store_true")
    parser.add_argument("page", type=pathlib.Path)
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        tree, work = os.path.join(scratch, "tree"), os.path.join(scratch, "work")
        link_tree(tree, args.source.resolve(), args.build.resolve())
        os.mkdir(work)
        folder = tree if args.at_root else work
        environment = dict(os.environ, FP8=tree)
        # python3 is the one that runs this: it has NumPy.
        folders = [os.path.join(tree, "build", "bin"), os.path.dirname(sys.executable)]
        environment["PATH"] = ":".join([*folders, environment["PATH"]])
        count = failed = 0
        for language, name, text in FENCE.findall(args.page.read_text()):
            if name.strip():
                pathlib.Path(folder, name.strip()).write_text(text)
            if language != "console":
                continue
            for command, shown in commands(text):
                count += 1
                problem = run(command, shown, folder, environment)
                if problem:
                    failed += 1
                    print(f"{args.page}: {command}\n{problem}", file=sys.stderr)
    print(f"{count} commands, {failed} failed")
    return failed > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
