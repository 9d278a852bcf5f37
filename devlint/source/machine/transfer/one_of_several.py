"""Calls of one of several functions, which depends on the path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from devlint.model import CPU, Confidence, Device
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import NONE, Method, Reference, Tensor, Union, Value, alternatives
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.module_classes import PARALLEL
from devlint.source.machine.heap.objects import BoundMethod, Instance
from devlint.source.machine.heap.paths import differs_by_path, for_each
from devlint.source.machine.modules.construction import layer_name
from devlint.source.machine.modules.state import module_of, placement
from devlint.source.machine.operators.apply import all_correlated
from devlint.source.machine.transfer.interpreter import Interpreter


def call_one_of(machine: Interpreter, callee: Union, call: Call) -> Value:
    """The result of calling one of several values."""
    members = callee.alternatives
    supplied = call.passing(_correlated_arguments(members, call.passed))
    operands = (callee,) if _decides_about_operands(members, call) else ()
    with _doubting(machine) if _moves_what_a_test_left(members, supplied) else nullcontext():
        return for_each(machine, members, lambda each: machine.call(each, supplied), *operands)


def _moves_what_a_test_left(members: Sequence[Value], call: Call) -> bool:
    """Whether a module is on one path a wrapper that moves its inputs, and is given a tensor that a test has
    moved on another path: most likely it is given to the wrapper."""
    modules = [each.target for each in members if isinstance(each, Reference)]
    if not any(isinstance(each, Instance) and layer_name(each) in PARALLEL for each in modules):
        return False
    tensors = [held for each in call.values for held in alternatives(each) if isinstance(held, Tensor)]
    return any(each.device == CPU and each.outcomes for each in tensors)


def _decides_about_operands(members: Sequence[Value], call: Call) -> bool:
    """Whether what decides which function of the project is called may decide where its operands are: an
    argument depends on the path, or the objects whose methods are called are in several places."""
    if any(differs_by_path(each) for each in call.values) or not all(map(_is_own, members)):
        return True
    receivers = [module_of(held) for each in members if (held := _receiver(each)) is not None]
    return len({None if each is None else _place(each) for each in receivers}) > 1


def _is_own(callee: Value) -> bool:
    """Whether a callee is a function, a method or a class of the project."""
    target = callee.target if isinstance(callee, Reference) else None
    return callee == NONE or isinstance(target, (Function, BoundMethod, Class))


def _place(module: Instance) -> Device | None:
    stands = placement(module)
    return None if stands is None else stands.device


@contextmanager
def _doubting(machine: Interpreter) -> Iterator[None]:
    """A context in which mixed devices are only possible."""
    before, machine.mixture_confidence = machine.mixture_confidence, Confidence.POSSIBLE
    try:
        yield
    finally:
        machine.mixture_confidence = before


def _correlated_arguments(members: Sequence[Value], passed: Sequence[Passed]) -> Sequence[Passed]:
    """The other arguments of a method whose receiver depends on the path."""
    receivers = [held for each in members if (held := _receiver(each)) is not None]
    return all_correlated(join_all(receivers), passed) if len(receivers) > 1 else passed


def _receiver(callee: Value) -> Value | None:
    """The object whose method is called."""
    if isinstance(callee, Method):
        return callee.receiver
    target = callee.target if isinstance(callee, Reference) else None
    return target.receiver if isinstance(target, BoundMethod) else None
