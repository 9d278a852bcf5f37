"""What a parameter holds when its function is entered."""

from __future__ import annotations

from devlint.model import CPU, UNKNOWN, Kind, Origin, OriginStep, Step, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.flow.evidence.annotations import object_of
from devlint.source.flow.evidence.stated import CONTAINERS, annotated_kind
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Array,
    Batch,
    ClassValue,
    Container,
    DeviceValue,
    Generator,
    Instance,
    Loader,
    Module,
    Optimizer,
    Tensor,
    Value,
)
from devlint.source.walk import path


def parameter_value(frame: Frame, parameter: ir.Parameter, position: int) -> Value:
    """What a parameter holds when its function is entered."""
    name = parameter.name
    if parameter.stars:
        return Container(TOP)
    if position == 0 and frame.info is not None and name in {"self", "cls"}:
        return Instance(frame.info) if name == "self" else ClassValue(frame.info)
    kind = frame.evidence.kinds.get(name)
    stable = frame.stable(name)
    match kind:
        case None | Kind.SCALAR | Kind.UNKNOWN if name == "device":
            return DeviceValue(Symbol(name, SymbolKind.DEVICE), name if stable else "")
        case Kind.TENSOR:
            rank0 = False if name in frame.evidence.with_dimensions else None
            return _tensor_parameter(parameter, evident=True, stable=stable, rank0=rank0)
        case Kind.MODULE:
            symbol = Symbol(name, SymbolKind.MODULE)
            return Module(symbol, Origin((OriginStep(Step.PARAMETER, parameter.id, symbol, name),)))
        case Kind.DEVICE:
            is_object = True if annotated_kind(parameter.annotation, frame.canonical) is Kind.DEVICE else None
            return DeviceValue(Symbol(name, SymbolKind.DEVICE), name if stable else "", is_object)
        case Kind.OPTIMIZER:
            return Optimizer()
        case Kind.LOADER:
            step = OriginStep(Step.PARAMETER, parameter.id, CPU, name)
            return Loader(Batch(Tensor(CPU, Origin((step,)), conventional=True)))
        case Kind.GENERATOR:
            return Generator(UNKNOWN)
        case Kind.SCALAR:
            return SCALAR
        case Kind.ARRAY:
            return Array(Origin((OriginStep(Step.PARAMETER, parameter.id, UNKNOWN, name),)))
        case Kind.CONTAINER:
            return Container(_tensor_parameter(parameter, evident=True, stable=False))
        case Kind.UNKNOWN:
            if _holds_numbers(parameter.annotation):
                return Container(SCALAR, data=True)
            return object_of(frame, parameter.annotation, name, parameter.id)
        case _:
            return _tensor_parameter(parameter, evident=False, stable=stable)


def _tensor_parameter(
    parameter: ir.Parameter, *, evident: bool, stable: bool, rank0: bool | None = None
) -> Tensor:
    symbol = Symbol(parameter.name, SymbolKind.TENSOR)
    step = OriginStep(Step.PARAMETER, parameter.id, symbol, parameter.name)
    # What may be None has no device that a fix could name.
    always_there = parameter.default is None and not _is_optional(parameter.annotation)
    anchor = f"{parameter.name}.device" if stable and always_there else ""
    return Tensor(symbol, Origin((step,)), evident, rank0, anchor=anchor, untouched=True)


def _holds_numbers(annotation: ir.Expression | None) -> bool:
    """`list[float]`, `tuple[int, ...]`, `Sequence[int]`: data for a tensor, and no tensor."""
    match annotation:
        case ir.Subscript(value=value, indices=indices) if path(value).rsplit(".", 1)[-1] in _SEQUENCES:
            return all(isinstance(index, ir.Dots) or path(index) in _NUMBERS for index in indices)
        case _:
            return False


_SEQUENCES = CONTAINERS - {"Dict", "dict", "Mapping"}
_NUMBERS = frozenset({"int", "float", "bool", "complex"})


def _is_optional(annotation: ir.Expression | None) -> bool:
    """`Optional[Tensor]`, `Tensor | None`, `Union[Tensor, float]`."""
    match annotation:
        case ir.Subscript(value=value):
            return path(value).rsplit(".", 1)[-1] in {"Optional", "Union"}
        case ir.Binary(operator="or"):
            return True
        case ir.Constant(value=str(text)):
            return "Optional" in text or "Union" in text or "|" in text
        case _:
            return False
