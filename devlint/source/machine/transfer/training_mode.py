"""Modules that are created and called, and nothing else: they stay in training mode, in which each begins."""

from __future__ import annotations

from collections import Counter

from devlint.source import ir
from devlint.source.machine.domain.values import TRUE
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.modules.state import is_module
from devlint.source.walk import once_a_node, walk

_TRAINING = "training"


def begin_training(machine: Machine, made: Instance, call: Call) -> None:
    """Record the mode of a new module, if the function that creates it does nothing but call it, so that
    nobody else can change the mode: of others, the mode depends on who uses them."""
    function = call.frame.function
    if function is not None and is_module(made) and call.node.id in _only_called(function.node):
        machine.store.write(made, _TRAINING, TRUE)


@once_a_node
def _only_called(definition: ir.FunctionDef | ir.Lambda) -> frozenset[int]:
    """The identities of the calls in a function whose results the function calls, and uses in no other way:
    `net = Net()` and then `net(x)`, or `Net()(x)`."""
    nodes = list(walk((definition,), into_scopes=True))
    uses = Counter(each.name for each in nodes if isinstance(each, ir.Name))
    callees = [each.function for each in nodes if isinstance(each, ir.CallExpression)]
    called = Counter(each.name for each in callees if isinstance(each, ir.Name))
    shared = {name for each in nodes if isinstance(each, ir.Outer) for name in each.names}
    shared.update(each.name for each in nodes if isinstance(each, ir.Parameter))
    found = {each.id for each in callees if isinstance(each, ir.CallExpression)}
    for each in nodes:
        match each:
            case ir.Assign(targets=(ir.Name(name=name),), value=ir.CallExpression() as made):
                if name not in shared and called[name] and uses[name] == called[name] + 1:
                    found.add(made.id)
    return frozenset(found)
