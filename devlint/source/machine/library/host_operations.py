"""Functions outside torch that read their arguments from host memory."""

from __future__ import annotations

from devlint.model import Cause, Confidence, Operation, may_be_accelerator
from devlint.operators import Consumption, find_host_consumer, is_handed_on, is_read_as_number
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import Array, Reference, Scalar, Tensor, Value, alternatives
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.heap.paths import is_known_in_part
from devlint.source.machine.library.transform_arguments import may_be_picture
from devlint.source.machine.operators.operands import is_presumed, operand
from devlint.source.machine.operators.waits import note_wait


def host_operation(machine: Machine, name: str, call: Call, *, sure: bool = True) -> None:
    """Record that a function outside torch receives tensors, if it reads them from host memory."""
    consumer = find_host_consumer(name)
    if consumer is None:
        return
    site = call.site
    for position, each in enumerate(call.passed):
        if is_read_as_number(name, each.keyword) or is_handed_on(name, each.keyword, position):
            continue
        for tensor in _tensors(each.value, nested=consumer.nested):
            if not may_be_accelerator(tensor.device):
                continue
            if consumer.does is Consumption.READS:
                cause = consumer.cause or Cause.HOST_READ
                note_wait(machine, site, name, cause, tensor, each)
                continue
            doubted = not sure or is_presumed(tensor) or is_known_in_part(each.value)
            doubted = doubted or may_be_picture(name, call, each.value)
            doubted = doubted or _is_beside_array(machine, tensor) or _is_among_numbers(each.value)
            whole = Confidence.POSSIBLE if doubted else Confidence.CERTAIN
            confidence = least_sure(
                tensor.confidence, machine.root_confidence, machine.mixture_confidence, whole
            )
            event = Operation(site, None, confidence, name, (operand(tensor, each),))
            machine.note(event, (tensor.source,) if tensor.source is not None else ())


def _is_beside_array(machine: Machine, tensor: Tensor) -> bool:
    """Whether a test has shown that another argument of the same call is no tensor: most likely, this one is
    none either."""
    return any(isinstance(each, Input) and each.device == tensor.device for each in machine.store.on_host)


def _is_among_numbers(held: Value) -> bool:
    """Whether the elements of a sequence are numbers or arrays on other paths."""
    if not isinstance(held, Reference) or not isinstance(held.target, Container):
        return False
    element = held.target.element
    return element is not None and any(isinstance(each, (Array, Scalar)) for each in alternatives(element))


def _tensors(held: Value, *, nested: bool) -> list[Tensor]:
    found = [
        tensor
        for each in alternatives(held)
        if isinstance(each, (Tensor, Input)) and (tensor := tensor_of(each))
    ]
    if nested and isinstance(held, Reference) and isinstance(held.target, Container):
        for each in held.target.cells.values():
            found += _tensors(each, nested=False)
    return found
