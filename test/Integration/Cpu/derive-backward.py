# ===- derive-backward.py -----------------------------------------------------===#
#
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
#
# Gradients of fp8-derive-backward against finite differences, in f64: every
# scalar rule, reductions, contractions, shape ops, whole layers, and random
# linalg.generic ops and programs. All functions go through one compilation by
# stock passes; nothing here shares code with the derivative.
#
# RUN: %python %s
"""Usage: derive-backward.py [--filter REGEX] [--seed N] [--keep DIR]"""

import argparse
import pathlib
import random
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
from gradients import Case, check, compile_module, maps, tensor  # noqa: E402

# ===------------------------------------------------------------------------===#
# Cases
# ===------------------------------------------------------------------------===#

CASES = []


def spaced(rng, shape, low=-1.0, high=1.0):
    """Values no two of which are close, none near the middle: no kink of max,
    abs or relu is within reach of a finite difference."""
    count = int(np.prod(shape, dtype=int))
    grid = (np.arange(count) + 0.5) / count
    grid = np.where(np.abs(grid - 0.5) < 0.02, 0.53, grid)
    return (low + (high - low) * rng.permutation(grid)).reshape(shape)


def add_case(name, text, shapes, low=-1.0, high=1.0, arguments=None, expected=None):
    rng = np.random.default_rng(len(CASES))
    if arguments is None:
        arguments = [spaced(rng, shape, low, high) for shape in shapes]
    CASES.append(Case(name, text, arguments, expected))


def elementwise(name, body, count=1, low=-1.0, high=1.0, **kwargs):
    """`body` computes %r from %a, %b, %c."""
    names = ["a", "b", "c"][:count]
    shape = (3, 4)
    ty = tensor(shape)
    args = ", ".join(f"%arg{i}: {ty}" for i in range(count))
    ins = ", ".join(f"%arg{i}" for i in range(count))
    types = ", ".join([ty] * count)
    blockargs = ", ".join(f"%{n}: f64" for n in names)
    identity = "(d0, d1) -> (d0, d1)"
    add_case(
        name,
        f"""
func.func @{name}({args}) -> {ty} {{
  %e = tensor.empty() : {ty}
  %y = linalg.generic {{indexing_maps = {maps(*[identity] * (count + 1))},
      iterator_types = ["parallel", "parallel"]}}
      ins({ins} : {types}) outs(%e : {ty}) {{
  ^bb0({blockargs}, %o: f64):
    {body}
    linalg.yield %r : f64
  }} -> {ty}
  return %y : {ty}
}}""",
        [shape] * count,
        low,
        high,
        **kwargs,
    )


def add_scalar_cases():
    for op in ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf"):
        elementwise(op, f"%r = arith.{op} %a, %b : f64", 2, 0.2, 2.0)
    elementwise("remf", "%r = arith.remf %a, %b : f64", 2, 0.7, 2.0,
                arguments=[np.full((3, 4), 2.3), np.full((3, 4), 0.7)])
    elementwise("negf", "%r = arith.negf %a : f64")
    elementwise("same_operand", "%r = arith.mulf %a, %a : f64")
    elementwise("select", """%k = arith.constant 0.1 : f64
    %p = arith.cmpf ogt, %a, %k : f64
    %r = arith.select %p, %a, %b : f64""", 2)
    elementwise("relu", """%k = arith.constant 0.0 : f64
    %p = arith.cmpf ugt, %a, %k : f64
    %r = arith.select %p, %a, %k : f64""")
    elementwise("sitofp", """%i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %f = arith.sitofp %j : i64 to f64
    %r = arith.mulf %a, %f : f64""")
    positive = dict(low=0.3, high=2.0)
    unit = dict(low=-0.9, high=0.9)
    for op, where in {
        "exp": {}, "exp2": {}, "expm1": {}, "log": positive, "log1p": positive,
        "log2": positive, "log10": positive, "sqrt": positive,
        "rsqrt": positive, "cbrt": positive, "sin": {}, "cos": {}, "tan": unit,
        "tanh": {}, "sinh": {}, "cosh": {}, "asin": unit, "acos": unit,
        "atan": {}, "asinh": {}, "acosh": dict(low=1.2, high=3.0),
        "atanh": unit, "erf": {}, "erfc": {}, "absf": {},
    }.items():
        elementwise(op, f"%r = math.{op} %a : f64", **where)
    for op in ("floor", "ceil", "round", "roundeven", "trunc"):
        elementwise(op, f"""%k = arith.constant 0.3 : f64
    %s = arith.addf %a, %k : f64
    %f = math.{op} %s : f64
    %r = arith.addf %f, %a : f64""", low=-0.2, high=0.1)
    elementwise("powf", "%r = math.powf %a, %b : f64", 2, **positive)
    elementwise("powf_zero", "%r = math.powf %a, %b : f64", 2,
                arguments=[np.zeros((3, 4)), np.full((3, 4), 2.0)],
                expected=[np.zeros((3, 4)), np.zeros((3, 4))])
    elementwise("powf_exponent_zero", "%r = math.powf %a, %b : f64", 2,
                arguments=[np.zeros((3, 4)), np.zeros((3, 4))],
                expected=[np.zeros((3, 4)), np.zeros((3, 4))])
    for n in (-2, 0, 1, 2, 3, 5):
        elementwise(f"fpowi_{n}".replace("-", "m"), f"""%n = arith.constant {n} : i64
    %r = math.fpowi %a, %n : f64, i64""", **positive)
    elementwise("fpowi_0_at_0", """%n = arith.constant 0 : i64
    %r = math.fpowi %a, %n : f64, i64""", arguments=[np.zeros((3, 4))], expected=[0.0])
    elementwise("fpowi_index_at_0", """%i = linalg.index 1 : index
    %d = arith.subi %i, %i : index
    %n = arith.index_cast %d : index to i64
    %r = math.fpowi %a, %n : f64, i64""",
                arguments=[np.zeros((3, 4))], expected=[0.0])
    elementwise("fpowi_index", """%i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %r = math.fpowi %a, %n : f64, i64""", **positive)
    elementwise("fma", "%r = math.fma %a, %b, %c : f64", 3)
    elementwise("copysign", "%r = math.copysign %a, %b : f64", 2)
    elementwise("atan2", "%r = math.atan2 %a, %b : f64", 2)
    half = np.full((3, 4), 0.5)
    # Ties of a maximum share; abs has no slope at zero; a condition decides.
    for op in ("maximumf", "minimumf", "maxnumf", "minnumf"):
        elementwise(op + "_ties", f"%r = arith.{op} %a, %b : f64", 2,
                    arguments=[half, half], expected=[0.5, 0.5])
    elementwise("absf_zero", "%r = math.absf %a : f64",
                arguments=[np.zeros((3, 4))], expected=[0.0])
    elementwise("maxnumf_nan", "%r = arith.maxnumf %a, %b : f64", 2,
                arguments=[half * np.nan, half], expected=[0.0, 1.0])
    # JAX wraps the scalars of a reduction in tensors.
    elementwise("wrapped", """%w = tensor.from_elements %a : tensor<f64>
    %u = tensor.extract %w[] : tensor<f64>
    %r = arith.mulf %u, %b : f64""", 2)
    elementwise("chain", """%k = arith.constant 0.5 : f64
    %1 = arith.mulf %a, %b : f64
    %2 = math.tanh %1 : f64
    %3 = arith.addf %2, %a : f64
    %4 = arith.mulf %3, %2 : f64
    %5 = arith.subf %4, %k : f64
    %r = arith.divf %5, %c : f64""", 3, 0.5, 2.0)


def generic(name, inputs, output, iterators, body, extra="", init=None, results="f64", **kwargs):
    """One linalg.generic over f64: `inputs` is a list of (shape, map)."""
    out_shape, out_map = output
    ty = tensor(out_shape)
    args = ", ".join(f"%arg{i}: {tensor(s)}" for i, (s, _) in enumerate(inputs))
    ins = ", ".join(f"%arg{i}" for i in range(len(inputs)))
    types = ", ".join(tensor(s) for s, _ in inputs)
    blockargs = ", ".join(f"%x{i}: f64" for i in range(len(inputs)))
    shapes = [s for s, _ in inputs]
    start = f"""%z = arith.constant {init or 0.0} : f64
  %e = tensor.empty() : {ty}
  %f = linalg.fill ins(%z : f64) outs(%e : {ty}) -> {ty}"""
    if init == "argument":
        start, args = "", args + f", %f: {ty}"
        shapes.append(out_shape)
    kinds = ", ".join('"parallel"' if c == "p" else '"reduction"' for c in iterators)
    add_case(
        name,
        f"""
func.func @{name}({args}) -> {ty} {{
  {extra}
  {start}
  %y = linalg.generic {{indexing_maps = {maps(*[m for _, m in inputs], out_map)},
      iterator_types = [{kinds}]}}
      ins({ins} : {types}) outs(%f : {ty}) {{
  ^bb0({blockargs}, %o: f64):
    {body}
    linalg.yield %r : f64
  }} -> {ty}
  return %y : {ty}
}}""",
        shapes,
        **kwargs,
    )


D2 = "(d0, d1) -> "
D3 = "(d0, d1, d2) -> "
ADD = "%r = arith.addf %x0, %o : f64"
DOT = "%p = arith.mulf %x0, %x1 : f64\n    %r = arith.addf %o, %p : f64"


def add_generic_cases():
    generic("sum_rows", [((3, 4), D2 + "(d0, d1)")], ((3,), D2 + "(d0)"), "pr", ADD)
    generic("sum_all", [((3, 4), D2 + "(d0, d1)")], ((), D2 + "()"), "rr", ADD)
    generic("sum_keepdim", [((3, 4), D2 + "(d0, d1)")], ((3, 1), D2 + "(d0, 0)"), "pr", ADD)
    generic("sum_init", [((3, 4), D2 + "(d0, d1)")], ((3,), D2 + "(d0)"), "pr", ADD, init="argument")
    generic("sum_sub", [((3, 4), D2 + "(d0, d1)")], ((3,), D2 + "(d0)"), "pr",
            "%r = arith.subf %o, %x0 : f64", init="argument")
    generic("sum_of_squares", [((3, 4), D2 + "(d0, d1)")], ((4,), D2 + "(d1)"), "rp",
            "%p = arith.mulf %x0, %x0 : f64\n    %r = arith.addf %o, %p : f64")
    # The reduced loop's size comes from an operand whose value is not needed.
    generic("sum_outer", [((3,), D2 + "(d0)"), ((4,), D2 + "(d1)")], ((3,), D2 + "(d0)"), "pr",
            "%p = arith.addf %x0, %x1 : f64\n    %r = arith.addf %o, %p : f64")
    generic("broadcast", [((4,), D2 + "(d1)"), ((3, 4), D2 + "(d0, d1)")],
            ((3, 4), D2 + "(d0, d1)"), "pp", "%r = arith.mulf %x0, %x1 : f64")
    generic("broadcast_keepdim", [((3, 1), D2 + "(d0, 0)"), ((1, 4), D2 + "(0, d1)")],
            ((3, 4), D2 + "(d0, d1)"), "pp", "%r = arith.mulf %x0, %x1 : f64")
    generic("broadcast_scalar", [((), D2 + "()"), ((1, 1), D2 + "(0, 0)")],
            ((3, 4), D2 + "(d0, d1)"), "pp", "%r = arith.mulf %x0, %x1 : f64")
    generic("read_column", [((3, 4), D2 + "(d0, 2)"), ((3, 4), D2 + "(d0, d1)")],
            ((3, 4), D2 + "(d0, d1)"), "pp", "%r = arith.mulf %x0, %x1 : f64")
    generic("keepdim_inner", [((2, 1, 3), D3 + "(d0, 0, d2)"), ((2, 4, 1), D3 + "(d0, d1, 0)")],
            ((2, 4, 3), D3 + "(d0, d1, d2)"), "ppp", "%r = arith.mulf %x0, %x1 : f64")
    generic("transposing", [((4, 3), D2 + "(d1, d0)")], ((3, 4), D2 + "(d0, d1)"), "pp",
            "%r = math.sin %x0 : f64")
    generic("in_place", [((3, 4), D2 + "(d0, d1)")], ((3, 4), D2 + "(d0, d1)"), "pp",
            "%r = arith.mulf %x0, %o : f64", init="argument")
    generic("dot", [((3, 5), D3 + "(d0, d2)"), ((5, 4), D3 + "(d2, d1)")],
            ((3, 4), D3 + "(d0, d1)"), "ppr", DOT)
    generic("dot_transposed", [((3, 5), D3 + "(d0, d2)"), ((4, 5), D3 + "(d1, d2)")],
            ((3, 4), D3 + "(d0, d1)"), "ppr", DOT)
    generic("einsum", [((2, 3, 5), "(b, t, h, d, c) -> (b, t, c)"), ((5, 2, 4), "(b, t, h, d, c) -> (c, h, d)")],
            ((2, 3, 2, 4), "(b, t, h, d, c) -> (b, t, h, d)"), "ppppr", DOT)
    generic("convolution", [((6,), D2 + "(d0 + d1)"), ((3,), D2 + "(d1)")], ((4,), D2 + "(d0)"), "pr",
            DOT)
    CASES[-1].text = CASES[-1].text.replace("%arg0: tensor<6xf64>", "%arg0: tensor<6xf64> {fp8.frozen}")
    generic("captured", [((3, 4), D2 + "(d0, d1)"), ((3,), D2 + "(d0)")], ((3, 4), D2 + "(d0, d1)"), "pp",
            "%r = arith.mulf %x0, %s : f64",
            extra="%c1 = arith.constant 1 : index\n  %s = tensor.extract %arg1[%c1] : tensor<3xf64>")
    low = "0xFFF0000000000000"
    for kind in ("maximumf", "maxnumf"):
        generic("reduce_" + kind, [((3, 4), D2 + "(d0, d1)")], ((3,), D2 + "(d0)"), "pr",
                f"%r = arith.{kind} %x0, %o : f64", init=low)
    generic("reduce_min", [((3, 4), D2 + "(d0, d1)")], ((3, 1), D2 + "(d0, 0)"), "pr",
            "%r = arith.minimumf %o, %x0 : f64", init="0x7FF0000000000000")
    generic("reduce_max_select", [((3, 4), D2 + "(d0, d1)")], ((3,), D2 + "(d0)"), "pr",
            "%p = arith.cmpf ogt, %x0, %o : f64\n    %r = arith.select %p, %x0, %o : f64", init=low)
    generic("reduce_max_of_product", [((3, 4), D2 + "(d0, d1)"), ((4,), D2 + "(d1)")],
            ((3,), D2 + "(d0)"), "pr",
            "%p = arith.mulf %x0, %x1 : f64\n    %r = arith.maximumf %o, %p : f64", init=low)
    ties = np.array([[1.0, 2, 2, 0], [3, 3, 3, 3], [5, 1, 1, 1]])
    shares = np.array([[0, 0.5, 0.5, 0], [0.25] * 4, [1.0, 0, 0, 0]])
    generic("reduce_max_ties", [((3, 4), D2 + "(d0, d1)")], ((3,), D2 + "(d0)"), "pr",
            "%r = arith.maximumf %x0, %o : f64", init=low, arguments=[ties], expected=[shares])
    add_case("max_and_index", f"""
func.func @max_and_index(%x: tensor<3x4xf64>) -> tensor<3xf64> {{
  %low = arith.constant {low} : f64
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<3xf64>
  %ei = tensor.empty() : tensor<3xi64>
  %f = linalg.fill ins(%low : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %fi = linalg.fill ins(%c0 : i64) outs(%ei : tensor<3xi64>) -> tensor<3xi64>
  %y:2 = linalg.generic {{indexing_maps = {maps(D2 + "(d0, d1)", D2 + "(d0)", D2 + "(d0)")},
      iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<3x4xf64>) outs(%f, %fi : tensor<3xf64>, tensor<3xi64>) {{
  ^bb0(%in: f64, %o: f64, %oi: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %o : f64
    %p = arith.cmpf ogt, %in, %o : f64
    %s = arith.select %p, %j, %oi : i64
    linalg.yield %m, %s : f64, i64
  }} -> (tensor<3xf64>, tensor<3xi64>)
  return %y#0 : tensor<3xf64>
}}""", [(3, 4)])
    add_case("two_results", f"""
func.func @two_results(%x: tensor<3x4xf64>, %w: tensor<4xf64>) -> (tensor<3x4xf64>, tensor<4x3xf64>, tensor<3xf64>) {{
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3x4xf64>
  %et = tensor.empty() : tensor<4x3xf64>
  %er = tensor.empty() : tensor<3xf64>
  %f = linalg.fill ins(%z : f64) outs(%er : tensor<3xf64>) -> tensor<3xf64>
  %y:3 = linalg.generic {{indexing_maps = {maps(D2 + "(d0, d1)", D2 + "(d1)", D2 + "(d0, d1)", D2 + "(d1, d0)", D2 + "(d0)")},
      iterator_types = ["parallel", "reduction"]}}
      ins(%x, %w : tensor<3x4xf64>, tensor<4xf64>) outs(%e, %et, %f : tensor<3x4xf64>, tensor<4x3xf64>, tensor<3xf64>) {{
  ^bb0(%a: f64, %b: f64, %o0: f64, %o1: f64, %o2: f64):
    %p = arith.mulf %a, %b : f64
    %q = math.sin %p : f64
    %s = arith.addf %o2, %q : f64
    linalg.yield %p, %q, %s : f64, f64, f64
  }} -> (tensor<3x4xf64>, tensor<4x3xf64>, tensor<3xf64>)
  return %y#0, %y#1, %y#2 : tensor<3x4xf64>, tensor<4x3xf64>, tensor<3xf64>
}}""", [(3, 4), (4,)])


def body(name, args, result, text, shapes, **kwargs):
    """A function from lines of text; %r is the result."""
    signature = ", ".join(f"%{n}: {tensor(s)}" for n, s in zip(args, shapes))
    add_case(name, f"func.func @{name}({signature}) -> {result} {{\n{text}\n  return %r : {result}\n}}",
             shapes, **kwargs)


def add_named_cases():
    empty = lambda shape, name="e": f"  %{name} = tensor.empty() : {tensor(shape)}\n"
    zeros = lambda shape: (f"  %z = arith.constant 0.0 : f64\n{empty(shape)}"
                           f"  %f = linalg.fill ins(%z : f64) outs(%e : {tensor(shape)}) -> {tensor(shape)}\n")
    t34, t43, t3, t4 = tensor((3, 4)), tensor((4, 3)), tensor((3,)), tensor((4,))
    body("named_transpose", "x", t43, empty((4, 3)) +
         f"  %r = linalg.transpose ins(%x : {t34}) outs(%e : {t43}) permutation = [1, 0]", [(3, 4)])
    body("named_broadcast", "x", t34, empty((3, 4)) +
         f"  %r = linalg.broadcast ins(%x : {t4}) outs(%e : {t34}) dimensions = [0]", [(4,)])
    body("named_reduce", "x", t3, zeros((3,)) +
         f"  %r = linalg.reduce {{ arith.addf }} ins(%x : {t34}) outs(%f : {t3}) dimensions = [1]", [(3, 4)])
    body("named_map", "xy", t34, empty((3, 4)) +
         f"  %r = linalg.map {{ arith.mulf }} ins(%x, %y : {t34}, {t34}) outs(%e : {t34})", [(3, 4)] * 2)
    body("named_div", "xy", t34, empty((3, 4)) +
         f"  %r = linalg.div ins(%x, %y : {t34}, {t34}) outs(%e : {t34}) -> {t34}", [(3, 4)] * 2, low=0.3, high=2)
    body("named_exp", "x", t34, empty((3, 4)) +
         f"  %r = linalg.exp ins(%x : {t34}) outs(%e : {t34}) -> {t34}", [(3, 4)])
    body("named_matmul", "xwa", tensor((3, 2)),
         f"  %r = linalg.matmul ins(%x, %w : {t34}, {tensor((4, 2))}) outs(%a : {tensor((3, 2))}) -> {tensor((3, 2))}",
         [(3, 4), (4, 2), (3, 2)])
    body("named_batch_matmul", "xw", tensor((2, 3, 2)), zeros((2, 3, 2)) +
         f"  %r = linalg.batch_matmul ins(%x, %w : {tensor((2, 3, 4))}, {tensor((2, 4, 2))}) outs(%f : {tensor((2, 3, 2))}) -> {tensor((2, 3, 2))}",
         [(2, 3, 4), (2, 4, 2)])
    body("named_fill", "x", t34, f"""  %c2 = arith.constant 2 : index
  %s = tensor.extract %x[%c2] : {t3}
{empty((3, 4))}  %r = linalg.fill ins(%s : f64) outs(%e : {t34}) -> {t34}""", [(3,)])


def add_tensor_cases():
    t34, t12 = tensor((3, 4)), tensor((12,))
    square = lambda ty: f"\n  %r = arith.mulf %v, %v : {ty}"
    body("collapse", "x", t12, f"  %v = tensor.collapse_shape %x [[0, 1]] : {t34} into {t12}" + square(t12), [(3, 4)])
    body("expand", "x", t34, f"  %v = tensor.expand_shape %x [[0, 1]] output_shape [3, 4] : {t12} into {t34}" + square(t34), [(12,)])
    body("cast", "x", t34, f"""  %d = tensor.cast %x : {t34} to tensor<?x4xf64>
  %v = tensor.cast %d : tensor<?x4xf64> to {t34}""" + square(t34), [(3, 4)])
    body("extract_slice", "x", tensor((2, 2)),
         f"  %v = tensor.extract_slice %x[1, 0] [2, 2] [1, 2] : {t34} to tensor<2x2xf64>" + square("tensor<2x2xf64>"), [(3, 4)])
    body("extract_slice_rank", "x", tensor((4,)),
         f"  %v = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : {t34} to tensor<4xf64>" + square("tensor<4xf64>"), [(3, 4)])
    body("insert_slice", "xd", t34,
         f"  %v = tensor.insert_slice %x into %d[1, 1] [2, 2] [1, 2] : tensor<2x2xf64> into {t34}" + square(t34), [(2, 2), (3, 4)])
    body("insert_slice_rank", "xd", t34,
         f"  %v = tensor.insert_slice %x into %d[2, 0] [1, 4] [1, 1] : tensor<4xf64> into {t34}" + square(t34), [(4,), (3, 4)])
    body("pad", "x", tensor((6, 5)), f"""  %k = arith.constant 0.5 : f64
  %v = tensor.pad %x low[1, 0] high[2, 1] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %k : f64
  }} : {t34} to {tensor((6, 5))}""" + square(tensor((6, 5))), [(3, 4)])
    body("concat", "xy", tensor((3, 6)),
         f"  %v = tensor.concat dim(1) %x, %y, %x : (tensor<3x1xf64>, {t34}, tensor<3x1xf64>) -> {tensor((3, 6))}" + square(tensor((3, 6))),
         [(3, 1), (3, 4)])
    body("splat", "x", t34, f"""  %c1 = arith.constant 1 : index
  %s = tensor.extract %x[%c1] : tensor<3xf64>
  %t = math.sin %s : f64
  %v = tensor.splat %t : {t34}""" + square(t34), [(3,)])
    body("scalars", "xy", tensor((2, 2)), f"""  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %x[%c0, %c1] : {t34}
  %b = tensor.extract %x[%c1, %c0] : {t34}
  %c = tensor.extract %y[] : tensor<f64>
  %p = arith.mulf %a, %b : f64
  %q = arith.divf %p, %c : f64
  %u = tensor.from_elements %p, %q, %a, %c : tensor<2x2xf64>
  %v = tensor.insert %q into %u[%c1, %c0] : tensor<2x2xf64>""" + square("tensor<2x2xf64>"), [(3, 4), ()], low=0.5, high=2.0)
    body("whole_tensors", "xy", t34, f"""  %k = arith.constant dense<0.1> : {t34}
  %a = arith.divf %x, %y : {t34}
  %p = arith.cmpf ogt, %x, %k : {t34}
  %b = arith.select %p, %a, %y : {tensor((3, 4), "i1")}, {t34}
  %c = math.tanh %b : {t34}
  %r = arith.subf %c, %x : {t34}""", [(3, 4)] * 2, low=0.4, high=2)
    add_case("dynamic", """
func.func @dynamic(%x: tensor<?x?xf64>, %w: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf64>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf64>
  %e1 = tensor.empty(%d0) : tensor<?x1xf64>
  %f1 = linalg.fill ins(%z : f64) outs(%e1 : tensor<?x1xf64>) -> tensor<?x1xf64>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf64>) outs(%f1 : tensor<?x1xf64>) {
  ^bb0(%a: f64, %o: f64):
    %p = arith.mulf %a, %a : f64
    %q = arith.addf %o, %p : f64
    linalg.yield %q : f64
  } -> tensor<?x1xf64>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf64>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x?xf64>, tensor<?x1xf64>) outs(%e : tensor<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %p = math.rsqrt %b : f64
    %q = arith.mulf %a, %p : f64
    linalg.yield %q : f64
  } -> tensor<?x?xf64>
  %e2 = tensor.empty(%d0) : tensor<?x4xf64>
  %f2 = linalg.fill ins(%z : f64) outs(%e2 : tensor<?x4xf64>) -> tensor<?x4xf64>
  %r = linalg.matmul ins(%n, %w : tensor<?x?xf64>, tensor<?x4xf64>) outs(%f2 : tensor<?x4xf64>) -> tensor<?x4xf64>
  return %r : tensor<?x4xf64>
}""", [(3, 5), (5, 4)])


def add_matmul_cases():
    """fp8.matmul in its four forms, with batch dimensions, acc and bias."""
    for trans_a in (False, True):
        for trans_b in (False, True):
            for batch in ((), (2,)):
                a = batch + ((4, 3) if trans_a else (3, 4))
                b = batch + ((5, 4) if trans_b else (4, 5))
                y = tensor(batch + (3, 5))
                flags = " trans_a" * trans_a + " trans_b" * trans_b
                name = f"matmul{flags}{'_batch' * bool(batch)}".replace(" ", "_")
                body(name, ["a", "b", "c", "d"], y,
                     f"  %r = fp8.matmul %a, %b acc %c bias %d{flags} : {tensor(a)}, {tensor(b)} "
                     f"acc {y} bias tensor<5xf64> -> {y}", [a, b, batch + (3, 5), (5,)])


# ===------------------------------------------------------------------------===#
# Programs
# ===------------------------------------------------------------------------===#


class Program:
    """Builds a function of many ops on f64 tensors."""

    def __init__(self, name):
        self.name, self.lines, self.args, self.shape = name, [], [], {}

    def argument(self, *shape):
        value = f"%arg{len(self.args)}"
        self.args.append(shape)
        self.shape[value] = shape
        return value

    def define(self, shape, text):
        value = f"%v{len(self.lines)}"
        self.lines.append(f"  {value} = {text}")
        self.shape[value] = tuple(shape)
        return value

    def generic(self, inputs, in_maps, shape, out_map, iterators, body, init=None):
        """`body` computes %r; %x0.. are the inputs, %o the old value."""
        ty = tensor(shape)
        start = self.define(shape, f"tensor.empty() : {ty}")
        if init is not None:
            zero = self.define((), f"arith.constant {init} : f64")
            start = self.define(shape, f"linalg.fill ins({zero} : f64) outs({start} : {ty}) -> {ty}")
        kinds = ", ".join('"parallel"' if c == "p" else '"reduction"' for c in iterators)
        types = ", ".join(tensor(self.shape[i]) for i in inputs)
        blockargs = "".join(f"%x{i}: f64, " for i in range(len(inputs)))
        return self.define(shape, f"linalg.generic {{indexing_maps = {maps(*in_maps, out_map)}, "
                           f"iterator_types = [{kinds}]}} ins({', '.join(inputs)} : {types}) outs({start} : {ty}) {{\n"
                           f"  ^bb0({blockargs}%o: f64):\n    {body}\n    linalg.yield %r : f64\n  }} -> {ty}")

    def apply(self, body, *inputs):
        shape = self.shape[inputs[0]]
        dims = ", ".join(f"d{i}" for i in range(len(shape)))
        in_maps = []
        for value in inputs:
            exprs = ["0" if size == 1 and shape[i] != 1 else f"d{i}" for i, size in enumerate(self.shape[value])]
            if len(self.shape[value]) < len(shape):
                offset = len(shape) - len(self.shape[value])
                exprs = [f"d{i + offset}" for i in range(len(self.shape[value]))]
            in_maps.append(f"({dims}) -> ({', '.join(exprs)})")
        return self.generic(inputs, in_maps, shape, f"({dims}) -> ({dims})", "p" * len(shape), body)

    def reduce(self, value, body, init):
        """Over the last dimension, which stays with size 1."""
        shape = self.shape[value]
        dims = [f"d{i}" for i in range(len(shape))]
        space = f"({', '.join(dims)}) -> "
        return self.generic([value], [space + f"({', '.join(dims)})"], shape[:-1] + (1,),
                            space + f"({', '.join(dims[:-1] + ['0'])})", "p" * (len(shape) - 1) + "r", body, init)

    def sum(self, value):
        return self.reduce(value, "%r = arith.addf %x0, %o : f64", 0.0)

    def matmul(self, a, b):
        rows, cols = self.shape[a][0], self.shape[b][1]
        return self.generic([a, b], [D3 + "(d0, d2)", D3 + "(d2, d1)"], (rows, cols), D3 + "(d0, d1)", "ppr", DOT, 0.0)

    def transpose(self, a):
        shape = self.shape[a][::-1]
        return self.generic([a], [D2 + "(d1, d0)"], shape, D2 + "(d0, d1)", "pp",
                            "%k = arith.constant 1.0 : f64\n    %r = arith.mulf %x0, %k : f64")

    def finish(self, *results, low=-1.0, high=1.0):
        args = ", ".join(f"%arg{i}: {tensor(s)}" for i, s in enumerate(self.args))
        types = ", ".join(tensor(self.shape[r]) for r in results)
        add_case(self.name, f"func.func @{self.name}({args}) -> ({types}) {{\n" + "\n".join(self.lines)
                 + f"\n  return {', '.join(results)} : {types}\n}}", self.args, low, high)


def softmax(p, x):
    best = p.reduce(x, "%r = arith.maximumf %x0, %o : f64", "0xFFF0000000000000")
    e = p.apply("%d = arith.subf %x0, %x1 : f64\n    %r = math.exp %d : f64", x, best)
    return p.apply("%r = arith.divf %x0, %x1 : f64", e, p.sum(e))


def add_layer_cases():
    p = Program("softmax")
    p.finish(softmax(p, p.argument(3, 5)))

    p = Program("layernorm")
    x, w, b = p.argument(3, 6), p.argument(6), p.argument(6)
    mean = p.apply("%k = arith.constant 6.0 : f64\n    %r = arith.divf %x0, %k : f64", p.sum(x))
    d = p.apply("%r = arith.subf %x0, %x1 : f64", x, mean)
    var = p.sum(p.apply("%r = arith.mulf %x0, %x0 : f64", d))
    inv = p.apply("%k = arith.constant 6.0 : f64\n    %e = arith.constant 1.0e-5 : f64\n"
                  "    %m = arith.divf %x0, %k : f64\n    %s = arith.addf %m, %e : f64\n    %r = math.rsqrt %s : f64", var)
    p.finish(p.apply("%n = arith.mulf %x0, %x1 : f64\n    %m = arith.mulf %n, %x2 : f64\n    %r = arith.addf %m, %x3 : f64",
                     d, inv, w, b))

    p = Program("rmsnorm_swiglu")
    x, w, gate, up, down = p.argument(3, 4), p.argument(4), p.argument(4, 5), p.argument(4, 5), p.argument(5, 4)
    ms = p.sum(p.apply("%k = arith.constant 0.25 : f64\n    %s = arith.mulf %x0, %x0 : f64\n    %r = arith.mulf %s, %k : f64", x))
    h = p.apply("%i = math.rsqrt %x1 : f64\n    %n = arith.mulf %x0, %i : f64\n    %r = arith.mulf %n, %x2 : f64", x, ms, w)
    act = p.apply("%one = arith.constant 1.0 : f64\n    %n = arith.negf %x0 : f64\n    %e = math.exp %n : f64\n"
                  "    %d = arith.addf %e, %one : f64\n    %s = arith.divf %x0, %d : f64\n    %r = arith.mulf %s, %x1 : f64",
                  p.matmul(h, gate), p.matmul(h, up))
    p.finish(p.apply("%r = arith.addf %x0, %x1 : f64", p.matmul(act, down), x))

    p = Program("attention")
    x, wq, wk, wv = p.argument(3, 4), p.argument(4, 4), p.argument(4, 4), p.argument(4, 4)
    q, k, v = p.matmul(x, wq), p.matmul(x, wk), p.matmul(x, wv)
    scores = p.apply("%k = arith.constant 0.5 : f64\n    %m = arith.constant -1.0e30 : f64\n"
                     "    %i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n"
                     "    %c = arith.cmpi sge, %i, %j : index\n    %s = arith.mulf %x0, %k : f64\n"
                     "    %r = arith.select %c, %s, %m : f64", p.matmul(q, p.transpose(k)))
    p.finish(p.matmul(softmax(p, scores), v))

    # One tensor through two maps.
    p = Program("gram")
    x = p.argument(3, 4)
    p.finish(p.generic([x, x], [D3 + "(d0, d2)", D3 + "(d1, d2)"], (3, 3), D3 + "(d0, d1)", "ppr", DOT, 0.0))

    p = Program("gram_of_sines")
    x = p.argument(3, 4)
    p.finish(p.generic([x, x], [D3 + "(d0, d2)", D3 + "(d1, d2)"], (3, 3), D3 + "(d0, d1)", "ppr",
                       "%p = arith.mulf %x0, %x1 : f64\n    %s = math.sin %p : f64\n    %r = arith.addf %o, %s : f64", 0.0))

    p = Program("unused_argument")
    x, _ = p.argument(3, 4), p.argument(2, 2)
    p.finish(p.apply("%r = math.sin %x0 : f64", x))

    p = Program("results_in_use")
    x, y = p.argument(3, 4), p.argument(3, 4)
    a = p.apply("%r = arith.mulf %x0, %x1 : f64", x, y)
    b = p.apply("%r = math.sin %x0 : f64", a)
    p.finish(a, b, a, x)


UNARY = ["math.sin", "math.tanh", "arith.negf", "math.cos", "math.atan", "math.erf"]


def random_body(rng, count):
    """Smooth scalar code over %x0 .. that uses every input: text and value."""
    lines, values = [], [f"%x{i}" for i in range(count)]

    def define(text):
        value = f"%t{len(lines)}"
        lines.append(f"{value} = {text}")
        return value

    for _ in range(rng.randint(1, 4)):
        kind = rng.random()
        a, b = rng.choice(values), rng.choice(values)
        if kind < 0.4:
            values.append(define(f"{rng.choice(UNARY)} {a} : f64"))
        elif kind < 0.85:
            values.append(define(f"arith.{rng.choice(['addf', 'subf', 'mulf'])} {a}, {b} : f64"))
        else:
            square, one = define(f"arith.mulf {b}, {b} : f64"), define("arith.constant 1.0 : f64")
            above = define(f"arith.addf {square}, {one} : f64")
            values.append(define(f"arith.divf {a}, {above} : f64"))
    total = values[0]
    for value in values[1:]:
        total = define(f"arith.addf {total}, {value} : f64")
    return "\n    ".join(lines), total


def add_random_generic(seed):
    """Random shapes, maps (permutations, missing and constant dimensions),
    reductions and bodies."""
    rng = random.Random(seed)
    loops = rng.randint(1, 4)
    sizes = [rng.randint(1, 3) for _ in range(loops)]
    space = f"({', '.join(f'd{i}' for i in range(loops))}) -> "

    def random_map(dims):
        dims = list(dims)
        rng.shuffle(dims)
        exprs, shape = [f"d{d}" for d in dims], [sizes[d] for d in dims]
        while rng.random() < 0.25:
            at = rng.randint(0, len(exprs))
            exprs.insert(at, "0")
            shape.insert(at, 1)
        return tuple(shape), space + f"({', '.join(exprs)})"

    subset = lambda: [d for d in range(loops) if rng.random() < 0.6]
    inputs = [random_map(subset()) for _ in range(rng.randint(1, 3))]
    out_dims = subset()
    covered = set(out_dims)
    for _, text in inputs:
        covered |= {d for d in range(loops) if f"d{d}" in text.split("->")[1]}
    missing = [d for d in range(loops) if d not in covered]
    if missing:
        inputs.append(random_map(missing))
    out_dims_shuffled = out_dims[:]
    rng.shuffle(out_dims_shuffled)
    output = (tuple(sizes[d] for d in out_dims_shuffled), space + f"({', '.join(f'd{d}' for d in out_dims_shuffled)})")
    reduces = len(out_dims) < loops
    lines, value = random_body(rng, len(inputs))
    lines += f"\n    %r = arith.addf %o, {value} : f64"
    if not reduces and rng.random() < 0.5:
        lines = lines.replace("%r = arith.addf", "%r = arith.mulf")
    generic(f"random_generic_{seed}", inputs, output,
            "".join("p" if d in out_dims else "r" for d in range(loops)), lines,
            init=rng.choice(["argument", None]) if reduces else "argument", low=-0.8, high=0.9)


def add_random_program(seed):
    """Random ops on a pool of values: fan-in, shape ops, several results."""
    rng = random.Random(1000 + seed)
    p = Program(f"random_program_{seed}")
    pool = [p.argument(3, 4), p.argument(3, 4), p.argument(4, 4)]
    square = [pool.pop()]
    for _ in range(rng.randint(4, 9)):
        a, b = rng.choice(pool), rng.choice(pool)
        kind = rng.randint(0, 7)
        if kind == 0:
            pool.append(p.apply(f"%r = {rng.choice(UNARY)} %x0 : f64", a))
        elif kind == 1:
            pool.append(p.apply(f"%r = arith.{rng.choice(['addf', 'subf', 'mulf'])} %x0, %x1 : f64", a, b))
        elif kind == 2:
            pool.append(p.matmul(a, rng.choice(square)))
        elif kind == 3:
            pool.append(p.apply("%r = arith.mulf %x0, %x1 : f64", a, p.sum(b)))
        elif kind == 4:
            square.append(p.matmul(p.transpose(a), b))
        elif kind == 5:
            left = p.define((3, 1), f"tensor.extract_slice {a}[0, 0] [3, 1] [1, 1] : tensor<3x4xf64> to tensor<3x1xf64>")
            right = p.define((3, 3), f"tensor.extract_slice {b}[0, 1] [3, 3] [1, 1] : tensor<3x4xf64> to tensor<3x3xf64>")
            pool.append(p.define((3, 4), f"tensor.concat dim(1) {right}, {left} : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x4xf64>"))
        elif kind == 6:
            flat = p.define((12,), f"tensor.collapse_shape {a} [[0, 1]] : tensor<3x4xf64> into tensor<12xf64>")
            flat = p.apply("%r = math.sin %x0 : f64", flat)
            pool.append(p.define((3, 4), f"tensor.expand_shape {flat} [[0, 1]] output_shape [3, 4] : tensor<12xf64> into tensor<3x4xf64>"))
        else:
            pool.append(softmax(p, p.apply("%r = math.sin %x0 : f64", a)))
    results = pool[-2:] if rng.random() < 0.5 else pool[-1:]
    p.finish(*results, low=-0.7, high=0.8)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep")
    options = parser.parse_args()
    add_scalar_cases()
    add_generic_cases()
    add_named_cases()
    add_tensor_cases()
    add_matmul_cases()
    add_layer_cases()
    for seed in range(options.seed, options.seed + 60):
        add_random_generic(seed)
    for seed in range(options.seed, options.seed + 25):
        add_random_program(seed)
    cases = [c for c in CASES if re.search(options.filter, c.name)]
    assert len({c.name for c in cases}) == len(cases), "two cases of one name"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        library = compile_module("\n".join(c.text for c in cases), folder)
        errors = [e for e in (check(library, c) for c in cases) if e]
    print("\n".join(errors))
    print(f"{len(cases)} cases, {len(errors)} failed")
    return bool(errors) or not cases


if __name__ == "__main__":
    sys.exit(main())
