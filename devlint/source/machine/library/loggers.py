"""Objects and functions that log values of a run: what they read."""

from __future__ import annotations

from functools import partial

from devlint.model import Cause
from devlint.operators import find_host_consumer
from devlint.source.machine.domain.values import NONE, External, Known, Tensor, Value, alternatives
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library.formatting import formatted
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.library.host_operations import host_operation
from devlint.source.machine.operators.waits import note_wait

_RUN = "wandb.Run"
_LOGGER = "logging.Logger"
_LEVELS = {
    "debug": 10, "info": 20, "warn": 30, "warning": 30, "error": 40, "exception": 40, "critical": 50,
    "fatal": 50,
}  # fmt: skip
"""The methods of loggers, with the levels of their messages (logging/__init__.py)."""


def note_logged(machine: Machine, logger: Instance, name: str, call: Call) -> None:
    """A method of a logger, of a run of Weights & Biases, or of a writer for TensorBoard, which reads its
    second argument. Writers of other packages have the same methods."""
    if logger.class_name == _LOGGER:
        _note_message(machine, name, call)
        return
    if logger.class_name == _RUN:
        host_operation(machine, f"wandb.{name}", call)
        return
    operator = f"torch.utils.tensorboard.SummaryWriter.{name}"
    consumer = find_host_consumer(operator)
    if consumer is None and name != "log_metric":
        return
    cause = (None if consumer is None else consumer.cause) or Cause.HOST_READ
    for each in call.passed[1:2]:
        for value in alternatives(each.value):
            if isinstance(value, Tensor):
                note_wait(machine, each.site, operator, cause, value, each)


def _note_message(machine: Machine, name: str, call: Call) -> None:
    """`log.info("loss %.3f", loss)`, which formats its arguments if the message is written."""
    if name == "setLevel":
        _set_level(machine, call)
    elif _LEVELS.get(name, 0) >= machine.process.facts.log_level:
        _format(machine, call)


def _format(machine: Machine, call: Call) -> None:
    for each in call.passed:
        if not each.keyword:
            formatted(machine, each.value, each)


def _set_level(machine: Machine, call: Call) -> Value:
    """`logging.basicConfig(level=logging.INFO)`, `logger.setLevel("DEBUG")`. The lowest level counts for all
    loggers: a program raises that of others."""
    facts = machine.process.facts
    match call.value("level", 0):
        case Known(value=int(level)) if level:
            found = level
        case Known(value=str(name)) | External(name=name):
            found = _LEVELS.get(name.rpartition(".")[2].lower(), facts.log_level)
        case _:
            return NONE
    facts.log_level = min(facts.log_level, found)
    return NONE


def _of_logging(name: str, machine: Machine, call: Call) -> Value:
    """`logging.info("loss %.3f", loss)`."""
    _note_message(machine, name, call)
    return NONE


def _of_loguru(machine: Machine, call: Call) -> Value:
    """`logger.info("loss {}", loss)` of loguru, which writes messages from `debug` on."""
    _format(machine, call)
    return NONE


def _made(kind: str, machine: Machine, call: Call) -> Value:
    return machine.adopt(Instance(kind, call.site))


LOGGERS: dict[str, Handler] = {
    "wandb.init": partial(_made, _RUN),
    "logging.getLogger": partial(_made, _LOGGER),
    "logging.basicConfig": _set_level,
    **{f"logging.{name}": partial(_of_logging, name) for name in _LEVELS},
    **dict.fromkeys((f"loguru.logger.{name}" for name in (*_LEVELS, "success")), _of_loguru),
}
