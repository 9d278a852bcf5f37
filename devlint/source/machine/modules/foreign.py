"""Modules of other libraries, whose code is not read: what they take and return."""

from __future__ import annotations

from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.values import Tensor, Value
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.modules.construction import layer_name
from devlint.source.machine.modules.layers import UNKNOWN_MODULE


def returned_by_module(machine: Machine, call: Call) -> Value:
    """The result of a call or method of an unknown module: most likely on the device of the tensors that it
    is given."""
    returned = machine.presumed(call)
    if isinstance(returned, Input):
        returned.presumed, returned.evident = False, True
    return returned


def returned_by_part(machine: Machine, call: Call) -> Value:
    """The result of what a module was given and calls. With a tensor as an argument, that is most likely a
    module too, which returns no number. Whether it returns a tensor, or an object that holds some, is seen
    from its use."""
    returned = machine.presumed(call)
    if isinstance(returned, Input) and any(map(_is_tensor, call.values)):
        returned.presumed, returned.of_forward, returned.has_dimensions = False, True, True
    return returned


def _is_tensor(held: Value) -> bool:
    if isinstance(held, Input):
        return any(each.evident for each in bases(held))
    return isinstance(held, Tensor)


def is_moved_object(module: Instance, held: Value) -> bool:
    """Whether an argument is most likely an object, such as a graph, that a statement has moved in place: the
    program reads attributes that tensors do not have. Torch's own layers take tensors only."""
    if not isinstance(held, Input) or held.moved_in_place is None or not held.attributes:
        return False
    return module.of == UNKNOWN_MODULE or not layer_name(module).startswith("torch.")


def returns_object(layer: Instance, state: Tensor) -> bool:
    """Whether a model returns an object that holds tensors, as those of transformers do."""
    first = state.origin.first
    is_unknown = layer.of == UNKNOWN_MODULE or not isinstance(layer.of, str)
    return is_unknown and first is not None and first.operator.startswith("transformers.")
