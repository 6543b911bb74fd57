# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FP8 numerics in numpy, to the bit, sharing no code with the compiler.

    amax    = max |f32(x)|                       NaN propagates, empty is 0
    scale   = f32(f64(max(T)) / max(f64(amax), 1e-12))
    q       = rne_T(clamp(f32(x) * scale, -max(T), max(T)))
    descale = 1.0f / scale
    D       = rne_out((sum over k of a*b, in f32) * (da * db) + acc + bias)

Everything is without a unit. Matrices are [..., M, K] times [..., K, N] ->
[..., M, N], with `trans_a`/`trans_b` for operands stored as [..., K, M] and
[..., N, K]. FP8 values are numpy arrays of an ml_dtypes type; `.view(np.uint8)`
gives the bytes. Wide values are float32 or bfloat16 (ml_dtypes).

Two independent sources round to FP8:
  * ml_dtypes (https://github.com/jax-ml/ml_dtypes), whose float32 -> FP8
    conversion rounds once. Its float64 conversions go through float32 and
    round twice, so nothing here hands it a float64.
  * `interval_bytes`: the float32 bit patterns at which the result changes,
    from exact fractions of the format's definition (OCP 8-bit floating point
    specification 1.0; FNUZ types: https://arxiv.org/abs/2206.02915).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import ml_dtypes
import numpy as np

EPS = 1e-12
BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.dtype(np.float32)

F32_SIGN = 0x80000000
F32_INF = 0x7F800000


@dataclass(frozen=True)
class Format:
    """An FP8 format by its fields; `max_code` is the largest finite value."""

    name: str
    mantissa: int
    bias: int
    max_code: int
    fnuz: bool
    dtype: np.dtype

    @property
    def max(self):
        return float(self.value(self.max_code))

    def value(self, code):
        """Exact value of a finite code, as a Fraction (-0 is 0)."""
        if self.is_nan(code) or code & 0x7F > self.max_code:
            raise ValueError(f"{self.name} code {code:#x} is not finite")
        exponent = (code & 0x7F) >> self.mantissa
        fraction = code & ((1 << self.mantissa) - 1)
        if exponent:
            fraction += 1 << self.mantissa
        power = max(exponent, 1) - self.bias - self.mantissa
        return (-1) ** (code >> 7) * fraction * Fraction(2) ** power

    def is_nan(self, code):
        if self.fnuz:
            return code == 0x80
        # E5M2 has an infinity at 0x7C; E4M3FN has only NaN above the maximum.
        first = self.max_code + (2 if self.name == "e5m2" else 1)
        return code & 0x7F >= first

    @property
    def nan_code(self):
        return 0x80 if self.fnuz else 0x7F

    @property
    def nan_table(self):
        """bool[256]: which bytes are NaN."""
        return np.array([self.is_nan(c) for c in range(256)])


E4M3FN = Format("e4m3fn", 3, 7, 0x7E, False, np.dtype(ml_dtypes.float8_e4m3fn))
E5M2 = Format("e5m2", 2, 15, 0x7B, False, np.dtype(ml_dtypes.float8_e5m2))
E4M3FNUZ = Format(
    "e4m3fnuz", 3, 8, 0x7F, True, np.dtype(ml_dtypes.float8_e4m3fnuz)
)
E5M2FNUZ = Format(
    "e5m2fnuz", 2, 16, 0x7F, True, np.dtype(ml_dtypes.float8_e5m2fnuz)
)
FORMATS = {f.name: f for f in (E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ)}


def to_f32(x):
    """Widen bf16, f16 or FP8 to float32, exactly. Refuses float64."""
    x = np.asarray(x)
    if x.dtype == np.float64:
        raise TypeError("expects a type that float32 holds, but got float64")
    with np.errstate(invalid="ignore"):
        return x.astype(np.float32)


def round_to(x, dtype):
    """One rounding, to nearest even, of float32 to `dtype`; no clamp."""
    x = np.asarray(x)
    if x.dtype != np.float32:
        raise TypeError(f"expects float32, but got {x.dtype}")
    # numpy reports a NaN in any narrowing as an invalid value.
    with np.errstate(invalid="ignore", over="ignore"):
        return x.astype(dtype)


def amax(x, granularity="tensor"):
    """max |x| in float32, from 0.0.

    `granularity`: "tensor" -> [], "rowwise" -> [..., M, 1], "colwise" ->
    [..., 1, N].
    """
    a = np.abs(to_f32(x))
    axis = {"tensor": None, "rowwise": -1, "colwise": -2}[granularity]
    # np.maximum propagates NaN; the start value serves the empty tensor.
    return np.maximum.reduce(
        a, axis=axis, initial=np.float32(0), keepdims=axis is not None
    ).astype(np.float32)


def scale(amax_value, fmt, eps=EPS, power_of_two=False):
    """amax (float32, any shape) -> scale (float32, same shape)."""
    wide = np.asarray(amax_value, np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        s = (np.float64(fmt.max) / np.maximum(wide, eps)).astype(np.float32)
    if not power_of_two:
        return s
    # Rounds down by clearing the mantissa; NaN and infinity stay. (A scale is
    # at least max(T)/FLT_MAX = 2^-121 or so, hence never subnormal but for 0.)
    bits = s.view(np.uint32)
    masked = (bits & np.uint32(F32_INF)).view(np.float32)
    return np.where(np.isfinite(s), masked, s)


def descale(scale_value):
    """1/scale in float32; 0 gives infinity."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.float32(1) / np.asarray(scale_value, np.float32)


def scaled(x, scale_value, fmt):
    """clamp(f32(x) * scale, -max, max) in float32, NaN kept."""
    with np.errstate(all="ignore"):
        p = to_f32(x) * np.asarray(scale_value, np.float32)
    # np.maximum and np.minimum keep NaN, unlike fmax and fmin.
    limit = np.float32(fmt.max)
    return np.minimum(np.maximum(p, -limit), limit)


def cast(x, scale_value, fmt):
    """The saturating scaled cast, rounded by ml_dtypes."""
    return round_to(scaled(x, scale_value, fmt), fmt.dtype)


def quantize(x, fmt, granularity="tensor", power_of_two=False):
    """x -> (FP8 values, descale)."""
    s = scale(amax(x, granularity), fmt, power_of_two=power_of_two)
    return cast(x, s, fmt), descale(s)


def decode(q):
    """FP8 -> float32, exactly."""
    return to_f32(q)


# ----- rounding from exact fractions


@lru_cache(maxsize=None)
def interval_starts(fmt):
    """uint32[max_code + 1]: the least |f32| bits that round to each code.

    A midpoint belongs to the even code. Codes are consecutive across
    exponents, so an even code is an even mantissa. Above the maximum all
    saturates.
    """
    starts = [0]
    for code in range(1, fmt.max_code + 1):
        midpoint = (fmt.value(code - 1) + fmt.value(code)) / 2
        exact = np.float32(float(midpoint))
        if Fraction(float(exact)) != midpoint:
            raise AssertionError(f"{midpoint} is not a float32")
        starts.append(int(exact.view(np.uint32)) + (code & 1))
    return np.array(starts, np.uint32)


def interval_bytes(x, fmt):
    """uint8: x (float32) rounded once and saturated, without ml_dtypes.

    Every NaN gives the format's canonical one, 0x7F or (FNUZ) 0x80.
    """
    bits = np.asarray(x, np.float32).view(np.uint32)
    magnitude = bits & np.uint32(F32_SIGN - 1)
    code = np.searchsorted(interval_starts(fmt), magnitude, side="right") - 1
    code = code.astype(np.uint8)
    negative = (bits & np.uint32(F32_SIGN)) != 0
    if fmt.fnuz:
        negative &= code != 0
    code |= negative.astype(np.uint8) << 7
    return np.where(magnitude > F32_INF, np.uint8(fmt.nan_code), code)


def canonical(codes, fmt):
    """uint8 with every NaN byte replaced by one, for comparing as a class."""
    table = np.arange(256, dtype=np.uint8)
    table[fmt.nan_table] = fmt.nan_code
    return table[np.asarray(codes, np.uint8)]


# ----- matrix products


def product(a, b, trans_a=False, trans_b=False):
    """sum over k of a*b in float32, k ascending from 0.0, no fma.

    Each product is rounded, then each sum. FP8 and bf16 products are exact in
    float32 (short of overflow and subnormals), where fma would agree.
    """
    a, b = to_f32(a), to_f32(b)
    if trans_a:
        a = np.swapaxes(a, -1, -2)
    if trans_b:
        b = np.swapaxes(b, -1, -2)
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"expects equal contracting dimensions, but op(A) has "
            f"{a.shape[-1]} columns and op(B) has {b.shape[-2]} rows"
        )
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    total = np.zeros(batch + (a.shape[-2], b.shape[-1]), np.float32)
    with np.errstate(all="ignore"):
        for k in range(a.shape[-1]):
            total += a[..., :, k, None] * b[..., None, k, :]
    return total


def epilogue(total, factor=None, acc=None, bias=None, out=BF16):
    """round(total * factor + acc + bias); each step a float32 rounding.

    `bias` is [N] and runs along the last dimension; `acc` is [..., M, N].
    """
    with np.errstate(all="ignore"):
        if factor is not None:
            total = total * factor
        if acc is not None:
            total = total + to_f32(acc)
        if bias is not None:
            bias = to_f32(bias)
            if bias.shape != total.shape[-1:]:
                raise ValueError(
                    f"expects a bias of {total.shape[-1]} values, but got "
                    f"shape {bias.shape}"
                )
            total = total + bias
    return round_to(total, out)


def scaled_mm(
    a,
    b,
    descale_a,
    descale_b,
    trans_a=False,
    trans_b=False,
    acc=None,
    bias=None,
    out=BF16,
):
    """FP8 matmul. Descales are scalars, or [..., M, 1] and [..., 1, N]."""
    total = product(a, b, trans_a, trans_b)
    da = np.asarray(descale_a, np.float32)
    db = np.asarray(descale_b, np.float32)
    rows, cols = total.shape[-2:]
    if da.shape and da.shape[-2:] != (rows, 1):
        raise ValueError(
            f"expects descale_a of [{rows}, 1], but got {da.shape}"
        )
    if db.shape and db.shape[-2:] != (1, cols):
        raise ValueError(
            f"expects descale_b of [1, {cols}], but got {db.shape}"
        )
    with np.errstate(all="ignore"):
        factor = da * db
    return epilogue(total, factor, acc, bias, out)


def matmul(a, b, trans_a=False, trans_b=False, acc=None, bias=None, out=BF16):
    """Wide matmul: float32 accumulation, one rounding to `out`."""
    return epilogue(
        product(a, b, trans_a, trans_b), acc=acc, bias=bias, out=out
    )


def db(ref, out):
    """10 log10(sum ref^2 / sum (ref-out)^2) in dB, computed in float64.

    Infinity where both agree everywhere; NaN where a NaN or infinity is in
    either.
    """
    ref, out = (np.asarray(t).astype(np.float64) for t in (ref, out))
    if ref.shape != out.shape:
        raise ValueError(f"expects one shape, but got {ref.shape}, {out.shape}")
    if not (np.isfinite(ref).all() and np.isfinite(out).all()):
        return float("nan")
    noise = np.sum((ref - out) ** 2)
    if noise == 0:
        return float("inf")
    with np.errstate(divide="ignore"):
        return float(10 * np.log10(np.sum(ref**2) / noise))
