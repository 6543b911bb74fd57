# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the package."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import shutil
import tempfile
import weakref
from typing import Any, Optional, Sequence, Tuple, Union

from . import _compiler, _runtime, _step
from ._errors import Message
from ._signature import FunctionSpec, Kept, Linear, Port, Reports, Signature, TensorSpec

#: MLIR as text or bytecode, the path of a file with it, or a module of MLIR's Python
#: bindings. A str with a line break or a brace is text.
Source = Union[str, bytes, os.PathLike, Any]

_FORMAT = 1


class Step:
    """A compiled function on arrays, such as forward and backward of a model.

    Calling it: `step(*arguments, out=None, stream=None, workspace=None)`.

    Arguments are NumPy arrays (bf16 and FP8 are the types of ml_dtypes), or anything with
    `__dlpack__`: tensors of PyTorch, arrays of JAX or CuPy, ... They have the shapes and
    types of `signature.arguments`, are row-major without gaps, and are in CPU memory for
    target cpu, in the memory of one GPU for others. They are never written or copied.

    Results are those of `signature.results`: one array, or a tuple. They are NumPy arrays
    if all arguments are; of PyTorch or JAX if the first other argument is; else
    `fp8.Tensor`, which every `from_dlpack` takes.

    out         An array, or a tuple of one for each result, to write to and give back.
                None in it makes a new one. They overlap nothing.
    stream      For GPUs: the stream that the work is enqueued on, as a handle or as an
                object with `__cuda_stream__`, `cuda_stream` or `ptr`. By default PyTorch's
                current one for its tensors, else the default stream. The call does not
                wait for the work.
    workspace   Memory for temporaries: `workspace_size(*arguments)` bytes, aligned to 256,
                where the arguments are, for this call alone until it has run. By default
                the step keeps one for each stream, and for each call at once on a CPU.

    Raises TypeError for a wrong type or number of arguments, ValueError for a wrong shape
    or place, each naming the argument, what is expected and what was found, and
    ExecutionError where a device refuses.

    A step that was compiled with `split` is called as `forward`, then `backward`, each with
    a workspace of its own size.

    Any number of threads may call a step at once. The first call with new sizes prepares
    for them, which may be slow and must not happen while a CUDA graph is captured.
    """

    def __init__(self, path, meta, messages, folder=None):
        self._path, self._meta = path, meta
        if folder:  # The step's own.
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        _runtime.library()  # What the step's library needs.
        code = ctypes.CDLL(path)
        specs = _read_functions(meta)
        self._signature = Signature.of(specs)
        self._origins = [port.origin for port in specs[-1].arguments]
        self._num_results = sum(port.kind == "result" for port in specs[0].results)
        self._functions = [
            _step.Function(code, spec, meta["target"], meta["backward"] and len(specs) == 1)
            for spec in specs]
        self._messages = tuple(messages)

    def __call__(self, *arguments, out=None, stream=None, workspace=None):
        function = self._joint()
        out = _step.check_out(out, len(self.signature.results))
        maker, made, _ = function(*arguments, out=out, stream=stream, workspace=workspace)
        return _step.finish(maker, made, out)

    def workspace_size(self, *arguments, stream=None) -> int:
        """Bytes of workspace that a call with these arguments needs."""
        return self._joint().workspace_size(*arguments, stream=stream)

    def _joint(self):
        if len(self._functions) > 1:
            raise TypeError("expects a step in one function; this one was compiled with split: "
                            "call forward, then backward")
        return self._functions[0]

    def _halves(self):
        if len(self._functions) == 1:
            raise TypeError("expects a step in two functions; compile it with split=True")
        return self._functions

    def forward(
        self, *arguments, out=None, stream=None, workspace=None,
    ) -> Tuple[Any, "Saved"]:
        """The forward pass of a step that was compiled with `split`: (results, saved).

        Arguments, `out`, `stream`, `workspace` of `forward_workspace_size(*arguments)` bytes
        and errors are as for calling a step. `saved` is what `backward` needs. Arguments and
        results among it, such as a mask, must not change until then."""
        function, _ = self._halves()
        out = _step.check_out(out, self._num_results)
        maker, made, shapes = function(
            *arguments, out=out, stream=stream, workspace=workspace)
        results = _step.finish(maker, made[:self._num_results], out)
        tensors = [*arguments, *made]
        kept = {origin: tensors[origin] for origin in self._origins if origin >= 0}
        return results, Saved(self, kept, shapes)

    def backward(
        self, saved: "Saved", *gradients, out=None, stream=None, workspace=None,
    ) -> Any:
        """The backward pass after `forward`: the gradients of arguments from the gradients
        of results. `saved` is not used up. `workspace` has
        `backward_workspace_size(saved, *gradients)` bytes."""
        function, arguments = self._backward_call(saved, gradients)
        out = _step.check_out(out, len(function.results))
        maker, made, _ = function(
            *arguments, out=out, stream=stream, workspace=workspace,
            expected=self._gradient_shapes(saved), like=gradients)
        return _step.finish(maker, made, out)

    def forward_workspace_size(self, *arguments, stream=None) -> int:
        """Bytes of workspace that `forward` with these arguments needs."""
        function, _ = self._halves()
        return function.workspace_size(*arguments, stream=stream)

    def backward_workspace_size(self, saved: "Saved", *gradients, stream=None) -> int:
        """Bytes of workspace that `backward` with these gradients needs. Where both passes
        run on one stream, memory of the larger size is enough for both."""
        function, arguments = self._backward_call(saved, gradients)
        return function.workspace_size(
            *arguments, stream=stream, expected=self._gradient_shapes(saved), like=gradients)

    def _backward_call(self, saved, gradients):
        """(the function of the backward pass, its arguments)."""
        _, function = self._halves()
        if not isinstance(saved, Saved) or saved._step is not self:
            raise TypeError("saved: expects what forward of this step gave, but got "
                            f"{type(saved).__name__}")
        expected = self._origins.count(-1)
        if len(gradients) != expected:
            raise TypeError(f"backward: expects {expected} gradients of results, but got "
                            f"{len(gradients)}")
        given = iter(gradients)
        return function, [
            saved._tensors[origin] if origin >= 0 else next(given) for origin in self._origins]

    def _gradient_shapes(self, saved):
        """The shapes of gradients, which are those of results, by their names."""
        names = (spec.name for spec in self._functions[0].results)
        return {"d_" + name: shape for name, shape in zip(names, saved._shapes)}

    @property
    def signature(self) -> Signature:
        """Names, shapes and types of arguments and results."""
        return self._signature

    @property
    def target(self) -> str:
        """What it was compiled for: "cpu", "sm_90", ..."""
        return self._meta["target"]

    @property
    def recipe(self) -> str:
        """How scales are chosen."""
        return self._meta["recipe"]

    @property
    def remarks(self) -> Tuple[Message, ...]:
        """What the passes did and did not do, and why. Of a loaded step: none."""
        return tuple(m for m in self._messages if m.severity == "remark")

    @property
    def warnings(self) -> Tuple[Message, ...]:
        """Warnings of the compiler. Of a loaded step: none."""
        return tuple(m for m in self._messages if m.severity == "warning")

    @property
    def reports(self) -> Reports:
        """Its linear layers, and what the backward pass needs of the forward pass."""
        return _read_reports(self._meta)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the shared library to `path`, which ends in .so, and beside it the C header
        and, for `fp8.load`, a .json file."""
        stem, suffix = os.path.splitext(os.fspath(path))
        if suffix != ".so":
            raise ValueError(f"path: expects a name that ends in .so, but got {os.fspath(path)!r}")
        shutil.copyfile(self._path, stem + ".so")
        shutil.copyfile(os.path.splitext(self._path)[0] + ".h", stem + ".h")
        with open(stem + ".json", "w", encoding="utf-8") as file:
            json.dump(self._meta, file, indent=1)

    def __repr__(self) -> str:
        return f"<fp8.Step {self._meta['name']}{self.signature} for {self.target}>"


class Saved:
    """What `Step.forward` keeps for `Step.backward`."""

    def __init__(self, step, tensors, shapes):
        self._step, self._tensors, self._shapes = step, tensors, shapes


def _make_meta(functions, reports, options):
    return {
        "format": _FORMAT, "name": "step", **options,
        "functions": [dataclasses.asdict(function) for function in functions],
        "reports": dataclasses.asdict(reports),
    }


def _read_functions(meta):
    def ports(entries):
        return tuple(
            Port(TensorSpec(**{**entry["spec"], "shape": tuple(entry["spec"]["shape"])}),
                 entry["kind"], entry["origin"])
            for entry in entries)

    return [
        FunctionSpec(f["name"], ports(f["arguments"]), ports(f["results"]))
        for f in meta["functions"]]


def _read_reports(meta):
    reports = meta["reports"]
    return Reports(
        tuple(Linear(**linear) for linear in reports["linears"]),
        tuple(Kept(**kept) for kept in reports["kept"]), reports["wide_kept_bytes"])


def _format_option(name, value):
    """An option as pipelines spell it."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, (list, tuple)):
        text = ",".join(str(int(item)) for item in value)
    else:
        text = str(value)
    if not text or any(c.isspace() or c in "\"'{}" for c in text):
        quote = next((q for q in "\"'" if q not in text), None)
        if quote is None:
            raise ValueError(f"{name}: expects at most one kind of quotes, but got {text!r}")
        text = quote + text + quote
    return f"{name.replace('_', '-')}={text}"


def compile(
    source: Source, *, backward: bool = False, split: bool = False, target: str = "cpu",
    recipe: str = "tensorwise", argument_names: Sequence[str] = (),
    result_names: Sequence[str] = (), include: Optional[str] = None,
    exclude: Optional[str] = None, min_m: Optional[int] = None, min_n: Optional[int] = None,
    min_k: Optional[int] = None, computed: Optional[bool] = None, pad: Optional[bool] = None,
    alignment: Optional[int] = None, cost: Optional[bool] = None,
    min_gain: Optional[float] = None, tangents: Optional[Sequence[int]] = None,
    results: Optional[Sequence[int]] = None, max_bytes: Optional[int] = None,
    recompute_arguments: Optional[bool] = None, cuda_path: Optional[str] = None, cpu: Optional[str] = None,
) -> Step:
    """Compiles the public function of a program on tensors to a Step.

    source          MLIR as text or bytecode, a path, or a module of MLIR's Python bindings.
    backward        Derive the backward pass: the step then takes the gradient of each result
                    behind its arguments, and gives the gradient of each argument behind its
                    results. A program that is differentiated already is compiled without.
    split           Make the forward and the backward pass functions of their own, `forward`
                    and `backward` of the step, so that others run between them.
    target          "cpu", or a GPU as "sm_90".
    recipe          "tensorwise"; "tensorwise_pow2", whose scales are powers of two; or "none",
                    which keeps every matmul in its type.
    argument_names, result_names
                    Names of the first ones, or all, for signature, reports and filters.
    include, exclude
                    Convert only, or do not convert, matmuls whose name has a match of this
                    regular expression.
    min_m, min_n, min_k
                    Do not convert matmuls that are smaller.
    computed        Convert products of two computed tensors, too, as in attention.
    pad, alignment  Whether sizes are padded to multiples of the target's, or of `alignment`.
    cost, min_gain  Do not convert matmuls that are predicted to be slower than 1/min_gain.
    tangents, results
                    In a differentiated program: numbers of arguments that are gradients, and
                    of the results of the forward pass.
    max_bytes, recompute_arguments
                    With split: the most bytes to keep for the backward pass, arguments aside;
                    and whether it casts arguments again rather than keeping them in FP8.
    cuda_path       The CUDA toolkit with bin/ptxas; by default CUDA_HOME, or ptxas in PATH.
    cpu             The processor of the host code, as LLVM names it; by default this one.

    Raises CompileError, with the place in the program, for what cannot be compiled.
    """
    train = {
        "include": include, "exclude": exclude, "min_m": min_m, "min_n": min_n,
        "min_k": min_k, "computed": computed, "pad": pad, "alignment": alignment,
        "cost": cost, "min_gain": min_gain, "tangents": tangents,
        "results": results, "max_bytes": max_bytes, "recompute_arguments": recompute_arguments,
    }
    text = " ".join(_format_option(k, v) for k, v in train.items() if v is not None)
    options = {
        "target": target, "recipe": recipe, "backward": bool(backward), "split": bool(split)}
    folder = tempfile.mkdtemp(prefix="fp8-")
    path = os.path.join(folder, "step.so")
    try:
        with _compiler.Context() as context, context.parse(source) as module:
            functions, reports = module.compile(
                path, train_options=text, cuda_path=cuda_path, cpu=cpu,
                argument_names=tuple(argument_names), result_names=tuple(result_names), **options)
        meta = _make_meta(functions, reports, options)
        return Step(path, meta, context.messages, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def load(path: Union[str, os.PathLike]) -> Step:
    """A step that `Step.save` wrote to `path`. Needs no compiler.

    Raises OSError where a file is missing, ValueError for one of another version."""
    path = os.path.abspath(os.fspath(path))
    description = os.path.splitext(path)[0] + ".json"
    with open(description, encoding="utf-8") as file:
        meta = json.load(file)
    if not isinstance(meta, dict) or meta.get("format") != _FORMAT:
        raise ValueError(f"{description}: expects a step of format {_FORMAT}")
    return Step(path, meta, ())


@dataclasses.dataclass(frozen=True)
class Transformed:
    """MLIR `text` after a pipeline, and the `messages` of its passes."""

    text: str
    messages: Tuple[Message, ...]

    def __str__(self) -> str:
        return self.text


def transform(source: Source, pipeline: str) -> Transformed:
    """Runs a pipeline as fp8-opt does: "fp8-train{target=sm_90},canonicalize".

    Raises CompileError where a pass fails or the pipeline has an error."""
    if not pipeline.lstrip().startswith("builtin.module"):
        pipeline = f"builtin.module({pipeline})"
    with _compiler.Context() as context, context.parse(source) as module:
        module.run(pipeline)
        text = module.text()
    return Transformed(text, tuple(context.messages))
