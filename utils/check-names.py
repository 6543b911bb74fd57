#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that what a page of documentation names exists, for commands that take too
long to run in a test; utils/run-docs.py runs those in fences of console.

Usage: check-names.py --source DIR --build DIR PAGE.md...

In `code` and in fences of sh,

- a path that starts with a folder of the tree is there;
- a program or library of the build folder of any preset is in DIR;
- the NAME of --preset NAME is in CMakePresets.json, with a build preset for
  cmake --build;
- an --option of a script of the tree is in its text.

NAME, X, {a,b} in a path stand for others.
"""

import argparse
import json
import pathlib
import re
import sys

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`]+)`")
SCRIPTS = (".sh", ".py")
# A path with a part that stands for others.
OPEN = re.compile(r"[{*]|(^|[/-])[A-Z]+(/|\.[a-z]+$|$)")


class Tree:
    def __init__(self, source, build):
        self.source, self.build = source, build
        self.folders = {entry.name for entry in source.iterdir() if entry.is_dir()}
        presets = json.loads((source / "CMakePresets.json").read_text())
        configure = [p for p in presets["configurePresets"] if not p.get("hidden")]
        self.presets = {
            "configure": {p["name"] for p in configure},
            "build": {p["name"] for p in presets["buildPresets"]},
        }
        self.build_folders = {p["binaryDir"].rpartition("/")[2] for p in configure}

    def check_path(self, word):
        """What is wrong with a path, or None."""
        folder, _, rest = word.partition("/")
        if OPEN.search(word):
            return None
        if folder in self.build_folders:
            made = rest.startswith(("bin/", "lib/")) and not (self.build / rest).exists()
            return f"{word}: nothing is built as {rest}" if made else None
        if folder in self.folders and rest and not (self.source / word).exists():
            return f"{word}: no such file"
        return None

    def check_preset(self, words, index):
        kind = "build" if "--build" in words[:index] else "configure"
        name = words[index + 1] if index + 1 < len(words) else ""
        if name in self.presets[kind]:
            return None
        return f"--preset {name}: expects one of {' '.join(sorted(self.presets[kind]))}"

    def check_command(self, command):
        """What is wrong with the words of a command."""
        words, script = command.split(), None
        for index, word in enumerate(words):
            yield self.check_path(word)
            path = self.source / word
            if word.endswith(SCRIPTS) and path.is_file():
                script = path
            elif word == "--preset":
                yield self.check_preset(words, index)
            elif script and word.startswith("--"):
                option = word.partition("=")[0]
                if not re.search(re.escape(option) + r"\b", script.read_text()):
                    yield f"{word}: {script.name} has no {option}"


def commands(text):
    """The commands of a page that no test runs."""
    for language, block in FENCE.findall(text):
        if language == "sh":
            for line in block.replace("\\\n", " ").splitlines():
                yield from re.split(r"&&|;|\|", line.partition("#")[0])
    yield from CODE.findall(FENCE.sub("", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("pages", type=pathlib.Path, nargs="+", metavar="page")
    args = parser.parse_args()
    tree, count, failed = Tree(args.source, args.build), 0, 0
    for page in args.pages:
        for command in commands(page.read_text()):
            count += 1
            for problem in filter(None, tree.check_command(command)):
                failed += 1
                print(f"{page}: {problem}", file=sys.stderr)
    print(f"{count} commands, {failed} failed")
    return failed > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
