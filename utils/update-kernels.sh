#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes lib/Runtime/Cuda/Kernels.inc, the PTX of Kernels.cpp, or, with --check,
# compares it. Clang is enough; no CUDA. PTX 7.0 runs on all drivers since
# CUDA 11.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../lib/Runtime/Cuda"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"${CLANG:-clang++-22}" --target=nvptx64-nvidia-cuda -march=sm_80 -O2 \
  -std=c++17 -ffp-contract=off -fno-exceptions -fno-rtti -ffreestanding \
  -nostdlibinc -emit-llvm -S Kernels.cpp -o "$work/kernels.ll"
# The target features that clang writes into the functions name a later PTX.
sed -i 's/"target-features"="[^"]*"/"target-features"="+ptx70,+sm_80"/' \
  "$work/kernels.ll"
"${LLC:-llc-22}" -mcpu=sm_80 -mattr=+ptx70 -fp-contract=off "$work/kernels.ll" \
  -o "$work/kernels.ptx"
{
  echo '// PTX of Kernels.cpp, by utils/update-kernels.sh. Not to be edited.'
  echo 'R"ptx('
  sed -e '/^\/\//d' -e '/^$/d' -e 's/[[:space:]]*\/\/.*$//' "$work/kernels.ptx"
  echo ')ptx"'
} > "$work/Kernels.inc"
if [ "${1:-}" = --check ]; then
  cmp "$work/Kernels.inc" Kernels.inc
else
  cp "$work/Kernels.inc" Kernels.inc
fi
