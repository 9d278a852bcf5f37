"""The values of expressions and names during a run, for users who ask about one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devlint.model import UNKNOWN, Device, Operand, SiteId
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import (
    DeviceValue,
    GeneratorValue,
    Reference,
    Tensor,
    Value,
    alternatives,
)
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.modules.state import module_of, module_operand
from devlint.source.machine.operators.operands import operand
from devlint.source.machine.transfer.expressions import EVALUATORS
from devlint.source.machine.transfer.interpreter import Evaluators, ValueWatcher

MOST = 4
"""The number of devices that are listed for one place."""
_PLACED = (Tensor, Input, DeviceValue, GeneratorValue)
_WATCHED = (ir.Name, ir.Attribute, ir.CallExpression, ir.Subscript, ir.Binary, ir.Unary, ir.Conditional)
"""The expressions for whose devices users may ask."""


def watching(watch: ValueWatcher) -> Evaluators:
    """Evaluators that report the value of each expression to an observer."""

    def telling(evaluator: Callable[[Any, Any, Frame], Value]) -> Callable[[Any, Any, Frame], Value]:
        def evaluate(machine: Any, node: Any, frame: Frame) -> Value:
            held = evaluator(machine, node, frame)
            watch.note(node, held, machine, frame)
            return held

        return evaluate

    return {**EVALUATORS, **{kind: telling(EVALUATORS[kind]) for kind in _WATCHED}}


class Whereabouts:
    """The devices of tensors, modules, generators and devices, by the sites that refer to them."""

    def __init__(self) -> None:
        self._seen: dict[SiteId, dict[Device, tuple[Operand, Input | None, bool]]] = {}

    def note(self, node: ir.Expression | ir.Parameter, held: Value, machine: Machine, frame: Frame) -> None:
        """Record the device of a value, if it has one."""
        if isinstance(held, Reference) and module_of(held) is None:
            return
        site = frame.site(node)
        supposed = bool(machine.execution.hypothesis)
        for each in alternatives(held):
            found = _operand(each, node, site)
            if found is None or found.device == UNKNOWN:
                continue
            known = self._seen.setdefault(site, {})
            before = known.get(found.device)
            if (before is None and len(known) < MOST) or (before is not None and before[2] and not supposed):
                known[found.device] = (found, _input(each), supposed)

    def found(self) -> dict[SiteId, tuple[Operand, ...]]:
        """The operands at each site. Values that a program shows come before those of hypotheses; values that
        may be no tensors are omitted."""
        return {site: kept for site, seen in self._seen.items() if (kept := _settled(list(seen.values())))}


def _settled(seen: list[tuple[Operand, Input | None, bool]]) -> tuple[Operand, ...]:
    shown = [each for each, _, supposed in seen if not supposed]
    return tuple(shown or (each for each, argument, _ in seen if argument is None or argument.evident))


def _operand(held: Value, node: ir.Expression | ir.Parameter, site: SiteId) -> Operand | None:
    expression = ir.Name(node.id, node.name) if isinstance(node, ir.Parameter) else node
    passed = Passed(held, expression, site)
    module = module_of(held)
    if module is not None:
        return module_operand(module, passed)
    if not isinstance(held, _PLACED) or (isinstance(held, Input) and held.refuted):
        return None
    return operand(held, passed)


def _input(held: Value) -> Input | None:
    if isinstance(held, Input):
        return held
    return held.source if isinstance(held, Tensor) else None
