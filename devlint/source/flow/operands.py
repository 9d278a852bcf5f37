"""Abstract values as the operands that events carry."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import UNKNOWN, Device, Kind, Operand, Origin, OriginStep, SiteId, Step
from devlint.source import ir
from devlint.source.flow.values import (
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

    Alternatives count as of unknown device, and so do presumed devices unless `presuming`, and what nothing has
    shown to be a tensor unless `believing`.
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


def moved(
    origin: Origin, site: SiteId, value: Tensor | Module, name: str, *, implicit: bool = False
) -> Origin:
    """A history that ends in a move to where the value now is."""
    return origin.then(OriginStep(Step.MOVED, site, value.device, name, implicit))
