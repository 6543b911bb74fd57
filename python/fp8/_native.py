# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the shared libraries of the package are."""

import os

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")


def path(name):
    """The path of a library of this package; ImportError where it is missing."""
    found = os.path.join(_FOLDER, name)
    if not os.path.exists(found):
        raise ImportError(f"{name} is not in {_FOLDER}; install with: pip install ./python")
    return found
