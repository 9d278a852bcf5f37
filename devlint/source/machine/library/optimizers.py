"""Optimizers: `torch.optim`'s own, and classes of the project that inherit from one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.model import Cause, Device
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    NONE,
    TOP,
    Method,
    Reference,
    Tensor,
    Top,
    Value,
    alternatives,
)
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.operators import accelerator
from devlint.source.machine.operators.waits import note_wait

_PACKAGE = "torch.optim."
_READS_VALUES = frozenset({"torch.optim.LBFGS", "torch.optim.lbfgs.LBFGS"})
"""The optimizers whose steps depend on values of tensors."""


def is_optimizer(externals: Iterable[str]) -> bool:
    """Whether a class with these bases outside the project is an optimizer."""
    return any(each.startswith(_PACKAGE) and "lr_scheduler" not in each for each in externals)


def call_method(machine: Machine, target: Instance, name: str, call: Call) -> Value:
    """`optimizer.name(...)`."""
    if name == "__init__":
        take(machine, call)
        _set_up(machine, target, call)
        return NONE
    if name != "step":
        return TOP
    accelerator.train(machine)
    machine.execution.periodic = False  # a step in some turns only is still the purpose of the loop
    accelerator.work(machine, *_devices_of(target))
    accelerator.queue(machine, *_devices_of(target))
    closure = call.value("closure", 0)
    result = NONE if closure in (None, NONE) else machine.call(closure, call.passing([]))
    if _READS_VALUES & set((target.of,) if isinstance(target.of, str) else target.of.externals):
        _note_reads(machine, target, call)
    return result


def _note_reads(machine: Machine, target: Instance, call: Call) -> None:
    """Record that a step compares norms and losses on the host (torch/optim/lbfgs.py)."""
    given = target.arguments.get("params", target.arguments.get("0"))
    first = None if given is None else next(_tensors(given), None)
    if given is not None and first is not None:
        shown = Passed(given, call.receiver, call.frame.site(call.receiver))
        note_wait(machine, call.site, "torch.optim.LBFGS.step", Cause.BRANCH, first, shown)


def take(machine: Machine, call: Call) -> None:
    """Record the tensors that an optimizer is given: its steps change them."""
    given = call.argument("params", 0)
    if given is not None:
        machine.optimized.update(each.serial for each in _tensors(given.value))


def _tensors(held: Value) -> Iterator[Tensor]:
    """The tensors in a list of them, or in groups of parameters."""
    for each in alternatives(held):
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, Reference) and isinstance(each.target, Container):
            for inner in each.target.cells.values():
                yield from _tensors(inner)


def attribute(machine: Machine, target: Instance, name: str, node: ir.Expression) -> Value | None:
    """`optimizer.param_groups` of an optimizer of torch; None for other attributes."""
    given = target.arguments.get("params", target.arguments.get("0"))
    if name != "param_groups" or not isinstance(target.of, str) or given is None:
        return None
    frame = machine.frame
    _set_up(machine, target, Call([Passed(given, node, frame.site(node))], frame, node))
    return target.cells.get(name)


def keeps_groups(target: Instance, name: str, held: Value) -> bool:
    """Whether unknown groups are assigned to an optimizer that has its own, such as those of another one to
    which it gave them: they hold the same parameters."""
    known = name in target.cells and not isinstance(target.of, str) and is_optimizer(target.of.externals)
    return name == "param_groups" and known and isinstance(held, (Input, Method, Top))


def _set_up(machine: Machine, target: Instance, call: Call) -> None:
    """The state after `Optimizer.__init__(params, defaults)`: groups of parameters, and a state for each
    parameter (torch/optim/optimizer.py)."""
    params, defaults = call.argument("params", 0), call.value("defaults", 1)
    if params is None:
        return
    listed = machine.elements(params.value, call.frame, params.expression)
    groups = [each for each in listed.items if _is_dict(each)]
    if not groups:
        rest = None if listed.exact else join_all(listed.items)
        held = Container("list", listed.items if rest is None else (), rest)
        group = Container("dict")
        group.cells["params"] = machine.adopt(held)
        groups = [machine.adopt(group)]
    if isinstance(defaults, Reference) and isinstance(defaults.target, Container):
        for each in groups:
            assert isinstance(each, Reference)
            for key, default in defaults.target.cells.items():
                if key not in each.target.cells:
                    machine.store.write(each.target, key, default)
    machine.store.write(target, "param_groups", machine.adopt(Container("list", groups)))
    state = Container("dict", element=machine.adopt(Container("dict")))
    machine.store.write(target, "state", machine.adopt(state))
    machine.store.write(target, "defaults", TOP if defaults is None else defaults)


def _is_dict(held: Value) -> bool:
    return isinstance(held, Reference) and isinstance(held.target, Container) and held.target.kind == "dict"


def _devices_of(optimizer: Instance) -> list[Device]:
    """The device of the parameters that were passed to an optimizer."""
    held = optimizer.arguments.get("params", optimizer.arguments.get("0"))
    if not isinstance(held, Reference) or not isinstance(held.target, Container):
        return []
    return [tensor.device for each in held.target.cells.values() if (tensor := tensor_of(each)) is not None]
