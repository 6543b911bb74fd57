# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries, played by a producer of DLPack over ctypes that shares no code
with the package; and a GPU, played by the stand-in of the runtime's tests."""

import ctypes
import gc
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import same

import fp8


class Device(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int), ("device_id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32),
        ("dtype", DataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("dl_tensor", DLTensor)]


NEW = ctypes.pythonapi.PyCapsule_New
NEW.restype, NEW.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """A bf16 array of somebody else's."""

    def __init__(self, array, versioned=True, device=(1, 0), strides=None, offset=0, major=1,
                 flags=0, bits=16, code=4):
        self.array, self.versioned, self.device = array, versioned, device
        self.strides, self.offset, self.major, self.flags = strides, offset, major, flags
        self.code, self.bits = code, bits
        self.streams = []

    def __dlpack_device__(self):
        return self.device

    def describe(self):
        array = self.array
        self._shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = self.strides and (ctypes.c_int64 * array.ndim)(*self.strides)
        self._strides = strides
        return DLTensor(
            array.ctypes.data - self.offset, Device(*self.device), array.ndim,
            DataType(self.code, self.bits, 1), self._shape,
            ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)) if strides else None,
            self.offset)

    def __dlpack__(self, *, stream="none", **options):
        self.streams.append(stream)
        if not self.versioned:
            if options:
                raise TypeError("an old producer takes no max_version")
            self._managed = Managed(self.describe(), None, None)
            return NEW(ctypes.addressof(self._managed), b"dltensor", None)
        assert options["max_version"][0] == 1
        self._managed = Versioned(self.major, 0, None, None, self.flags, self.describe())
        return NEW(ctypes.addressof(self._managed), b"dltensor_versioned", None)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("offset", [0, 64])
def test_bits(step, linear, versioned, offset):
    producers = [Producer(a, versioned, offset=offset) for a in linear.arguments]
    results = step(*producers)
    assert all(type(result) is fp8.Tensor for result in results)
    assert all(same(r.numpy(), e) for r, e in zip(results, linear.expected))
    assert set(producers[0].streams) == {"none"}  # None is for GPUs.


def test_mixed_with_numpy_and_out(step, linear):
    x, w, dy = linear.arguments
    out = [np.zeros(s.shape, s.dtype) for s in step.signature.results]
    results = step(x, Producer(w, strides=(128, 1)), dy, out=[Producer(out[0]), None, out[2]])
    assert type(results[0]) is Producer and type(results[1]) is fp8.Tensor
    assert same(out[0], linear.expected[0]) and same(out[2], linear.expected[2])
    assert same(results[1].numpy(), linear.expected[1])


@pytest.mark.parametrize("options, error, message", [
    ({"strides": (1, 64)}, ValueError, "argument 0 (x): expects a row-major array without gaps"),
    ({"code": 2}, TypeError, "argument 0 (x): expects bfloat16, but got float16"),
    ({"code": 5, "bits": 32}, TypeError, "argument 0 (x): expects bfloat16, but got another type"),
    ({"device": (2, 1)}, ValueError,
     "argument 0 (x): expects CPU memory for target cpu, but got memory of GPU 1"),
    ({"device": (10, 0)}, ValueError,
     "argument 0 (x): expects memory of the CPU or of an NVIDIA GPU, but got DLPack's device type 10"),
    ({"major": 2}, ValueError, "argument 0 (x): expects DLPack 1, but got 2.0"),
])
def test_refused(step, linear, options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        step(Producer(linear.arguments[0], **options), *linear.arguments[1:])


def test_capsules_live_as_long_as_the_call(step, linear):
    """A producer whose memory goes with its capsule."""
    freed = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def free(_):
        freed.append(True)
        for array in copies:
            array.view(np.uint16)[...] = 0x7FC0  # NaN

    class Fleeting(Producer):
        def __dlpack__(self, **options):
            capsule = super().__dlpack__(**options)
            set_destructor(capsule, ctypes.cast(free, ctypes.c_void_p))
            return capsule

    set_destructor = ctypes.pythonapi.PyCapsule_SetDestructor
    set_destructor.argtypes = [ctypes.py_object, ctypes.c_void_p]
    copies = [array.copy() for array in linear.arguments]
    results = step(*map(Fleeting, copies))
    assert all(same(r.numpy(), e) for r, e in zip(results, linear.expected))
    gc.collect()
    assert len(freed) == 3


def test_read_only(step, linear):
    out = [np.zeros(s.shape, s.dtype) for s in step.signature.results]
    with pytest.raises(ValueError, match=re.escape("out 0 (y)") + ".*read-only"):
        step(*linear.arguments, out=[Producer(out[0], flags=1), None, None])
    # As an argument it is fine.
    results = step(Producer(linear.arguments[0], flags=1), *linear.arguments[1:])
    assert same(results[0].numpy(), linear.expected[0])


IDENTITY = """
#map = affine_map<(d0) -> (d0)>
func.func @twice(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}
"""


def test_results_are_given_away():
    """NumPy consumes a result, which stays alive as long as the consumer's array."""
    twice = fp8.compile(IDENTITY)
    x = np.arange(6, dtype=np.float32)
    result = twice(Producer(x, code=2, bits=32))
    assert result.shape == (6,) and result.dtype == np.float32
    array = np.from_dlpack(result)
    again = np.from_dlpack(result)
    assert array.ctypes.data == again.ctypes.data == result.numpy().ctypes.data
    given = fp8._dlpack._given
    assert len(given) == 2
    del result, again
    gc.collect()
    assert len(given) == 1
    assert same(array, 2 * x)
    del array
    gc.collect()
    assert not given


def test_capsule_that_nobody_takes():
    result = fp8.compile(IDENTITY)(Producer(np.zeros(6, np.float32), code=2, bits=32))
    capsule = result.__dlpack__()
    assert len(fp8._dlpack._given) == 1
    del capsule
    assert not fp8._dlpack._given
    with pytest.raises(BufferError, match="without a copy"):
        result.__dlpack__(copy=True)


ON_FAKE_GPU = r'''
import ctypes, sys, threading, time
import numpy as np
sys.path.insert(0, sys.argv[1])
import fp8
from conftest import Program, same
from fp8._arrays import Tensor
from fp8._types import BY_DTYPE
from test_dlpack import Producer

program = Program("torch_linear", "none")
step = program.compile(target="sm_90")

def on_gpu(array):
    """On the stand-in, memory of the device is memory of the host."""
    tensor = Tensor(array.shape, BY_DTYPE[array.dtype], 0)
    ctypes.memmove(tensor._pointer, array.ctypes.data, array.nbytes)
    return tensor

def close(results):
    # Sums on the stand-in are those of a GPU: f32 in another order.
    for result, expected in zip(results, program.expected):
        a, b = result.numpy().astype(np.float64), expected.astype(np.float64)
        assert np.abs(a - b).max() <= 2.0 ** -7 * np.abs(b).max(), (a, b)

arguments = [on_gpu(a) for a in program.arguments]
results = step(*arguments)
assert all(type(r) is Tensor and r.__dlpack_device__() == (2, 0) for r in results)
close(results)

# out=, and the bits are the same each time.
outs = [on_gpu(np.zeros(s.shape, s.dtype)) for s in step.signature.results]
assert step(*arguments, out=outs) == tuple(outs)
assert all(same(a.numpy(), b.numpy()) for a, b in zip(outs, results))

# A producer is told the stream: 1, DLPack's name of the default one, or the caller's.
def producers():
    return [Producer(a, device=(2, 0)) for a in program.arguments]
args = producers()
close(step(*args))
assert {s for p in args for s in p.streams} == {1}

stream = ctypes.c_void_p()
lib, context = fp8._runtime.library(), fp8._runtime.context(0)
assert lib.fp8rt_stream_create(context, ctypes.byref(stream)) == 0
class Stream:
    cuda_stream = stream.value
class Protocol:
    def __cuda_stream__(self):
        return 0, stream.value
for given in (stream.value, Stream(), Protocol()):
    args = producers()
    close(step(*args, stream=given))
    assert {s for p in args for s in p.streams} == {stream.value}
# One workspace for each stream.
assert len(step._functions[0]._streams) == 2

# The caller's own workspace, which is where the arguments are.
size = step.workspace_size(*arguments)
close(step(*arguments, workspace=Tensor((size,), BY_DTYPE[np.dtype(np.int8)], 0)))
try:
    step(*arguments, workspace=np.zeros(size, np.uint8))
except ValueError as error:
    assert "workspace: expects memory of GPU 0, but got CPU memory" in str(error)
else:
    raise AssertionError("host memory was taken for a workspace")

# What is elsewhere is refused.
for wrong, message in [
    (program.arguments[0], "argument 0 (x): expects memory of GPU 0 for target sm_90, but got CPU memory"),
    (Producer(program.arguments[0], device=(2, 1)),
     "argument 1 (weight): expects memory of GPU 1 for target sm_90, but got memory of GPU 0"),
]:
    try:
        step(wrong, *arguments[1:])
    except ValueError as error:
        assert message in str(error), error
    else:
        raise AssertionError(message)
try:
    step(*arguments, stream="main")
except TypeError as error:
    assert "stream: expects a handle as int" in str(error)
else:
    raise AssertionError("a str was taken for a stream")

# Threads on one stream: each call has the workspace to itself while it enqueues.
enqueue, busy = step._functions[0].symbols[""], set()
def watch(tensors, context, workspace, stream):
    if workspace in busy:
        wrong_bits.append("workspace")
    assert workspace % 256 == 0
    busy.add(workspace)
    time.sleep(0.001)
    status = enqueue(tensors, context, workspace, stream)
    busy.discard(workspace)
    return status
step._functions[0].symbols[""] = watch
def work():
    for _ in range(10):
        good = step(*arguments)
        if not all(same(a.numpy(), b.numpy()) for a, b in zip(good, results)):
            wrong_bits.append("bits")
wrong_bits = []
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert not wrong_bits, wrong_bits
print("all good")
'''


@pytest.mark.skipif("FP8_FAKE_GPU_LIBRARY" not in os.environ,
                    reason="FP8_FAKE_GPU_LIBRARY names no stand-in for a GPU")
def test_gpu(tmp_path):
    library = os.environ["FP8_FAKE_GPU_LIBRARY"]
    run = subprocess.run(
        [sys.executable, "-c", ON_FAKE_GPU, os.path.dirname(os.path.abspath(__file__))],
        env={**os.environ, "FP8RT_LIBCUDA": library, "FP8RT_CUBLASLT": library,
             "FP8_PLAN_CACHE": ""},
        capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout == "all good\n", run.stdout + run.stderr


NO_GPU = """
import sys
sys.path.insert(0, sys.argv[1])
from conftest import Program, fp8
from test_dlpack import Producer
program = Program("torch_linear", "tensorwise")
step = program.compile(target="sm_90")
try:
    step(*[Producer(array, device=(2, 0)) for array in program.arguments])
except fp8.ExecutionError as error:
    print(error)
"""


def test_no_gpu():
    """Compiling and loading a step touch no device; calling it says what is missing."""
    run = subprocess.run(
        [sys.executable, "-c", NO_GPU, os.path.dirname(os.path.abspath(__file__))],
        env={**os.environ, "FP8RT_LIBCUDA": "/nowhere/libcuda.so"}, capture_output=True, text=True)
    assert run.stdout.startswith("FP8RT_FAILED: "), run.stdout + run.stderr
    assert "/nowhere/libcuda.so" in run.stdout
