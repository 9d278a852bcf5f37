"""Environment variables that affect devices."""

from __future__ import annotations

from devlint.model import Confidence, Setting, SettingKind, SiteId
from devlint.source import ir
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import (
    NONE,
    TOP,
    Known,
    Reference,
    Scalar,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.heap.process import BLOCKING, BLOCKING_SITE, STARTED, VISIBLE
from devlint.source.machine.library.handlers import Handler
from devlint.source.walk import text, walk

ENVIRONMENT = "os.environ"
_OFF = frozenset({"", "0"})


def set_variable(machine: Machine, site: SiteId, key: Value, value_argument: Passed) -> None:
    """`os.environ[key] = given`."""
    if not isinstance(key, Known):
        return
    if key.value == VISIBLE:
        _set_visible(machine, site, value_argument)
    elif key.value == BLOCKING:
        value = value_argument.value if isinstance(value_argument.value, Known) else NONE
        machine.store.write(machine.process, BLOCKING, value)
        machine.store.write(machine.process, BLOCKING_SITE, Known(int(site)))


def _set_visible(machine: Machine, site: SiteId, value_argument: Passed) -> None:
    machine.import_all()  # one of them may have started CUDA
    process = machine.process
    process.facts.chooses_device = True
    value = value_argument.value
    shown = value.value if isinstance(value, Known) and isinstance(value.value, str) else None
    started = process.cells[STARTED]
    if started != NONE:
        kind = SettingKind.VISIBLE_DEVICES_TOO_LATE
        surely = Confidence.LIKELY if isinstance(started, Union) else Confidence.CERTAIN
        confidence = least_sure(surely, _order(machine, started), machine.root_confidence)
        before = process.known(STARTED)
        related = SiteId(before.value) if before is not None and isinstance(before.value, int) else None
        spelled = text(value_argument.expression) if shown is None else shown
        if machine.asks_for(kind):
            process.facts.late.append(Setting(site, None, confidence, kind, spelled, "", related))
    else:
        visible: Value = Known(len(shown.split(","))) if shown else Scalar("int")
        machine.store.write(process, VISIBLE, visible)


def _order(machine: Machine, started: Value) -> Confidence:
    """The confidence that the operation that has started CUDA comes first.

    A hypothesis selects which functions are called, and in which order, so that only the order within one
    function is known.
    """
    function = machine.frame.function
    if not machine.execution.hypothesis or function is None:
        return Confidence.CERTAIN
    nodes = walk((function.node,), into_scopes=True)
    own = {function.file.base + each.id for each in nodes if isinstance(each, ir.CallExpression)}
    sites = {each.value for each in alternatives(started) if isinstance(each, Known)}
    return Confidence.LIKELY if sites & own else Confidence.POSSIBLE


def _start_program(machine: Machine, call: Call) -> Value:
    """`os.system(...)`, `subprocess.run(...)`: devices that were made visible just before are for it."""
    machine.process.facts.late = []
    return machine.presumed(call)


def note_blocking(machine: Machine) -> None:
    """Record a variable that remains set on every path, in every run of the program."""
    if machine.world or not machine.asks_for(SettingKind.LAUNCH_BLOCKING):
        return
    value, site = machine.process.known(BLOCKING), machine.process.known(BLOCKING_SITE)
    if value is None or site is None or value.value in _OFF or not isinstance(site.value, int):
        return
    confidence = machine.root_confidence
    machine.setting(SettingKind.LAUNCH_BLOCKING, SiteId(site.value), str(value.value), confidence=confidence)


def _set(machine: Machine, call: Call) -> Value:
    """`os.environ.setdefault(key, value)`, `os.putenv(key, value)`. The variable is assumed to be unset."""
    if len(call.passed) > 1:
        set_variable(machine, call.site, call.passed[0].value, call.passed[1])
        return call.passed[1].value
    return TOP


def _update(machine: Machine, call: Call) -> Value:
    """`os.environ.update({"CUDA_VISIBLE_DEVICES": "1"})`."""
    for each in call.passed:
        if each.keyword:
            set_variable(machine, call.site, Known(each.keyword), each)
        elif isinstance(each.value, Reference) and isinstance(each.value.target, Container):
            for key, held in each.value.target.cells.items():
                if isinstance(key, str):
                    set_variable(machine, call.site, Known(key), each._replace(value=held))
    return NONE


def is_set(machine: Machine, name: Value) -> bool:
    """Whether the program has certainly set a variable."""
    return name == Known(VISIBLE) and NONE not in alternatives(machine.process.cells[VISIBLE])


def unset(machine: Machine, name: Value) -> None:
    """`del os.environ[name]`."""
    if name == Known(VISIBLE):
        machine.store.write(machine.process, VISIBLE, NONE)


def _remove(machine: Machine, call: Call) -> Value:
    """`os.environ.pop(name)`, `os.environ.clear()`."""
    unset(machine, call.first if call.passed else Known(VISIBLE))
    return TOP


_STARTERS = (
    *(f"subprocess.{name}" for name in ("Popen", "call", "check_call", "check_output", "run")),
    *(
        f"os.{name}"
        for name in ("execv", "execve", "execvp", "execvpe", "popen", "spawnv", "spawnve", "system")
    ),
)
"""Functions that start a program, which inherits the environment."""

ENVIRONMENT_CALLS: dict[str, Handler] = {
    **dict.fromkeys(_STARTERS, _start_program),
    "os.environ.clear": _remove,
    "os.environ.pop": _remove,
    "os.environ.setdefault": _set,
    "os.putenv": _set,
    "os.environ.__setitem__": _set,
    "os.environ.update": _update,
}
