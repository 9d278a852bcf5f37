"""Calls of what is imported from outside the project, by canonical name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from devlint.model import Cause, Operation, may_be_accelerator
from devlint.operators import Consumption, find, find_host_consumer, is_read_as_number
from devlint.source import ir
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import (
    ARRAY,
    TOP,
    Input,
    Reference,
    Tensor,
    Value,
    alternatives,
    tensor_of,
)
from devlint.source.machine.heap.machine import Frame, Machine, Passed
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library import data, distributions
from devlint.source.machine.library.distributed import DISTRIBUTED
from devlint.source.machine.library.environment import ENVIRONMENT_CALLS
from devlint.source.machine.library.python_builtins import BUILTINS
from devlint.source.machine.library.standard import STANDARD
from devlint.source.machine.library.starts import STARTS, note_start
from devlint.source.machine.library.torch_functions import TORCH
from devlint.source.machine.library.workers import WORKERS
from devlint.source.machine.modules.calls import WRAPPERS, make_layer
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.operands import operand
from devlint.source.machine.operators.waits import note_wait

HANDLERS = {**BUILTINS, **STANDARD, **TORCH, **ENVIRONMENT_CALLS, **WORKERS, **DISTRIBUTED}
_CLASS = re.compile(r"(?:.*\.)?[A-Z]\w*[a-z]\w*$|torch\.(?:optim|utils|cuda|amp)\.(?:.*\.)?[A-Z]\w*$")
_PRETRAINED = re.compile(r"transformers\.(AutoModel\w*|\w+(Model|For[A-Z]\w+))\.from_pretrained$")
_PREPROCESSOR = re.compile(
    r"transformers\.(\w+\.)*\w*(Tokenizer|TokenizerFast|Processor|FeatureExtractor)\.from_pretrained$"
)


def call_external(
    machine: Machine, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    """The result of calling something by its canonical name."""
    if name in STARTS:
        note_start(machine, name, frame.site(node))
    handler = HANDLERS.get(name)
    if handler is not None:
        return handler(machine, passed, frame, node)
    if name.startswith(distributions.PREFIX) and _CLASS.match(name):
        return distributions.make(machine, name, passed, frame, node)
    operator = find(name)
    if operator is not None:
        return apply(machine, frame.site(node), operator, passed)
    if name.startswith("torch."):
        return _of_torch(machine, name, passed, frame, node)
    if data.is_loader((name,)) or data.is_dataset((name,)):
        return data.make(machine, name, passed, frame, node)
    consumer = find_host_consumer(name)
    if consumer is not None:
        host_operation(machine, name, passed, frame, node)
        return ARRAY if name.startswith(("numpy.", "pandas.", "scipy.")) else TOP
    if name.startswith("numpy."):
        return ARRAY
    return _of_others(machine, name, passed, frame, node)


def _of_torch(
    machine: Machine, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    if name in WRAPPERS or is_module_class(name):
        return make_layer(machine, name, passed, frame.site(node))
    if data.is_loader((name,)) or data.is_dataset((name,)):
        return data.make(machine, name, passed, frame, node)
    if _CLASS.match(name) or name in ("torch.no_grad", "torch.enable_grad", "torch.inference_mode"):
        return _object(machine, name, passed, frame, node)
    return machine.presumed(passed, node)


def _object(
    machine: Machine, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    made = Instance(name, frame.site(node))
    for at, each in enumerate(passed):
        made.arguments[each.keyword or str(at)] = each.value
    return machine.adopt(made)


def _of_others(
    machine: Machine, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    if _PRETRAINED.match(name):
        return _pretrained(machine, name, passed, frame, node)
    if _PREPROCESSOR.match(name):
        return _object(machine, name.rpartition(".")[0], [], frame, node)
    if is_module_class(name):
        return make_layer(machine, name, passed, frame.site(node))
    if _CLASS.match(name):
        return _object(machine, name, passed, frame, node)
    return machine.presumed(passed, node)


_PLACES_MODEL = frozenset(
    {"device_map", "quantization_config", "load_in_8bit", "load_in_4bit", "max_memory", "tp_plan"}
)


def _pretrained(
    machine: Machine, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> Value:
    """A model of Transformers is made on the host unless it is told otherwise."""
    if any(each.keyword in _PLACES_MODEL or each.stars == 2 for each in passed):
        return TOP
    return machine.pretrained(name.rpartition(".")[0], frame.site(node))


def host_operation(
    machine: Machine, name: str, passed: Sequence[Passed], frame: Frame, node: ir.Expression
) -> None:
    """Note that something outside torch is given tensors, which it reads from host memory."""
    consumer = find_host_consumer(name)
    if consumer is None:
        return
    site = frame.site(node)
    for each in passed:
        if is_read_as_number(name, each.keyword):
            continue
        for tensor in _tensors(each.value, nested=consumer.nested):
            if not may_be_accelerator(tensor.device):
                continue
            if consumer.does is Consumption.READS:
                cause = consumer.cause or Cause.HOST_READ
                note_wait(machine, site, name, cause, tensor, each)
                continue
            confidence = least_sure(tensor.confidence, machine.root_confidence)
            event = Operation(site, None, confidence, name, (operand(tensor, each),))
            machine.note(event, (tensor.source,) if tensor.source is not None else ())


def _tensors(held: Value, *, nested: bool) -> list[Tensor]:
    found = [
        tensor
        for each in alternatives(held)
        if isinstance(each, Tensor | Input) and (tensor := tensor_of(each))
    ]
    if nested and isinstance(held, Reference) and isinstance(held.target, Container):
        for each in held.target.cells.values():
            found += _tensors(each, nested=False)
    return found
