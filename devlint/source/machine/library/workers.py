"""Processes that a program or its data loaders start."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import Confidence
from devlint.source import ir
from devlint.source.machine.domain.values import INT, NONE, TOP, TRUE, Known, Reference, Value
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.heap.process import AFRESH, STARTED, Process, Waiting, Worker
from devlint.source.machine.library.handlers import Handler

_FORK = Known("fork")
_PACKAGES = ("multiprocessing", "torch.multiprocessing")
_PROCESSES = frozenset(f"{package}.Process" for package in _PACKAGES)
_WORKERS = "5"
"""The position of `num_workers` among the arguments of a data loader."""
FETCHES = frozenset({"__getitem__", "__getitems__", "__iter__", "__next__"})
"""The methods of a data set that a worker calls."""


def worker_of(machine: Machine, loader: Instance) -> Confidence | None:
    """The confidence that a data loader has forked workers."""
    count = loader.arguments.get("num_workers", loader.arguments.get(_WORKERS, Known(0)))
    if isinstance(count, Known) and not count.value:
        return None
    method = loader.arguments.get("multiprocessing_context", NONE)
    if method not in (NONE, _FORK) or machine.process.cells[AFRESH] != NONE:
        return None
    return Confidence.CERTAIN if isinstance(count, Known) else Confidence.LIKELY


def expect(machine: Machine, loader: Instance, frame: Frame, node: ir.Expression) -> None:
    """Record a data loader, from which its user draws, here or elsewhere."""
    machine.process.facts.makes_loaders = True
    if worker_of(machine, loader) is not None:
        machine.process.facts.identities += 1
        machine.process.facts.waiting.append(Waiting(loader, frame, node))


def start_workers(machine: Machine, loader: Instance, frame: Frame, node: ir.Expression) -> None:
    """Record that something is drawn from a loader, which starts its workers."""
    facts = machine.process.facts
    facts.waiting = [each for each in facts.waiting if each.loader is not loader]
    start = loader.arguments.get("worker_init_fn", NONE)
    confidence = worker_of(machine, loader)
    facts.identities += confidence is not None
    if start != NONE and confidence is not None:
        with machine.in_worker(Worker("the worker_init_fn of a data loader with workers", confidence)):
            machine.call(start, Call([Passed(INT, node, frame.site(node))], frame, node))


def is_process(externals: Sequence[str]) -> bool:
    """Whether a class is a process class."""
    return any(each in _PROCESSES for each in externals)


def call_of_target(target: Instance, call: Call) -> Call:
    """The call of the function that a process or thread executes, by the constructor's arguments."""
    given = target.arguments.get("args", target.arguments.get("3"))
    named = target.arguments.get("kwargs", target.arguments.get("4"))
    passed: list[Passed] = []
    if isinstance(given, Reference) and isinstance(given.target, Container):
        passed += [Passed(each, call.node, call.site) for each in given.target.items]
    if isinstance(named, Reference) and isinstance(named.target, Container):
        passed += [
            Passed(each, call.node, call.site, keyword=key)
            for key, each in named.target.cells.items()
            if isinstance(key, str)
        ]
    return call.passing(passed)


def call_process(machine: Machine, target: Instance, name: str, call: Call) -> Value:
    """`process.start()`: runs the target in its own process, which shares no objects with this one."""
    if name != "start":
        return TOP
    callee = target.arguments.get("target", target.arguments.get("1", NONE))
    if callee == NONE:
        return NONE
    call = call_of_target(target, call)
    machine.store.begin()
    if machine.process.cells[AFRESH] != NONE:
        with machine.in_process(Process(machine.process.facts)):
            machine.call(callee, call)
    elif machine.process.known(STARTED) is not None:
        with machine.in_worker(Worker("the target of a forked process", Confidence.CERTAIN)):
            machine.call(callee, call)
    else:
        with machine.in_process(machine.process.twin()):
            machine.call(callee, call)
    machine.store.end()
    return NONE


def _set_start_method(machine: Machine, call: Call) -> Value:
    method = call.value("method", 0)
    machine.store.write(machine.process, AFRESH, NONE if method == _FORK else TRUE)
    return NONE


def _worker_info(machine: Machine, call: Call) -> Value:
    """`get_worker_info()` is None in the main process."""
    if machine.worker is None:
        return NONE
    return machine.adopt(Instance("torch.utils.data.WorkerInfo", call.site))


WORKERS: dict[str, Handler] = {
    **{f"{package}.set_start_method": _set_start_method for package in _PACKAGES},
    "torch.utils.data.get_worker_info": _worker_info,
}
