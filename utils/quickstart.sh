#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds the tools, and runs the main job: an MLP as
# PyTorch exported it, its training step in FP8 on the CPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source utils/setup.sh

fp8_install_packages
fp8_build fp8-opt fp8-run

command=(fp8-run test/Inputs/torch_nanochat_mlp.mlir --backward --compare)
echo
echo "\$ ${command[*]}"
PATH="$PWD/build/bin:$PATH" "${command[@]}"
