#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes golden/*.npz: what PyTorch eager on a CPU answers.

    pip install torch==2.15.0 numpy
    python3 make_golden.py [--out DIR]

The only file here that needs torch; the tests read the .npz. Two runs give
the same files.

The formula is torchao's eager tensorwise one (torchao/float8/float8_utils.py
`amax_to_scale`, `to_fp8_saturated`; BSD-3-Clause, restated, not copied):

    amax  = max |x|
    scale = (finfo(T).max / amax.double().clamp(min=1e-12)).float()
    q     = (x.float() * scale).clamp(-finfo(T).max, finfo(T).max).to(T)

The scale is rounded to float32 *before* the product. Descriptions that leave
out `.float()` are easy to read as a float64 product, which is another function:
a 0-d float64 scale times a float32 tensor is a float32 product with the scale
rounded (type promotion), a float64 *tensor* scale would not be. The clamp is
part of the formula: a bare `.to(T)` of 2.15.0 saturates for e4m3fn (infinity
too), gives infinity for e5m2 and NaN for the FNUZ pair (see `bare_*` below).

Contents (T in e4m3fn, e5m2, e4m3fnuz, e5m2fnuz; uint8 bytes throughout):

cast_T.npz
    version            str, torch's
    scales f32[3]      1 and the scales of amax 3.0 and 0.007
    bf16_bytes u8[3, 65536]  casts of every bf16, in order of its bits
    f32_bits u32[20000], f32_bytes u8[20000]  scale 1: specials, neighbours of
                       every rounding midpoint, then uniform bit patterns
    amaxes f32[A], amax_scales f32[A]  amax_to_scale, specials included
    amax_scales_pow2 f32[A]  ... round_scales_to_power_of_2, see below
    bare_bits u32[B], bare_bytes u8[B]  `.to(T)` without a clamp
linear.npz             torch_linear with dy = standard_normal(seed 1) in bf16
    version, dy u16[64, 256]
    {x,weight,dy}_bytes, _scale, _descale   T = e4m3fn, e4m3fn, e5m2
    {y,d_x,d_weight} u16 (bf16 bits)  torch._scaled_mm on the CPU (oneDNN):
                       accumulation order is its own, so compare with a bound

torchao's power-of-two rounding is exp2(floor(log2(scale))), whose log2 rounds
up just below a power of two; the project clears the mantissa instead.
"""

import argparse
import os
import sys

import numpy as np
import torch

from emulate import INPUTS

EPS = 1e-12
TYPES = {
    name: getattr(torch, "float8_" + name)
    for name in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")
}


def amax_to_scale(amax, dtype, power_of_two=False):
    scale = torch.finfo(dtype).max / amax.double().clamp(min=EPS)
    scale = scale.float()
    if power_of_two:
        scale = torch.exp2(torch.floor(torch.log2(scale)))
    return scale


def cast(x, scale, dtype):
    limit = torch.finfo(dtype).max
    return (x.float() * scale).clamp(-limit, limit).to(dtype)


def byte_array(q):
    return q.contiguous().view(torch.uint8).numpy()


def bit_array(x):
    """bf16 tensor -> uint16."""
    return x.contiguous().view(torch.int16).numpy().view(np.uint16)


def from_bits(bits):
    return torch.from_numpy(bits.view(np.float32).copy())


def test_bits(dtype):
    """uint32[20000]: specials, midpoints +-2 ulp of both signs, random."""
    special = [0, 1, 2, 0x007FFFFF, 0x00800000, 0x3F800000, 0x7F7FFFFF,
               0x7F800000, 0x7F800001, 0x7FBFFFFF, 0x7FC00000, 0x7FFFFFFF]
    values = torch.arange(128, dtype=torch.uint8).view(dtype).float().numpy()
    values = values[np.isfinite(values)]
    # One more step above the maximum, where overflow begins.
    values = np.append(values, 2 * values[-1] - values[-2])
    midpoints = ((values[1:] + values[:-1]) / 2).astype(np.float32)
    near = midpoints.view(np.uint32)[:, None] + np.arange(-2, 3)
    exact = values.astype(np.float32).view(np.uint32)
    positive = np.concatenate(
        [np.array(special), exact.astype(np.int64), near.ravel()]
    ).astype(np.uint32)
    chosen = np.concatenate([positive, positive | np.uint32(0x80000000)])
    rng = np.random.default_rng(20000)
    random = rng.integers(0, 1 << 32, 20000 - len(chosen), dtype=np.uint32)
    return np.concatenate([chosen, random])


def test_amaxes():
    """float32: specials, around 1e-12, around powers of two, random."""
    bits = [0, 1, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000]
    for value in (1e-12, 3.0, 0.007, 448.0, 57344.0, 240.0, 1.0, 1.75, 0.4375):
        centre = int(np.float32(value).view(np.uint32))
        bits += range(centre - 3, centre + 4)
    rng = np.random.default_rng(1)
    random = rng.integers(0, 0x7F800000, 2000, dtype=np.uint32)
    return np.concatenate([np.array(bits, np.uint32), random])


def make_cast(name, dtype):
    every = np.arange(65536, dtype=np.uint16).view(np.int16)
    x = torch.from_numpy(every).view(torch.bfloat16)
    scales = torch.cat(
        [torch.ones(1), amax_to_scale(torch.tensor([3.0, 0.007]), dtype)]
    )
    bits = test_bits(dtype)
    bare = bits[: len(bits) - 18000]
    amaxes = from_bits(test_amaxes())
    return dict(
        version=torch.__version__,
        scales=scales.numpy(),
        bf16_bytes=np.stack([byte_array(cast(x, s, dtype)) for s in scales]),
        f32_bits=bits,
        f32_bytes=byte_array(cast(from_bits(bits), torch.tensor(1.0), dtype)),
        amaxes=amaxes.numpy(),
        amax_scales=amax_to_scale(amaxes, dtype).numpy(),
        amax_scales_pow2=amax_to_scale(amaxes, dtype, True).numpy(),
        bare_bits=bare,
        bare_bytes=byte_array(from_bits(bare).to(dtype)),
    )


def make_linear():
    directory = os.path.join(INPUTS, "data", "torch_linear")
    load = lambda f: torch.from_numpy(np.load(os.path.join(directory, f)))
    dy = np.random.default_rng(1).standard_normal((64, 256))
    tensors = {
        "x": (load("arg0.npy").bfloat16(), torch.float8_e4m3fn),
        "weight": (load("arg1.npy").bfloat16(), torch.float8_e4m3fn),
        "dy": (torch.from_numpy(dy.astype(np.float32)).bfloat16(),
               torch.float8_e5m2),
    }
    out = {"version": torch.__version__, "dy": bit_array(tensors["dy"][0])}
    q, d = {}, {}
    for name, (value, dtype) in tensors.items():
        scale = amax_to_scale(value.float().abs().max(), dtype)
        q[name] = cast(value, scale, dtype)
        d[name] = scale.reciprocal()
        out[name + "_bytes"] = byte_array(q[name])
        out[name + "_scale"] = scale.numpy()
        out[name + "_descale"] = d[name].numpy()

    def scaled_mm(a, b, da, db):
        # B column-major, as cuBLASLt wants it; the values are the same.
        b = b.t().contiguous().t()
        return torch._scaled_mm(
            a.contiguous(), b, scale_a=da, scale_b=db, out_dtype=torch.bfloat16
        )

    x, w, dy = q["x"], q["weight"], q["dy"]
    out["y"] = bit_array(scaled_mm(x, w.t(), d["x"], d["weight"]))
    out["d_x"] = bit_array(scaled_mm(dy, w, d["dy"], d["weight"]))
    out["d_weight"] = bit_array(scaled_mm(dy.t(), x, d["dy"], d["x"]))
    return out


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="PyTorch's answers as .npz")
    parser.add_argument("--out", default=os.path.join(here, "golden"))
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for name, dtype in TYPES.items():
        path = os.path.join(options.out, f"cast_{name}.npz")
        np.savez_compressed(path, **make_cast(name, dtype))
        print(path, os.path.getsize(path), "bytes")
    path = os.path.join(options.out, "linear.npz")
    np.savez_compressed(path, **make_linear())
    print(path, os.path.getsize(path), "bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
