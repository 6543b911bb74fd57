#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds everything and runs every test that needs no
# GPU. With --exhaustive also the cast of all 2^32 floats to the four fp8 types.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source utils/setup.sh

exhaustive=0
for argument in "$@"; do
  case "$argument" in
    --exhaustive) exhaustive=1 ;;
    *)
      echo "test.sh: error: expects --exhaustive or nothing, but got '$argument'" >&2
      exit 2 ;;
  esac
done

fp8_install_packages
fp8_install_python
fp8_build

status=0
(cd build && ctest --output-on-failure --output-junit ctest.xml) || status=1
lit-22 -sv --output build/lit.json build/test || status=1
# The runtime and what C programs see of it, with sanitizers: a minute.
cmake --preset asan-runtime
cmake --build --preset asan-runtime
(cd build-asan-runtime && ctest -j2 --output-on-failure --output-junit ctest.xml) ||
  status=1
if [ "$exhaustive" = 1 ]; then
  PATH="$PWD/build/bin:/usr/lib/llvm-22/bin:$PATH" \
    build/venv/bin/python test/Integration/Cpu/cast.py --exhaustive || status=1
fi
build/venv/bin/python utils/summarize-tests.py build/lit.json build/ctest.xml \
  build-asan-runtime/ctest.xml || status=1
exit $status
