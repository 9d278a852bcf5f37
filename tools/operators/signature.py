"""The arguments of Python functions, by their signatures, and of all overloads of native functions."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import replace

from devlint.operators import ArgumentKind, OperatorArgument
from tools.operators.schema import Overload

_TENSOR_KINDS = (ArgumentKind.TENSOR, ArgumentKind.TENSORS)
_VARIADIC = {"size", "dims", "repeats", "shape", "sizes"}
_UNANNOTATED = {
    "self": ArgumentKind.TENSOR,
    "input": ArgumentKind.TENSOR,
    "other": ArgumentKind.TENSOR,
    "tensors": ArgumentKind.TENSORS,
    "out": ArgumentKind.TENSOR,
    "generator": ArgumentKind.GENERATOR,
    "device": ArgumentKind.DEVICE,
}


def union(overloads: Sequence[Overload]) -> tuple[OperatorArgument, ...]:
    """The arguments of all overloads together, in the positions of the longest.

    Where overloads differ in a position, it has the longest one's name, and it is a tensor if it is one in
    any overload; the other names follow as keyword-only arguments.
    """
    ordered = sorted(overloads, key=lambda overload: (overload.is_out, -len(overload.positional)))
    positional: list[OperatorArgument] = []
    for overload in ordered:
        positional += overload.positional[len(positional) :]
    for overload in ordered:
        for place, argument in enumerate(overload.positional):
            if positional[place].kind is ArgumentKind.OTHER and argument.kind in _TENSOR_KINDS:
                positional[place] = replace(positional[place], kind=argument.kind)
    taken = {argument.name for argument in positional}
    keyword_only: dict[str, OperatorArgument] = {}
    for overload in ordered:
        for argument in (*overload.positional, *overload.keyword_only):
            if argument.name in taken:
                continue
            known = keyword_only.get(argument.name)
            if known is None or (known.kind is ArgumentKind.OTHER and argument.kind is not known.kind):
                keyword_only[argument.name] = replace(argument, keyword_only=True)
    last = len(positional) - 1
    if positional and positional[-1].name in _VARIADIC and positional[-1].kind is ArgumentKind.OTHER:
        positional[last] = replace(positional[last], variadic=True)
    return (*positional, *keyword_only.values())


def inspected(function: object) -> tuple[OperatorArgument, ...] | None:
    """The arguments of a Python function; None if they are not listed (`*args, **kwargs`, or not Python)."""
    if not inspect.isfunction(function):
        return None
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # a wrapped C++ method
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters) and len(parameters) <= 2:
        return None
    return tuple(_arguments(parameters))


def _arguments(parameters: Iterable[inspect.Parameter]) -> Iterable[OperatorArgument]:
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        yield OperatorArgument(
            name=parameter.name,
            kind=_kind(parameter),
            keyword_only=parameter.kind is parameter.KEYWORD_ONLY,
            variadic=parameter.kind is parameter.VAR_POSITIONAL,
        )


def _kind(parameter: inspect.Parameter) -> ArgumentKind:
    if parameter.annotation is parameter.empty:
        return _UNANNOTATED.get(parameter.name, ArgumentKind.OTHER)
    annotation = (
        parameter.annotation if isinstance(parameter.annotation, str) else str(parameter.annotation)
    ).lower()
    if "generator" in annotation:
        return ArgumentKind.GENERATOR
    if "device" in annotation:
        return ArgumentKind.DEVICE
    if "tensor" not in annotation or "callable" in annotation:
        return ArgumentKind.OTHER
    sequence = any(word in annotation for word in ("list[", "tuple[", "sequence[", "iterable["))
    return (
        ArgumentKind.TENSORS
        if sequence or parameter.kind is parameter.VAR_POSITIONAL
        else ArgumentKind.TENSOR
    )
