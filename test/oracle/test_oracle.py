#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Self-test of the oracle: python3 test_oracle.py (numpy, ml_dtypes; seconds).

Three sources must agree: the values of public bug reports worked out with
exact fractions (C01, ... name the report's case), PyTorch's answers in
golden/ (make_golden.py), and the two ways in which fp8_oracle.py rounds. NaNs
compare as a class. Shapes are stated where they matter.
"""

import contextlib
import io
import os
import tempfile
import unittest

import numpy as np

import check_cast
import emulate
import fp8_oracle as fp8
from fp8_oracle import BF16, E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ, F32, FORMATS

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
DATA = os.path.join(emulate.INPUTS, "data")
NAN = float("nan")
INF = float("inf")


def f32(values):
    return np.array(values, np.float32)


def f32_bits(bits):
    return np.array(bits, np.uint32).view(np.float32)


def bf16(values):
    return f32(values).astype(BF16)


def bits(value):
    return int(np.asarray(value, np.float32).view(np.uint32))


def fp8_of(text, fmt):
    return np.frombuffer(bytes.fromhex(text), np.uint8).view(fmt.dtype)


class OracleTest(unittest.TestCase):
    def assert_bytes(self, values, fmt, expected):
        """Both roundings, saturating at scale 1; expected in hex."""
        want = np.frombuffer(bytes.fromhex(expected), np.uint8)
        want = fp8.canonical(want, fmt)
        values = f32(values)
        by_cast = fp8.canonical(fp8.cast(values, 1, fmt).view(np.uint8), fmt)
        self.assertEqual(by_cast.tobytes().hex(), want.tobytes().hex())
        by_interval = fp8.interval_bytes(values, fmt)
        self.assertEqual(by_interval.tobytes().hex(), want.tobytes().hex())

    def assert_unsaturated(self, values, fmt, expected):
        got = fp8.round_to(f32(values), fmt.dtype).view(np.uint8)
        want = np.frombuffer(bytes.fromhex(expected), np.uint8)
        self.assertEqual(
            fp8.canonical(got, fmt).tobytes().hex(),
            fp8.canonical(want, fmt).tobytes().hex(),
        )

    def assert_same(self, got, want):
        """Bit for bit in float32; NaN as a class."""
        got, want = f32(got), f32(want)
        self.assertEqual(got.shape, want.shape)
        same = (got.view(np.uint32) == want.view(np.uint32)) | (
            np.isnan(got) & np.isnan(want)
        )
        self.assertTrue(same.all(), f"{got[~same][:4]} != {want[~same][:4]}")


class ReportedCases(OracleTest):
    def test_c01_rounds_once(self):
        self.assert_bytes(f32_bits([0x3F880001, 0x3F880000]), E4M3FN, "3938")
        self.assert_bytes(f32_bits([0x3F900001]), E5M2, "3d")

    def test_c02_ties_to_even_and_carry(self):
        self.assert_bytes([9, 11, 1.125, 1.375, 13, 15], E5M2, "484a3c3e4a4c")
        self.assert_bytes(
            [126.24, 1.9375, 1.0625, 1.1875, 124], E4M3FN, "7040383a70"
        )

    def test_c04_saturation(self):
        above = 464 + 2**-15
        x = [256, 448, 464, above, 465, 1000, INF, -INF, NAN]
        self.assert_bytes(x, E4M3FN, "787e7e7e7e7e7efe7f")
        self.assert_unsaturated(x, E4M3FN, "787e7e7f7f7f7fff7f")
        x = [61439, 61440, INF, NAN]
        self.assert_bytes(x, E5M2, "7b7b7b7f")
        self.assert_unsaturated(x, E5M2, "7b7c7c7f")
        x = [247, 248, INF, NAN]
        self.assert_bytes(x, E4M3FNUZ, "7f7f7f80")
        self.assert_unsaturated(x, E4M3FNUZ, "7f808080")

    def test_c07_fnuz_has_no_minus_zero(self):
        x = [-1e-5, -(2**-11), -(2**-11 + 2**-30), -(2**-10), -0.0]
        self.assert_bytes(x, E4M3FNUZ, "0000818100")
        self.assert_bytes([-(2**-18), -(2**-17), -0.0], E5M2FNUZ, "008100")
        for fmt in (E4M3FNUZ, E5M2FNUZ):
            nan = fp8.decode(fp8_of("80", fmt))
            self.assertTrue(np.isnan(nan).all())
            self.assert_bytes(np.abs(nan), fmt, "80")
            self.assert_bytes(-fp8.decode(fp8_of("00", fmt)), fmt, "00")
        # Negative: the OCP types keep -0.
        self.assert_bytes([-0.0, -1e-30], E4M3FN, "8080")
        self.assert_bytes([-0.0, -1e-30], E5M2, "8080")

    def test_c09_the_type_sets_the_maximum(self):
        self.assertEqual(
            [f.max for f in (E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ)],
            [448, 57344, 240, 57344],
        )
        self.assertEqual(bits(fp8.scale(448, E4M3FN)), bits(1.0))
        self.assertEqual(bits(fp8.scale(448, E4M3FNUZ)), bits(240 / 448))

    def test_c10_zero_and_very_small_amax(self):
        zeros = np.zeros((4, 4), BF16)
        q, d = fp8.quantize(zeros, E4M3FN)
        self.assertEqual(q.tobytes(), bytes(16))
        self.assertEqual((fp8.decode(q) * d).tobytes(), bytes(64))
        x = bf16([[0, 0], [1, -2]])
        s = fp8.scale(fp8.amax(x, "rowwise"), E4M3FN)
        self.assert_same(s, [[4.48e14], [224]])
        self.assertEqual(fp8.cast(x, s, E4M3FN).tobytes().hex(), "000076fe")
        for tiny in (6.3e-38, 1e-40, 2.0**-149):
            x = f32([tiny, -tiny])
            s = fp8.scale(fp8.amax(x), E4M3FN)
            self.assert_same(s, 4.48e14)
            self.assertEqual(fp8.cast(x, s, E4M3FN).tobytes().hex(), "0080")
            s = fp8.scale(fp8.amax(x), E4M3FNUZ)
            self.assert_same(s, 2.4e14)
            self.assertEqual(fp8.cast(x, s, E4M3FNUZ).tobytes().hex(), "0000")

    def test_c12_amax_of_fp8(self):
        for text in ("2635", "a6b5"):
            self.assert_same(fp8.amax(fp8_of(text, E4M3FN)), 0.8125)
        for dtype in (E4M3FN.dtype, BF16, F32):
            self.assert_same(fp8.amax(np.zeros(0, dtype)), 0.0)
        empty_rows = np.zeros((2, 0), BF16)
        self.assert_same(fp8.amax(empty_rows, "rowwise"), [[0], [0]])

    def test_c15_scale_in_f32(self):
        a = fp8.amax(bf16([3.0, -1.0]))
        self.assertEqual(bits(fp8.scale(a, E4M3FN)), 0x43155555)
        # amax after the rounding to bf16 (C14).
        a = fp8.amax(f32_bits([0x4079999A]).astype(BF16))
        self.assertEqual(bits(fp8.scale(a, E4M3FN)), 0x42E56042)

    def test_c27_bias_runs_along_n(self):
        a, b = fp8_of("38000038", E4M3FN), fp8_of("38383838", E4M3FN)
        a, b = a.reshape(2, 2), b.reshape(2, 2)
        y = fp8.scaled_mm(a, b, 1, 1, bias=bf16([1, 2]))
        self.assert_same(y, [[2, 3], [2, 3]])
        b = fp8_of("384044484a4c", E4M3FN).reshape(2, 3)
        y = fp8.scaled_mm(a, b, 1, 1, bias=bf16([1, 2, 4]))
        self.assert_same(y, [[2, 4, 7], [5, 7, 10]])
        with self.assertRaisesRegex(ValueError, "bias of 3 values"):
            fp8.scaled_mm(a, b, 1, 1, bias=bf16([1, 2]))

    def test_c28_row_scales(self):
        w = bf16([[1, 1], [128, 128]])
        dy, d_dy = fp8.quantize(bf16([[1, 1]]), E5M2, "rowwise")
        q, d = fp8.quantize(w, E4M3FN, "colwise")
        s = fp8.scale(fp8.amax(w, "colwise"), E4M3FN)
        self.assert_same(s, [[3.5, 3.5]])
        self.assert_same(fp8.decode(q), [[3.5, 3.5], [448, 448]])
        self.assert_same(fp8.scaled_mm(dy, q, d_dy, d), [[129, 129]])
        # Negative: the forward's row scales give another matrix.
        rows, d_rows = fp8.quantize(w, E4M3FN, "rowwise")
        wrong = fp8.scaled_mm(dy, rows, d_dy, d_rows.T)
        self.assert_same(wrong, [[2, 256]])
        ones = bf16([[1, 1], [1, 1]])
        for bad in (f32([1, 1]), f32([[1, 1]])):
            with self.assertRaisesRegex(ValueError, "descale_a"):
                fp8.scaled_mm(ones, ones, bad, 1)
        for bad in (f32([1, 1]), f32([[1], [1]])):
            with self.assertRaisesRegex(ValueError, "descale_b"):
                fp8.scaled_mm(ones, ones, 1, bad)


class Scales(OracleTest):
    def test_nan_and_infinity(self):
        self.assertTrue(np.isnan(fp8.amax(f32([1, NAN, INF]))))
        self.assert_same(fp8.amax(f32([1, -INF])), INF)
        for power_of_two in (False, True):
            s = fp8.scale(f32([NAN, INF]), E4M3FN, power_of_two=power_of_two)
            self.assert_same(s, [NAN, 0])
        self.assert_same(fp8.descale(f32([0, NAN])), [INF, NAN])
        # An infinite amax must end as NaN, not as a finite result.
        q, d = fp8.quantize(bf16([[1, INF]]), E4M3FN)
        y = fp8.scaled_mm(q, q, d, d, trans_b=True)
        self.assertTrue(np.isnan(fp8.to_f32(y)).all())
        q, d = fp8.quantize(bf16([[INF, 1]]), E5M2)
        y = fp8.scaled_mm(q[:, 1:], q[:, 1:], d, d, trans_b=True)
        self.assertTrue(np.isnan(fp8.to_f32(y)).all())

    def test_power_of_two_rounds_down(self):
        s = lambda a: fp8.scale(a, E4M3FN, power_of_two=True)
        self.assert_same(s(f32([1.75, 1.76, 3, 448])), [256, 128, 128, 1])
        # One ulp below 256; exp2(floor(log2(s))) in float32 says 256.
        amax = f32_bits(bits(1.75) + 1)
        self.assertLess(fp8.scale(amax, E4M3FN), 256)
        self.assert_same(s(amax), 128)
        # A scale that is not finite stays as it is (the mask would make
        # infinity of NaN).
        infinite = fp8.scale(f32([1e-40, NAN]), E4M3FN, 0.0, True)
        self.assert_same(infinite, [INF, NAN])

    def test_one_f32_division_is_the_f64_rule(self):
        rng = np.random.default_rng(3)
        a = rng.integers(bits(1e-12) + 1, 0x7F800000, 1 << 18, dtype=np.uint32)
        a = a.view(np.float32)
        for fmt in FORMATS.values():
            with np.errstate(all="ignore"):
                self.assert_same(fp8.scale(a, fmt), np.float32(fmt.max) / a)

    def test_refuses_float64(self):
        with self.assertRaises(TypeError):
            fp8.cast(np.array([1.0]), 1, E4M3FN)
        with self.assertRaises(TypeError):
            fp8.round_to(np.array([1.0]), BF16)


class TwoRoundings(OracleTest):
    def test_formats_agree_with_ml_dtypes(self):
        codes = np.arange(256, dtype=np.uint8)
        for fmt in FORMATS.values():
            values = fp8.decode(codes.view(fmt.dtype))
            np.testing.assert_array_equal(np.isnan(values), fmt.nan_table)
            for code in codes[np.isfinite(values)]:
                self.assertEqual(fmt.value(int(code)), values[code])

    def test_ml_dtypes_rounds_f32_once(self):
        rng = np.random.default_rng(4)
        for fmt in FORMATS.values():
            near = fp8.interval_starts(fmt)[:, None] + np.arange(-3, 4)
            near = near.clip(0, fp8.F32_INF + 1).ravel().astype(np.uint32)
            random = rng.integers(0, 1 << 32, 1 << 18, dtype=np.uint32)
            every_bf16 = np.arange(1 << 16, dtype=np.uint32) << 16
            x = f32_bits(
                np.concatenate([near, near | fp8.F32_SIGN, random, every_bf16])
            )
            got = fp8.cast(x, 1, fmt).view(np.uint8)
            np.testing.assert_array_equal(
                fp8.canonical(got, fmt), fp8.interval_bytes(x, fmt)
            )


class Matmul(OracleTest):
    def test_transposes_and_both_scales(self):
        rng = np.random.default_rng(5)
        a = rng.integers(-8, 9, (3, 5)).astype(np.float32)
        b = rng.integers(-8, 9, (5, 2)).astype(np.float32)
        want = 0.5 * 4 * (a.astype(int) @ b.astype(int))
        for ta in (False, True):
            for tb in (False, True):
                qa = fp8.round_to(a.T if ta else a, E4M3FN.dtype)
                qb = fp8.round_to(b.T if tb else b, E5M2.dtype)
                exact = fp8.decode(qb.T if tb else qb)
                want = 2 * (a.astype(int) @ exact.astype(int))
                y = fp8.scaled_mm(qa, qb, 0.5, 4, ta, tb, out=F32)
                self.assert_same(y, want)
        with self.assertRaisesRegex(ValueError, "contracting dimensions"):
            fp8.matmul(a, b, trans_a=True)

    def test_batch(self):
        a = np.arange(2 * 3 * 4).reshape(2, 3, 4).astype(np.float32)
        b = np.arange(4 * 5).reshape(4, 5).astype(np.float32)
        self.assert_same(fp8.matmul(a, b, out=F32), a @ b)

    def test_k_ascends_in_f32(self):
        a = bf16([[2**24, 1, 1]])
        ones = bf16([[1, 1, 1]])
        y = fp8.matmul(a, ones, trans_b=True, out=F32)
        self.assert_same(y, [[2**24]])
        y = fp8.matmul(a[:, ::-1], ones, trans_b=True, out=F32)
        self.assert_same(y, [[2**24 + 2]])

    def test_product_rounds_before_sum(self):
        # fma would keep 2^-24.
        t = 1 + 2.0**-12
        a, b = f32([[-1, t]]), f32([[1 + 2.0**-11, t]])
        self.assert_same(fp8.matmul(a, b, trans_b=True, out=F32), [[0]])

    def test_epilogue_multiplies_scales_first(self):
        da, db, total = f32(1 / 3), f32(1 / 3), f32(3)
        first = total * (da * db)
        self.assertNotEqual(first, (total * da) * db)
        self.assertNotEqual(first, (total * db) * da)
        q = fp8.round_to(f32([[3]]), E4M3FN.dtype)
        one = fp8.round_to(f32([[1]]), E4M3FN.dtype)
        y = fp8.scaled_mm(q, one, da, db, out=F32)
        self.assert_same(y, [[first]])

    def test_bias_is_added_after_a_rounded_product(self):
        # 3 * 0x3EAAAAAB is 1 + 2^-25 before rounding; fma would keep 2^-25.
        third = f32_bits(0x3EAAAAAB)
        q = fp8.round_to(f32([[3]]), E4M3FN.dtype)
        one = fp8.round_to(f32([[1]]), E4M3FN.dtype)
        y = fp8.scaled_mm(q, one, third, 1, bias=f32([-1]), out=F32)
        self.assert_same(y, [[0]])

    def test_bias_before_the_one_bf16_rounding(self):
        # 257 + 1 = 258 is a bf16; bf16(257) is 256, plus 1 rounds to 256.
        a = fp8.round_to(f32([[256, 1]]), E4M3FN.dtype)
        ones = fp8.round_to(f32([[1, 1]]), E4M3FN.dtype)
        y = fp8.scaled_mm(a, ones, 1, 1, trans_b=True, bias=bf16([1]))
        self.assert_same(y, [[258]])
        y = fp8.scaled_mm(a, ones, 1, 1, trans_b=True, acc=f32([[1]]))
        self.assert_same(y, [[258]])

    def test_db(self):
        self.assertAlmostEqual(fp8.db([3, 4], [3, 4.5]), 20.0)
        self.assertEqual(fp8.db([1], [1]), INF)
        self.assertTrue(np.isnan(fp8.db([1], [NAN])))
        with self.assertRaises(ValueError):
            fp8.db([1, 2], [1])


class Golden(OracleTest):
    """PyTorch's bytes and scales, all of them."""

    def golden(self, name):
        with np.load(os.path.join(GOLDEN, name + ".npz")) as file:
            return dict(file)

    def test_casts(self):
        every = np.arange(1 << 16, dtype=np.uint16).view(BF16)
        for name, fmt in FORMATS.items():
            data = self.golden("cast_" + name)
            self.assertEqual(data["bf16_bytes"].shape, (3, 1 << 16))
            for s, want in zip(data["scales"], data["bf16_bytes"]):
                got = fp8.cast(every, s, fmt).view(np.uint8)
                np.testing.assert_array_equal(
                    fp8.canonical(got, fmt), fp8.canonical(want, fmt)
                )
            x = data["f32_bits"].view(np.float32)
            self.assertEqual(x.shape, (20000,))
            want = fp8.canonical(data["f32_bytes"], fmt)
            got = fp8.cast(x, 1, fmt).view(np.uint8)
            np.testing.assert_array_equal(fp8.canonical(got, fmt), want)
            np.testing.assert_array_equal(fp8.interval_bytes(x, fmt), want)

    def test_scales(self):
        for name, fmt in FORMATS.items():
            data = self.golden("cast_" + name)
            ours = fp8.scale(data["amaxes"], fmt)
            self.assert_same(ours, data["amax_scales"])
            # Where PyTorch differs it is log2 that rounded up to a power of
            # two: its scale is twice ours, and more than the unrounded one.
            ours = fp8.scale(data["amaxes"], fmt, power_of_two=True)
            theirs = data["amax_scales_pow2"]
            same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
            self.assertLess((~same).sum(), 10)
            self.assert_same(2 * ours[~same], theirs[~same])
            self.assertTrue((theirs > data["amax_scales"])[~same].all())

    def test_linear_bytes(self):
        data = self.golden("linear")
        _, (x, weight), _, _ = emulate.load(
            "torch_linear", os.path.join(DATA, "torch_linear")
        )
        dy = emulate.seeded_dy(1, (64, 256))
        np.testing.assert_array_equal(dy.view(np.uint16), data["dy"])
        operands = (
            ("x", x, E4M3FN), ("weight", weight, E4M3FN), ("dy", dy, E5M2)
        )
        for name, value, fmt in operands:
            s = fp8.scale(fp8.amax(value), fmt)
            self.assert_same(s, data[name + "_scale"])
            q, d = fp8.quantize(value, fmt)
            self.assert_same(d, data[name + "_descale"])
            np.testing.assert_array_equal(
                q.view(np.uint8), data[name + "_bytes"]
            )

    def test_linear_results(self):
        """Within half a bf16 ulp, plus what any f32 order of sums can do."""
        data = self.golden("linear")
        value = lambda n: fp8.decode(
            data[n + "_bytes"].view((E5M2 if n == "dy" else E4M3FN).dtype)
        ).astype(np.float64) * data[n + "_descale"]
        x, w, dy = value("x"), value("weight"), value("dy")
        _, args, _, _ = emulate.load(
            "torch_linear", os.path.join(DATA, "torch_linear")
        )
        ours = emulate.linear(
            emulate.Tensorwise(), *args, dy=emulate.seeded_dy(1, (64, 256))
        )
        pairs = (("y", x, w.T), ("d_x", dy, w), ("d_weight", dy.T, x))
        for (name, a, b), result in zip(pairs, ours):
            theirs = data[name].view(BF16).astype(np.float64)
            exact = a @ b
            sums = np.abs(a) @ np.abs(b) * a.shape[1] * 2.0**-24
            bound = np.abs(exact) * 2.0**-8 + sums  # half an ulp
            for got in (result.astype(np.float64), theirs):
                self.assertTrue((np.abs(got - exact) <= bound).all(), name)
            # 4, 1 and 3 elements, where the sum is next to a midpoint.
            self.assertLess((result.astype(np.float64) != theirs).sum(), 10)


class Programs(OracleTest):
    """The emulations against the data that PyTorch computed in float64."""

    # y, then gradients in argument order: dB with FP8, least dB without.
    FIGURES = {
        "torch_linear": ([28.54], 55),
        "torch_linear_bias": ([28.66, 24.44, 24.64, 55.85], 55),
        "torch_linear_odd": ([28.72], 55),
        "torch_nanochat_mlp": ([24.33, 20.30, 20.46, 22.45], 47),
    }

    def test_figures(self):
        for name, (figures, least) in self.FIGURES.items():
            _, args, dy, stored = emulate.load(name, os.path.join(DATA, name))
            recipe = emulate.Tensorwise()
            narrow, reference = emulate.run(name, args, dy, recipe)
            wide, _ = emulate.run(name, args, dy, emulate.Wide())
            self.assertEqual(len(narrow), len(figures))
            self.assertEqual(len(stored), len(figures))
            for i, (_, want) in enumerate(stored):
                label = f"{name} result{i}"
                # float32's rounding of the stored value is all that differs.
                self.assertGreater(fp8.db(reference[i], want), 140, label)
                self.assertEqual(narrow[i].dtype, BF16, label)
                got = fp8.db(reference[i], narrow[i])
                self.assertAlmostEqual(got, figures[i], delta=0.01, msg=label)
                self.assertGreater(fp8.db(reference[i], wide[i]), least, label)

    def test_figures_of_the_other_recipes(self):
        name = "torch_nanochat_mlp"
        _, args, dy, _ = emulate.load(name, os.path.join(DATA, name))
        for options, figures in (
            (dict(power_of_two=True), [24.20, 20.38, 20.74, 22.19]),
            (dict(fnuz=True), [24.68, 20.11, 20.43, 22.61]),
        ):
            recipe = emulate.Tensorwise(**options)
            results, reference = emulate.run(name, args, dy, recipe)
            for got, want, figure in zip(results, reference, figures):
                self.assertAlmostEqual(fp8.db(want, got), figure, delta=0.01)

    def test_command_line(self):
        with tempfile.TemporaryDirectory() as root:
            saved, out = os.path.join(root, "in"), os.path.join(root, "out")
            lines = io.StringIO()
            with contextlib.redirect_stdout(lines):
                emulate.main(["torch_linear", "--seed-dy", "1", "--out", out,
                              "--save-inputs", saved])
                emulate.main(["torch_linear", "--data", saved])
            printed = lines.getvalue().splitlines()
            self.assertEqual(printed[0], "y  28.54 dB  stored 28.54 dB")
            self.assertEqual(printed[3], "y  28.54 dB")
            self.assertEqual(printed[1:3], printed[4:6])
            self.assertEqual(sorted(os.listdir(out)),
                             ["d_weight.npy", "d_x.npy", "y.npy"])
            y = np.load(os.path.join(out, "y.npy"))
            self.assertEqual((y.dtype, y.shape), (F32, (64, 256)))
            dy = np.load(os.path.join(saved, "arg2.npy"))
            self.assert_same(dy, fp8.to_f32(emulate.seeded_dy(1, (64, 256))))

    def test_seeded_gradients_of_the_odd_linear(self):
        name = "torch_linear_odd"
        _, args, dy, _ = emulate.load(name, os.path.join(DATA, name))
        self.assertIsNone(dy)
        dy = emulate.seeded_dy(1, (33, 97))
        narrow, reference = emulate.run(name, args, dy, emulate.Tensorwise())
        self.assertEqual([r.shape for r in narrow],
                         [(33, 97), (33, 100), (97, 100)])
        for got, want in zip(narrow[1:], reference[1:]):
            self.assertAlmostEqual(fp8.db(want, got), 24.7, delta=0.2)

    def test_bias_gradient_sums_in_f32_ascending(self):
        # A descending sum gives 2 in the first column; a bf16 sum stops at
        # 256 in the second.
        x, w = np.ones((4, 1), BF16), np.ones((2, 1), BF16)
        dy = bf16([[2**24, 256], [1, 1], [1, 1], [-(2**24), 0]])
        d_bias = emulate.linear(
            emulate.Wide(), x, w, bias=bf16([0, 0]), dy=dy
        )[3]
        self.assert_same(d_bias, [0, 258])

    def test_relu_keeps_nan(self):
        h = bf16([NAN, 0.0, -0.0, 1.0, -1.0, INF])
        keep = emulate.positive(h)
        self.assertEqual(keep.tolist(), [True, False, False, True, False, True])

    def test_mlp_rounds_each_body_once(self):
        # h = 1.0078125 (bf16): h^2 = 1.01568603515625 -> 1.015625.
        # d_a = 3: 3 * 2 * h = 6.046875 -> 6.0625 (tie to even, not 6.03125).
        h = 1.0078125
        one, x = bf16([[1.0]]), bf16([[h]])
        y, d_x, d_fc, d_proj = emulate.nanochat_mlp(
            emulate.Wide(), x, one, one, bf16([[3.0]])
        )
        self.assert_same(y, [[1.015625]])
        self.assert_same(d_proj, [[3.046875]])
        self.assert_same(d_x, [[6.0625]])
        self.assert_same(d_fc, bf16([[6.0625 * h]]))


class Candidate(check_cast.MlDtypes):
    """A cast with one fault; with none it is right."""

    def __init__(self, fault):
        self.fault = fault

    def call(self, fmt, source, x, scale, q):
        wide = fp8.to_f32(x.view(BF16)) if source == "bf16" else x
        with np.errstate(all="ignore"):
            if self.fault == "double rounding":
                p = fp8.scaled(wide, np.float32(scale), fmt)
                got = p.astype(np.float16).astype(np.float32)
                got = fp8.round_to(got, fmt.dtype).view(np.uint8)
            elif self.fault == "NaN becomes the maximum":
                limit = np.float32(fmt.max)
                p = wide * np.float32(scale)
                p = np.fmin(np.fmax(p, -limit), limit)
                got = fp8.round_to(p, fmt.dtype).view(np.uint8)
            else:
                got = fp8.cast(wide, np.float32(scale), fmt).view(np.uint8)
        n = len(q) - len(q) % 8 if self.fault == "no tail" else len(q)
        q[:n] = got[:n]


class CheckCast(OracleTest):
    def run_checks(self, fault, fmt, source):
        report = check_cast.Report()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            candidate = Candidate(fault)
            check_cast.check_values(candidate, fmt, source, report)
            check_cast.check_lengths(candidate, fmt, source, report)
        self.assertIn("wrong", out.getvalue())
        return report.failed

    def test_accepts_and_refuses(self):
        for fmt in FORMATS.values():
            self.assertFalse(self.run_checks(None, fmt, "bf16"))
        self.assertFalse(self.run_checks(None, E4M3FNUZ, "f32"))
        self.assertTrue(self.run_checks("double rounding", E4M3FN, "f32"))
        self.assertTrue(self.run_checks("double rounding", E4M3FN, "bf16"))
        fault = "NaN becomes the maximum"
        self.assertTrue(self.run_checks(fault, E5M2, "bf16"))
        self.assertTrue(self.run_checks("no tail", E5M2, "bf16"))

    def test_chunks_agree_with_intervals(self):
        # The chunks that hold 0, -0, 1, 448, infinity and NaN.
        for fmt in (E4M3FN, E5M2FNUZ):
            for index in (0x00, 0x3F, 0x43, 0x7F, 0x80, 0xBF, 0xFF):
                first = index * check_cast.CHUNK
                want = check_cast.expected_chunk(fmt, first)
                self.assertEqual(want.shape, (check_cast.CHUNK,))
                middle = check_cast.CHUNK // 2  # infinity in 0x7F and 0xFF
                step = np.append(np.arange(0, check_cast.CHUNK, 997),
                                 [middle - 1, middle, middle + 1])
                x = f32_bits((first + step).astype(np.uint32))
                np.testing.assert_array_equal(
                    want[step], fp8.interval_bytes(x, fmt)
                )


if __name__ == "__main__":
    unittest.main()
