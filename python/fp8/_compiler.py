# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp8-c, the compiler's C interface, through ctypes.

The library is loaded when something is first compiled: running a step that was
saved takes the runtime alone.
"""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import (
    POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_uint32, c_uint64, c_void_p)

from . import _errors, _native
from ._signature import FunctionSpec, Kept, Linear, Port, Reports, TensorSpec
from ._types import BY_NUMBER

_SEVERITIES = {1: "error", 2: "warning", 3: "remark", 4: "note"}
_KINDS = {0: "", 1: "passed", 2: "missed", 3: "failed", 4: "analysis"}
_TENSORS = {1: "argument", 2: "residual", 3: "result", 4: "saved"}
_INVALID_ARGUMENT = 1


class _Message(Structure):
    _fields_ = [
        ("struct_size", c_uint64), ("severity", c_int32), ("remark_kind", c_int32),
        ("text", c_char_p), ("name", c_char_p), ("file", c_char_p),
        ("line", c_uint32), ("column", c_uint32),
    ]


class _String(Structure):
    _fields_ = [("data", c_void_p), ("length", c_uint64)]


class _CompileOptions(Structure):
    _fields_ = [
        ("struct_size", c_uint64), ("output", c_char_p), ("target", c_char_p),
        ("recipe", c_char_p), ("train_options", c_char_p), ("cuda_path", c_char_p),
        ("cpu", c_char_p),
        ("argument_names", POINTER(c_char_p)), ("num_argument_names", c_uint64),
        ("result_names", POINTER(c_char_p)), ("num_result_names", c_uint64),
        ("backward", c_int32), ("split", c_int32),
    ]


class _FunctionInfo(Structure):
    _fields_ = [
        ("struct_size", c_uint64), ("name", c_char_p), ("num_arguments", c_uint64),
        ("num_results", c_uint64),
    ]


class _TensorInfo(Structure):
    _fields_ = [
        ("struct_size", c_uint64), ("name", c_char_p), ("sizes", POINTER(c_int64)),
        ("rank", c_int32), ("type", c_int32), ("kind", c_int32), ("origin", c_int32),
    ]


class _LinearInfo(Structure):
    _fields_ = [
        ("struct_size", c_uint64), ("name", c_char_p), ("sizes", c_char_p),
        ("matmuls", c_uint32), ("converted", c_uint32),
    ]


class _KeptInfo(Structure):
    _fields_ = [("struct_size", c_uint64), ("description", c_char_p), ("bytes", c_uint64)]


def _sized(struct, **fields):
    return struct(struct_size=ctypes.sizeof(struct), **fields)


@functools.lru_cache(maxsize=None)
def _library():
    library = ctypes.CDLL(_native.path("libfp8-c.so.0"))
    handle, handles = c_void_p, POINTER(c_void_p)
    for name, result, arguments in [
        ("version", c_char_p, []),
        ("context_create", c_int32, [handles]),
        ("context_destroy", None, [handle]),
        ("context_num_messages", c_uint64, [handle]),
        ("context_get_message", c_int32, [handle, c_uint64, POINTER(_Message)]),
        ("module_parse", c_int32, [handle, c_char_p, c_uint64, c_char_p, handles]),
        ("module_parse_file", c_int32, [handle, c_char_p, handles]),
        ("module_destroy", None, [handle]),
        ("module_run", c_int32, [handle, c_char_p]),
        ("module_print", c_int32, [handle, POINTER(_String)]),
        ("string_free", None, [POINTER(_String)]),
        ("module_compile", c_int32, [handle, POINTER(_CompileOptions), handles]),
        ("library_destroy", None, [handle]),
        ("library_num_functions", c_uint64, [handle]),
        ("library_get_function", c_int32, [handle, c_uint64, POINTER(_FunctionInfo)]),
        ("library_get_tensor", c_int32, [handle, c_uint64, c_uint64, POINTER(_TensorInfo)]),
        ("library_num_linears", c_uint64, [handle]),
        ("library_get_linear", c_int32, [handle, c_uint64, POINTER(_LinearInfo)]),
        ("library_num_kept", c_uint64, [handle]),
        ("library_get_kept", c_int32, [handle, c_uint64, POINTER(_KeptInfo)]),
        ("library_wide_kept_bytes", c_uint64, [handle]),
    ]:
        function = getattr(library, "fp8_" + name)
        function.restype, function.argtypes = result, arguments
    return library


def version():
    """The version of the compiler library."""
    return _library().fp8_version().decode()


def _encode(text):
    return None if text is None else os.fsencode(text)


class Context:
    """A compiler context; messages of all its calls. One thread at a time."""

    def __init__(self):
        self._fp8 = _library()
        self.messages = []
        self.handle = c_void_p()
        if self._fp8.fp8_context_create(byref(self.handle)):
            raise _errors.Error("no memory for a compiler context")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._fp8.fp8_context_destroy(self.handle)

    def check(self, status):
        """Collects the messages of a call, and raises if it failed."""
        for index in range(self._fp8.fp8_context_num_messages(self.handle)):
            message = _sized(_Message)
            self._fp8.fp8_context_get_message(self.handle, index, byref(message))
            self.messages.append(_errors.Message(
                _SEVERITIES[message.severity], message.text.decode(errors="replace"),
                os.fsdecode(message.file), message.line, message.column,
                message.name.decode(), _KINDS[message.remark_kind]))
        if status == _INVALID_ARGUMENT:
            raise ValueError(self.messages[-1].text)
        if status:
            raise _errors.CompileError(self.messages)

    def parse(self, source):
        """A module of text, a path or an object that prints as text."""
        return _Module(self, source)


def _is_text(source):
    """Whether a str is a program rather than the path of one."""
    return "\n" in source or "{" in source


class _Module:
    def __init__(self, context, source):
        self._fp8, self._context = context._fp8, context
        self._handle = c_void_p()
        if hasattr(source, "operation"):  # A module of MLIR's Python bindings.
            source = str(source).encode()
        elif isinstance(source, str) and _is_text(source):
            source = source.encode()
        if isinstance(source, (bytes, bytearray)):
            status = self._fp8.fp8_module_parse(
                context.handle, bytes(source), len(source), None, byref(self._handle))
        elif isinstance(source, (str, os.PathLike)):
            status = self._fp8.fp8_module_parse_file(
                context.handle, os.fsencode(source), byref(self._handle))
        else:
            raise TypeError(
                "source: expects MLIR as str or bytes, a path, or a module of MLIR's "
                f"Python bindings, but got {type(source).__name__}")
        context.check(status)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._fp8.fp8_module_destroy(self._handle)

    def run(self, pipeline):
        self._context.check(self._fp8.fp8_module_run(self._handle, pipeline.encode()))

    def text(self):
        string = _String()
        self._context.check(self._fp8.fp8_module_print(self._handle, byref(string)))
        try:
            return ctypes.string_at(string.data, string.length).decode(errors="replace")
        finally:
            self._fp8.fp8_string_free(byref(string))

    def compile(self, output, *, argument_names=(), result_names=(), **options):
        """Writes a library; returns (a list of FunctionSpec, Reports)."""
        def names(values):
            return (c_char_p * len(values))(*(value.encode() for value in values))

        filled = _sized(
            _CompileOptions, output=_encode(output),
            argument_names=names(argument_names), num_argument_names=len(argument_names),
            result_names=names(result_names), num_result_names=len(result_names),
            backward=bool(options.pop("backward")), split=bool(options.pop("split")),
            **{name: _encode(value) for name, value in options.items()})
        library = c_void_p()
        self._context.check(self._fp8.fp8_module_compile(
            self._handle, byref(filled), byref(library)))
        try:
            return _read_functions(self._fp8, library), _read_reports(self._fp8, library)
        finally:
            self._fp8.fp8_library_destroy(library)


def _read_tensor(fp8, library, function, index):
    info = _sized(_TensorInfo)
    fp8.fp8_library_get_tensor(library, function, index, byref(info))
    shape = tuple(None if size < 0 else size for size in info.sizes[:info.rank])
    spec = TensorSpec(info.name.decode(), shape, BY_NUMBER[info.type].name)
    return Port(spec, _TENSORS[info.kind], info.origin)


def _read_functions(fp8, library):
    functions = []
    for function in range(fp8.fp8_library_num_functions(library)):
        info = _sized(_FunctionInfo)
        fp8.fp8_library_get_function(library, function, byref(info))
        ports = [
            _read_tensor(fp8, library, function, index)
            for index in range(info.num_arguments + info.num_results)
        ]
        functions.append(FunctionSpec(
            info.name.decode(), tuple(ports[:info.num_arguments]),
            tuple(ports[info.num_arguments:])))
    return functions


def _read_reports(fp8, library):
    linears, kept = [], []
    for index in range(fp8.fp8_library_num_linears(library)):
        linear = _sized(_LinearInfo)
        fp8.fp8_library_get_linear(library, index, byref(linear))
        linears.append(Linear(
            linear.name.decode(), linear.sizes.decode(), linear.matmuls, linear.converted))
    for index in range(fp8.fp8_library_num_kept(library)):
        value = _sized(_KeptInfo)
        fp8.fp8_library_get_kept(library, index, byref(value))
        kept.append(Kept(value.description.decode(), value.bytes))
    wide = fp8.fp8_library_wide_kept_bytes(library)
    return Reports(tuple(linears), tuple(kept), wide)
