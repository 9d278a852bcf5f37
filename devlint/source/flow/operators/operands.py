"""Abstract values as the operands that events carry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from devlint.model import (
    CPU,
    UNKNOWN,
    Device,
    Kind,
    Operand,
    Symbol,
    is_accelerator,
)
from devlint.operators import ArgumentKind
from devlint.source import ir
from devlint.source.flow.operators.binding import Bound
from devlint.source.flow.state.frame import Passed
from devlint.source.flow.state.values import (
    Alternatives,
    Array,
    Batch,
    Container,
    Generator,
    Literal,
    Module,
    Scalar,
    Tensor,
    Value,
)
from devlint.source.walk import text


def operand(
    value: Value,
    expression: ir.Expression,
    parameter: str = "",
    label: str = "",
    *,
    presuming: bool = False,
    believing: bool = False,
) -> Operand:
    """The operand for a value as it is written in the program.

    Alternatives count as of unknown device, and so do presumed devices unless `presuming`, and what nothing
    has shown to be a tensor unless `believing`.
    """
    shown = label or text(expression)
    match value:
        case Tensor():
            return Operand(
                path=shown,
                site=expression.id,
                device=_told(value, presuming=presuming, believing=believing),
                kind=Kind.TENSOR,
                origin=value.origin,
                parameter=parameter,
                rank0=value.rank0,
                boolean=value.boolean,
                attribute=value.attribute,
                anchor=value.anchor,
            )
        case Module():
            return Operand(
                shown, expression.id, value.device, Kind.MODULE, value.origin, parameter, anchor=value.anchor
            )
        case Generator():
            return Operand(shown, expression.id, value.device, Kind.GENERATOR, value.origin, parameter)
        case Array():
            return Operand(shown, expression.id, UNKNOWN, Kind.ARRAY, value.origin, parameter)
        case Container():
            return Operand(shown, expression.id, UNKNOWN, Kind.CONTAINER, parameter=parameter)
        case Literal() | Scalar():
            return Operand(shown, expression.id, UNKNOWN, Kind.SCALAR, parameter=parameter)
        case _:
            return Operand(shown, expression.id, UNKNOWN, Kind.UNKNOWN, parameter=parameter)


def _told(tensor: Tensor, *, presuming: bool, believing: bool) -> Device:
    known = (tensor.evident or believing) and (presuming or not tensor.presumed)
    return tensor.device if known else UNKNOWN


def tensors_in(
    value: Value, expression: ir.Expression
) -> Iterator[tuple[Tensor | Alternatives, ir.Expression, str]]:
    """The tensors of an argument that takes a sequence of them, each with what a user would call it."""
    match value:
        case Container(items=items) if items is not None:
            written = expression.elements if isinstance(expression, ir.Sequence) else ()
            for position, (_, item) in enumerate(items):
                if isinstance(item, Tensor | Alternatives):
                    if position < len(written) and len(written) == len(items):
                        yield item, written[position], ""
                    else:
                        yield item, expression, f"{text(expression)}[{position}]"
        case Container(element=element) if isinstance(element, Tensor | Alternatives):
            yield element, expression, f"{text(expression)}[…]"
        case Tensor() | Alternatives():
            yield value, expression, ""
        case _:
            return


def tensor_of(value: Value) -> Tensor | None:
    """The tensor that a value is, or yields when it is taken apart."""
    match value:
        case Tensor():
            return value
        case Batch(tensor=tensor):
            return tensor
        case _:
            return None


class TensorArgument(NamedTuple):
    """A tensor operand."""

    tensor: Tensor | Alternatives
    passed: Passed
    """How it is written."""
    name: str
    """The operator's name for it."""
    label: str
    """What to call it."""


def tensor_arguments(bound: Bound) -> Iterator[TensorArgument]:
    """Each tensor operand with how it is written, the operator's name for it, and what to call it."""
    for argument, passed in bound.arguments:
        if argument.kind is ArgumentKind.TENSORS or isinstance(passed.value, Container):
            if argument.kind in (ArgumentKind.TENSORS, ArgumentKind.TENSOR):
                for tensor, expression, label in tensors_in(passed.value, passed.expression):
                    yield TensorArgument(tensor, Passed(tensor, expression), argument.name, label)
        elif argument.kind is ArgumentKind.TENSOR or argument.index:
            found = passed.value if isinstance(passed.value, Alternatives) else tensor_of(passed.value)
            if found is not None:
                yield TensorArgument(found, passed, argument.name, "")


def known_device(tensor: Tensor | Alternatives) -> Device:
    return tensor.device if isinstance(tensor, Tensor) and tensor.evident else UNKNOWN


def deciding_operand(tensors: list[TensorArgument], *, first_only: bool) -> Tensor | None:
    """The operand that decides where the result is: the first that is not a 0-dim host tensor, known before
    unknown. Two symbols that meet are taken for one device: otherwise the operation would have raised."""
    candidates: list[Tensor] = []
    for tensor, *_ in tensors:
        if isinstance(tensor, Alternatives):
            # Where the alternatives meet a known device, the operation has raised for the others.
            candidates.append(Tensor(UNKNOWN))
        else:
            candidates.append(tensor)
        if first_only:
            break
    if not candidates:
        return None
    movable = [t for t in candidates if not (t.device == CPU and t.rank0)] or candidates
    known = [t for t in movable if t.device != UNKNOWN and t.evident]
    hinted = [t for t in movable if t.device != UNKNOWN]
    if len(known) > 1:
        outside = [t for t in known if isinstance(t.device, Symbol) or is_accelerator(t.device)]
        if outside and len(outside) < len(known):
            return outside[0]
    return (known or hinted or movable)[0]
