"""The truth values of values."""

from __future__ import annotations

import sys

from devlint.model import SiteId
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.option_values import OmittedOption
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    BOOL,
    DeviceValue,
    External,
    Known,
    Method,
    NoAccelerator,
    Object,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.operators.accelerator import NO_DEVICES
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.transfer.interpreter import Interpreter

_READ = frozenset({"torch", "torchvision", "torchaudio", "numpy", *sys.stdlib_module_names})
"""Packages of which it is known what their attributes are."""


def as_test(machine: Interpreter, held: Value, expression: ir.Expression, frame: Frame) -> Value:
    """A value used as a truth value; the host waits for a device tensor. Whether an option is given is
    constant during a run."""
    if isinstance(held, OmittedOption):
        return held.given
    result = held
    for each in map(_compared, alternatives(held)):
        if isinstance(each, Tensor):
            operator = find("torch.Tensor.__bool__")
            assert operator is not None
            passed = Passed(each, expression, SiteId(frame.file.base + expression.id))
            apply(machine, frame.site(expression), operator, [passed])
            result = BOOL
    return result


def _compared(held: Value) -> Value:
    """The outcome of an element-wise comparison of what is shown to be a tensor, as a tensor.

    What a forward is given has several elements, so that such a test is for numbers.
    """
    if not isinstance(held, Input) or not held.boolean or (held.of_forward and held.whole is None):
        return held
    return tensor_of(held) or held if any(each.evident for each in bases(held)) else held


def truth(machine: Interpreter, held: Value) -> bool | None:
    """The truth value; None if it is not known."""
    match held:
        case NoAccelerator():
            return machine.world.get(NO_DEVICES, False)
        case Known(value=value):
            return bool(value)
        case Scalar(flag=flag, flag_default=default) if flag:
            return machine.decided(flag, default=default)
        case Scalar(least=int(least)) if least > 0:
            return True
        case Scalar(availability=True):
            return not machine.world.get(NO_DEVICES)
        case Reference(target=target):
            return _truth_of_object(machine, target)
        case External() | Method():
            return None if may_be_any_attribute(held) else True
        case DeviceValue():
            return True
        case Union(alternatives=members):
            answers = {machine.truth(each) for each in members}
            return answers.pop() if len(answers) == 1 else None
        case _:
            return None


def may_be_any_attribute(held: Value) -> bool:
    """Whether it is an attribute of an unknown object, which is a method only where it is called, of a
    configuration whose entries are attributes, or of a module that is not read."""
    match held:
        case Method(receiver=Reference(target=Container(kind="dict")), name=name):
            return not hasattr(dict, name)
        case Method(receiver=receiver):
            return isinstance(receiver, Top) or may_be_any_attribute(receiver)
        case External(name=name):
            return "." in name and name.partition(".")[0] not in _READ
        case _:
            return False


def _truth_of_object(machine: Interpreter, target: Object) -> bool | None:
    if isinstance(target, Container):
        machine.read(target)
        return bool(target.length) if target.exact else True if target.length else None
    if isinstance(target, Instance):
        own = target.of
        if isinstance(own, Class) and class_lookup(own, "__len__")[0] is not None:
            return None
        return True if isinstance(own, Class) or not own.startswith("builtins.") else None
    return True
