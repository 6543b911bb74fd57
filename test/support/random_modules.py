# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random modules in the spellings of PyTorch and JAX: `generate(seed)`.

    random_modules.py SEED      prints the module of a seed

Linears as torch-mlir and JAX write them (test/Inputs), and in permuted generics;
norms, activations, residuals, biases, attention, shape ops; f32, bf16 and f16;
sizes that are odd, 1, 0 or dynamic; tensors that several layers share; frozen
arguments; zero, small and large inputs.
"""

import os
import random
import sys

import autograd.numpy as anp
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from random_program import Dim, Program, affine  # noqa: E402

SIZES = (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 48)
DOT = ["      %p = arith.mulf %in0, %in1 : {0}", "      %r = arith.addf %out, %p : {0}"]


def size(p, least=1):
    """A size; rarely 0 where that is allowed."""
    if least == 0 and p.rng.random() < 0.02:
        return 0
    return p.rng.choice(SIZES)


def identity(x):
    return list(range(x.rank))


def unary(p, x, build, out_type=None):
    return p.apply([x], [identity(x)], x.dims, build, out_type)


# ===------------------------------------------------------------------------===#
# Linears
# ===------------------------------------------------------------------------===#


def dot_lines(type_name, widen):
    """The body of a contraction, whose operands widen to its type."""
    if not widen:
        return [line.format(type_name) for line in DOT]
    return [f"      %a = arith.extf %in0 : {widen} to {type_name}",
            f"      %b = arith.extf %in1 : {widen} to {type_name}",
            f"      %p = arith.mulf %a, %b : {type_name}",
            f"      %r = arith.addf %out, %p : {type_name}"]


def torch_matmul(p, x, w):
    """x [..., K] and w [K, N] as torch-mlir has it: two dimensions, f32."""
    if x.rank == 3 and p.rng.random() < 0.3:
        # Without decompositions: the weight is copied for each batch.
        copied = p.raw_generic([w], [[1, 2]], p.empty((x.dims[0],) + w.dims, w.type),
                               [0, 1, 2], "ppp", [], "%in0")
        outs = p.filled((x.dims[0], x.dims[1], w.dims[1]), "f32")
        return p.define(outs.dims, "f32", f"linalg.batch_matmul ins({x.name}, {copied.name} : "
                        f"{x.tensor}, {copied.tensor}) outs({outs.name} : {outs.tensor}) -> {outs.tensor}")
    flat = p.raw_collapse(x, 0) if x.rank == 3 else x
    y = named_matmul(p, flat, w, "f32")
    return p.raw_expand(y, 0, x.dims[0], x.dims[1]) if x.rank == 3 else y


def named_matmul(p, x, w, type_name, trans_a=False, trans_b=False):
    rows, cols = x.dims[-1 if trans_a else 0], w.dims[0 if trans_b else 1]
    outs = p.filled((rows, cols), type_name)
    maps = ""
    if trans_a or trans_b:
        maps = "indexing_maps = [" + ", ".join((
            affine(3, [2, 0] if trans_a else [0, 2]), affine(3, [1, 2] if trans_b else [2, 1]),
            affine(3, [0, 1]))) + "] "
    return p.define(outs.dims, type_name, f"linalg.matmul {maps}ins({x.name}, {w.name} : "
                    f"{x.tensor}, {w.tensor}) outs({outs.name} : {outs.tensor}) -> {outs.tensor}")


def generic_matmul(p, x, w, transposed, type_name):
    """A contraction in a generic, its dimensions in any order."""
    widen = x.type if x.type != type_name else ""
    rank = x.rank + 1
    order = list(range(rank))
    p.rng.shuffle(order)
    k, n = rank - 1, rank - 2
    lead = list(range(rank - 2))
    maps = [lead + [k], [n, k] if transposed else [k, n], lead + [n]]
    maps = [[order[e] for e in m] for m in maps]
    kinds = "".join("r" if order.index(i) == k else "p" for i in range(rank))
    outs = p.filled(x.dims[:-1] + (w.dims[0 if transposed else 1],), type_name)
    return p.raw_generic([x, w], maps[:2], outs, maps[2], kinds, dot_lines(type_name, widen), "%r")


def raw_bias(p, y, bias):
    """Broadcast as JAX does, through [1, ..., N]; then added."""
    rank, last = y.rank, y.rank - 1
    if p.rng.random() < 0.5:
        ones = tuple(Dim(1) for _ in range(last)) + (bias.dims[0],)
        row = p.raw_generic([bias], [[last]], p.empty(ones, bias.type), list(range(rank)), "p" * rank, [], "%in0")
        bias = p.raw_generic([row], [[None] * last + [last]], p.empty(y.dims, bias.type),
                             list(range(rank)), "p" * rank, [], "%in0")
        maps = [list(range(rank))] * 2
    else:
        maps = [list(range(rank)), [last]]
    operands = p.rng.choice(("%in0, %in1", "%in1, %in0"))
    return p.raw_generic([y, bias], maps, p.empty(y.dims, y.type), list(range(rank)), "p" * rank,
                         [f"      %r = arith.addf {operands} : {y.type}"], "%r")


def weight(p, inputs, outputs, transposed):
    """[out, in] if transposed, else [in, out]; at times in f32 and cast."""
    dims = (outputs, inputs) if transposed else (inputs, outputs)
    master = p.type == "bf16" and p.rng.random() < 0.1
    w = p.argument(dims, "f32" if master else p.type, max(inputs.size, 1) ** -0.5)
    return p.cast(w, p.type)


def linear(p, x, outputs=None):
    """x [..., K] -> [..., N], with or without a bias."""
    inputs, outputs = x.dims[-1], outputs or Dim(size(p, 0))
    transposed = p.rng.random() < 0.6
    w = weight(p, inputs, outputs, transposed)
    bias = p.argument([outputs]) if p.rng.random() < 0.4 else None
    style = p.rng.choice(("torch", "torch", "wide", "jax", "generic", "maps"))
    if style == "maps" and x.rank != 2:
        style = "generic"
    y = None
    late_bias = bias is not None and (style in ("jax", "torch") or p.rng.random() < 0.5)
    if style in ("torch", "wide", "jax"):
        matrix = p.raw_transpose(w, [1, 0]) if transposed else w
    if style == "torch":
        y = torch_matmul(p, x, matrix)
    elif style == "wide":
        y = torch_matmul(p, p.raw_cast(x, "f32"), p.raw_cast(matrix, "f32"))
    elif style == "jax":
        acc = p.rng.choice((p.type, "f32"))
        if x.rank == 2:
            y = named_matmul(p, x, matrix, acc)
        else:
            y = generic_matmul(p, x, matrix, False, acc)
    elif style == "generic":
        y = generic_matmul(p, x, w, transposed, p.rng.choice((p.type, "f32")))
    else:
        y = named_matmul(p, x, w, "f32", trans_b=transposed)
    if bias is not None and not late_bias:
        y = raw_bias(p, y, p.raw_cast(bias, y.type))
    y = p.raw_cast(y, p.type)
    if late_bias:
        y = raw_bias(p, y, bias)

    def meaning(noise, a, b, *c):
        rows = anp.reshape(a, (int(np.prod([d.size for d in x.dims[:-1]])), inputs.size))
        out = noise.matmul(rows, anp.transpose(b) if transposed else b, True)
        out = noise.round(anp.reshape(out, [d.size for d in y.dims]), p.type)
        return noise.round(out + c[0], p.type) if c else out

    return p.node(y, [x, w] + ([bias] if bias is not None else []), meaning)


# ===------------------------------------------------------------------------===#
# Elementwise
# ===------------------------------------------------------------------------===#


def relu(b, x):
    zero = b.constant(0.0, b.types[x])
    if b.program.rng.random() < 0.5:
        return b.where("ugt", x, zero, zero)
    return b.op("arith.maximumf", x, zero)


def sigmoid(b, x):
    one = b.constant(1.0, b.types[x])
    return b.op("arith.divf", one, b.op("arith.addf", b.op("math.exp", b.op("arith.negf", x)), one))


def silu(b, x):
    return b.op("arith.mulf", x, sigmoid(b, x))


def gelu_tanh(b, x):
    type_name = b.types[x]
    cubed = b.op("arith.mulf", b.square(x), x)
    inner = b.op("arith.addf", x, b.op("arith.mulf", cubed, b.constant(0.044715, type_name)))
    t = b.op("math.tanh", b.op("arith.mulf", inner, b.constant(0.7978845608, type_name)))
    half = b.op("arith.mulf", x, b.constant(0.5, type_name))
    return b.op("arith.mulf", half, b.op("arith.addf", t, b.constant(1.0, type_name)))


def gelu_erf(b, x):
    type_name = b.types[x]
    e = b.op("math.erf", b.op("arith.mulf", x, b.constant(0.70710678, type_name)))
    half = b.op("arith.mulf", x, b.constant(0.5, type_name))
    return b.op("arith.mulf", half, b.op("arith.addf", e, b.constant(1.0, type_name)))


def relu_square(b, x):
    return b.square(relu(b, x))


def softcap(b, x):
    type_name = b.types[x]
    cap = b.constant(3.0, type_name)
    return b.op("arith.mulf", b.op("math.tanh", b.op("arith.divf", x, cap)), cap)


def leaky(b, x):
    type_name = b.types[x]
    slope = b.op("arith.mulf", x, b.constant(0.1, type_name))
    return b.where(b.program.rng.choice(("ogt", "oge")), x, b.constant(0.0, type_name), slope)


def expression(b, x):
    """A random expression of bounded functions."""
    # No operation on constants alone, which folds in the type's precision.
    pool, number = [x], b.constant(b.program.rng.uniform(-1, 1), b.types[x])
    for _ in range(b.program.rng.randint(1, 5)):
        one, two = b.program.rng.choice(pool), b.program.rng.choice(pool + [number])
        op = b.program.rng.choice(("math.sin", "math.cos", "math.tanh", "arith.negf", "math.absf",
                                   "arith.addf", "arith.subf", "arith.mulf", "arith.maximumf",
                                   "arith.minimumf"))
        unary_op = op.startswith("math") or op == "arith.negf"
        pool.append(b.op(op, one) if unary_op else b.op(op, one, two))
    return b.op("arith.addf", pool[-1], x)


ACTIVATIONS = (relu, silu, gelu_tanh, gelu_erf, relu_square, softcap, leaky, expression)


def activation(p, x):
    """In the type of the program, or in f32 inside one body, or between casts."""
    build = p.rng.choice(ACTIVATIONS)
    how = p.rng.random()
    if how < 0.4 or x.type == "f32":
        return unary(p, x, build)
    if how < 0.7:
        return unary(p, x, lambda b, a: build(b, b.cast(a, "f32")), x.type)
    return p.cast(unary(p, p.cast(x, "f32"), build), x.type)


def scale_by(p, x):
    number = p.rng.choice((0.5, -1.25, 3.0, 0.125))
    return unary(p, x, lambda b, a: b.op("arith.mulf", a, b.constant(number, x.type)))


def binary(p, x, y, ops=("arith.addf", "arith.subf", "arith.mulf")):
    op = p.rng.choice(ops)
    return p.apply([x, y], [identity(x)] * 2, x.dims, lambda b, a, c: b.op(op, a, c))


def rowwise(p, x):
    """With a vector along the last dimension."""
    vector = p.argument([x.dims[-1]])
    op = p.rng.choice(("arith.addf", "arith.mulf"))
    return p.apply([x, vector], [identity(x), [x.rank - 1]], x.dims, lambda b, a, c: b.op(op, a, c))


# ===------------------------------------------------------------------------===#
# Norms and attention
# ===------------------------------------------------------------------------===#


def column(x):
    """The map that reads [..., 1] along with x."""
    return identity(x)[:-1] + [None]


def mean(p, x):
    total = p.reduce(x)
    count = float(x.dims[-1].size)
    return unary(p, total, lambda b, a: b.op("arith.divf", a, b.constant(count, "f32")))


def inverse_root(p, x):
    return unary(p, x, lambda b, a: b.op("math.rsqrt", b.op("arith.addf", a, b.constant(1e-3, "f32"))))


def norm(p, x):
    """RMSNorm or LayerNorm over the last dimension, in f32."""
    wide = p.cast(x, "f32")
    if p.rng.random() < 0.4:
        wide = p.apply([wide, mean(p, wide)], [identity(x), column(x)], x.dims,
                       lambda b, a, m: b.op("arith.subf", a, m))
    inverse = inverse_root(p, mean(p, unary(p, wide, lambda b, a: b.square(a))))
    y = p.apply([wide, inverse], [identity(x), column(x)], x.dims, lambda b, a, i: b.op("arith.mulf", a, i))
    return rowwise(p, p.cast(y, p.type))


def softmax(p, x):
    """Over the last dimension, in f32."""
    maps = [identity(x), column(x)]
    wide = p.cast(x, "f32")
    shifted = p.apply([wide, p.reduce(wide, maximum=True)], maps, x.dims,
                      lambda b, a, m: b.op("math.exp", b.op("arith.subf", a, m)))
    y = p.apply([shifted, p.reduce(shifted)], maps, x.dims, lambda b, a, s: b.op("arith.divf", a, s))
    return p.cast(y, p.type)


def batch_matmul(p, a, b):
    """[B, M, K] x [B, K, N]."""
    outs = p.filled((a.dims[0], a.dims[1], b.dims[2]), p.rng.choice((p.type, "f32")))
    y = p.define(outs.dims, outs.type, f"linalg.batch_matmul ins({a.name}, {b.name} : {a.tensor}, "
                 f"{b.tensor}) outs({outs.name} : {outs.tensor}) -> {outs.tensor}")
    return p.node(p.raw_cast(y, p.type), [a, b],
                  lambda noise, u, v: noise.round(noise.matmul(u, v, False), p.type))


def split_heads(p, x, heads, width):
    """[B, T, H * D] -> [B * H, T, D]."""
    return p.collapse(p.transpose(p.expand(x, 2, Dim(heads), Dim(width)), (0, 2, 1, 3)), 0)


def attention(p, x):
    """x [B, T, C] -> [B, T, C], with heads, from three linears or one."""
    heads, width = p.rng.choice((1, 2, 3)), p.rng.choice((1, 4, 8))
    inner = heads * width
    if p.rng.random() < 0.5 and sliceable(x):
        fused = linear(p, x, Dim(3 * inner))
        parts = [p.slice(fused, 2, i * inner, inner) for i in range(3)]
    else:
        parts = [linear(p, x, Dim(inner)) for _ in range(3)]
    q, k, v = (split_heads(p, part, heads, width) for part in parts)
    scores = batch_matmul(p, q, p.transpose(k, (0, 2, 1)))
    factor = width ** -0.5
    scores = unary(p, scores, lambda b, a: b.op("arith.mulf", a, b.constant(factor, p.type)))
    y = batch_matmul(p, softmax(p, scores), v)
    y = p.transpose(p.expand(y, 0, x.dims[0], Dim(heads)), (0, 2, 1, 3))
    return linear(p, p.collapse(y, 2), x.dims[2])


# ===------------------------------------------------------------------------===#
# Shapes
# ===------------------------------------------------------------------------===#


def sliceable(x):
    """Upstream's verifier refuses every offset in a dimension of size 0."""
    return all(d.size or d.name for d in x.dims)


def reshape(p, x):
    """Another shape of the same rank or one more or less."""
    fixed = [i for i in range(x.rank) if not x.dims[i].name]
    kind = p.rng.choice(("transpose", "flatten", "split", "slice", "concat"))
    if kind == "transpose":
        order = list(range(x.rank))
        p.rng.shuffle(order)
        return p.transpose(x, order)
    if kind == "flatten" and x.rank == 3:
        return p.collapse(x, p.rng.choice((0, 1)))
    axis = p.rng.choice(fixed)
    length = x.dims[axis].size
    if kind == "split" and x.rank == 2:
        factor = p.rng.choice([f for f in (1, 2, 3, 4) if length % f == 0])
        return p.expand(x, axis, Dim(factor), Dim(length // factor))
    if kind == "slice" and length > 1 and sliceable(x):
        start = p.rng.randrange(length)
        return p.slice(x, axis, start, p.rng.randint(1, length - start))
    return p.concat(x, x, axis)


# ===------------------------------------------------------------------------===#
# Programs
# ===------------------------------------------------------------------------===#


def usable(p, value):
    """Whether numbers are far from overflow and from nothing at all."""
    numbers = p.exact[value]
    return numbers.size == 0 or np.max(np.abs(numbers)) < 30


def shapes(value):
    return [(d.size, d.name) for d in value.dims]


def step(p, pool):
    """A layer on a value of the pool."""
    x = p.rng.choice(pool[-3:])
    same = [v for v in pool if shapes(v) == shapes(x)]
    layers = [linear] * 6 + [activation] * 4 + [norm, rowwise, scale_by, reshape, softmax]
    if x.rank == 3 and not x.dims[2].name:
        layers += [attention] * 2
    layer = p.rng.choice(layers)
    if len(same) > 1 and p.rng.random() < 0.2:
        return binary(p, x, p.rng.choice(same))
    if x.dims[-1].name or x.dims[-1].size == 0:
        # Parameters have static sizes, and a mean of nothing is no number.
        layer = activation
    if x.rank > 3:
        layer = lambda p, x: p.collapse(x, p.rng.choice((0, 1, 2)))
    return layer(p, x)


def make_input(p):
    rank = p.rng.choice((2, 2, 3))
    dims = [Dim(size(p, 0)) for _ in range(rank - 1)] + [Dim(size(p, 0))]
    if rank == 3:
        dims[0] = Dim(p.rng.choice((1, 2, 3)))
    dynamic = p.rng.randrange(rank - 1) if p.rng.random() < 0.3 else None
    if dynamic is not None:
        dims[dynamic] = Dim(dims[dynamic].size, "%dynamic")
    scale = p.rng.choice((1.0,) * 8 + (0.0, 1e-3, 8.0))
    x = p.argument(dims, scale=scale)
    if dynamic is not None:
        p.lines.append(f"    %axis = arith.constant {dynamic} : index")
        p.lines.append(f"    %dynamic = tensor.dim %arg0, %axis : {x.tensor}")
    return x


def generate(seed, name=None):
    rng = random.Random(seed)
    p = Program(rng, name or f"f{seed}", rng.choice(("bf16",) * 7 + ("f32", "f32", "f16")))
    pool = [make_input(p)]
    for _ in range(rng.randint(1, 7)):
        value = step(p, pool)
        if usable(p, value):
            pool.append(value)
    if len(pool) == 1:
        pool.append(linear(p, pool[0]) if pool[0].dims[-1].size else activation(p, pool[0]))
    others = [v for v in pool[1:-1] if rng.random() < 0.15][:2]
    p.finish(others + [pool[-1]])
    return p


if __name__ == "__main__":
    print("module {\n" + generate(int(sys.argv[1]), "main").text + "}")
