#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the tests that need a GPU and packs them, with the runtime, into
# gpu-bundle/, for utils/gpu-test.sh on a machine that has neither compilers nor
# LLVM: bin/*Tests and lib/. The C library there must be 2.36 or later.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build="${FP8_BUILD:-build}"
bundle=gpu-bundle
[ -f "$build/build.ninja" ] || cmake --preset release -B "$build"
cmake --build "$build" --target Fp8CudaTests fp8rt

rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib"
cp "$build/bin/Fp8CudaTests" "$bundle/bin/"
cp -L "$build"/lib/libfp8rt.so.0 "$bundle/lib/"
for file in "$bundle"/bin/* "$bundle"/lib/*; do
  "${STRIP:-strip}" --strip-debug "$file"
done
echo "$bundle: $(du -sh "$bundle" | cut -f1)"
