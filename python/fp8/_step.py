# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled steps, called on arrays."""

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


class _Plan:
    """What calls with the same sizes on the same device share."""

    def __init__(self, function, shapes, device):
        signature = function.signature
        specs = signature.arguments + signature.results
        self.tensors = (_runtime.Tensor * len(specs))()
        self._sizes = []
        for index, shape in enumerate(shapes):
            self._set(index, shape, specs[index])
        total = sum(len(spec.shape) for spec in signature.results)
        sizes = (c_int64 * max(total, 1))()
        _runtime.check(function.symbols["_sizes"](self.tensors, sizes))
        self.results, start = [], 0
        for index, spec in enumerate(signature.results, len(shapes)):
            shape = tuple(sizes[start:start + len(spec.shape)])
            start += len(spec.shape)
            self._set(index, shape, spec)
            self.results.append(shape)
        self._check_tangents(function, shapes)
        size = c_uint64()
        _runtime.check(function.symbols["_workspace"](self.tensors, byref(size)))
        self.workspace_size = size.value
        _runtime.check(function.symbols["_prepare"](self.tensors, _runtime.context(device)))

    def _set(self, index, shape, spec):
        sizes = (c_int64 * max(len(shape), 1))(*shape)
        self._sizes.append(sizes)
        self.tensors[index] = _runtime.Tensor(
            None, sizes, None, len(shape), BY_NAME[spec.type].number)

    def _check_tangents(self, function, shapes):
        """A gradient of a result has its shape, which only this call decides where sizes
        are dynamic."""
        if not function.backward:
            return
        results = {
            "d_" + spec.name: shape
            for spec, shape in zip(function.signature.results, self.results)
        }
        for index, (spec, shape) in enumerate(zip(function.signature.arguments, shapes)):
            expected = results.get(spec.name, shape)
            if shape != expected:
                raise ValueError(
                    f"argument {index} ({spec.name}): expects shape {_describe(expected)} of "
                    f"the result, but got {_describe(shape)}")


class Function:
    """A function of a compiled library on arrays; see Step."""

    def __init__(self, code, name, signature, target, backward):
        self.name, self.signature, self.target = name, signature, target
        self.backward = backward
        self.symbols = {}
        for suffix, arguments in [
            ("", [c_void_p, c_void_p, c_void_p, c_void_p]), ("_workspace", [c_void_p, c_void_p]),
            ("_prepare", [c_void_p, c_void_p]), ("_sizes", [c_void_p, c_void_p]),
        ]:
            symbol = getattr(code, name + suffix)
            symbol.restype, symbol.argtypes = ctypes.c_int32, arguments
            self.symbols[suffix] = symbol
        self._labels = [
            f"argument {index} ({spec.name})" for index, spec in enumerate(signature.arguments)]
        self._plans, self._plan_lock = {}, threading.Lock()
        self._lock = threading.Lock()  # Of what follows.
        self._idle = []  # Workspaces in CPU memory that no call uses.
        self._streams = {}  # Of GPUs: a lock and a workspace for each stream.

    def __call__(self, *arguments, out=None, stream=None, workspace=None):
        maker, device, stream = self._find_device(arguments, stream)
        views = self._view_arguments(arguments, device, stream)
        plan = self._plan(views, device)
        made, result_views = self._view_results(plan, out, maker, device, stream)
        self._check_overlap(views, result_views)
        tensors = type(plan.tensors).from_buffer_copy(plan.tensors)
        for tensor, view in zip(tensors, views + result_views):
            tensor.data = view.pointer
        with self._workspace(plan, workspace, maker, device, stream) as start:
            _runtime.check(self.symbols[""](
                tensors, _runtime.context(device), start, stream))
        results = tuple(
            maker.finish(array) if out is None or out[index] is None else array
            for index, array in enumerate(made))
        return results[0] if len(results) == 1 else results

    def workspace_size(self, *arguments, stream=None):
        _, device, stream = self._find_device(arguments, stream)
        return self._plan(self._view_arguments(arguments, device, stream), device).workspace_size

    def _find_device(self, arguments, stream):
        """(who makes results, the GPU's number or None, the stream's handle or None)."""
        specs = self.signature.arguments
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
        maker = _arrays.framework(arguments)
        if device is None and stream is not None:
            raise ValueError("stream: expects None for target cpu, which has no streams")
        if device is None:
            return maker, None, None
        if stream is None:
            return maker, device, _arrays.current_stream(maker, device)
        return maker, device, _arrays.stream_handle(stream)

    def _view_arguments(self, arguments, device, stream):
        views = []
        for array, spec, label in zip(arguments, self.signature.arguments, self._labels):
            views.append(_arrays.view(array, label, device, stream))
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
        specs = self.signature.results
        if out is None:
            out = (None,) * len(specs)
        elif not isinstance(out, (tuple, list)):
            out = (out,)
        if len(out) != len(specs):
            raise ValueError(f"out: expects {len(specs)} arrays, but got {len(out)}")
        made, views = [], []
        for index, (array, spec, shape) in enumerate(zip(out, specs, plan.results)):
            label = f"out {index} ({spec.name})"
            if array is None:
                made.append(maker.empty(shape, BY_NAME[spec.type], device, stream))
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
                    name = self.signature.results[index].name
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
