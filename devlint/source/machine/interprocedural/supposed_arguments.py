"""The arguments of a hypothesis: from annotations and defaults, or else tensors on a device."""

from __future__ import annotations

from devlint.model import Confidence, Device, Symbol, SymbolKind, parse_device
from devlint.source import ir
from devlint.source.machine.domain.identity import with_identity
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    ARRAY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    OMITTED,
    STRING,
    DeviceValue,
    External,
    Known,
    Reference,
    Scalar,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.files import Class, Function, Scope
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.library.expectations import stated_by_marks
from devlint.source.walk import path, text

_SCALARS: dict[str, Value] = {"int": INT, "float": FLOAT, "bool": BOOL, "str": STRING}
_OF_SEVERAL = frozenset({"Union", "Optional"})
_SEQUENCES = frozenset({"Iterable", "List", "Sequence", "Tuple", "list", "tuple"})
_TENSOR = External("torch.Tensor")
_DEVICE = External("torch.device")
_ARRAY = External("numpy.ndarray")


def arguments(
    machine: AbstractMachine,
    function: Function,
    device: Device,
    confidence: Confidence,
    *,
    receiver: Reference | None,
    evident: bool = False,
) -> Scope:
    """The arguments with which a hypothesis calls a function; `evident` for a module's forward and steps,
    whose first argument is a tensor or contains some."""
    scope = Scope(function.scope, function.file)
    first = receiver is not None
    frame = Frame(function.file, function.file.scope, function)
    by_marks = stated_by_marks(machine, function)
    for at, parameter in enumerate(function.node.parameters):
        if first and at == 0 and receiver is not None:
            scope.cells[parameter.name] = receiver
        elif parameter.stars:
            # A forward that takes any arguments hands them on to a method that takes tensors.
            alone = evident and parameter.stars == 1 and at == 1
            element = Input(parameter.name, device, confidence if alone else Confidence.POSSIBLE)
            element.of_forward = alone
            kind = "tuple" if parameter.stars == 1 else "dict"
            scope.cells[parameter.name] = machine.adopt(Container(kind, element=element))
        elif parameter.name in by_marks:
            scope.cells[parameter.name] = by_marks[parameter.name]
        else:
            shown = evident and at == 1
            scope.cells[parameter.name] = _argument(
                machine, parameter, function, device, confidence, frame, evident=shown
            )
            for each in alternatives(scope.cells[parameter.name]):
                if isinstance(each, Input):
                    each.of_forward = evident
                    machine.assigned.admit(each)
    return scope


def _argument(
    machine: AbstractMachine,
    parameter: ir.Parameter,
    function: Function,
    device: Device,
    confidence: Confidence,
    frame: Frame,
    *,
    evident: bool,
) -> Value:
    """One argument: from its annotation or its default, or else any value, including tensors on the
    device."""
    stated = _stated(machine, parameter.annotation, frame)
    if isinstance(stated, Scalar):
        differs = stated.type == "int" and function.name != "__init__"
        return with_identity(changed(stated, given=differs))
    if stated == _ARRAY and "overloaded" in function.marks:
        return ARRAY  # otherwise it would not be called
    if stated == _DEVICE and parameter.default is None:
        return DeviceValue(Symbol(parameter.name, SymbolKind.DEVICE), parameter.name, Confidence.LIKELY)
    default = function.defaults.get(parameter.name)
    numbers = _numbers(machine, parameter.annotation)
    if any(isinstance(each, Reference) for each in numbers) and default in (None, NONE):
        return join_all(numbers if default is None else (NONE, *numbers))
    supposed = Input(parameter.name, device, confidence, evident=evident or stated == _TENSOR)
    supposed.holds_tensors = _holds_tensors(machine, parameter.annotation, frame)
    supposed.refuted = stated == _ARRAY or _is_own(machine, parameter.annotation, frame)
    if default is None:
        return supposed
    if isinstance(default, DeviceValue):
        return DeviceValue(Symbol(parameter.name, SymbolKind.DEVICE), parameter.name, Confidence.LIKELY)
    if isinstance(default, Known):
        if default == NONE:
            supposed.may_be_none = False
            return Union((OMITTED if function.name != "__init__" else NONE, supposed))
        if isinstance(default.value, bool):
            return with_identity(BOOL)
        if isinstance(default.value, str) and parse_device(default.value) is not None:
            device = Symbol(parameter.name, SymbolKind.DEVICE)
            return DeviceValue(device, parameter.name, Confidence.LIKELY, is_string=True)
        return with_identity(_SCALARS.get(type(default.value).__name__, supposed))
    return default


def _numbers(machine: AbstractMachine, annotation: ir.Expression | None) -> tuple[Value, ...]:
    """The numbers and the sequences of numbers of which an annotation says that one of them is given:
    `Sequence[float] | None`, `Union[float, list[float]]`. None if it allows anything else as well."""
    match annotation:
        case ir.Binary(operator="or", left=left, right=right):
            return _one_of(machine, (left, right))
        case ir.Subscript(value=ir.Name(name=name) | ir.Attribute(name=name), indices=parts) if (
            name in _OF_SEVERAL
        ):
            return _one_of(machine, parts)
        case ir.Subscript(value=ir.Name(name=name) | ir.Attribute(name=name), indices=indices) if (
            name in _SEQUENCES
        ):
            names = {text(each) for each in indices if not isinstance(each, ir.Dots)}
            held = FLOAT if names == {"float"} else INT if names == {"int"} else None
            kind = "tuple" if name.lower() == "tuple" else "list"
            return () if held is None else (machine.adopt(Container(kind, element=held)),)
        case ir.Name(name="float"):
            return (FLOAT,)
        case ir.Name(name="int"):
            return (INT,)
        case _:
            return ()


def _one_of(machine: AbstractMachine, parts: tuple[ir.Expression, ...]) -> tuple[Value, ...]:
    """The numbers and sequences of a union of types; none if one of the types is another one than None."""
    found = [_numbers(machine, each) for each in parts if not _is_none(each)]
    return tuple(value for each in found for value in each) if all(found) else ()


def _is_none(annotation: ir.Expression) -> bool:
    return isinstance(annotation, ir.Constant) and annotation.value is None


def _is_own(machine: AbstractMachine, annotation: ir.Expression | None, frame: Frame) -> bool:
    """Whether an annotation names a plain class of the project, alone or in a union without tensors."""
    match annotation:
        case ir.Binary(operator="or", left=left, right=right):
            parts = (left, right)
            return any(_is_own(machine, each, frame) for each in parts) and not any(
                _stated(machine, each, frame) == _TENSOR for each in parts
            )
        case _:
            return _is_plain(_stated(machine, annotation, frame))


def _holds_tensors(machine: AbstractMachine, annotation: ir.Expression | None, frame: Frame) -> bool:
    """Whether an annotation is `Dict[str, Tensor]` or similar, or a union with such a type."""
    match annotation:
        case ir.Binary(operator="or", left=left, right=right):
            return any(_holds_tensors(machine, each, frame) for each in (left, right))
        case ir.Subscript(value=ir.Name(name=name) | ir.Attribute(name=name), indices=parts) if (
            name in _OF_SEVERAL
        ):
            return any(_holds_tensors(machine, each, frame) for each in parts)
        case ir.Subscript(indices=(*_, last)):
            return _stated(machine, last, frame) == _TENSOR
        case _:
            return False


def _stated(machine: AbstractMachine, annotation: ir.Expression | None, frame: Frame) -> Value | None:
    """The value for an annotation: of a plain type of Python, or a tensor."""
    if annotation is None:
        return None
    if isinstance(annotation, ir.Constant) and isinstance(annotation.value, str):
        annotation = _written(annotation)
    name = path(annotation)
    if not name or name in _SCALARS:
        return _SCALARS.get(name)
    held = machine.evaluate(annotation, frame)
    return held if held in (_TENSOR, _DEVICE, _ARRAY) or _is_plain(held) else None


def _written(annotation: ir.Constant) -> ir.Expression:
    """The name in an annotation that is a string, with or without dots."""
    first, *others = str(annotation.value).split(".")
    named: ir.Expression = ir.Name(annotation.id, first)
    for each in others:
        named = ir.Attribute(annotation.id, named, each)
    return named


def _is_plain(stated: Value | None) -> bool:
    """Whether a type is a class of the project without bases outside it."""
    made = stated.target if isinstance(stated, Reference) else None
    return isinstance(made, Class) and not made.externals
