# RUN: %python %s
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled function never writes its caller's inputs, unless one is donated.

The program squares its input, and would do it in place if it were let.
"""

import ctypes
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import numpy as np  # noqa: E402

import compiled  # noqa: E402

MLIR = """
#id = affine_map<(d0) -> (d0)>
func.func @square_{name}(%x: tensor<?xf32> {attributes}) -> (tensor<?xf32>, tensor<f32>) {{
  %y = linalg.generic {{indexing_maps = [#id], iterator_types = ["parallel"]}}
      outs(%x : tensor<?xf32>) {{
  ^bb0(%o: f32):
    %s = arith.mulf %o, %o : f32
    linalg.yield %s : f32
  }} -> tensor<?xf32>
  %a = fp8.amax %y : tensor<?xf32> -> tensor<f32>
  return %y, %a : tensor<?xf32>, tensor<f32>
}}
"""


def main():
    mlir = MLIR.format(name="kept", attributes="")
    mlir += MLIR.replace("#id =", "#id2 =").replace("#id]", "#id2]").format(
        name="donated", attributes="{fp8.donated}")
    with tempfile.TemporaryDirectory() as directory:
        library = ctypes.CDLL(compiled.compile_library(mlir, directory))
        for name in ("kept", "donated"):
            x = np.arange(1, 100, dtype=np.float32)
            before, y, a = x.copy(), np.zeros_like(x), np.empty((), np.float32)
            compiled.call(library, "square_" + name, (x, "f32"), (y, "f32"), (a, "f32"))
            assert np.array_equal(y, before * before) and a == 99 * 99, name
            if name == "kept":
                assert np.array_equal(x, before), "an input was written"


if __name__ == "__main__":
    main()
