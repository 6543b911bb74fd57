# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FP8 training steps from MLIR, on arrays of NumPy, PyTorch, JAX and others.

    import fp8
    step = fp8.compile("linear.mlir", backward=True)
    y, d_x, d_w = step(x, w, d_y)

`compile` takes a model as torch-mlir or JAX export it and gives a `Step`; `load` takes a
step that was saved, without a compiler; `transform` runs passes and gives text.
"""

from ._api import Saved, Step, Transformed, compile, load, transform
from ._arrays import Tensor
from ._errors import CompileError, Error, ExecutionError, Message
from ._signature import Kept, Linear, Reports, Signature, TensorSpec

__all__ = [
    "CompileError", "Error", "ExecutionError", "Kept", "Linear", "Message", "Reports", "Saved",
    "Signature", "Step", "Tensor", "TensorSpec", "Transformed", "compile", "load",
    "transform",
]
