# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit configuration: which files are tests, and what their commands find."""

import os
import shutil
import subprocess

import lit.formats

config.name = "mlir-fp8"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".test"]
# utils/gpu-test.sh runs these four, where neither lit nor a compiler is.
config.excludes = ["kernels", "kernels.py", "package.py", "run.py", "steps.py", "Inputs", "fuzz", "oracle", "support", "unit", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fp8_binary_dir, "test")

# Ours first: a test never runs an installed fp8-opt.
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.fp8_binary_dir, "bin"),
        config.llvm_tools_dir,
        os.environ["PATH"],
    ]
)
config.environment["FILECHECK_OPTS"] = (
    "-enable-var-scope --allow-unused-prefixes=false"
)
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["PYTHONPATH"] = os.path.join(config.test_source_root, "oracle")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

config.substitutions += [
    ("%python", config.python),
    ("%fp8-compile", os.path.join(config.fp8_binary_dir, "bin", "fp8-compile")),
    ("%llvm_tools", config.llvm_tools_dir),
    # A driver and a cuBLASLt that run on the CPU.
    ("%fake_gpu", "env FP8RT_LIBCUDA={0} FP8RT_CUBLASLT={0}".format(
        os.path.join(config.fp8_binary_dir, "lib", "libfp8fakecuda.so"))),
    ("%fp8-opt", os.path.join(config.fp8_binary_dir, "bin", "fp8-opt")),
    ("%clang", os.path.join(config.llvm_tools_dir, "clang")),
    ("%lld", os.path.join(config.llvm_tools_dir, "ld.lld")),
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
    ("%oracle", os.path.join(config.test_source_root, "oracle")),
    ("%fp8rt_dir", config.fp8_lib_dir),
    ("%source", config.fp8_source_dir),
    ("%build", config.fp8_binary_dir),
    ("%plugin", os.path.join(config.fp8_lib_dir, "libFp8Plugin.so")),
    ("%cxx", config.cxx),
    ("%cc", config.cc),
]


def gpu_compute_capability():
    """The compute capability of the first GPU, times ten; 0 without one."""
    command = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(answer.stdout.splitlines()[0].replace(".", ""))


sm = gpu_compute_capability()
if os.environ.get("FP8_REQUIRE_GPU") and not sm:
    lit_config.fatal("FP8_REQUIRE_GPU is set but no GPU answers")
config.available_features |= {f"sm{v}" for v in (80, 89, 90, 100) if sm >= v}
# Random modules, which are enough for a change; with sanitizers a tool takes ten times
# as long.
config.substitutions.append(("%modules", "50" if config.sanitizers else "500"))
if config.sanitizers:
    config.available_features.add("sanitizers")
    # For processes that are built without and load our libraries: Python, mlir-opt,
    # programs in C.
    config.environment["LD_PRELOAD"] = config.sanitizer_runtime
ptxas = shutil.which("ptxas") or shutil.which(
    "ptxas",
    path=os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"),
)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
    config.substitutions.append(("%cuda", os.path.dirname(os.path.dirname(ptxas))))
if subprocess.run([config.python, "-c", "import torch"], capture_output=True).returncode == 0:
    config.available_features.add("torch")
lit_config.parallelism_groups["gpu"] = 1
