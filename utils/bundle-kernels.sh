#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles test/Integration/Cuda/kernels/*.mlir for the CPU and for sm_90 into
# gpu-bundle/kernels/{cpu,sm_90}/, with the runtime in gpu-bundle/lib and
# kernels.py, which compares the two on a machine with a GPU:
#   python3 gpu-bundle/kernels.py [--time]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build="${FP8_BUILD:-build}"
bundle=gpu-bundle
[ -f "$build/build.ninja" ] || cmake --preset release -B "$build"
cmake --build "$build" --target fp8-compile fp8rt
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"

rm -rf "$bundle/kernels"
mkdir -p "$bundle/kernels/cpu" "$bundle/kernels/sm_90" "$bundle/lib"
cp -L "$build"/lib/libfp8rt.so.0 "$bundle/lib/"
cp test/Integration/Cuda/kernels.py "$bundle/"
for file in test/Integration/Cuda/kernels/*.mlir; do
  name="$(basename "$file" .mlir)"
  for target in cpu sm_90; do
    "$build/bin/fp8-compile" "$file" --target="$target" -mcpu=x86-64-v3 \
      -o "$bundle/kernels/$target/$name.so"
  done
done
echo "$bundle/kernels: $(du -sh "$bundle/kernels" | cut -f1)"
