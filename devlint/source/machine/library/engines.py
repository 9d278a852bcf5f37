"""Engines of Ignite, which call a function of the program for each batch of their data."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import HotPath
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import TOP, Reference, Value
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance

_CLASSES = frozenset({"ignite.engine.Engine", "ignite.engine.engine.Engine"})


def is_engine(externals: Sequence[str]) -> bool:
    """Whether a class is an engine."""
    return not _CLASSES.isdisjoint(externals)


def call_method(machine: Machine, engine: Instance, name: str, call: Call) -> Value:
    """`engine.run(data)`, which calls the function with the engine and a batch (ignite/engine/engine.py,
    `_run_once_on_dataset`); other methods take functions that it calls at some events."""
    function = engine.arguments.get("process_function", engine.arguments.get("0"))
    data = call.argument("data", 0)
    if name != "run" or function is None or data is None:
        return machine.presumed(call)
    execution = machine.execution
    outer, execution.loop = execution.loop, Loop(execution.loop, call.site)
    execution.loop.whole = HotPath.STEP
    batch = join_all(machine.elements(data.value, call.frame, call.node).items)
    itself = Passed(Reference(engine), call.receiver, call.site)
    machine.call(function, call.passing([itself, data._replace(value=batch, keyword="")]))
    execution.loop = outer
    return TOP
