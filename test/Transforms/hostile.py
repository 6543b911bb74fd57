# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each pass and pipeline of fp8-opt alone on input that it does not expect: a sound module
comes out, or an error that has a place."""
# RUN: %python %s %S/Inputs/hostile.mlir

import concurrent.futures
import os
import re
import subprocess
import sys


def get_passes():
    """The options of fp8-opt that are a pass or a pipeline of this project."""
    text = subprocess.run(["fp8-opt", "--help"], capture_output=True, text=True, check=True).stdout
    passes = re.findall(r"^ +(--(?:convert-)?(?:fp8|blaslt)-[a-z0-9-]+)", text, re.M)
    assert len(passes) > 30, passes
    return sorted(set(passes))


def run(passname, modules):
    return subprocess.run(["fp8-opt", passname, "--split-input-file"],
                          input="// -----".join(modules), capture_output=True, text=True,
                          timeout=300)


def check(passname, modules):
    """What is wrong, or None."""
    result = run(passname, modules)
    if result.returncode not in (0, 1):
        guilty = [module for module in modules
                  if run(passname, [module]).returncode not in (0, 1)]
        return f"{passname}: exit code {result.returncode}" + "".join(guilty)
    errors = re.findall(r"\berror: .+", result.stderr)
    placed = re.findall(r"^\S+:\d+:\d+: error: .+", result.stderr, re.M)
    if len(errors) != len(placed) or bool(errors) != bool(result.returncode):
        return f"{passname}: exit code {result.returncode}, errors: {errors}"
    # What goes through is sound.
    sound = [module for module in result.stdout.split("// -----") if module.strip()]
    again = run("--verify-roundtrip", sound)
    return again.stderr and f"{passname}: writes what is not read: {again.stderr}"


def main():
    with open(sys.argv[1]) as file:
        modules = file.read().split("// -----")
    # What no pass touches is sound to start with.
    assert not check("--verify-roundtrip", modules)
    passes = get_passes()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda passname: check(passname, modules), passes))
    failures = [failure for failure in found if failure]
    print(*failures, f"{len(passes)} passes on {len(modules)} modules, {len(failures)} failed",
          sep="\n")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
