"""Reads arguments, result and device check of every native function from torch's `native_functions.yaml`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

import torch
import torchgen
from torchgen.gen import ParsedYaml, parse_native_yaml
from torchgen.model import Argument as NativeArgument
from torchgen.model import DeviceCheckType, DispatchKey, NativeFunction, Variant

from devlint.operators import ArgumentKind, OperatorArgument
from tools.operators.resolve import resolve

_NAMESPACES = {
    "linalg": ("torch.linalg.", "linalg_"),
    "fft": ("torch.fft.", "fft_"),
    "special": ("torch.special.", "special_"),
    "nn": ("torch.nn.functional.", ""),
    "sparse": ("torch.sparse.", "sparse_"),
}
_KINDS = {
    "Tensor": ArgumentKind.TENSOR,
    "Tensor?": ArgumentKind.TENSOR,
    "Tensor[]": ArgumentKind.TENSORS,
    "Tensor?[]": ArgumentKind.TENSORS,
    "Generator?": ArgumentKind.GENERATOR,
    "Generator": ArgumentKind.GENERATOR,
    "Device?": ArgumentKind.DEVICE,
    "Device": ArgumentKind.DEVICE,
}


class Check(Enum):
    """The device check that torchgen generates for an overload's CUDA kernel."""

    EXACT_SAME = "ExactSame"
    NONE = "NoCheck"
    COMPOSITE = "composite"
    """It has no CUDA kernel of its own, so torchgen generates none: the operators that it calls check."""


@dataclass(frozen=True, slots=True)
class Overload:
    """One entry of `native_functions.yaml`, as Python code calls it."""

    text: str
    """The schema's name with its overload: `add.Tensor`."""
    positional: tuple[OperatorArgument, ...]
    keyword_only: tuple[OperatorArgument, ...]
    returns: tuple[str, ...]
    """Types, without alias annotations: `Tensor`, `Tensor[]`, `bool`."""
    returns_self: bool
    check: Check
    tags: frozenset[str]
    is_out: bool

    @property
    def tensors(self) -> int:
        """How many inputs are tensors; a list of tensors counts twice, because it can contain several."""
        return sum(
            1 + (argument.kind is ArgumentKind.TENSORS)
            for argument in (*self.positional, *self.keyword_only)
            if argument.name != "out" and argument.kind in (ArgumentKind.TENSOR, ArgumentKind.TENSORS)
        )


@cache
def parsed() -> ParsedYaml:
    """`native_functions.yaml` as torchgen reads it, and the functions that torchgen adds."""
    directory = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    return parse_native_yaml(str(directory / "native_functions.yaml"), str(directory / "tags.yaml"))


@cache
def native_functions() -> dict[str, list[Overload]]:
    """The overloads of all native functions that Python can call, by canonical name."""
    found: dict[str, list[Overload]] = {}
    for function in parsed().native_functions:
        if "Dimname" in str(function.func):
            continue
        check = device_check(function)
        for name, is_method in _canonical_names(function):
            found.setdefault(name, []).append(_overload(function, check, is_method=is_method))
    return found


def device_check(function: NativeFunction) -> Check:
    """The device check of one native function's CUDA kernel."""
    structured = function.structured or function.structured_delegate is not None
    if not structured and not parsed().backend_indices[DispatchKey.CUDA].has_kernel(function):
        return Check.COMPOSITE
    return Check.NONE if function.device_check is DeviceCheckType.NoCheck else Check.EXACT_SAME


def _canonical_names(function: NativeFunction) -> Iterable[tuple[str, bool]]:
    """Its names in Python, and whether each is a method."""
    base = str(function.func.name.name)
    if Variant.method in function.variants and hasattr(torch.Tensor, base):
        yield f"torch.Tensor.{base}", True
    if Variant.function in function.variants or function.func.is_out_fn():
        prefix, native_prefix = _NAMESPACES.get(function.python_module or "", ("torch.", ""))
        name = prefix + base.removeprefix(native_prefix)
        if resolve(name) is not None:
            yield name, False


def _overload(function: NativeFunction, check: Check, *, is_method: bool) -> Overload:
    arguments = function.func.arguments
    self_name = arguments.self_arg.argument.name if arguments.self_arg else ""
    positional = [
        OperatorArgument(argument.name, argument_kind(argument)) for argument in arguments.flat_positional
    ]
    if is_method:
        positional.sort(key=lambda argument: argument.name != self_name)
    else:
        positional = [
            OperatorArgument("input", argument.kind) if argument.name == "self" else argument
            for argument in positional
        ]
    keyword_only = [
        OperatorArgument(argument.name, argument_kind(argument), keyword_only=True)
        for argument in arguments.flat_kwarg_only
    ]
    if arguments.out:
        kind = ArgumentKind.TENSOR if len(arguments.out) == 1 else ArgumentKind.TENSORS
        if str(arguments.out[0].type) == "Tensor[]":
            kind = ArgumentKind.TENSORS
        keyword_only.append(OperatorArgument("out", kind, keyword_only=True))
    return Overload(
        text=str(function.func.name),
        positional=tuple(positional),
        keyword_only=tuple(keyword_only),
        returns=tuple(str(value.type) for value in function.func.returns),
        returns_self=function.func.name.name.inplace or _returns_self(function),
        check=check,
        tags=frozenset(function.tags),
        is_out=function.func.is_out_fn(),
    )


def _returns_self(function: NativeFunction) -> bool:
    """Whether it writes to its first operand and returns it, although its name has no underscore."""
    self_argument = function.func.arguments.self_arg
    return (
        self_argument is not None
        and self_argument.argument.annotation is not None
        and self_argument.argument.annotation.is_write
    )


def argument_kind(argument: NativeArgument) -> ArgumentKind:
    """The kind of one argument of a schema."""
    return _KINDS.get(str(argument.type), ArgumentKind.OTHER)
