# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of docs/Cases.md, compiled for the CPU and run: their inputs, their values.

The values were worked out by hand, with exact fractions and one rounding. Each
check is named after its case.
"""

import ctypes
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("oracle", "support")]

import numpy as np  # noqa: E402

import compiled  # noqa: E402
import fp8_oracle  # noqa: E402

E4M3, E5M2, FNUZ = "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ"
NAN = float("nan")
INF = float("inf")

# ---------------------------------------------------------------------------
# The compiled functions
# ---------------------------------------------------------------------------


def elementwise(name, inputs, result, *body):
    """A function over vectors; `body` computes %r of %0, %1, ... ."""
    arguments = ", ".join(f"%a{i}: tensor<?x{t}>" for i, t in enumerate(inputs))
    operands = ", ".join(f"%a{i}" for i in range(len(inputs)))
    types = ", ".join(f"tensor<?x{t}>" for t in inputs)
    block = ", ".join(f"%{i}: {t}" for i, t in enumerate(inputs))
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(inputs) + 1))
    lines = "\n    ".join(body)
    return f"""
func.func @{name}({arguments}) -> tensor<?x{result}> {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a0, %c0 : tensor<?x{inputs[0]}>
  %e = tensor.empty(%n) : tensor<?x{result}>
  %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({operands} : {types}) outs(%e : tensor<?x{result}>) {{
  ^bb0({block}, %out: {result}):
    {lines}
    linalg.yield %r : {result}
  }} -> tensor<?x{result}>
  return %y : tensor<?x{result}>
}}
"""


def quantize(name, type_name, policy="", descale="f32"):
    return f"""
func.func @{name}(%x: tensor<?xf32>) -> (tensor<f32>, tensor<{descale}>, tensor<?x{type_name}>) {{
  %a = fp8.amax %x : tensor<?xf32> -> tensor<f32>
  %s, %d = fp8.scale %a for {type_name} {policy} : tensor<f32> -> tensor<f32>, tensor<{descale}>
  %q = fp8.cast %x scale %s : tensor<?xf32>, tensor<f32> -> tensor<?x{type_name}>
  return %s, %d, %q : tensor<f32>, tensor<{descale}>, tensor<?x{type_name}>
}}
"""


def quantize_outer(name, granularity, scales):
    return f"""
func.func @{name}(%x: tensor<?x?xf32>) -> (tensor<{scales}xf32>, tensor<?x?x{E4M3}>) {{
  %a = fp8.amax %x granularity <{granularity}> : tensor<?x?xf32> -> tensor<{scales}xf32>
  %s, %d = fp8.scale %a for {E4M3} : tensor<{scales}xf32> -> tensor<{scales}xf32>, tensor<{scales}xf32>
  %q = fp8.cast %x scale %s granularity <{granularity}> : tensor<?x?xf32>, tensor<{scales}xf32> -> tensor<?x?x{E4M3}>
  return %s, %q : tensor<{scales}xf32>, tensor<?x?x{E4M3}>
}}
"""


def scaled_mm(name, type_name, result, bias=None, outer=False):
    scales = ("?x1xf32", "1x?xf32") if outer else ("f32", "f32")
    granularity = "granularity_a <rowwise> granularity_b <colwise>" if outer else ""
    extra = f", %v: tensor<?x{bias}>" if bias else ""
    return f"""
func.func @{name}(%a: tensor<?x?x{type_name}>, %b: tensor<?x?x{type_name}>, %s: tensor<{scales[0]}>, %t: tensor<{scales[1]}>{extra}) -> tensor<?x?x{result}> {{
  %y = fp8.scaled_mm %a, %b descales %s, %t {"bias %v" if bias else ""} {granularity}
      : tensor<?x?x{type_name}>, tensor<?x?x{type_name}>, tensor<{scales[0]}>, tensor<{scales[1]}>
        {f"bias tensor<?x{bias}>" if bias else ""} -> tensor<?x?x{result}>
  return %y : tensor<?x?x{result}>
}}
"""


def cast(type_name):
    return f"""
func.func @cast_{type_name}(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?x{type_name}> {{
  %q = fp8.cast %x scale %s : tensor<?xf32>, tensor<f32> -> tensor<?x{type_name}>
  return %q : tensor<?x{type_name}>
}}
""" + elementwise(f"trunc_{type_name}", ["f32"], type_name,
                  f"%r = arith.truncf %0 : f32 to {type_name}")


MODULE = "".join([
    *map(cast, (E4M3, E5M2, FNUZ)),
    elementwise("through_f16", ["f32"], E4M3,
                "%h = arith.truncf %0 : f32 to f16",
                f"%r = arith.truncf %h : f16 to {E4M3}"),
    *(elementwise(f"widen_{t}", [FNUZ], t, f"%r = arith.extf %0 : {FNUZ} to {t}")
      for t in ("f32", "f16", "bf16")),
    elementwise("abs_fnuz", [FNUZ], FNUZ, f"%r = math.absf %0 : {FNUZ}"),
    elementwise("neg_fnuz", [FNUZ], FNUZ, f"%r = arith.negf %0 : {FNUZ}"),
    elementwise("divide", ["f32", "f32"], E4M3, "%d = arith.divf %0, %1 : f32",
                f"%r = arith.truncf %d : f32 to {E4M3}"),
    elementwise("reciprocal", ["f32", "f32"], E4M3,
                "%one = arith.constant 1.0 : f32",
                "%d = arith.divf %one, %1 : f32", "%p = arith.mulf %0, %d : f32",
                f"%r = arith.truncf %p : f32 to {E4M3}"),
    elementwise("pair", ["f32"], "f32", f"%q = arith.truncf %0 : f32 to {FNUZ}",
                f"%r = arith.extf %q : {FNUZ} to f32"),
    elementwise("chain", [E4M3] * 3, E4M3, f"%s = arith.addf %0, %1 : {E4M3}",
                f"%r = arith.addf %s, %2 : {E4M3}"),
    elementwise("abs_e4m3", [E4M3], E4M3, f"%r = math.absf %0 : {E4M3}"),
    *(elementwise(f"{p}_e4m3", [E4M3, E4M3], "f32",
                  "%one = arith.constant 1.0 : f32", "%zero = arith.constant 0.0 : f32",
                  f"%c = arith.cmpf {p}, %0, %1 : {E4M3}",
                  "%r = arith.select %c, %one, %zero : f32") for p in ("olt", "oeq")),
    quantize("quantize_e4m3", E4M3),
    quantize("quantize_fnuz", FNUZ),
    quantize_outer("quantize_rows", "rowwise", "?x1"),
    quantize_outer("quantize_columns", "colwise", "1x?"),
    quantize("quantize_mx", E4M3, "policy <pow2 = down>", "f8E8M0FNU"),
    elementwise("widen_e8m0", ["f8E8M0FNU"], "f32", "%r = arith.extf %0 : f8E8M0FNU to f32"),
    scaled_mm("mm", E4M3, "f32"),
    scaled_mm("mm_e5m2", E5M2, "bf16"),
    scaled_mm("mm_bias", E4M3, "f32", bias="f32"),
    scaled_mm("mm_outer", E4M3, "f32", outer=True),
    f"""
func.func @amax_e4m3(%x: tensor<?x{E4M3}>) -> tensor<f32> {{
  %a = fp8.amax %x : tensor<?x{E4M3}> -> tensor<f32>
  return %a : tensor<f32>
}}
func.func @transpose(%x: tensor<3x2x{E4M3}>) -> (tensor<2x3x{E4M3}>, tensor<3x2x{E4M3}>) {{
  %t = fp8.transpose %x : tensor<3x2x{E4M3}>
  %u = fp8.transpose %t : tensor<2x3x{E4M3}>
  return %t, %u : tensor<2x3x{E4M3}>, tensor<3x2x{E4M3}>
}}
"""])

# An f32 producer whose result is rounded to bf16, then quantized.
PRODUCER = """
#id = affine_map<(i) -> (i)>
func.func @produce(%x: tensor<?xf32>) -> (tensor<f32>, tensor<f32>, tensor<?xf8E4M3FN>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xbf16>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %p = arith.addf %in, %in : f32
    %r = arith.truncf %p : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?xbf16>
  %a = fp8.amax %h : tensor<?xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %h scale %s : tensor<?xbf16>, tensor<f32> -> tensor<?xf8E4M3FN>
  return %a, %s, %q : tensor<f32>, tensor<f32>, tensor<?xf8E4M3FN>
}
"""

# A linear of 16 inputs and 32 outputs over any number of tokens, and in 3-D.
TOKENS = """
#x = affine_map<(b, m, n, k) -> (b, m, k)>
#w = affine_map<(b, m, n, k) -> (n, k)>
#y = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @tokens(%x: tensor<1x?x16xbf16>, %w: tensor<32x16xbf16>) -> tensor<1x?x32xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<1x?x16xbf16>
  %e = tensor.empty(%n) : tensor<1x?x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x?x16xbf16>, tensor<32x16xbf16>) outs(%z : tensor<1x?x32xf32>) {
  ^bb0(%a: bf16, %b: bf16, %out: f32):
    %p = arith.extf %a : bf16 to f32
    %q = arith.extf %b : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x?x32xf32>
  return %y : tensor<1x?x32xf32>
}
"""

ROW_MAJOR_B = """
func.func @row_major_b(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x24xf8E4M3FN>, %s: tensor<f32>) -> tensor<16x24xf32> {
  %y = fp8.scaled_mm %a, %b descales %s, %s : tensor<16x32xf8E4M3FN>, tensor<32x24xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x24xf32>
  return %y : tensor<16x24xf32>
}
"""

SQUARE = """
func.func @square(%x: tensor<16x16xbf16>, %w: tensor<16x16xbf16>) -> tensor<16x16xbf16> {
  %y = fp8.matmul %x, %w trans_b : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xbf16>
  return %y : tensor<16x16xbf16>
}
"""

TO_CPU = "--fp8-lower-to-cpu"

# ---------------------------------------------------------------------------
# Calling them
# ---------------------------------------------------------------------------


def load(directory, mlir, *passes):
    folder = tempfile.mkdtemp(dir=directory)
    return ctypes.CDLL(compiled.compile_library(mlir, folder, passes or (TO_CPU,)))


def codes(text):
    return np.frombuffer(bytes.fromhex(text), np.uint8)


def f32(*values):
    """Numbers, or bits where they are ints."""
    return np.concatenate([
        np.array([v], np.uint32).view(np.float32) if isinstance(v, int)
        else np.array([v], np.float32) for v in values])


def run(library, name, inputs, output_type, shape=None):
    """The one result of a function; inputs are pairs of array and type."""
    shape = inputs[0][0].shape if shape is None else shape
    result = np.empty(shape, compiled.TYPES[output_type][1])
    compiled.call(library, name, *inputs, (result, output_type))
    return result


def expect_codes(result, text, what):
    assert result.tobytes() == bytes.fromhex(text), f"{what}: {result.tobytes().hex(' ')}, expected {text}"


def expect_bits(result, bits, what):
    got = int(result.view(np.uint32).reshape(-1)[0])
    assert got == bits, f"{what}: {got:#010x}, expected {bits:#010x}"


def cast_of(library, type_name, *values):
    one = np.ones((), np.float32)
    return run(library, f"cast_{type_name}", [(f32(*values), "f32"), (one, "f32")], type_name)


def trunc_of(library, type_name, *values):
    return run(library, f"trunc_{type_name}", [(f32(*values), "f32")], type_name)


def quantized(library, name, values, narrow, descale="f32"):
    """Scale, descale and codes."""
    results = (np.empty((), np.float32), np.empty((), compiled.TYPES[descale][1]),
               np.empty(len(values), np.uint8))
    compiled.call(library, name, (values, "f32"),
                  *zip(results, ("f32", descale, narrow)))
    return results


def quantized_outer(library, name, values, scales):
    """Scales of that shape, and codes."""
    x = np.array(values, np.float32)
    results = np.empty(scales, np.float32), np.empty(x.shape, np.uint8)
    compiled.call(library, name, (x, "f32"), *zip(results, ("f32", E4M3)))
    return results


def multiply(library, name, type_name, a, b, scales=None, bias=None, result="f32"):
    one = np.ones((), np.float32)
    scales = scales or (one, one)
    inputs = [(a, type_name), (b, type_name), *((s, "f32") for s in scales)]
    if bias is not None:
        inputs.append((bias, "f32"))
    return run(library, name, inputs, result, (a.shape[0], b.shape[1]))


# ---------------------------------------------------------------------------
# The cases
# ---------------------------------------------------------------------------


def c01_rounding_twice(lib, _):
    for narrow in (cast_of, trunc_of):
        expect_codes(narrow(lib, E4M3, 0x3F880001, 0x3F880000), "39 38", "e4m3")
        expect_codes(narrow(lib, E5M2, 0x3F900001), "3d", "e5m2")
    # Negative: who asks for two roundings gets two.
    x = (f32(0x3F880001), "f32")
    expect_codes(run(lib, "through_f16", [x], E4M3), "38", "through f16")


def c02_ties_to_even(lib, _):
    for narrow in (cast_of, trunc_of):
        expect_codes(narrow(lib, E5M2, 9.0, 11.0, 1.125, 1.375, 13.0, 15.0),
                     "48 4a 3c 3e 4a 4c", "e5m2")
        expect_codes(narrow(lib, E4M3, 126.24, 1.9375, 1.0625, 1.1875, 124.0),
                     "70 40 38 3a 70", "e4m3")


def c04_saturation(lib, _):
    table = (
        (E4M3, (256.0, 448.0, 464.0, 0x43E80001, 465.0, 1000.0, INF, -INF),
         "78 7e 7e 7e 7e 7e 7e fe", "78 7e 7e 7f 7f 7f 7f ff"),
        (E5M2, (61439.0, 61440.0, INF), "7b 7b 7b", "7b 7c 7c"),
        (FNUZ, (247.0, 248.0, INF, NAN), "7f 7f 7f 80", "7f 80 80 80"))
    for type_name, values, saturated, plain in table:
        expect_codes(cast_of(lib, type_name, *values), saturated, type_name)
        expect_codes(trunc_of(lib, type_name, *values), plain, type_name)
    for narrow in (cast_of, trunc_of):
        assert int(narrow(lib, E4M3, NAN)[0]) & 0x7F == 0x7F
        assert int(narrow(lib, E5M2, NAN)[0]) & 0x7F in (0x7D, 0x7E, 0x7F)


def c06_e8m0_scales(lib, _):
    for amax, byte in ((4.8046875, 121), (150.0, 126), (448.0, 127)):
        values = f32(amax, 4.00390625)
        _, descale, q = quantized(lib, "quantize_mx", values, E4M3, "f8E8M0FNU")
        assert descale == byte, f"amax {amax}: byte {descale}, expected {byte}"
        if byte == 121:
            # 4.0 once the descale of 1/64 is undone; a byte less clips it.
            expect_codes(q[1:], "78", "element")
    wide = run(lib, "widen_e8m0", [(codes("00 86 fe ff"), "f8E8M0FNU")], "f32")
    expect_bits(wide, 0x00400000, "code 0")
    assert wide[1] == 128 and wide[2] == 2.0**127 and np.isnan(wide[3]), wide


def c07_fnuz_has_no_minus_zero(lib, _):
    values = (-1e-5, -2.0**-11, -(2.0**-11 + 2.0**-30), -2.0**-10)
    for narrow in (cast_of, trunc_of):
        expect_codes(narrow(lib, FNUZ, *values), "00 00 81 81", "encode")
    nan = [(codes("80"), FNUZ)]
    assert np.isnan(run(lib, "widen_f32", nan, "f32")[0])
    assert np.isnan(run(lib, "widen_f16", nan, "f16")[0])
    assert int(run(lib, "widen_bf16", nan, "bf16")[0]) & 0x7FFF > 0x7F80
    expect_codes(run(lib, "abs_fnuz", nan, FNUZ), "80", "abs of NaN")
    expect_codes(run(lib, "neg_fnuz", [(codes("00"), FNUZ)], FNUZ), "00", "-0")


def c09_type_sets_the_maximum(lib, _):
    values = f32(448.0, -1.0)
    scale, _, q = quantized(lib, "quantize_e4m3", values, E4M3)
    assert scale == 1
    expect_codes(q, "7e b8", "e4m3fn")
    scale, _, q = quantized(lib, "quantize_fnuz", values, FNUZ)
    assert scale == np.float32(240 / 448), scale
    # 240, and 0.5357 to 0.5625.
    expect_codes(q, "7f b9", "e4m3fnuz")


def c10_zero_and_tiny_amax(lib, _):
    for values in ([0.0] * 16, [6.3e-38, -6.3e-38], [1e-40], [2.0**-149, -1e-45]):
        scale, descale, q = quantized(lib, "quantize_e4m3", f32(*values), E4M3)
        assert scale == np.float32(4.48e14) and 0 < descale < INF, (scale, descale)
        assert all(code in (0x00, 0x80) for code in q), q
    assert not q[0] and q[1] == 0x80, "a zero keeps its sign"
    scales, q = quantized_outer(lib, "quantize_rows", [[0, 0], [1, -2]], (2, 1))
    assert scales.tolist() == [[np.float32(4.48e14)], [224]], scales
    expect_codes(q, "00 00 76 fe", "rows")


def c12_amax_of_fp8(lib, _):
    for text, value in (("26 35", 0.8125), ("a6 b5", 0.8125), ("", 0)):
        result = run(lib, "amax_e4m3", [(codes(text), E4M3)], "f32", ())
        assert result == value, f"amax of {text}: {result}"


def c14_amax_of_what_is_stored(_, directory):
    glue = ("--convert-fp8-to-linalg", "--fp8-fuse-glue=target=sm_90")
    kernels = [compiled.opt(PRODUCER, *passes).count("linalg.generic")
               for passes in (glue[:1], glue)]
    assert kernels[1] < kernels[0], f"nothing fuses: {kernels}"
    for library in (load(directory, PRODUCER), load(directory, PRODUCER, *glue, TO_CPU)):
        for half, amax, scale in ((0x3FF9999A, 0x407A0000, 0x42E56042),
                                  (127.8, 0x43800000, 0x3FE00000)):
            results = np.empty((), np.float32), np.empty((), np.float32), np.empty(1, np.uint8)
            compiled.call(library, "produce", (f32(half), "f32"),
                          *zip(results, ("f32", "f32", E4M3)))
            expect_bits(results[0], amax, "amax")
            expect_bits(results[1], scale, "scale")


def c15_scale_in_f32(lib, _):
    scale, _, _ = quantized(lib, "quantize_e4m3", f32(3.0, -1.0), E4M3)
    expect_bits(scale, 0x43155555, "scale of 3")
    inputs = [(f32(0x4177A101, 0x3F2BF400), "f32"), (f32(0x40691000, 0x3EB18000), "f32")]
    expect_codes(run(lib, "divide", inputs, E4M3), "49 40", "x / s")
    # Negative: a product with the reciprocal is another program.
    expect_codes(run(lib, "reciprocal", inputs, E4M3), "48 3f", "x * (1 / s)")


def c21_transposed_storage(lib, _):
    stored = codes("38 48 40 4a 44 4c").reshape(3, 2)
    transposed = np.empty((2, 3), np.uint8), np.empty((3, 2), np.uint8)
    compiled.call(lib, "transpose", (stored, E4M3), *((t, E4M3) for t in transposed))
    expect_codes(transposed[0], "38 40 44 48 4a 4c", "transposed")
    expect_codes(transposed[1], "38 48 40 4a 44 4c", "and back")
    assert np.array_equal(transposed[0], stored.T)


def c22_layouts_change_no_result(_, directory):
    rng = np.random.default_rng(22)
    a, b = (rng.integers(0, 0x7F, shape).astype(np.uint8) for shape in ((16, 32), (32, 24)))
    scale = np.full((), 0.125, np.float32)
    inputs = [(a, E4M3), (b, E4M3), (scale, "f32")]
    layouts = (TO_CPU,), ("--fp8-assign-layouts=target=sm_90", TO_CPU)
    copies = [compiled.opt(ROW_MAJOR_B, *passes[:-1]).count("fp8.transpose") for passes in layouts]
    assert copies == [0, 1], copies
    results = [run(load(directory, ROW_MAJOR_B, *passes), "row_major_b", inputs, "f32", (16, 24))
               for passes in layouts]
    dtype = fp8_oracle.FORMATS["e4m3fn"].dtype
    expected = fp8_oracle.scaled_mm(a.view(dtype), b.view(dtype), scale, scale, out=fp8_oracle.F32)
    for result in results:
        assert np.array_equal(result, expected)


def c23_tokens(_, directory):
    """17 tokens: x, y, dy and dx end where NaN and guards begin."""
    for target in ("cpu", "sm_90"):
        library = load(directory, TOKENS, f"--fp8-train=target={target}", TO_CPU)
        x = np.full((1, 32, 16), 0x7FC0, np.uint16)
        x[:, :17] = 0x3F80
        y = np.full((1, 32, 32), -7, np.float32)
        dy = np.full((1, 32, 32), NAN, np.float32)
        dy[:, :17] = 1
        dx = np.full((1, 32, 16), 0xC0E0, np.uint16)
        w, dw = np.full((32, 16), 0x3F80, np.uint16), np.empty((32, 16), np.uint16)
        compiled.call(library, "tokens", (x[:, :17], "bf16"), (w, "bf16"), (dy[:, :17], "f32"),
                      (y[:, :17], "f32"), (dx[:, :17], "bf16"), (dw, "bf16"))
        assert np.allclose(y[:, :17], 16, rtol=2**-20, atol=0), (target, y)
        assert (dw == 0x4188).all() and (dx[:, :17] == 0x4200).all(), (target, dw, dx)
        assert (y[:, 17:] == -7).all() and (dx[:, 17:] == 0xC0E0).all(), target


def c25_combinations(lib, _):
    one = np.full((16, 16), 0x3C, np.uint8)
    product = multiply(lib, "mm_e5m2", E5M2, one, one, result="bf16")
    assert (product == 0x4180).all(), product
    one = np.full((16, 16), 0x38, np.uint8)
    product = multiply(lib, "mm_bias", E4M3, one, one, bias=np.full(16, 0.5, np.float32))
    assert (product == 16.5).all(), product


def c27_bias_runs_along_n(lib, _):
    identity = codes("38 00 00 38").reshape(2, 2)
    ones = codes("38 38 38 38").reshape(2, 2)
    result = multiply(lib, "mm_bias", E4M3, identity, ones, bias=f32(1.0, 2.0))
    assert result.tolist() == [[2, 3], [2, 3]], result
    b = codes("38 40 44 48 4a 4c").reshape(2, 3)
    result = multiply(lib, "mm_bias", E4M3, identity, b, bias=f32(1.0, 2.0, 4.0))
    assert result.tolist() == [[2, 4, 7], [5, 7, 10]], result


def c28_row_scales(lib, _):
    dy, scale_dy = codes("7e 7e").reshape(1, 2), f32(1 / 448).reshape(1, 1)
    # W by columns, from the wide original.
    scales, w = quantized_outer(lib, "quantize_columns", [[1, 1], [128, 128]], (1, 2))
    assert scales.tolist() == [[3.5, 3.5]], scales
    expect_codes(w, "46 46 7e 7e", "columns of W")
    result = multiply(lib, "mm_outer", E4M3, dy, w, (scale_dy, 1 / scales))
    assert np.allclose(result, 129, rtol=1e-6, atol=0), result
    # Negative: the forward's rows and their scales, 448 and 3.5.
    scales, rows = quantized_outer(lib, "quantize_rows", [[1, 1], [128, 128]], (2, 1))
    expect_codes(rows, "7e 7e 7e 7e", "rows of W")
    result = multiply(lib, "mm_outer", E4M3, dy, rows, (scale_dy, 1 / scales.reshape(1, 2)))
    assert np.allclose(result, [[2, 256]], rtol=1e-6, atol=0), result


def c29_pair_is_no_identity(lib, _):
    x = f32(1.06, 300.0)
    result = run(lib, "pair", [(x, "f32")], "f32")
    assert result[0] == 1 and np.isnan(result[1]), result
    # Saturating: 240.
    expect_codes(cast_of(lib, FNUZ, 1.06, 300.0), "40 7f", "saturating")
    terms = [(codes(text), E4M3) for text in ("58", "38", "38")]
    expect_codes(run(lib, "chain", terms, E4M3), "58", "16 + 1 + 1")


class Step:
    """A compiled function on buffers that stay, workspace among them."""

    def __init__(self, library, name, *buffers):
        self.function, self.buffers = getattr(library, name), buffers
        self.array = (compiled.Tensor * len(buffers))(*(compiled.describe(*b) for b in buffers))
        size = ctypes.c_uint64()
        assert getattr(library, name + "_workspace")(self.array, ctypes.byref(size)) == 0
        assert getattr(library, name + "_prepare")(self.array, None) == 0
        self.workspace = np.zeros(size.value + 256, np.uint8)

    def __call__(self):
        start = self.workspace.ctypes.data
        assert self.function(self.array, None, ctypes.c_void_p(start + -start % 256), None) == 0


def c33_weight_changed_in_place(_, directory):
    """Nothing of W is kept from one step to the next, not even for sm_90, whose
    matmuls read a transposed copy of it."""
    for target in ("cpu", "sm_90"):
        training = f"target={target}"
        library = load(directory, SQUARE, f"--fp8-train={training}", TO_CPU)
        x, dy = (np.full((16, 16), 0x3F80, np.uint16) for _ in range(2))
        w, y, dx, dw = (np.full((16, 16), 0x3F80, np.uint16) for _ in range(4))
        step = Step(library, "square", *((b, "bf16") for b in (x, w, dy, y, dx, dw)))
        for weight, result in ((0x3F80, 0x4180), (0x4000, 0x4200)):
            w[:] = weight
            for micro_batch in range(2):
                y[:], dx[:] = 0, 0
                step()
                assert (y == result).all() and (dx == result).all(), (target, weight, y, dx)
                assert (dw == 0x4180).all(), (target, dw)
        check_split_step(directory, training, x, w, dy)


def check_split_step(directory, training, x, w, dy):
    """The same in two functions; what is saved is of the forward's own weight."""
    passes = (f"--fp8-train={training} partition",)
    ir = compiled.opt(SQUARE, *passes)
    library = load(directory, SQUARE, *passes, TO_CPU)
    _, results = compiled.signature(ir, "square_forward")
    arguments, _ = compiled.signature(ir, "square_backward")
    saved = [port.empty() for port in results]
    forward = Step(library, "square_forward", (x, "bf16"), (w, "bf16"),
                   *((b, p.type) for b, p in zip(saved, results)))
    tensors = [saved[p.marks["residual"]] if "residual" in p.marks else
               (x, w)[p.marks["argument"]] if "argument" in p.marks else dy for p in arguments]
    dx, dw = np.empty((16, 16), np.uint16), np.empty((16, 16), np.uint16)
    backward = Step(library, "square_backward", *((t, p.type) for t, p in zip(tensors, arguments)),
                    (dx, "bf16"), (dw, "bf16"))
    for weight, result in ((0x3F80, 0x4180), (0x4000, 0x4200)):
        w[:] = weight
        forward()
        backward()
        assert (saved[0] == result).all() and (dx == result).all(), (training, weight)


def c35_arithmetic_of_bytes(lib, _):
    terms = [(codes(text), E4M3) for text in ("38", "18", "00")]
    expect_codes(run(lib, "chain", terms, E4M3), "38", "1 + 0.0625")
    expect_codes(run(lib, "abs_e4m3", [(codes("b8"), E4M3)], E4M3), "38", "abs of -1")
    left, right = codes("c0 80 7f 38 7f"), codes("b8 00 38 7f 7f")
    inputs = [(left, E4M3), (right, E4M3)]
    assert run(lib, "olt_e4m3", inputs, "f32").tolist() == [1, 0, 0, 0, 0]
    assert run(lib, "oeq_e4m3", inputs, "f32").tolist() == [0, 1, 0, 0, 0]


def main():
    with tempfile.TemporaryDirectory() as directory:
        library = load(directory, MODULE)
        for name, check in sorted(globals().items()):
            if name.startswith("c") and name[1:3].isdigit():
                check(library, directory)
                print(name)


if __name__ == "__main__":
    sys.exit(main())
