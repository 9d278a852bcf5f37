"""Threads and pools of threads, which work on the objects of the process.

A thread is presumed to have done its work when it is started, as if it were joined at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source.machine.domain.values import NONE, TOP, External, Reference, Value
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.handlers import Handler, first_argument
from devlint.source.machine.library.workers import call_of_target

_THREADS = frozenset({"threading.Thread"})
_POOLS = frozenset(
    {"concurrent.futures.ThreadPoolExecutor", "concurrent.futures.thread.ThreadPoolExecutor",
     "multiprocessing.dummy.Pool", "multiprocessing.pool.ThreadPool"}
)  # fmt: skip
_FUTURE = "concurrent.futures.Future"
_RESULT = "<result>"
CLASSES = _THREADS | _POOLS | {_FUTURE}
"""The classes of threads, of pools of threads, and of what a thread of a pool will return."""


def call_method(machine: Machine, target: Instance, externals: Sequence[str], name: str, call: Call) -> Value:
    """`thread.start()`, `pool.map(function, items)`, `future.result()`."""
    if _THREADS & set(externals):
        return _call_thread(machine, target, name, call)
    if _FUTURE in externals:
        return target.cells.get(_RESULT, TOP) if name in ("get", "result") else TOP
    return _call_pool(machine, target, name, call)


def _call_thread(machine: Machine, target: Instance, name: str, call: Call) -> Value:
    """`thread.start()`: runs the target, or the object's own `run`."""
    if name != "start":
        return NONE if name == "join" else TOP
    own = machine.method_of(Reference(target), "run")
    if own is not None:
        machine.call(own, call.passing([]))
        return NONE
    callee = target.arguments.get("target", target.arguments.get("1", NONE))
    if callee != NONE:
        machine.call(callee, call_of_target(target, call))
    return NONE


def _call_pool(machine: Machine, pool: Instance, name: str, call: Call) -> Value:
    if not call.passed:
        return Reference(pool) if name == "__enter__" else TOP
    match name:
        case "submit":
            return _future(machine, machine.call(call.first, call.passing(call.passed[1:])), call)
        case "apply_async":
            return _future(machine, _applied(machine, call), call)
        case "apply":
            return _applied(machine, call)
        case "map" | "imap" | "imap_unordered":
            return machine.call(External("builtins.map"), call)
        case _:
            return TOP


def _applied(machine: Machine, call: Call) -> Value:
    """`pool.apply(function, args)`."""
    given = call.value("args", 1)
    passed: list[Passed] = []
    if isinstance(given, Reference) and isinstance(given.target, Container):
        passed = [Passed(each, call.node, call.site) for each in given.target.items]
    return machine.call(call.first, call.passing(passed))


def _future(machine: Machine, result: Value, call: Call) -> Value:
    made = Instance(_FUTURE, call.site)
    made.cells[_RESULT] = result
    return machine.adopt(made)


THREADS: dict[str, Handler] = {"concurrent.futures.as_completed": first_argument}
"""The functions, by canonical name."""
