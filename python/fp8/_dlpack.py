# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack through ctypes: reading others' tensors, and giving ours away.

https://dmlc.github.io/dlpack/latest/ has the structs and the protocol.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64,
    c_void_p)

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_READ_ONLY = 1


class _Device(Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class _DataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class _Tensor(Structure):
    _fields_ = [
        ("data", c_void_p), ("device", _Device), ("ndim", c_int32), ("dtype", _DataType),
        ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Managed(Structure):
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class _ManagedVersioned(Structure):
    _fields_ = [
        ("major", c_uint32), ("minor", c_uint32), ("context", c_void_p),
        ("deleter", c_void_p), ("flags", c_uint64), ("tensor", _Tensor),
    ]


_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, c_char_p]
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class Borrowed:
    """A producer's tensor, as long as this object lives: the capsule is not consumed,
    and frees the tensor with itself."""

    __slots__ = ("_capsule", "pointer", "device", "shape", "strides", "type",
                 "item_size", "writable")

    def __init__(self, capsule):
        self._capsule, self.writable = capsule, True
        if _is_valid(capsule, b"dltensor_versioned"):
            managed = _ManagedVersioned.from_address(_get_pointer(capsule, b"dltensor_versioned"))
            if managed.major != 1:
                raise BufferError(f"expects DLPack 1, but got {managed.major}.{managed.minor}")
            self.writable = not managed.flags & _READ_ONLY
        elif _is_valid(capsule, b"dltensor"):
            managed = _Managed.from_address(_get_pointer(capsule, b"dltensor"))
        else:
            raise BufferError("expects a capsule that nobody has consumed")
        tensor = managed.tensor
        self.pointer = (tensor.data or 0) + tensor.byte_offset
        self.device = tensor.device.type, tensor.device.id
        self.shape = tuple(tensor.shape[:tensor.ndim])
        self.strides = tuple(tensor.strides[:tensor.ndim]) if tensor.strides else None
        bits, lanes = tensor.dtype.bits, tensor.dtype.lanes
        # Vectors are no element type here.
        self.type = (tensor.dtype.code, bits) if lanes == 1 else None
        self.item_size = bits * lanes // 8


def borrow(producer, stream):
    """The tensor of an object with `__dlpack__`. On a GPU `stream` is what the work
    on it will be enqueued on, as DLPack counts; else None."""
    options = {} if stream is None else {"stream": stream}
    try:
        return Borrowed(producer.__dlpack__(max_version=(1, 1), **options))
    except TypeError:  # A producer from before DLPack 1.0.
        return Borrowed(producer.__dlpack__(**options))


#: Tensors given away, by the address of their struct: what keeps each alive.
_given: dict[int, tuple] = {}


@ctypes.CFUNCTYPE(None, c_void_p)
def _delete(address):
    _given.pop(address, None)


# Capsules are freed with no reference left: as addresses they are not revived.
_is_valid_at = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer_at = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


@ctypes.CFUNCTYPE(None, c_void_p)
def _delete_capsule(capsule):
    if _is_valid_at(capsule, b"dltensor"):  # Nobody consumed it.
        _delete(_get_pointer_at(capsule, b"dltensor"))


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]


def give(pointer, device, shape, type_, owner):
    """A capsule for a row-major tensor, which keeps `owner` until it is freed."""
    sizes = (c_int64 * max(len(shape), 1))(*shape)
    code, bits = type_
    managed = _Managed(
        _Tensor(pointer, _Device(*device), len(shape), _DataType(code, bits, 1),
                ctypes.cast(sizes, POINTER(c_int64)), None, 0),
        None, ctypes.cast(_delete, c_void_p))
    address = ctypes.addressof(managed)
    _given[address] = managed, sizes, owner
    return _new_capsule(address, b"dltensor", ctypes.cast(_delete_capsule, c_void_p))
