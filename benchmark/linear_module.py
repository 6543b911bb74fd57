#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints one bias-free linear layer, y [M, N] = x [M, K] weight [N, K]^T in bf16,
as PyTorch exports it: `linear_module.py M K N`. With `--gemms` the three FP8 matmuls
of its forward and backward alone, on operands that lie as Hopper reads them."""

import argparse

MODULE = """\
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<{m}x{k}xbf16>, %weight: tensor<{n}x{k}xbf16>) -> tensor<{m}x{n}xbf16> {{
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<{k}x{n}xbf16>
  %transposed = linalg.transpose ins(%weight : tensor<{n}x{k}xbf16>) outs(%0 : tensor<{k}x{n}xbf16>) permutation = [1, 0]
  %1 = tensor.empty() : tensor<{m}x{n}xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %3 = linalg.matmul ins(%x, %transposed : tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>) outs(%2 : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %4 = tensor.empty() : tensor<{m}x{n}xbf16>
  %5 = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}} ins(%3 : tensor<{m}x{n}xf32>) outs(%4 : tensor<{m}x{n}xbf16>) {{
  ^bb0(%in: f32, %out: bf16):
    %6 = arith.truncf %in : f32 to bf16
    linalg.yield %6 : bf16
  }} -> tensor<{m}x{n}xbf16>
  return %5 : tensor<{m}x{n}xbf16>
}}
"""

GEMMS = """\
func.func @main(
    %x: tensor<{m}x{k}xf8E4M3FN>, %w: tensor<{n}x{k}xf8E4M3FN>, %dy: tensor<{m}x{n}xf8E5M2>,
    %xt: tensor<{k}x{m}xf8E4M3FN>, %wt: tensor<{k}x{n}xf8E4M3FN>, %dyt: tensor<{n}x{m}xf8E5M2>,
    %sx: tensor<f32>, %sw: tensor<f32>, %sdy: tensor<f32>)
    -> (tensor<{m}x{n}xbf16>, tensor<{m}x{k}xbf16>, tensor<{n}x{k}xbf16>) {{
  %y = fp8.scaled_mm %x, %w descales %sx, %sw trans_b fast_accum
      : tensor<{m}x{k}xf8E4M3FN>, tensor<{n}x{k}xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<{m}x{n}xbf16>
  %dx = fp8.scaled_mm %dy, %wt descales %sdy, %sw trans_b
      : tensor<{m}x{n}xf8E5M2>, tensor<{k}x{n}xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<{m}x{k}xbf16>
  %dw = fp8.scaled_mm %dyt, %xt descales %sdy, %sx trans_b
      : tensor<{n}x{m}xf8E5M2>, tensor<{k}x{m}xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<{n}x{k}xbf16>
  return %y, %dx, %dw : tensor<{m}x{n}xbf16>, tensor<{m}x{k}xbf16>, tensor<{n}x{k}xbf16>
}}
"""

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a linear layer as MLIR")
    parser.add_argument("--gemms", action="store_true", help="its FP8 matmuls alone")
    for name in ("m", "k", "n"):
        parser.add_argument(name, type=int)
    options = parser.parse_args()
    text = GEMMS if options.gemms else MODULE
    print(text.format(m=options.m, k=options.k, n=options.n), end="")
