# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds kernels for test/support/gpu_emulator.c: the LLVM IR that NVIDIA's
backend would get, with its intrinsics as calls of the emulator."""

import os
import re
import subprocess

SUPPORT = os.path.dirname(os.path.abspath(__file__))
LOWER = (
    "builtin.module(gpu.module(convert-scf-to-cf,"
    "convert-gpu-to-nvvm{has-redux=1},reconcile-unrealized-casts,"
    "canonicalize,cse))"
)
INTRINSICS = {
    "llvm.nvvm.read.ptx.sreg.tid.x": "emu_tid",
    "llvm.nvvm.read.ptx.sreg.ntid.x": "emu_ntid",
    "llvm.nvvm.read.ptx.sreg.ctaid.x": "emu_ctaid",
    "llvm.nvvm.read.ptx.sreg.nctaid.x": "emu_nctaid",
    "llvm.nvvm.barrier.cta.sync.aligned.all": "emu_barrier",
    "llvm.nvvm.redux.sync.max": "emu_redux_max",
    "llvm.nvvm.shfl.sync.bfly.i32": "emu_shfl_bfly_value",
    "llvm.nvvm.shfl.sync.bfly.f32": "emu_shfl_bfly_float",
    "llvm.nvvm.ff2bf16x2.rn": "emu_bf16x2",
    "llvm.nvvm.rcp.approx.ftz.f": "emu_rcp_approx",
    "llvm.nvvm.ff.to.e4m3x2.rn": "emu_e4m3x2",
    "llvm.nvvm.ff.to.e5m2x2.rn": "emu_e5m2x2",
}


def run(command, text=None):
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=True
    ).stdout


def to_host(ir):
    """LLVM IR of kernels as IR for this machine."""
    for name, function in INTRINSICS.items():
        ir = re.sub(re.escape("@" + name) + r"(?![\w.])", "@" + function, ir)
    left = re.search(r"@llvm\.nvvm\.[\w.]+", ir)
    if left:
        raise RuntimeError(f"the emulator lacks {left.group(0)}")
    ir = re.sub(r" ?addrspace\([13]\)", "", ir)
    ir = ir.replace("ptx_kernel ", "").replace('syncscope("device") ', "")
    # An exchange is no function of its arguments.
    ir = ir.replace("memory(none)", "").replace("speculatable", "")
    ir = re.sub(r"memory\(inaccessiblemem: readwrite\)", "", ir)
    return re.sub(r"^target .*$", "", ir, flags=re.M)


def build(source, output, options=()):
    """Compiles the kernels of `source` to a library for the emulator."""
    stage = run(
        ["fp8-run", source, "--target=sm_90", "--emit=kernels", *options]
    )
    lowered = run(["fp8-opt", "-", f"--pass-pipeline={LOWER}"], stage)
    body = re.search(
        r"^  gpu\.module @fp8_kernels[^\n]*\{\n(.*?)^  \}$", lowered,
        re.M | re.S,
    )
    text = "module {\n" + (body.group(1) if body else "") + "}\n"
    ir = to_host(run(["mlir-translate", "--mlir-to-llvmir"], text))
    run(
        [
            "clang", "-O1", "-ffp-contract=off", "-mfma", "-fPIC", "-shared",
            "-Wno-override-module", "-x", "ir", "-", "-o", output,
        ],
        ir,
    )


def build_emulator(output, include):
    run(
        [
            "clang", "-O2", "-fPIC", "-shared", "-mavx2", f"-I{include}",
            os.path.join(SUPPORT, "gpu_emulator.c"), "-o", output, "-lm",
        ]
    )
