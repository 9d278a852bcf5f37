"""Packed sequences, which recurrent layers take and return (torch/nn/utils/rnn.py)."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import CPU, UNKNOWN, Cause, Kind, Operand, Origin, Transfer, may_be_accelerator
from devlint.operators import find
from devlint.source.machine.domain.lattice import join_all, least_sure
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import FALSE, TOP, Reference, Tensor, Value, changed
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.operators.apply import apply
from devlint.source.machine.operators.operands import operand
from devlint.source.machine.operators.waits import note_wait
from devlint.source.walk import text

PACKED_SEQUENCE = "torch.nn.utils.rnn.PackedSequence"
_SORTED = "enforce_sorted"


def packed_in(held: Value) -> Instance | None:
    """The packed sequence that a value is; None for anything else."""
    target = held.target if isinstance(held, Reference) else None
    return target if isinstance(target, Instance) and target.of == PACKED_SEQUENCE else None


def data_of(packed: Instance) -> Tensor:
    """The elements of all sequences, one after another."""
    return tensor_of(packed.cells.get("data", TOP)) or Tensor(UNKNOWN, rank0=False)


def repacked(machine: Machine, packed: Instance, data: Value) -> Value:
    """Other data of the same sequences, in the same order."""
    made = Instance(PACKED_SEQUENCE, packed.made)
    made.arguments = dict(packed.arguments)
    _fill(made, data)
    return machine.adopt(made)


def with_data(packed: Instance, passed: Sequence[Passed]) -> list[Passed]:
    """The arguments of a recurrent layer, the first of which is a packed sequence."""
    return [each._replace(value=data_of(packed)) if at == 0 else each for at, each in enumerate(passed)]


def repacked_result(machine: Machine, packed: Instance, result: Value) -> Value:
    """The result of a recurrent layer that was called with a packed sequence."""
    if not isinstance(result, Reference) or not isinstance(result.target, Container):
        return result
    data, *states = result.target.items
    return machine.adopt(Container("tuple", [repacked(machine, packed, data), *states]))


def pack_padded(machine: Machine, call: Call) -> Value:
    """`pack_padded_sequence(input, lengths)`: on the device of the input, to which the order of sequences
    goes that are not sorted."""
    operator = find("torch.nn.utils.rnn.pack_padded_sequence")
    assert operator is not None
    apply(machine, call.site, operator, call.passed)
    made = _packed(machine, call, call.value("input", 0))
    lengths, target = call.argument("lengths", 1), data_of(made)
    if _is_unsorted(made) and lengths is not None and may_be_accelerator(target.device):
        sure = least_sure(target.confidence, machine.root_confidence)
        name, device, order = operator.name, target.device, _order(lengths)
        machine.note(
            Transfer(call.site, None, sure, name, order, CPU, device, explicit=False, made_inline=True)
        )
    return Reference(made)


def _order(lengths: Passed) -> Operand:
    """The order of the sequences, which torch computes from their lengths on the host."""
    held = tensor_of(lengths.value)
    if held is not None:
        made = held.origin.made()  # if it was downloaded, its order was not: torch computes it on the host
        origin = Origin(() if made is None else (made,))
        return changed(operand(held, lengths, "lengths"), device=CPU, rank0=False, origin=origin)
    return Operand(text(lengths.expression), lengths.site, CPU, Kind.CONTAINER, parameter="lengths")


def pack(machine: Machine, call: Call) -> Value:
    """`pack_sequence(sequences)`: on the device of the sequences."""
    items = machine.elements(call.first, call.frame, call.node).items
    return Reference(_packed(machine, call, join_all(items) if items else None))


def construct(machine: Machine, call: Call) -> Value:
    """`PackedSequence(data, batch_sizes)`."""
    return Reference(_packed(machine, call, call.value("data", 0)))


def pad(machine: Machine, call: Call) -> Value:
    """`pad_packed_sequence(packed)`: the sequences on the device of the data, their lengths on the host. If
    the sequences are in another order than they were, the host waits for the order."""
    packed = packed_in(call.first)
    if packed is None:
        padded = Tensor(UNKNOWN, rank0=False, serial=new_serial())
    else:
        padded = changed(data_of(packed), rank0=False, shape=None, serial=new_serial())
        if _is_unsorted(packed):
            name = "torch.nn.utils.rnn.pad_packed_sequence"
            note_wait(machine, call.site, name, Cause.HOST_COPY, padded, call.passed[0])
    return machine.adopt(Container("tuple", [padded, Tensor(CPU, rank0=False, serial=new_serial())]))


def _packed(machine: Machine, call: Call, held: Value | None) -> Instance:
    made = Instance(PACKED_SEQUENCE, call.site)
    made.arguments = {each.keyword: each.value for each in call.passed if each.keyword == _SORTED}
    data = (None if held is None else tensor_of(held)) or Tensor(UNKNOWN)
    _fill(made, changed(data, rank0=False, shape=None, serial=new_serial()))
    machine.adopt(made)
    return made


def _fill(made: Instance, data: Value) -> None:
    has_order = _is_unsorted(made) and isinstance(data, Tensor)
    order = changed(data, boolean=False, floating=False, serial=new_serial()) if has_order else TOP
    fields = {
        "data": data,
        "batch_sizes": Tensor(CPU, rank0=False),
        "sorted_indices": order,
        "unsorted_indices": order,
    }
    for position, (name, held) in enumerate(fields.items()):
        made.cells[name] = made.cells[position] = held


def _is_unsorted(packed: Instance) -> bool:
    return packed.arguments.get(_SORTED) == FALSE
