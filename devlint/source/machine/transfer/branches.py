"""What each outcome of a test says about names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from devlint.source import ir
from devlint.source.machine.domain.inputs import twin, whole
from devlint.source.machine.domain.values import (
    ARRAY,
    NONE,
    Array,
    External,
    Input,
    Known,
    Object,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.members import has_attribute, is_scalar
from devlint.source.machine.modules.state import is_module
from devlint.source.machine.transfer.machine import Machine

_EXITS = frozenset({"sys.exit", "os._exit", "os.abort", "builtins.exit", "builtins.quit"})


@contextmanager
def under(machine: Machine, test: ir.Expression, frame: Frame, *, taken: bool) -> Iterator[None]:
    """Evaluate something where a test had one outcome."""
    undo = narrow(machine, test, frame, taken=taken)
    try:
        yield
    finally:
        for target, key, before, after in reversed(undo):
            if target.cells.get(key) is after:
                machine.store.write(target, key, before)


Narrowing = tuple[Object, object, Value, Value]
"""The object and the cell, what that held, and what it holds where the test had its outcome."""


def narrow(machine: Machine, test: ir.Expression, frame: Frame, *, taken: bool) -> list[Narrowing]:
    """Leave out the alternatives for which the test would have had the other outcome."""
    match test:
        case ir.Unary(operator="not", operand=inner):
            return narrow(machine, inner, frame, taken=not taken)
        case ir.Boolean(operator=name, left=left, right=right) if (name == "and") is taken:
            return [
                *narrow(machine, left, frame, taken=taken),
                *narrow(machine, right, frame, taken=taken),
            ]
        case ir.Compare(left=left, rest=((("is" | "is_not" | "eq" | "ne") as name, right),)):
            equal = (name in ("is", "eq")) is taken
            return _by_equality(machine, left, right, frame, equal=equal)
        case ir.Call(function=ir.Name(name=name) | ir.Attribute(name=name)) if name in _PREDICATES:
            return _by_predicate(machine, test, frame, taken=taken)
        case ir.Walrus(target=target):
            return narrow(machine, target, frame, taken=taken)
        case ir.Name() | ir.Attribute():
            kept = _kept(machine, test, frame, lambda held: machine.truth(held) is not (not taken))
            return kept or _by_owner(machine, test, frame, taken=taken)
        case _:
            return []


def _by_owner(
    machine: Machine, test: ir.Name | ir.Attribute, frame: Frame, *, taken: bool
) -> list[Narrowing]:
    """Keep the alternatives of an object of which an attribute would have had the outcome."""
    owner: ir.Expression = test
    while isinstance(owner, ir.Attribute):
        owner = owner.value
        place = cell(machine, owner, frame)
        if place is not None and isinstance(place[0].cells.get(place[1]), Union):
            return _kept(machine, owner, frame, _decided_by(machine, test, frame, place, taken=taken))
    return []


def _decided_by(
    machine: Machine, test: ir.Expression, frame: Frame, place: tuple[Object, object], *, taken: bool
) -> Callable[[Value], bool]:
    """Whether a test may have an outcome where a cell holds one alternative."""
    target, key = place

    def fits(held: Value) -> bool:
        before = target.cells[key]
        machine.store.write(target, key, held)
        outcome = machine.truth(machine.evaluate(test, frame))
        machine.store.write(target, key, before)
        return outcome is not (not taken)

    return fits


def _by_predicate(machine: Machine, test: ir.Call, frame: Frame, *, taken: bool) -> list[Narrowing]:
    """Keep the alternatives of which a function that is asked about them would have said so."""
    function = machine.evaluate(test.function, frame)
    if not isinstance(function, External) or not test.arguments:
        return []
    others = [machine.evaluate(each.value, frame) for each in test.arguments[1:]]

    def fits(held: Value) -> bool:
        return _answer(function.name, held, others) is not (not taken)

    def shown(held: Input) -> Value:
        shows = _shown_to_be if taken else _shown_not_to_be
        return shows(held, function.name, others)

    return _kept(machine, test.arguments[0].value, frame, fits, shown)


def _shown_to_be(held: Input, function: str, others: Sequence[Value]) -> Value:
    """What an input is of which a function has said so; the input itself where that leaves several things."""
    if _asks_for_tensor(function, others):
        return twin(held)
    match function, others:
        case "builtins.isinstance", [External(name="numpy.ndarray")]:
            return ARRAY
        case "builtins.isinstance", [External(name=name)]:
            kind = name.removeprefix("builtins.")
            if kind in _CONTAINERS or name in _MAPPINGS:
                return whole(held)
            return Scalar(kind) if kind in _NO_DEVICE else held
        case _:
            return held


def _shown_not_to_be(held: Input, function: str, others: Sequence[Value]) -> Value:
    """What an input is of which a function has denied it: none of those that are tensors."""
    return whole(held) if _asks_for_tensor(function, others) else held


def _asks_for_tensor(function: str, others: Sequence[Value]) -> bool:
    return function == "torch.is_tensor" or (function, *others) == ("builtins.isinstance", _TENSOR)


_TENSOR = External("torch.Tensor")
_PREDICATES = frozenset({"isinstance", "hasattr", "is_tensor", "isscalar"})
"""The last names of the functions that are asked what a value is."""


def _answer(function: str, held: Value, others: Sequence[Value]) -> bool | None:
    match function, others:
        case "builtins.isinstance", [classes]:
            return _is_one(held, classes)
        case "torch.is_tensor", []:
            return _is_one(held, _TENSOR)
        case "numpy.isscalar", []:
            return is_scalar(held)
        case "builtins.hasattr", [Known(value=str(name))]:
            return has_attribute(held, name)
        case _:
            return None


def _by_equality(
    machine: Machine, left: ir.Expression, right: ir.Expression, frame: Frame, *, equal: bool
) -> list[Narrowing]:
    if not isinstance(right, ir.Constant):
        return []
    constant = Known(right.value)

    def fits(held: Value) -> bool:
        if isinstance(held, Known):
            return (held.value == constant.value) is equal
        return not equal or constant != NONE or isinstance(held, Input | Scalar)

    return _kept(machine, left, frame, fits, lambda held: constant if equal else held)


def _kept(
    machine: Machine,
    expression: ir.Expression,
    frame: Frame,
    fits: Callable[[Value], bool],
    shown: Callable[[Input], Value] = lambda held: held,
) -> list[Narrowing]:
    """Keep the alternatives of a name or an attribute that fit; an input is what it is shown to be."""
    place = cell(machine, expression, frame)
    if place is None:
        return []
    target, key = place
    held = target.cells.get(key)
    if held is None:
        return []
    before = alternatives(held)
    members = [shown(each) if isinstance(each, Input) else each for each in before if fits(each)]
    if not members or (len(members) == len(before) and all(map(operator.is_, members, before))):
        return []
    after = members[0] if len(members) == 1 else Union(tuple(members))
    machine.store.write(target, key, after)
    return [(target, key, held, after)]


def cell(machine: Machine, expression: ir.Expression, frame: Frame) -> tuple[Object, object] | None:
    """The cell that a name or an attribute of an object stands for."""
    if isinstance(expression, ir.Name):
        scope = frame.scope.redirected.get(expression.name, frame.scope)
        return (scope, expression.name) if expression.name in scope.cells else None
    if isinstance(expression, ir.Attribute):
        place = cell(machine, expression.value, frame)
        owner = None if place is None else place[0].cells.get(place[1])
        if isinstance(owner, Reference) and isinstance(owner.target, Instance):
            return owner.target, expression.name
    return None


def _is_one(held: Value, classes: Value) -> bool | None:
    """`isinstance(held, classes)`."""
    if isinstance(classes, Reference) and isinstance(classes.target, Container):
        answers = [_is_one(held, each) for each in classes.target.items]
        return True if True in answers else None if None in answers else False
    if isinstance(classes, Reference) and isinstance(classes.target, Class):
        if isinstance(held, Reference) and isinstance(held.target, Instance):
            of = held.target.of
            return isinstance(of, Class) and classes.target in of.order
        return (
            None if isinstance(held, Input) else False if isinstance(held, Tensor | Known | Array) else None
        )
    return _is_external(held, classes.name) if isinstance(classes, External) else None


_OF_TENSORS = ("torch.", "typing.", "collections.abc.")
"""How the names of classes begin of which any tensor can be an instance; other classes are derived ones."""
_NO_DEVICE = {"float", "bool"}
"""Of these types is no device, which a string and a whole number may name."""
_PYTHON = _NO_DEVICE | {"int", "str", "bytes", "complex"}
_CONTAINERS = {"list", "tuple", "dict", "set"}
_MAPPINGS = frozenset(
    f"{head}.{last}"
    for head in ("collections.abc", "collections", "typing")
    for last in ("Mapping", "MutableMapping")
)
_ABSTRACT = {
    **dict.fromkeys(("Mapping", "MutableMapping"), frozenset({"dict"})),
    "Sequence": frozenset({"list", "tuple", "str", "bytes"}),
    "MutableSequence": frozenset({"list"}),
    "Set": frozenset({"set"}),
}
"""Abstract classes of containers, and the types of Python that are of their kind."""


def _is_external(held: Value, name: str) -> bool | None:
    head, _, last = name.rpartition(".")
    if head in ("collections.abc", "collections", "typing") and last in _ABSTRACT:
        return _is_abstract(held, _ABSTRACT[last])
    if is_module_class(name) and isinstance(held, Tensor | Array | Known):
        return False
    if isinstance(held, Tensor):
        if name in ("torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter"):
            return True if name == "torch.Tensor" else held.role == "parameter" or None
        return None if name.startswith(_OF_TENSORS) else False
    if isinstance(held, Known | Scalar) and name.startswith("builtins."):
        kind = type(held.value).__name__ if isinstance(held, Known) else held.type
        return None if not kind else kind == last or (kind == "bool" and last == "int")
    if isinstance(held, Known | Scalar) and name == "torch.Tensor":
        return False
    if isinstance(held, Array):
        return (
            True if name == "numpy.ndarray" else False if name in ("torch.Tensor", "builtins.list") else None
        )
    if isinstance(held, Reference):
        return _is_external_object(held.target, name, last)
    if isinstance(held, Input) and name == "torch.Tensor" and held.evident:
        return True
    return None


def _is_abstract(held: Value, kinds: frozenset[str]) -> bool | None:
    match held:
        case Tensor() | Array():
            return False
        case Known(value=value):
            return type(value).__name__ in kinds
        case Scalar(type=kind) if kind:
            return kind in kinds
        case Reference(target=Container(kind=kind)):
            return kind in kinds
        case Reference(target=Instance() as instance) if is_module(instance):
            return False
        case _:
            return None


def _is_external_object(held: Object, name: str, last: str) -> bool | None:
    if isinstance(held, Container):
        if is_module_class(name):
            return False
        return held.kind == last if last in _CONTAINERS | _PYTHON or name == "torch.Tensor" else None
    if isinstance(held, Instance):
        if name == "torch.nn.Module" and is_module(held):
            return True
        if isinstance(held.of, str):
            return True if held.of == name else None
        if name in held.of.externals:
            return True
        return False if name == "torch.Tensor" or last in _CONTAINERS | _PYTHON else None
    return False if name == "torch.Tensor" else None


def is_instance(held: Value, classes: Value) -> bool | None:
    """`isinstance(held, classes)`; None where that is not known."""
    if isinstance(held, Union):
        answers = {_is_one(each, classes) for each in held.alternatives}
        return answers.pop() if len(answers) == 1 else None
    return _is_one(held, classes)


def ends_in_error(machine: Machine, block: ir.Block, frame: Frame) -> bool:
    """Whether a branch ends the program, or what it does, with an error."""
    last = block[-1] if block else None
    if isinstance(last, ir.Raise):
        return True
    if isinstance(last, ir.Evaluate) and isinstance(last.value, ir.Call):
        function = last.value.function
        if isinstance(function, ir.Attribute | ir.Name):
            callee = machine.evaluate(function, frame)
            return isinstance(callee, External) and callee.name in _EXITS
    return False
