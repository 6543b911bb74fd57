# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries: reading them where they are, and making results."""

from __future__ import annotations

import math
import sys

import numpy as np

from . import _dlpack, _runtime
from ._types import BY_DLPACK, BY_DTYPE

_ALIGNMENT = 256


class View:
    """Where an array is and what it holds. `element` is None for a type that no step has."""

    __slots__ = ("pointer", "shape", "element", "item_size", "strides", "writable", "_owner")

    def __init__(self, pointer, shape, element, item_size, strides, writable, owner):
        self.pointer, self.shape, self.strides = pointer, shape, strides
        self.element, self.item_size = element, item_size
        self.writable, self._owner = writable, owner

    @property
    def is_contiguous(self):
        """Row-major without gaps."""
        expected = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides or ())):
            if size != 1 and stride != expected:
                return 0 in self.shape
            expected *= size
        return True

    @property
    def end(self):
        """The address behind the last element, if it is contiguous."""
        return self.pointer + self.item_size * math.prod(self.shape)


def place(value, label):
    """The number of the GPU that has the array, or None for the CPU. `label` names the
    array in errors."""
    if isinstance(value, np.ndarray):
        return None
    if not hasattr(value, "__dlpack__"):
        raise TypeError(
            f"{label}: expects a NumPy array or one with __dlpack__, but got "
            f"{type(value).__name__}")
    kind, number = value.__dlpack_device__()
    if kind in (_dlpack.CPU, _dlpack.CUDA_HOST):
        return None
    if kind in (_dlpack.CUDA, _dlpack.CUDA_MANAGED):
        return number
    raise ValueError(
        f"{label}: expects memory of the CPU or of an NVIDIA GPU, but got DLPack's "
        f"device type {int(kind)}")


def show_place(device):
    return "CPU memory" if device is None else f"memory of GPU {device}"


def view(value, label, device, stream=None):
    """The View of an array that is on `device`. `stream` is the handle of a GPU's stream."""
    found = place(value, label)
    if found != device:
        raise ValueError(f"{label}: expects {show_place(device)}, but got {show_place(found)}")
    if isinstance(value, np.ndarray):
        item = value.dtype.itemsize or 1
        strides = tuple(stride // item for stride in value.strides)
        return View(value.ctypes.data, value.shape, BY_DTYPE.get(value.dtype), item,
                    strides, value.flags.writeable, value)
    try:
        # DLPack calls the default stream 1.
        borrowed = _dlpack.borrow(value, None if device is None else stream or 1)
    except (BufferError, RuntimeError) as error:
        raise ValueError(f"{label}: {error}") from error
    return View(borrowed.pointer, borrowed.shape, BY_DLPACK.get(borrowed.type),
                borrowed.item_size, borrowed.strides, borrowed.writable, borrowed)


class Tensor:
    """A result in memory of this package: what a step returns for arguments of a library
    that it does not know. Any library takes it with its `from_dlpack`; `numpy()` gives a
    NumPy array. On a GPU it is ready in the order of the stream of the call."""

    def __init__(self, shape, element, device=None, stream=None):
        self._element, self._device, self._stream = element, device, stream
        self.shape = shape
        if device is None:
            self._memory = np.empty(shape, element.dtype)
            self._pointer = self._memory.ctypes.data
        else:
            size = math.prod(shape) * element.dtype.itemsize
            self._memory = _runtime.DeviceMemory(device, size)
            self._pointer = self._memory.pointer

    @property
    def dtype(self) -> np.dtype:
        """The element type for NumPy, of ml_dtypes where NumPy has none."""
        return self._element.dtype

    def __repr__(self) -> str:
        place = "CPU" if self._device is None else f"GPU {self._device}"
        return f"<fp8.Tensor {self._element.name}{list(self.shape)} on {place}>"

    def numpy(self) -> np.ndarray:
        """The elements as a NumPy array: the same memory on the CPU, a copy from a GPU."""
        if self._device is None:
            return self._memory
        copy = np.empty(self.shape, self.dtype)
        context = _runtime.context(self._device)
        library = _runtime.library()
        _runtime.check(library.fp8rt_memcpy(
            context, copy.ctypes.data, self._pointer, copy.nbytes, self._stream))
        _runtime.check(library.fp8rt_stream_synchronize(context, self._stream))
        return copy

    def __dlpack_device__(self):
        return (_dlpack.CPU, 0) if self._device is None else (_dlpack.CUDA, self._device)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule of this memory. `stream` is the consumer's, where it goes on
        with a tensor of a GPU; unless it is the stream of the call, or -1, this waits."""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("fp8.Tensor is given away where it is, without a copy")
        mine = self._stream or 1
        if self._device is not None and stream not in (-1, mine):
            _runtime.check(_runtime.library().fp8rt_stream_synchronize(
                _runtime.context(self._device), self._stream))
        return _dlpack.give(
            self._pointer, self.__dlpack_device__(), self.shape, self._element.dlpack,
            self._memory)


class _NumPy:
    """Results are NumPy arrays."""

    @staticmethod
    def empty(shape, element, device, stream):
        return np.empty(shape, element.dtype)

    @staticmethod
    def finish(array):
        return array


class _Plain(_NumPy):
    """Results are of this package."""

    @staticmethod
    def empty(shape, element, device, stream):
        return Tensor(shape, element, device, stream)


class _Torch:
    """Results are PyTorch's, on the stream that the work goes to."""

    @staticmethod
    def empty(shape, element, device, stream):
        torch = sys.modules["torch"]
        dtype = getattr(torch, element.framework_name)
        if device is None:
            return torch.empty(shape, dtype=dtype)
        with torch.cuda.stream(torch.cuda.ExternalStream(stream or 0, device)):
            return torch.empty(shape, dtype=dtype, device=f"cuda:{device}")

    @staticmethod
    def finish(array):
        return array


class _Jax(_Plain):
    """Results are JAX's, which it makes of ours."""

    @staticmethod
    def finish(array):
        jax = sys.modules["jax"]
        if array._device is None:
            return jax.numpy.asarray(array.numpy())
        return jax.dlpack.from_dlpack(array)


def _is(value, module, name):
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name))


def framework(arrays):
    """Who makes the results for these arguments: the library of the first one that is
    not NumPy's."""
    for array in arrays:
        if isinstance(array, np.ndarray):
            continue
        if _is(array, "torch", "Tensor"):
            return _Torch
        if _is(array, "jax", "Array"):
            return _Jax
        return _Plain
    return _NumPy


def current_stream(maker, device):
    """The handle of the stream that the library of the arguments works on; None for the
    default one."""
    if maker is _Torch:
        return sys.modules["torch"].cuda.current_stream(device).cuda_stream or None
    return None


def is_capturing(maker):
    """Whether PyTorch is capturing a CUDA graph on this thread's stream."""
    return maker is _Torch and sys.modules["torch"].cuda.is_current_stream_capturing()


def stream_handle(stream):
    """The handle of what a caller passes as a stream; None for the default one."""
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    for name in ("cuda_stream", "ptr"):  # PyTorch, CuPy
        stream = getattr(stream, name, stream)
    if not isinstance(stream, int):
        raise TypeError(
            "stream: expects a handle as int, or an object with __cuda_stream__, "
            f"cuda_stream or ptr, but got {type(stream).__name__}")
    return stream or None


class Workspace:
    """Aligned bytes for one call at a time."""

    def __init__(self, maker, size, device, stream, element):
        self.size = size
        if device is None:
            self._memory = np.empty(size + _ALIGNMENT, np.uint8)
            start = self._memory.ctypes.data
        else:
            self._memory = maker.empty((size + _ALIGNMENT,), element, device, stream)
            start = view(self._memory, "workspace", device, stream).pointer
        self.pointer = start + -start % _ALIGNMENT
