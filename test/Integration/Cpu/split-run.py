# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fp8-run --split` gives the bits of the step in one function.

On exports of both frameworks: bias, sizes that need padding, batches, dynamic
sizes, several linears, and steps that the exporter differentiated; with residuals
as they are by default, with casts done again, and with a limit on bytes. What is
printed as kept is within the limit, and without FP8 it is what the report says of
the wide program.
"""

import concurrent.futures
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "..", "..", "Inputs")
DERIVED = [
    "torch_linear_bias", "torch_linear_odd", "torch_linear_3d_core_dyn", "torch_linear_f32_bias",
    "torch_nanochat_mlp", "torch_gpt2_mlp", "torch_llama_ffn", "jax_linear_f32acc",
    "jax_nanochat_mlp", "jax_attention", "torch_moe_stacked",
]
# Tangents of those that are differentiated.
JOINT = {"jax_linear_train": "2", "torch_nanochat_mlp_train": "3"}
# Bytes, arguments aside: less than these keep by default.
LIMITS = {"torch_nanochat_mlp": 60000, "torch_linear_bias": 33000}


def run(name, options, outputs):
    result = subprocess.run(
        ["fp8-run", os.path.join(INPUTS, name + ".mlir"), "--compare", "--dynamic-size=16",
         f"--outputs={outputs}", *options],
        capture_output=True, text=True,
    )
    assert result.returncode == 0, f"{name}, {options}: {result.stderr}"
    return result.stdout


def load(folder):
    """The bytes of each file."""
    files = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    return files


def errors(text):
    return re.findall(r"^\S+ +\S+ dB$", text, re.M)


def kept(text):
    """(of results, of arguments) in bytes, from the table."""
    rows = re.findall(r"^.*? +(\d+)  +(result|argument) \d+$", text, re.M)
    total = int(re.search(r"^total +(\d+)$", text, re.M)[1])
    assert sum(int(size) for size, _ in rows) == total, text
    return tuple(sum(int(size) for size, kind in rows if kind == wanted)
                 for wanted in ("result", "argument"))


def check(name, joint, options):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        expected = run(name, joint, one)
        text = run(name, [*joint, "--split", *options], two)
        left, right = load(one), load(two)
    where = f"{name}, {' '.join(options) or 'default'}"
    assert left.keys() == right.keys(), f"{where}: {left.keys()}, {right.keys()}"
    for file, data in left.items():
        assert data == right[file], f"{where}: {file} differs"
        assert len(set(data[128:])) > 2, f"{where}: {file} is constant"
    assert errors(text) and errors(text) == errors(expected), text
    saved, arguments = kept(text)
    print(f"{where}: {len(left)} results equal, {saved} bytes kept, {arguments} of arguments")
    return saved, arguments


def check_all(name):
    joint = [f"--tangents={JOINT[name]}"] if name in JOINT else ["--backward"]
    saved, _ = check(name, joint, [])
    again, arguments = check(name, joint, ["--recompute-arguments"])
    assert again < saved and arguments > 0, name
    if name in LIMITS:
        limited, _ = check(name, joint, [f"--max-bytes={LIMITS[name]}"])
        assert limited <= LIMITS[name] < saved, f"{name}: {limited}, {saved}"


def check_wide():
    """Without FP8, the bytes are those that the wide program keeps."""
    name = "torch_nanochat_mlp"
    with tempfile.TemporaryDirectory() as folder:
        text = run(name, ["--backward", "--split", "--recipe=none"], folder)
    wide = int(re.search(r"^the wide program +(\d+)$", text, re.M)[1])
    assert sum(kept(text)) == wide, text


def main():
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(check_all, [*DERIVED, *JOINT]))
    check_wide()


if __name__ == "__main__":
    main()
