# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp8rt, the runtime, through ctypes: statuses, contexts and memory of devices."""

from __future__ import annotations

import ctypes
import functools
import glob
import os
import sys
import threading
import weakref
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_uint64, c_void_p

from . import _native
from ._errors import ExecutionError

_INVALID_ARGUMENT = 1


class Tensor(Structure):
    """fp8rt_tensor."""

    _fields_ = [
        ("data", c_void_p), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("rank", c_int32), ("type", c_int32),
    ]


class _ContextOptions(Structure):
    _fields_ = [
        ("struct_size", c_uint64), ("backend", c_char_p), ("device", c_int32),
        ("reserved", c_int32), ("plan_cache", c_char_p),
    ]


@functools.lru_cache(maxsize=None)
def library():
    """libfp8rt. Compiled steps, which need it by its name, find this one."""
    loaded = ctypes.CDLL(_native.path("libfp8rt.so.0"))
    for name, result, arguments in [
        ("last_error", c_char_p, []),
        ("status_name", c_char_p, [c_int32]),
        ("context_create", c_int32, [POINTER(_ContextOptions), POINTER(c_void_p)]),
        ("malloc", c_int32, [c_void_p, c_uint64, POINTER(c_void_p)]),
        ("free", c_int32, [c_void_p, c_void_p]),
        ("memcpy", c_int32, [c_void_p, c_void_p, c_void_p, c_uint64, c_void_p]),
        ("stream_synchronize", c_int32, [c_void_p, c_void_p]),
    ]:
        function = getattr(loaded, "fp8rt_" + name)
        function.restype, function.argtypes = result, arguments
    return loaded


def check(status):
    """Raises what the last call on this thread said, unless it went well."""
    if not status:
        return
    text = library().fp8rt_last_error().decode(errors="replace")
    if status == _INVALID_ARGUMENT:
        raise ValueError(text)
    raise ExecutionError(library().fp8rt_status_name(status).decode(), text)


def _preload_cublaslt():
    """Loads the cuBLASLt of a Python package, if there is one and no other is named:
    the runtime then finds it by its name."""
    if os.environ.get("FP8RT_CUBLASLT"):
        return
    for folder in sys.path:
        found = glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcublasLt.so.1[23]"))
        if found:
            ctypes.CDLL(max(found))
            return


_lock = threading.Lock()


@functools.lru_cache(maxsize=None)
def _create_context(device):
    try:
        _preload_cublaslt()
    except OSError:
        pass  # The runtime says what it misses.
    options = _ContextOptions(ctypes.sizeof(_ContextOptions), b"cuda", device, 0, None)
    context = c_void_p()
    check(library().fp8rt_context_create(byref(options), byref(context)))
    return context


def context(device):
    """The context of GPU number `device`, made at the first use and never freed; null,
    the CPU's, for None."""
    if device is None:
        return None
    with _lock:
        return _create_context(device)


class DeviceMemory:
    """Bytes of GPU number `device`, freed with this object."""

    def __init__(self, device, size):
        pointer = c_void_p()
        check(library().fp8rt_malloc(context(device), size, byref(pointer)))
        self.pointer = pointer.value or 0
        self._finalizer = weakref.finalize(
            self, library().fp8rt_free, context(device), pointer)
        self._finalizer.atexit = False  # The driver may be gone by then.
