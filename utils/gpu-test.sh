#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs what utils/gpu-bundle.sh packed, on a machine with a GPU: every suite in
# a process of its own, as an error of a device ends all work of its process.
# Arguments go to the tests (--gtest_filter=…). A missing GPU fails.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bundle="${FP8_GPU_BUNDLE:-gpu-bundle}"
export FP8_REQUIRE_GPU=1
export LD_LIBRARY_PATH="$PWD/$bundle/lib:${LD_LIBRARY_PATH:-}"

# cuBLASLt where the loader does not look: in CUDA's folder, or PyTorch's.
fp8_find_cublaslt() {
  ldconfig -p 2>/dev/null | grep -q 'libcublasLt\.so\.1[23]' && return
  local folder file
  for folder in "${CUDA_HOME:-/usr/local/cuda}/lib64" \
      $(python3 -c 'import sys; print(*[p + "/nvidia/*/lib" for p in sys.path if p])'); do
    for file in $folder/libcublasLt.so.13 $folder/libcublasLt.so.12; do
      [ -f "$file" ] && { echo "$file"; return; }
    done
  done
}
if [ -z "${FP8RT_CUBLASLT:-}" ]; then
  found="$(fp8_find_cublaslt)"
  [ -n "$found" ] && export FP8RT_CUBLASLT="$found"
fi
echo "cuBLASLt: ${FP8RT_CUBLASLT:-where the loader finds it}"

passed=0 failed=0 skipped=0
for binary in "$bundle"/bin/*Tests; do
  for suite in $("$binary" --gtest_list_tests | grep -v '^ ' | grep '\.$'); do
    log="$(mktemp)"
    filter=()
    [ $# -gt 0 ] || filter=("--gtest_filter=$suite*")
    "$binary" "${filter[@]}" "$@" 2>&1 | tee "$log"
    code=${PIPESTATUS[0]}
    passed=$((passed + $(grep -c '^\[       OK \]' "$log")))
    skipped=$((skipped + $(grep -c '^\[  SKIPPED \] .* ms)$' "$log")))
    bad=$(grep -c '^\[  FAILED  \] .* ms)$' "$log")
    # A process that died has a test without an end.
    [ "$code" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
    failed=$((failed + bad))
    rm -f "$log"
    [ $# -gt 0 ] && break
  done
done
# Compiled steps, generated kernels and fp8-run, where the bundle has them; not
# with arguments for a test binary.
if [ $# -eq 0 ]; then
  scripts=("test/Integration/Cuda/steps.py $bundle"
    "test/Integration/Cuda/package.py $bundle" "$bundle/kernels.py")
  [ -d "$bundle/packages" ] && scripts+=("test/Integration/Cuda/run.py $bundle")
  for script in "${scripts[@]}"; do
    [ -f "${script%% *}" ] || continue
    # shellcheck disable=SC2086
    if python3 $script; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
