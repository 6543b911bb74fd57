#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What takes too long for every change: 10,000 random modules, large sizes, fuzz targets
# from what they found before, and all tests with sanitizers, in this order.
#
#   utils/nightly.sh [--modules=N] [--seed=N] [--seconds=N]
#
# --seed is that of the first module (default: from the date), --seconds the
# time of each fuzz target (default: 600). What fuzzing finds is left in
# build-fuzz/found; reproduce with build-fuzz/bin/TARGET FILE.
#
# A stage that fails stops only those that need it. The last lines say what came
# of each; the exit status is 1 unless all passed.
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

# Runs the stage $1, which needs the stage $2 to have passed ("": none), as the
# command after them, and notes what came of it.
declare -A outcome
summary=()
fp8_stage() {
  local name="$1" needed="$2" start=$SECONDS status
  shift 2
  if [ -n "$needed" ] && [ "${outcome[$needed]}" != passed ]; then
    outcome[$name]="not run"
    summary+=("$name: not run without $needed")
    return
  fi
  echo "== $name"
  # errexit does not hold where a status is tested, so that is done after it.
  set +e
  (set -e; "$@")
  status=$?
  set -e
  outcome[$name]=passed
  [ $status = 0 ] || outcome[$name]=FAILED
  summary+=("$name: ${outcome[$name]} in $((SECONDS - start)) s")
}

fp8_random_modules() {
  PATH="$PWD/build/bin:/usr/lib/llvm-22/bin:$PATH" build/venv/bin/python \
    test/Integration/Cpu/random-modules.py --seed="$seed" --count="$modules" \
    --others=2
}

fp8_large_sizes() {
  local folder
  folder="$(mktemp -d)"
  mkdir "$folder/cpu" "$folder/sm_90"
  PATH="$PWD/build/bin:/usr/lib/llvm-22/bin:$PATH" build/venv/bin/python \
    test/Integration/Cpu/sizes.py "$folder" --large
  rm -r "$folder"
}

# Configures and builds the preset $1, with more arguments for the former.
fp8_build_preset() {
  cmake --preset "$@"
  cmake --build --preset "$1"
}

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
seeds="$(mktemp -d)"
trap 'rm -rf "$seeds"' EXIT
fp8_split_tests "$seeds"

# libMLIR and libLLVM are built without sanitizers. What they allocate for
# containers and arenas that our code fills, or the reverse, looks poisoned.
export ASAN_OPTIONS="detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"

fp8_stage build "" fp8_build
fp8_stage random-modules build fp8_random_modules
fp8_stage large-sizes build fp8_large_sizes
fp8_stage build-fuzz "" fp8_build_preset fuzz
fp8_stage PlanCacheFuzzer build-fuzz fp8_fuzz PlanCacheFuzzer plan-cache
fp8_stage NpyFuzzer build-fuzz fp8_fuzz NpyFuzzer npy
fp8_stage ParserFuzzer build-fuzz fp8_fuzz ParserFuzzer parser "$seeds"
fp8_stage build-asan "" fp8_build_preset asan -DFP8_PYTHON="$PWD/build/venv/bin/python"
fp8_stage asan-ctest build-asan ctest --test-dir build-asan --output-on-failure
fp8_stage asan-lit build-asan lit-22 -sv build-asan/test

printf 'nightly: %s\n' "${summary[@]}"
for name in "${!outcome[@]}"; do
  [ "${outcome[$name]}" = passed ] || exit 1
done
