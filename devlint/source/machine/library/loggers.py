"""Objects that log values of a run: what they read."""

from __future__ import annotations

from devlint.model import Cause
from devlint.operators import find_host_consumer
from devlint.source.machine.domain.values import Tensor, Value, alternatives
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.library.host_operations import host_operation
from devlint.source.machine.operators.waits import note_wait

_RUN = "wandb.Run"


def note_logged(machine: Machine, logger: Instance, name: str, call: Call) -> None:
    """A method of a run of Weights & Biases, or of a writer for TensorBoard, which reads its second
    argument. Writers of other packages have the same methods."""
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


def _run(machine: Machine, call: Call) -> Value:
    return machine.adopt(Instance(_RUN, call.site))


LOGGERS: dict[str, Handler] = {"wandb.init": _run}
