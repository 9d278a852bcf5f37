"""Tests of the type of a value, by `isinstance` and `type`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from devlint.model import Confidence
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.kinds import is_of_tensor_type
from devlint.source.machine.domain.lattice import scalar_type
from devlint.source.machine.domain.values import (
    Array,
    DeviceValue,
    External,
    Known,
    Object,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
)
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.module_classes import PLAIN_BASES, derives_from, is_module_class
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.modules.state import is_module


def is_instance(held: Value, classes: Value) -> bool | None:
    """`isinstance(held, classes)`; None where that is not known."""
    if isinstance(held, Union):
        answers = {is_one(each, classes) for each in held.alternatives}
        return answers.pop() if len(answers) == 1 else None
    return is_one(held, classes)


def is_one(held: Value, classes: Value) -> bool | None:
    """`isinstance(held, classes)`."""
    if isinstance(classes, Reference) and isinstance(classes.target, Container):
        answers = [is_one(held, each) for each in classes.target.items]
        return True if True in answers else None if None in answers else False
    if isinstance(classes, Reference) and isinstance(classes.target, Class):
        if isinstance(held, Reference) and isinstance(held.target, Instance):
            of = held.target.of
            return isinstance(of, Class) and classes.target in of.order
        if isinstance(held, Reference) and isinstance(held.target, Container):
            return None if classes.target.metaclass is not None or classes.target.externals else False
        return (
            None if isinstance(held, Input) else False if isinstance(held, (Tensor, Known, Array)) else None
        )
    return _is_external(held, classes.name) if isinstance(classes, External) else None


class AskedType(NamedTuple):
    """A test of the type of a value: `type(x) is C`."""

    of: ir.Expression
    classes: ir.Expression
    wanted: bool
    """Whether it tests for one of the classes, not for the absence of all."""


def asked_type(test: ir.Expression) -> AskedType | None:
    """The test of a value's type; None if the test is another one."""
    match test:
        case ir.Compare(
            left=ir.CallExpression(function=ir.Name(name="type"), arguments=(ir.Argument(value=of),)),
            rest=((("is" | "is_not" | "eq" | "ne" | "in" | "not_in") as name, classes),),
        ):
            return AskedType(of, classes, name in ("is", "eq", "in"))
        case _:
            return None


def has_type(held: Value, classes: Value) -> bool | None:
    """`type(held) in classes`, to which derived classes do not belong; None if that is not known."""
    match held, classes:
        case Union(alternatives=members), _:
            answers = {has_type(each, classes) for each in members}
            return answers.pop() if len(answers) == 1 else None
        case _, Reference(target=Container(items=items)):
            every = [has_type(held, each) for each in items]
            return True if True in every else None if None in every else False
        case Reference(target=Instance(of=of)), Reference(target=Class() as made):
            return of is made
        case Known() | Scalar(), External(name=name) if name.startswith("builtins.") and scalar_type(held):
            return f"builtins.{scalar_type(held)}" == name
        case Tensor(role="parameter"), External(name="torch.Tensor"):
            return False
        case Tensor(), External(name=name) if name in TENSOR_CLASSES - {"torch.Tensor"}:
            return False
        case _:
            return is_one(held, classes)


TENSOR_CLASSES = frozenset({"torch.Tensor", "torch.autograd.Variable", "torch.autograd.variable.Variable"})
"""Classes of which every tensor is an instance, as the metaclass of `Variable` defines."""
_ARRAYS = ("torch.Tensor", "numpy.ndarray")
"""Classes from which none of Python's own is derived, and one of the project only if its bases show it."""
_OF_TENSORS = ("torch.", "typing.", "collections.abc.")
"""The prefixes of the names of classes of which any tensor can be an instance; other classes are derived
ones."""
NO_DEVICE = {"float", "bool"}
"""Types that no device has; a string and an integer may name a device."""
_PYTHON = NO_DEVICE | {"int", "str", "bytes", "complex"}
CONTAINERS = {"list", "tuple", "dict", "set"}
MAPPINGS = frozenset(
    f"{head}.{last}"
    for head in ("collections.abc", "collections", "typing")
    for last in ("Mapping", "MutableMapping")
)
_ALIASES = {
    f"typing.{name}": f"builtins.{name.lower()}"
    for name in ("Dict", "FrozenSet", "List", "Set", "Tuple", "Type")
}
"""Names of `typing` for classes of Python, of which an object is an instance just so."""
_ABSTRACT = {
    **dict.fromkeys(("Mapping", "MutableMapping"), frozenset({"dict"})),
    "Sequence": frozenset({"list", "tuple", "str", "bytes"}),
    "MutableSequence": frozenset({"list"}),
    "Set": frozenset({"set"}),
}
"""Abstract classes of containers, and the types of Python that implement them."""


def _is_external(held: Value, name: str) -> bool | None:
    name = "torch.Tensor" if name in TENSOR_CLASSES else _ALIASES.get(name, name)
    head, _, last = name.rpartition(".")
    if head in ("collections.abc", "collections", "typing") and last in _ABSTRACT:
        return _is_abstract(held, _ABSTRACT[last])
    if is_module_class(name) and isinstance(held, (Tensor, Array, Known)):
        return False
    if isinstance(held, Tensor):
        if name in ("torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter"):
            return True if name == "torch.Tensor" else held.role == "parameter" or None
        if is_tensor_type(name):
            return is_of_tensor_type(held.device, name)
        return None if name.startswith(_OF_TENSORS) else False
    if isinstance(held, (Known, Scalar)) and name.startswith("builtins."):
        kind = type(held.value).__name__ if isinstance(held, Known) else held.type
        return None if not kind else kind == last or (kind == "bool" and last == "int")
    if isinstance(held, (Known, Scalar)) and name in ("numpy.ndarray", "torch.Tensor", "torch.device"):
        return False
    if isinstance(held, Array):
        if name == "numpy.ndarray":
            return None if held.may_be_number else True
        return False if name in ("torch.Tensor", "builtins.list") else None
    if isinstance(held, DeviceValue):
        return _is_device(held, name)
    if isinstance(held, Reference):
        return _is_external_object(held.target, name, last)
    if isinstance(held, Input) and held.refuted and name == "torch.Tensor":
        return False
    if isinstance(held, Input) and held.origin.was_moved and name == "numpy.ndarray":
        return False  # an array is not moved
    if isinstance(held, Input) and held.evident and name in _ARRAYS:
        return name == "torch.Tensor"
    return None


def is_tensor_type(name: str) -> bool:
    """Whether a class contains the tensors of one dtype on one type of device: `torch.cuda.FloatTensor`."""
    head, _, last = name.rpartition(".")
    return head in ("torch", "torch.cuda") and last.endswith("Tensor") and last != "Tensor"


def _is_device(held: DeviceValue, name: str) -> bool | None:
    """Whether a device has a class. An annotation of an argument is not reliable: a string is accepted where
    a device is expected."""
    if held.confidence is not Confidence.CERTAIN and not held.of_tensor:
        return None
    match name:
        case "torch.device":
            return not held.is_string
        case "builtins.str":
            return held.is_string
        case _:
            return False if name.removeprefix("builtins.") in CONTAINERS | _PYTHON else None


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
        return held.kind == last if last in CONTAINERS | _PYTHON or name in _ARRAYS else None
    if isinstance(held, Instance):
        if name == "torch.nn.Module" and is_module(held):
            return True
        if isinstance(held.of, str):
            return True if held.of == name else derives_from(held.of, name)
        if name in held.of.externals:
            return True
        if name in _ARRAYS or last in CONTAINERS | _PYTHON:
            return False
        return _derives_from_any(held.of.externals, name)
    if isinstance(held, Class) and name == "builtins.type":
        return True
    return False if name in _ARRAYS or last in CONTAINERS | _PYTHON else None


def _derives_from_any(externals: Iterable[str], name: str) -> bool | None:
    answers = {derives_from(each, name) for each in externals if each not in PLAIN_BASES}
    return True if True in answers else False if answers == {False} else None
