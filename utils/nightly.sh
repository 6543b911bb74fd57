#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What takes too long for every change: 10,000 random modules, the fuzz targets
# from what they found before, and all tests with sanitizers, in this order.
#
#   utils/nightly.sh [--modules=N] [--seed=N] [--seconds=N]
#
# --seed is that of the first module (default: from the date), --seconds the
# time of each fuzz target (default: 600). What fuzzing finds is left in
# build-fuzz/found; reproduce with build-fuzz/bin/TARGET FILE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source utils/setup.sh

modules=10000 seconds=600 seed=$(($(date +%Y%m%d) * 10000))
for argument in "$@"; do
  case "$argument" in
    --modules=*) modules="${argument#*=}" ;;
    --seed=*) seed="${argument#*=}" ;;
    --seconds=*) seconds="${argument#*=}" ;;
    *)
      echo "nightly.sh: error: expects --modules=N, --seed=N or --seconds=N," \
        "but got '$argument'" >&2
      exit 2 ;;
  esac
done

# libMLIR and libLLVM are built without sanitizers. What they allocate for
# containers and arenas that our code fills, or the reverse, looks poisoned.
export ASAN_OPTIONS="detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"

# Each function and module of the tests as a file of its own in the folder $1.
fp8_split_tests() {
  local file name
  for file in test/IR/*.mlir test/BlasLt/*.mlir; do
    name="$(basename "$(dirname "$file")")-$(basename "$file" .mlir)"
    awk -v out="$1/$name" 'BEGIN { RS = "// -----\n" }
      { printf "%s", $0 > (out "-" NR ".mlir") }' "$file"
    awk -v out="$1/$name-function" '/^func.func/ { ++n; on = 1 }
      on { print > (out "-" n ".mlir") } /^}/ { on = 0 }' "$file"
  done
}

# Fuzzes the target $1 from the corpus $2 and the folder of seeds $3.
fp8_fuzz() {
  local found="build-fuzz/found/$1"
  mkdir -p "$found" "build-fuzz/corpus/$1"
  TMPDIR=/dev/shm "build-fuzz/bin/$1" -max_total_time="$seconds" -max_len=4096 \
    -timeout=60 -print_final_stats=1 -artifact_prefix="$found/" \
    "build-fuzz/corpus/$1" "test/fuzz/corpus/$2" ${3:+"$3"}
}

fp8_install_packages
fp8_install_python
status=0

fp8_build
PATH="$PWD/build/bin:/usr/lib/llvm-22/bin:$PATH" build/venv/bin/python \
  test/Integration/Cpu/random-modules.py --seed="$seed" --count="$modules" \
  --others=2 || status=1

cmake --preset fuzz
cmake --build --preset fuzz
seeds="$(mktemp -d)"
trap 'rm -rf "$seeds"' EXIT
fp8_split_tests "$seeds"
fp8_fuzz PlanCacheFuzzer plan-cache || status=1
fp8_fuzz NpyFuzzer npy || status=1
fp8_fuzz ParserFuzzer parser "$seeds" || status=1

cmake --preset asan -DFP8_PYTHON="$PWD/build/venv/bin/python"
cmake --build --preset asan
(cd build-asan && ctest --output-on-failure) || status=1
lit-22 -sv build-asan/test || status=1
exit $status
