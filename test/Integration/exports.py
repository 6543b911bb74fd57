# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What becomes of every matmul of every export, for three targets.

The lists below were written by hand from test/Inputs/README.md, which says what each
file computes. FP8_INPUTS names another folder with the same files.
"""

import collections
import concurrent.futures
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.environ.get("FP8_INPUTS", os.path.join(HERE, "..", "Inputs"))
TARGETS = ("cpu", "sm_90", "sm_100")

# Linears of the files that fp8-train differentiates: converted, kept wide. Each
# counts for a forward, a dgrad and a wgrad matmul.
FORWARD = {
    "jax_attention": (4, 2),  # q, k, v, out; QKᵀ and PV
    "jax_einsum_btc_chd": (1, 0),
    "jax_einsum_btc_dc": (1, 0),
    "jax_gpt2_mlp": (2, 0),
    "jax_linear": (1, 0),
    "jax_linear_3d": (1, 0),
    "jax_linear_bias": (1, 0),
    "jax_linear_cast": (1, 0),
    "jax_linear_f32": (1, 0),
    "jax_linear_f32acc": (1, 0),
    "jax_linear_odd": (1, 0),
    "jax_linear_wt": (1, 0),
    "jax_llama_ffn": (3, 0),
    "jax_moe": (3, 0),  # router, w1, w2; the weighted sum is no matmul
    "jax_nanochat_mlp": (2, 0),
    "jax_nanochat_mlp_d20": (2, 0),
    "torch_conv1d_bias": (1, 0),
    "torch_einsum_btc_chd": (1, 0),
    "torch_einsum_btc_dc": (1, 0),
    "torch_gpt2_attention": (2, 2),  # qkv, out; QKᵀ and PV
    "torch_gpt2_mlp": (2, 0),
    "torch_gpt2_mlp_core": (2, 0),
    "torch_linear": (1, 0),
    "torch_linear_3d": (1, 0),
    "torch_linear_3d_bias": (1, 0),
    "torch_linear_3d_core_bias": (1, 0),
    "torch_linear_3d_core_dyn": (1, 0),
    "torch_linear_3d_dynb": (1, 0),
    "torch_linear_3d_dynt": (1, 0),
    "torch_linear_autocast_bias": (1, 0),
    "torch_linear_bias": (1, 0),
    "torch_linear_bias_dyn": (1, 0),
    "torch_linear_core_bias": (1, 0),
    "torch_linear_dyn": (1, 0),
    "torch_linear_f16": (1, 0),
    "torch_linear_f32": (1, 0),
    "torch_linear_f32_bias": (1, 0),
    "torch_linear_odd": (1, 0),
    "torch_llama_ffn": (3, 0),  # gate, up, down
    "torch_llama_ffn_8b": (3, 0),
    "torch_llama_ffn_dyn": (3, 0),
    "torch_moe_loop": (9, 0),  # router, two for each of four experts
    "torch_moe_stacked": (3, 0),  # router, w1, w2
    "torch_nanochat_block": (7, 2),  # q, k, v, proj, fc, fc2, lm_head; attention
    "torch_nanochat_mlp": (2, 0),
    "torch_nanochat_mlp_3d": (2, 0),
    "torch_nanochat_mlp_d20": (2, 0),
    "torch_nanochat_mlp_split_forward": (2, 0),
}

# Files that are differentiated: forward, dgrad and wgrad matmuls, all converted.
JOINT = {
    "jax_linear_train": (1, 1, 1),
    "jax_llama_ffn_train": (3, 3, 3),
    "jax_nanochat_mlp_loss": (2, 1, 2),  # x has no gradient
    "jax_nanochat_mlp_train": (2, 2, 2),
    "torch_gpt2_mlp_train": (2, 2, 2),
    "torch_linear_3d_train": (1, 1, 1),
    "torch_linear_bias_train": (1, 1, 1),
    "torch_llama_ffn_train": (3, 3, 3),
    "torch_nanochat_mlp_split_backward": (0, 2, 2),
    "torch_nanochat_mlp_train": (2, 2, 2),
}

# Options that keep some wide: file, target, options, converted and kept linears,
# and a reason that is given.
FILTERED = [
    ("torch_nanochat_block", "sm_90", "pad=false", (6, 3),
     "arg7 (forward, 64x64x97) kept wide: N = 97 is no multiple of 16"),
    ("torch_nanochat_block", "cpu", "pad=false", (7, 2), "computed, as in attention"),
    ("torch_nanochat_block", "sm_90", "computed=true", (9, 0), "converted"),
    ("torch_nanochat_block", "sm_90", "exclude=^arg7$", (6, 3),
     "its name matches '^arg7$'"),
    ("torch_moe_loop", "sm_90", "exclude=^arg1$", (8, 1), "its name matches '^arg1$'"),
    ("torch_moe_loop", "sm_90", "min-n=16", (8, 1), "N = 4 is less than 16"),
    ("torch_linear_odd", "sm_90", "pad=false", (0, 1), "M = 33 is no multiple of 16"),
    ("torch_linear_dyn", "sm_90", "pad=false", (0, 1), "M may be no multiple of 16"),
    ("torch_llama_ffn_8b", "sm_90", "cost=true", (3, 0), "predicted 1."),
    ("torch_llama_ffn", "sm_90", "cost=true", (0, 3), "kept wide: predicted 0."),
]

REMARK = re.compile(
    r'QuantizeMatmuls [^\n]*Reason="(\S+) \((\w+), \S+?\) (converted|kept wide)'
)


def run(name, pipeline, options):
    """(output, what remarks say) of one file; raises on an error."""
    result = subprocess.run(
        ["fp8-opt", os.path.join(INPUTS, name + ".mlir"), f"--{pipeline}={options}",
         "--remarks-filter=fp8"],
        capture_output=True, text=True,
    )
    assert result.returncode == 0, f"{name}, {options}: {result.stderr[-2000:]}"
    return result.stdout, result.stderr


def count(remarks, verdict):
    found = collections.Counter(
        role for _, role, what in REMARK.findall(remarks) if what == verdict
    )
    return tuple(found[role] for role in ("forward", "dgrad", "wgrad"))


def check(name, pipeline, options, converted, kept, reason=""):
    ir, remarks = run(name, pipeline, options)
    where = f"{name}, {options}"
    got = count(remarks, "converted"), count(remarks, "kept wide")
    assert got == (converted, kept), f"{where}: {got}, not {(converted, kept)}"
    assert reason in remarks, f"{where}: no remark with '{reason}':\n{remarks}"
    # The remarks tell the truth.
    assert ir.count("fp8.scaled_mm") == sum(converted), where
    assert ir.count("fp8.matmul") == sum(kept), where
    return f"{where}: {converted} converted, {kept} kept"


def jobs():
    for target in TARGETS:
        for name, (converted, kept) in FORWARD.items():
            yield (name, "fp8-train", f"target={target}",
                   (converted,) * 3, (kept,) * 3)
        for name, converted in JOINT.items():
            yield name, "fp8-quantize", f"target={target}", converted, (0, 0, 0)
    for name, target, options, (converted, kept), reason in FILTERED:
        yield (name, "fp8-train", f"target={target} {options}", (converted,) * 3,
               (kept,) * 3, reason)


def main():
    files = {file[:-5] for file in os.listdir(INPUTS) if file.endswith(".mlir")}
    listed = set(FORWARD) | set(JOINT)
    assert files == listed, f"not in both: {sorted(files ^ listed)}"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in pool.map(lambda job: check(*job), jobs()):
            print(line)


if __name__ == "__main__":
    sys.exit(main())
