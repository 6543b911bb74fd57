# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions, called on arrays."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import threading
from ctypes import byref, c_int64, c_uint64, c_void_p

from . import _arrays, _runtime
from ._types import BY_NAME

_ALIGNMENT = 256


def _describe(shape):
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


def check_view(view, spec, label):
    """Raises where an array is not what a step takes there."""
    expected = BY_NAME[spec.type]
    if view.element is not expected:
        found = view.element.dtype.name if view.element else "another type"
        raise TypeError(f"{label}: expects {expected.dtype.name}, but got {found}")
    fits = len(view.shape) == len(spec.shape) and all(
        size in (None, found) for size, found in zip(spec.shape, view.shape))
    if not fits:
        raise ValueError(
            f"{label}: expects shape {_describe(spec.shape)}, but got {_describe(view.shape)}")
    if not view.is_contiguous:
        raise ValueError(
            f"{label}: expects a row-major array without gaps, but got strides "
            f"{list(view.strides)} for shape {_describe(view.shape)}; pass a contiguous copy")


def _make_labels(ports):
    """What errors call the arguments of a function."""
    if all(port.origin < 0 for port in ports):
        return [f"argument {index} ({port.spec.name})" for index, port in enumerate(ports)]
    labels, gradients = [], 0
    for port in ports:
        if port.origin < 0:
            labels.append(f"gradient {gradients} ({port.spec.name})")
            gradients += 1
        else:
            labels.append(f"saved {port.spec.name}")
    return labels


class _Plan:
    """What calls with the same sizes on the same device share."""

    def __init__(self, function, shapes, device):
        specs = function.arguments + function.results
        self.tensors = (_runtime.Tensor * len(specs))()
        self._sizes = []
        for index, shape in enumerate(shapes):
            self._set(index, shape, specs[index])
        total = sum(len(spec.shape) for spec in function.results)
        sizes = (c_int64 * max(total, 1))()
        _runtime.check(function.symbols["_sizes"](self.tensors, sizes))
        self.results, start = [], 0
        for index, spec in enumerate(function.results, len(shapes)):
            shape = tuple(sizes[start:start + len(spec.shape)])
            start += len(spec.shape)
            self._set(index, shape, spec)
            self.results.append(shape)
        if function.is_derived:
            names = (spec.name for spec in function.results)
            function.check_gradients(
                shapes, {"d_" + name: shape for name, shape in zip(names, self.results)})
        size = c_uint64()
        _runtime.check(function.symbols["_workspace"](self.tensors, byref(size)))
        self.workspace_size = size.value
        _runtime.check(function.symbols["_prepare"](self.tensors, _runtime.context(device)))

    def _set(self, index, shape, spec):
        sizes = (c_int64 * max(len(shape), 1))(*shape)
        self._sizes.append(sizes)
        self.tensors[index] = _runtime.Tensor(
            None, sizes, None, len(shape), BY_NAME[spec.type].number)


class Function:
    """A function of a compiled library on arrays. `is_derived` says that gradients of
    results are among the arguments."""

    def __init__(self, code, spec, target, is_derived):
        self.name, self.target, self.is_derived = spec.name, target, is_derived
        self.arguments = tuple(port.spec for port in spec.arguments)
        self.results = tuple(port.spec for port in spec.results)
        # What no caller sees, an array of bytes will do for.
        self._hidden = [port.kind == "saved" for port in spec.results]
        self._passed = [port.kind == "residual" for port in spec.arguments]
        self.symbols = {}
        for suffix, arguments in [
            ("", [c_void_p, c_void_p, c_void_p, c_void_p]), ("_workspace", [c_void_p, c_void_p]),
            ("_prepare", [c_void_p, c_void_p]), ("_sizes", [c_void_p, c_void_p]),
        ]:
            symbol = getattr(code, spec.name + suffix)
            symbol.restype, symbol.argtypes = ctypes.c_int32, arguments
            self.symbols[suffix] = symbol
        self._labels = _make_labels(spec.arguments)
        self._plans, self._plan_lock = {}, threading.Lock()
        self._lock = threading.Lock()  # Of what follows.
        self._idle = []  # Workspaces in CPU memory that no call uses.
        self._streams = {}  # Of GPUs: a lock and a workspace for each stream.

    def __call__(self, *arguments, out=None, stream=None, workspace=None, expected=None,
                 like=None):
        """(who makes results, the results as it made them, their shapes). `like` are the
        arrays that decide who, by default the arguments; `expected` has the shapes of
        gradients by their names."""
        maker, device, stream, views, plan = self._plan_call(arguments, stream, expected, like)
        made, result_views = self._view_results(plan, out, maker, device, stream)
        self._check_overlap(views, result_views)
        tensors = type(plan.tensors).from_buffer_copy(plan.tensors)
        for tensor, view in zip(tensors, views + result_views):
            tensor.data = view.pointer
        with self._workspace(plan, workspace, maker, device, stream) as start:
            _runtime.check(self.symbols[""](
                tensors, _runtime.context(device), start, stream))
        return maker, made, plan.results

    def workspace_size(self, *arguments, stream=None, expected=None, like=None):
        return self._plan_call(arguments, stream, expected, like)[-1].workspace_size

    def _plan_call(self, arguments, stream, expected, like):
        """(who makes results, the GPU or None, the stream or None, the views of the
        arguments, the plan for their sizes)."""
        maker = _arrays.framework(arguments if like is None else like)
        device, stream = self._find_device(arguments, stream, maker)
        views = self._view_arguments(arguments, device, stream)
        if expected:
            self.check_gradients([view.shape for view in views], expected)
        return maker, device, stream, views, self._plan(views, device)

    def check_gradients(self, shapes, expected):
        """A gradient of a result has its shape, which only the call decides where sizes are
        dynamic. `expected` has shapes by the names of gradients."""
        for spec, shape, label in zip(self.arguments, shapes, self._labels):
            wanted = expected.get(spec.name, shape)
            if shape != wanted:
                raise ValueError(
                    f"{label}: expects shape {_describe(wanted)} of the result, but got "
                    f"{_describe(shape)}")

    def _find_device(self, arguments, stream, maker):
        """(the GPU's number or None, the stream's handle or None)."""
        specs = self.arguments
        if len(arguments) != len(specs):
            names = ", ".join(spec.name for spec in specs)
            raise TypeError(
                f"{self.name}: expects {len(specs)} arguments ({names}), but got {len(arguments)}")
        places = [_arrays.place(array, label)
                  for array, label in zip(arguments, self._labels)]
        device = None
        if self.target != "cpu":
            device = next((place for place in places if place is not None), 0)
        for place, label in zip(places, self._labels):
            if place != device:
                raise ValueError(
                    f"{label}: expects {_arrays.show_place(device)} for target {self.target}, "
                    f"but got {_arrays.show_place(place)}")
        if device is None and stream is not None:
            raise ValueError("stream: expects None for target cpu, which has no streams")
        if device is None:
            return None, None
        if stream is None:
            return device, _arrays.current_stream(maker, device)
        return device, _arrays.stream_handle(stream)

    def _view_arguments(self, arguments, device, stream):
        views = []
        for array, spec, label, passed in zip(
                arguments, self.arguments, self._labels, self._passed):
            views.append(_arrays.view(array, label, device, stream))
            if not passed:
                check_view(views[-1], spec, label)
        return views

    def _plan(self, views, device):
        key = device, tuple(view.shape for view in views)
        plan = self._plans.get(key)
        if plan is None:
            with self._plan_lock:
                plan = self._plans.get(key)
                if plan is None:
                    plan = self._plans[key] = _Plan(self, key[1], device)
        return plan

    def _view_results(self, plan, out, maker, device, stream):
        """The arrays that results go to, the caller's or new ones, and their views."""
        made, views = [], []
        for index, (spec, shape, hidden) in enumerate(
                zip(self.results, plan.results, self._hidden)):
            label = f"out {index} ({spec.name})"
            array = out[index] if out and index < len(out) else None
            element = BY_NAME[spec.type]
            if array is None:
                # A library may lack a type that it need not know.
                bytes_ = hidden and element.dtype.itemsize == 1
                stored = BY_NAME["i8"] if bytes_ else element
                made.append(maker.empty(shape, stored, device, stream))
                views.append(_arrays.view(made[-1], label, device, stream))
                continue
            view = _arrays.view(array, label, device, stream)
            check_view(view, dataclasses.replace(spec, shape=shape), label)
            if not view.writable:
                raise ValueError(f"{label}: expects an array that may be written, but this one "
                                 "is read-only")
            made.append(array)
            views.append(view)
        return made, views

    def _check_overlap(self, arguments, results):
        """No result may lie over an argument or over another result."""
        for index, result in enumerate(results):
            others = [(f"argument {i}", view) for i, view in enumerate(arguments)]
            others += [(f"out {i}", view) for i, view in enumerate(results[:index])]
            for label, other in others:
                if max(result.pointer, other.pointer) < min(result.end, other.end):
                    name = self.results[index].name
                    raise ValueError(
                        f"out {index} ({name}): expects memory of its own, but shares some "
                        f"with {label}")

    @contextlib.contextmanager
    def _workspace(self, plan, given, maker, device, stream):
        """The address of a workspace that this call has to itself while it enqueues."""
        size, element = plan.workspace_size, BY_NAME["i8"]
        if given is not None:
            yield self._given_workspace(given, size, device, stream)
        elif device is None:
            with self._lock:
                idle = next((w for w in self._idle if w.size >= size), None)
                if idle:
                    self._idle.remove(idle)
            space = idle or _arrays.Workspace(maker, size, None, None, element)
            try:
                yield space.pointer
            finally:
                with self._lock:
                    self._idle.append(space)
        elif _arrays.is_capturing(maker):
            # It belongs to the graph, whose pool keeps it.
            yield _arrays.Workspace(maker, size, device, stream, element).pointer
        else:
            with self._lock:
                entry = self._streams.setdefault((device, stream), [threading.Lock(), None])
            # Calls on one stream run one after the other, if each is enqueued as a whole.
            with entry[0]:
                if entry[1] is None or entry[1].size < size:
                    entry[1] = _arrays.Workspace(maker, size, device, stream, element)
                yield entry[1].pointer

    def _given_workspace(self, given, size, device, stream):
        view = _arrays.view(given, "workspace", device, stream)
        found = view.end - view.pointer if view.is_contiguous else 0
        if found < size or view.pointer % _ALIGNMENT or not view.writable:
            raise ValueError(
                f"workspace: expects {size} contiguous bytes that may be written, aligned to "
                f"{_ALIGNMENT}, but got {found} at {view.pointer:#x}")
        return view.pointer


def check_out(out, count):
    """`out` as a tuple of an array or None for each result; None as it is."""
    if out is None:
        return None
    out = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    if len(out) != count:
        raise ValueError(f"out: expects {count} arrays, but got {len(out)}")
    return out


def finish(maker, made, out):
    """What a call gives back: one array, or a tuple."""
    results = tuple(
        maker.finish(array) if out is None or out[index] is None else array
        for index, array in enumerate(made))
    return results[0] if len(results) == 1 else results
