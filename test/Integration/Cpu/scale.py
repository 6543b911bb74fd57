# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled fp8.amax and fp8.scale against numpy, bit for bit.

Every scale and descale of a million random f32 amaxes, and of the special ones,
for each fp8 type, plain and rounded down to a power of two; the amax of arrays
with and without NaN and infinity; the scales that PyTorch stored.
"""

import ctypes
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", folder) for folder in ("oracle", "support")]

import numpy as np  # noqa: E402

import compiled  # noqa: E402
import fp8_oracle  # noqa: E402

TYPES = {
    "e4m3fn": "f8E4M3FN", "e5m2": "f8E5M2",
    "e4m3fnuz": "f8E4M3FNUZ", "e5m2fnuz": "f8E5M2FNUZ",
}
POLICIES = {"plain": "", "pow2": "policy <pow2 = down>"}

SCALE = """
func.func @scale_{name}(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {{
  %s, %d = fp8.scale %a for {type} {policy} : tensor<?xf32> -> tensor<?xf32>, tensor<?xf32>
  return %s, %d : tensor<?xf32>, tensor<?xf32>
}}
"""
AMAX = """
func.func @amax_{type}(%x: tensor<?x{type}>) -> tensor<f32> {{
  %a = fp8.amax %x : tensor<?x{type}> -> tensor<f32>
  return %a : tensor<f32>
}}
"""


def equal(x, y):
    """Equal bits, NaNs as a class."""
    return np.array_equal(np.where(np.isnan(x), 0, x.view(np.uint32)),
                          np.where(np.isnan(y), 0, y.view(np.uint32))) and \
        np.array_equal(np.isnan(x), np.isnan(y))


def amaxes():
    """What an amax may be: non-negative floats, infinity and NaN."""
    bits = np.random.default_rng(7).integers(0, 1 << 31, 1_000_000, np.uint32)
    special = np.array(
        [0, 2.0**-149, 1e-40, 6.3e-38, 1.31655e-36, 1e-12, 9.9999e-13, 1.0000001e-12,
         3.0, 448, 57344, 240, 3.4e38, np.inf, np.nan], np.float32)
    return np.concatenate([bits.view(np.float32), special])


def check_scales(library):
    values = amaxes()
    for name in TYPES:
        for policy in POLICIES:
            scale, descale = np.empty_like(values), np.empty_like(values)
            compiled.call(library, f"scale_{name}_{policy}", (values, "f32"),
                          (scale, "f32"), (descale, "f32"))
            fmt = fp8_oracle.FORMATS[name]
            with np.errstate(all="ignore"):
                expected = fp8_oracle.scale(values, fmt, power_of_two=policy == "pow2")
                assert equal(scale, expected), (name, policy, "scale")
                assert equal(descale, fp8_oracle.descale(expected)), (name, policy)
            print(f"{name} {policy}: {values.size} scales equal")


def amax(library, type_name, x):
    result = np.empty((), np.float32)
    compiled.call(library, "amax_" + type_name, (x, type_name), (result, "f32"))
    return result


def check_amaxes(library):
    rng = np.random.default_rng(8)
    for size in (0, 1, 7, 1000, 4099):
        x = rng.standard_normal(size).astype(np.float32)
        assert equal(amax(library, "f32", x),
                     np.abs(x).max(initial=0).astype(np.float32)[None][0]), size
    x = -np.arange(1, 40, dtype=np.float32)
    for value in (np.nan, np.inf, -np.inf):
        for place in (0, 17, 38):
            y = x.copy()
            y[place] = value
            assert equal(amax(library, "f32", y), np.float32(abs(value))), (value, place)
    # A NaN beside an infinity, in either order, stays a NaN.
    for pair in ([np.nan, np.inf], [np.inf, np.nan]):
        assert np.isnan(amax(library, "f32", np.array(pair, np.float32)))
    # C12: the amax of what is in fp8 already.
    for codes, value in (([0x26, 0x35], 0.8125), ([0xA6, 0xB5], 0.8125), ([], 0)):
        assert amax(library, "f8E4M3FN", np.array(codes, np.uint8)) == value, codes
    # -0 gives +0.
    zero = amax(library, "f32", np.array([-0.0], np.float32))
    assert zero == 0 and not np.signbit(zero)
    print("amaxes equal")


def main():
    mlir = "".join(
        SCALE.format(name=f"{name}_{policy}", type=TYPES[name], policy=text)
        for name in TYPES for policy, text in POLICIES.items())
    mlir += AMAX.format(type="f32") + AMAX.format(type="f8E4M3FN")
    with tempfile.TemporaryDirectory() as directory:
        library = ctypes.CDLL(compiled.compile_library(mlir, directory))
        check_scales(library)
        check_amaxes(library)


if __name__ == "__main__":
    main()
