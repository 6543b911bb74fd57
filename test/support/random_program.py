# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program under construction, and what it means.

A Program has its text (linalg on tensors, one function), its arguments, and a
reference in NumPy, forward and backward, that shares no code with the compiler.
Derivatives are those of the package autograd (https://github.com/HIPS/autograd),
in float64. random_modules.py makes programs at random.

A reference runs exactly, or with noise: after every operation each number moves
by the unit of its type, up or down at random, and operands of linears by the
unit of their FP8 type. How far results move tells how far the compiled program
may be off.
"""

import math
import random
from dataclasses import dataclass, field

import autograd
import autograd.numpy as anp
import ml_dtypes
import numpy as np
from autograd.extend import defvjp, primitive

DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64}
# Twice the largest relative error of a rounding, and the smallest number.
UNITS = {"bf16": (2.0**-8, 0.0), "f16": (2.0**-10, 2.0**-24), "f32": (2.0**-22, 0.0),
         "f64": (0.0, 0.0)}
# The same for FP8, relative to the largest number of the tensor.
E4M3, E5M2 = (2.0**-4, 2.0**-10 / 448), (2.0**-3, 2.0**-17 / 57344)


# ===------------------------------------------------------------------------===#
# Exact and noisy arithmetic
# ===------------------------------------------------------------------------===#


def max_of(a, axis):
    """The maximum along `axis`, which stays; -inf where there is nothing."""
    if a.shape[axis] == 0:
        return np.full(a.shape[:axis] + (1,) + a.shape[axis + 1:], -np.inf)
    return anp.max(a, axis=axis, keepdims=True)


class Exact:
    """Every operation in float64, without rounding."""

    def round(self, x, type_name):
        return x

    def matmul(self, a, b, narrow):
        return anp.matmul(a, b)

    def total(self, x, axis):
        return anp.sum(x, axis=axis, keepdims=True)


class Noise(Exact):
    """Every operation with an error as large as its rounding may have."""

    def __init__(self, seed, fp8, computed):
        self.rng = np.random.default_rng(seed)
        self.fp8, self.computed = fp8, computed

    def sign(self, x):
        return self.rng.choice((-1.0, 1.0), np.shape(x))

    def move(self, x, unit):
        relative, absolute = unit
        return x + self.sign(x) * (np.abs(x) * relative + absolute)

    def quantize(self, x, unit):
        amax = np.max(np.abs(x), initial=0.0)
        return self.move(x, (unit[0], unit[1] * amax))

    def round(self, x, type_name):
        return noisy_round(x, self, UNITS[type_name])

    def matmul(self, a, b, narrow):
        return noisy_matmul(a, b, self, self.fp8 and (narrow or self.computed))

    def total(self, x, axis):
        return noisy_total(x, axis, self)

    def dot(self, a, b):
        """A product accumulated in float32."""
        error = a.shape[-1] * 2.0**-24 * np.matmul(np.abs(a), np.abs(b))
        return np.matmul(a, b) + self.sign(error) * error


@primitive
def noisy_round(x, noise, unit):
    return noise.move(x, unit)


@primitive
def noisy_total(x, axis, noise):
    error = x.shape[axis] * 2.0**-24 * np.sum(np.abs(x), axis=axis, keepdims=True)
    return np.sum(x, axis=axis, keepdims=True) + noise.sign(error) * error


@primitive
def noisy_matmul(a, b, noise, fp8):
    if fp8:
        a, b = noise.quantize(a, E4M3), noise.quantize(b, E4M3)
    return noise.dot(a, b)


def matmul_gradient(first):
    def make(_, a, b, noise, fp8):
        def gradient(g):
            x, y, z = (a, b, g)
            if fp8:
                x, y, z = noise.quantize(a, E4M3), noise.quantize(b, E4M3), noise.quantize(g, E5M2)
            return (noise.dot(z, np.swapaxes(y, -1, -2)) if first
                    else noise.dot(np.swapaxes(x, -1, -2), z))
        return gradient
    return make


defvjp(noisy_round, lambda _, x, noise, unit: lambda g: noise.move(g, unit), argnums=[0])
defvjp(noisy_total, lambda _, x, axis, noise: lambda g: np.broadcast_to(g, x.shape), argnums=[0])
defvjp(noisy_matmul, matmul_gradient(True), matmul_gradient(False), argnums=[0, 1])


@primitive
def erf(x):
    return np.vectorize(math.erf, otypes=[float])(x)


defvjp(erf, lambda _, x: lambda g: g * 2 / math.sqrt(math.pi) * anp.exp(-x * x))

SCALAR = {
    "arith.addf": anp.add, "arith.subf": anp.subtract, "arith.mulf": anp.multiply,
    "arith.divf": anp.divide, "arith.maximumf": anp.maximum, "arith.minimumf": anp.minimum,
    "arith.negf": anp.negative, "math.exp": anp.exp, "math.tanh": anp.tanh, "math.sin": anp.sin,
    "math.cos": anp.cos, "math.absf": anp.abs, "math.erf": erf, "math.sqrt": anp.sqrt,
    "math.rsqrt": lambda x: 1 / anp.sqrt(x),
}


# ===------------------------------------------------------------------------===#
# Text
# ===------------------------------------------------------------------------===#


@dataclass(frozen=True)
class Dim:
    """A size, and the SSA name of a dynamic one."""

    size: int
    name: str = ""


@dataclass(eq=False)
class Value:
    """A tensor of the program."""

    name: str
    dims: tuple
    type: str

    @property
    def tensor(self):
        return tensor(self.dims, self.type)

    @property
    def rank(self):
        return len(self.dims)


@dataclass
class Argument:
    value: Value
    array: np.ndarray
    frozen: bool


def tensor(dims, type_name):
    return "tensor<" + "".join(f"{'?' if d.name else d.size}x" for d in dims) + type_name + ">"


def affine(rank, entries):
    """`entries` are numbers of dimensions, or None for 0."""
    dims = ", ".join(f"d{i}" for i in range(rank))
    results = ", ".join("0" if e is None else f"d{e}" for e in entries)
    return f"affine_map<({dims}) -> ({results})>"


def align(x, entries, rank):
    """`x`, read through the map `entries`, so that NumPy broadcasts it."""
    x = anp.reshape(x, [n for n, e in zip(anp.shape(x), entries) if e is not None])
    kept = [e for e in entries if e is not None]
    x = anp.transpose(x, sorted(range(len(kept)), key=kept.__getitem__))
    sizes = dict(zip(sorted(kept), anp.shape(x)))
    return anp.reshape(x, [sizes.get(i, 1) for i in range(rank)])


class Body:
    """A linalg body: text, and a function of the inputs to go with each name."""

    def __init__(self, program, types):
        self.program, self.lines, self.types, self.values = program, [], {}, {}
        self.inputs = []
        for index, type_name in enumerate(types):
            self.inputs.append(self.bind(f"%in{index}", type_name,
                                         lambda _, x, index=index: x[index]))

    def bind(self, name, type_name, function):
        self.types[name], self.values[name] = type_name, function
        return name

    def define(self, text, type_name, function):
        name = self.program.fresh()
        self.lines.append(f"      {name} = {text}")
        return self.bind(name, type_name, function)

    def constant(self, value, type_name):
        value = float(np.asarray(value).astype(DTYPES[type_name]))
        return self.define(f"arith.constant {value:.17e} : {type_name}", type_name,
                           lambda _, x: value)

    def op(self, op, *names):
        type_name = self.types[names[0]]
        parts = [self.values[n] for n in names]
        return self.define(
            f"{op} {', '.join(names)} : {type_name}", type_name,
            lambda noise, x: noise.round(SCALAR[op](*(p(noise, x) for p in parts)), type_name))

    def square(self, name):
        if self.program.rng.random() < 0.5:
            return self.op("arith.mulf", name, name)
        type_name, part = self.types[name], self.values[name]
        two = self.program.fresh()
        self.lines.append(f"      {two} = arith.constant 2 : i64")
        return self.define(f"math.fpowi {name}, {two} : {type_name}, i64", type_name,
                           lambda noise, x: noise.round(part(noise, x) ** 2, type_name))

    def cast(self, name, type_name):
        wide = {"bf16": 16, "f16": 16, "f32": 32}
        old, part = self.types[name], self.values[name]
        if old == type_name:
            return name
        op = "arith.extf" if wide[type_name] > wide[old] else "arith.truncf"
        return self.define(f"{op} {name} : {old} to {type_name}", type_name,
                           lambda noise, x: noise.round(part(noise, x), type_name))

    def where(self, predicate, name, limit, other):
        """`name` if it compares with `limit` as `predicate` says, else `other`."""
        compare = {"ugt": anp.greater, "ogt": anp.greater, "olt": anp.less, "oge": anp.greater_equal}
        flag = self.program.fresh()
        type_name = self.types[name]
        self.lines.append(f"      {flag} = arith.cmpf {predicate}, {name}, {limit} : {type_name}")
        a, b, c = (self.values[n] for n in (name, limit, other))

        def function(noise, x):
            value = a(noise, x)
            return anp.where(compare[predicate](value, b(noise, x)), value, c(noise, x))

        return self.define(f"arith.select {flag}, {name}, {other} : {type_name}", type_name, function)


@dataclass(eq=False)
class Program:
    """A function under construction; every value has its number in `exact`."""

    rng: random.Random
    name: str
    type: str
    lines: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    nodes: list = field(default_factory=list)
    exact: dict = field(default_factory=dict)
    results: list = field(default_factory=list)
    count: int = 0

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def define(self, dims, type_name, text):
        """An operation that the reference does not follow."""
        value = Value(self.fresh(), tuple(dims), type_name)
        self.lines.append(f"    {value.name} = {text}")
        return value

    def node(self, value, inputs, function):
        """Says what `value` is: `function(noise, *inputs)`."""
        self.nodes.append((value, inputs, function))
        self.exact[value] = function(Exact(), *(self.exact[i] for i in inputs))
        shape = tuple(d.size for d in value.dims)
        assert self.exact[value].shape == shape, (self.exact[value].shape, shape)
        return value

    def scalar(self, text):
        name = self.fresh()
        self.lines.append(f"    {name} = {text}")
        return name

    def size_of(self, value, axis, size):
        index = self.scalar(f"arith.constant {axis} : index")
        return Dim(size, self.scalar(f"tensor.dim {value.name}, {index} : {value.tensor}"))

    def argument(self, dims, type_name=None, scale=1.0, frozen=None):
        type_name = type_name or self.type
        value = Value(f"%arg{len(self.arguments)}", tuple(dims), type_name)
        rng = np.random.default_rng(self.rng.getrandbits(32))
        array = rng.standard_normal([d.size for d in dims]) * scale
        array = np.asarray(array.astype(DTYPES[type_name]))
        if frozen is None:
            frozen = self.rng.random() < 0.1
        self.arguments.append(Argument(value, array, frozen))
        self.exact[value] = array.astype(np.float64)
        return value

    def empty(self, dims, type_name):
        names = ", ".join(d.name for d in dims if d.name)
        return self.define(dims, type_name, f"tensor.empty({names}) : {tensor(dims, type_name)}")

    def filled(self, dims, type_name, number="0.0"):
        scalar = self.scalar(f"arith.constant {number} : {type_name}")
        empty = self.empty(dims, type_name)
        return self.define(dims, type_name, f"linalg.fill ins({scalar} : {type_name}) "
                           f"outs({empty.name} : {empty.tensor}) -> {empty.tensor}")

    def raw_generic(self, inputs, maps, outs, out_map, iterators, lines, result):
        """`lines` compute `result` from %in0, %in1, ... and %out."""
        rank = len(iterators)
        texts = ", ".join(affine(rank, m) for m in [*maps, out_map])
        kinds = ", ".join('"parallel"' if c == "p" else '"reduction"' for c in iterators)
        ins = ""
        if inputs:
            ins = f"ins({', '.join(i.name for i in inputs)} : {', '.join(i.tensor for i in inputs)}) "
        block = "".join(f"%in{i}: {v.type}, " for i, v in enumerate(inputs))
        return self.define(outs.dims, outs.type, f"linalg.generic {{indexing_maps = [{texts}], "
                           f"iterator_types = [{kinds}]}} {ins}outs({outs.name} : {outs.tensor}) {{\n"
                           f"    ^bb0({block}%out: {outs.type}):\n" + "".join(f"{line}\n" for line in lines)
                           + f"      linalg.yield {result} : {outs.type}\n    }} -> {outs.tensor}")

    def apply(self, inputs, maps, dims, build, out_type=None):
        """An elementwise generic over `dims`; `build(body, *names)` gives the
        result. One in four writes its result through a permuted map."""
        rank = len(dims)
        body = Body(self, [i.type for i in inputs])
        result = build(body, *body.inputs)
        if out_type:
            result = body.cast(result, out_type)
        order = list(range(rank))
        maps = [list(m) for m in maps]
        if self.rng.random() < 0.25:
            self.rng.shuffle(order)
        # Iteration space order[i] is dimension i of the result.
        text_maps = [[None if e is None else order[e] for e in m] for m in maps]
        empty = self.empty(dims, body.types[result])
        value = self.raw_generic(inputs, text_maps, empty, order, "p" * rank, body.lines, result)
        function = body.values[result]

        def meaning(noise, *arrays):
            aligned = [align(x, m, rank) for x, m in zip(arrays, maps)]
            shape = [d.size for d in dims]
            return function(noise, aligned) + anp.zeros(shape)

        return self.node(value, inputs, meaning)

    # --- Casts, reductions, shapes --------------------------------------------

    def raw_cast(self, x, type_name):
        """A widening or narrowing generic; the reference does not follow it."""
        if x.type == type_name:
            return x
        op = "extf" if type_name == "f32" else "truncf"
        same = list(range(x.rank))
        return self.raw_generic([x], [same], self.empty(x.dims, type_name), same, "p" * x.rank,
                                [f"      %r = arith.{op} %in0 : {x.type} to {type_name}"], "%r")

    def cast(self, x, type_name):
        if x.type == type_name:
            return x
        return self.node(self.raw_cast(x, type_name), [x],
                         lambda noise, a: noise.round(a, type_name))

    def reduce(self, x, maximum=False):
        """Over the last dimension, which stays with size 1, in f32."""
        last, rank = x.rank - 1, x.rank
        dims = x.dims[:-1] + (Dim(1),)
        keep = self.rng.random() < 0.5
        outs = self.filled(dims if keep else dims[:-1], x.type, "0xFF800000" if maximum else "0.0")
        op = "maximumf" if maximum else "addf"
        operands = self.rng.choice(("%in0, %out", "%out, %in0"))
        value = self.raw_generic(
            [x], [list(range(rank))], outs, list(range(last)) + [None] * keep,
            "p" * last + "r", [f"      %r = arith.{op} {operands} : {x.type}"], "%r")
        if not keep:
            value = self.raw_generic([value], [list(range(last))], self.empty(dims, x.type),
                                     list(range(rank)), "p" * rank, [], "%in0")
        if maximum:
            return self.node(value, [x], lambda _, a: max_of(a, last))
        return self.node(value, [x], lambda noise, a: noise.total(a, last))

    def raw_transpose(self, x, order):
        dims = [x.dims[i] for i in order]
        if self.rng.random() < 0.5:
            empty = self.empty(dims, x.type)
            return self.define(dims, x.type, f"linalg.transpose ins({x.name} : {x.tensor}) "
                               f"outs({empty.name} : {empty.tensor}) permutation = {order}")
        same = list(range(x.rank))
        inverse = [order.index(i) for i in same]
        maps = (inverse, same) if self.rng.random() < 0.5 else (same, order)
        return self.raw_generic([x], [maps[0]], self.empty(dims, x.type), maps[1], "p" * x.rank,
                                [], "%in0")

    def transpose(self, x, order):
        return self.node(self.raw_transpose(x, list(order)), [x],
                         lambda _, a: anp.transpose(a, order))

    def raw_collapse(self, x, first):
        """Dimensions `first` and the next become one."""
        groups = [[i] for i in range(first)] + [[first, first + 1]]
        groups += [[i] for i in range(first + 2, x.rank)]
        one, two = x.dims[first:first + 2]
        merged = Dim(one.size * two.size, "?" if one.name or two.name else "")
        dims = x.dims[:first] + (merged,) + x.dims[first + 2:]
        value = self.define(dims, x.type, f"tensor.collapse_shape {x.name} {groups} : "
                            f"{x.tensor} into {tensor(dims, x.type)}")
        if merged.name:
            dims = dims[:first] + (self.size_of(value, first, merged.size),) + dims[first + 1:]
            value = Value(value.name, dims, x.type)
        return value

    def collapse(self, x, first):
        value = self.raw_collapse(x, first)
        shape = [d.size for d in value.dims]
        return self.node(value, [x], lambda _, a: anp.reshape(a, shape))

    def raw_expand(self, x, first, one, two):
        groups = [[i] for i in range(first)] + [[first, first + 1]]
        groups += [[i + 1] for i in range(first + 1, x.rank)]
        dims = x.dims[:first] + (one, two) + x.dims[first + 1:]
        sizes = ", ".join(d.name or str(d.size) for d in dims)
        return self.define(dims, x.type, f"tensor.expand_shape {x.name} {groups} output_shape "
                           f"[{sizes}] : {x.tensor} into {tensor(dims, x.type)}")

    def expand(self, x, first, one, two):
        value = self.raw_expand(x, first, one, two)
        shape = [d.size for d in value.dims]
        return self.node(value, [x], lambda _, a: anp.reshape(a, shape))

    def slice(self, x, axis, start, size):
        dims = x.dims[:axis] + (Dim(size),) + x.dims[axis + 1:]
        offsets = [start if i == axis else 0 for i in range(x.rank)]
        sizes = ", ".join(d.name or str(d.size) for d in dims)
        value = self.define(dims, x.type, f"tensor.extract_slice {x.name}{offsets} [{sizes}] "
                            f"{[1] * x.rank} : {x.tensor} to {tensor(dims, x.type)}")
        index = tuple(slice(start, start + size) if i == axis else slice(None) for i in range(x.rank))
        return self.node(value, [x], lambda _, a: a[index])

    def concat(self, x, y, axis):
        dims = list(x.dims)
        dims[axis] = Dim(x.dims[axis].size + y.dims[axis].size)
        value = self.define(dims, x.type, f"tensor.concat dim({axis}) {x.name}, {y.name} : "
                            f"({x.tensor}, {y.tensor}) -> {tensor(dims, x.type)}")
        return self.node(value, [x, y], lambda _, a, b: anp.concatenate([a, b], axis))

    def finish(self, results):
        self.results = results

    @property
    def text(self):
        args = ", ".join(f"{a.value.name}: {a.value.tensor}{' {fp8.frozen}' if a.frozen else ''}"
                         for a in self.arguments)
        types = ", ".join(r.tensor for r in self.results)
        names = ", ".join(r.name for r in self.results)
        return (f"  func.func @{self.name}({args}) -> ({types}) {{\n" + "\n".join(self.lines)
                + f"\n    return {names} : {types}\n  }}\n")

    # --- Meaning ---------------------------------------------------------------

    def forward(self, noise, arrays):
        env = {a.value: noise.round(x, a.value.type) for a, x in zip(self.arguments, arrays)}
        for value, inputs, function in self.nodes:
            env[value] = function(noise, *(env[i] for i in inputs))
        return tuple(env[r] for r in self.results)

    def reference(self, tangents, noise=None):
        """Results, then the gradients of arguments that are not frozen; the
        sum over results of tangent times result is what is differentiated."""
        noise = noise or Exact()
        arrays = tuple(a.array.astype(np.float64) for a in self.arguments)
        kept = []

        def dot(*xs):
            results = self.forward(noise, xs)
            kept[:] = [autograd.tracer.getval(r) for r in results]
            return sum(anp.sum(r * t) for r, t in zip(results, tangents)) + 0.0 * sum(anp.sum(x) for x in xs)

        numbers = tuple(range(len(arrays)))
        with np.errstate(all="ignore"):
            gradients = autograd.grad(dot, numbers)(*arrays)
        return kept + [g for g, a in zip(gradients, self.arguments) if not a.frozen]
