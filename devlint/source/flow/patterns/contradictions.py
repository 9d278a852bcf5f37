"""Operations that cannot both be right: a tensor is wanted on the host here, and beside the inputs there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from devlint.model import Device, Operand, Operation
from devlint.operators import DeviceRule, find
from devlint.source.flow.evidence.given import is_given


def contradictions(operations: Sequence[Operation]) -> Iterator[Operation]:
    """The operations that want a tensor on the host which another one finds on the device of the inputs.

    `pack_padded_sequence(x, lengths)` needs lengths on the host, `positions < lengths[:, None]` needs them
    where `positions` are. Wherever the caller puts them, one of the two raises on an accelerator.
    """
    for operation in operations:
        for wanted in operation.operands:
            if is_given(wanted.device) and _is_for_host(operation, wanted):
                others = {each.device for each in operation.operands if each.device != wanted.device}
                if any(_meets(other, wanted.device, others) for other in operations):
                    place = next(device for device in others if is_given(device))
                    moved = replace(wanted, device=place)
                    operands = tuple(moved if each is wanted else each for each in operation.operands)
                    yield replace(operation, operands=operands)


def _is_for_host(operation: Operation, operand: Operand) -> bool:
    operator = find(operation.operator)
    return operator is not None and any(
        argument.host and argument.name == operand.parameter for argument in operator.arguments
    )


_ON_ONE_DEVICE = frozenset({DeviceRule.SAME, DeviceRule.SAME_OR_0_DIM_HOST})


def _meets(operation: Operation, device: Device, others: set[Device]) -> bool:
    """Whether an operation has a tensor with dimensions from one device beside those from the others."""
    operator = find(operation.operator)
    if operator is None or operator.rule not in _ON_ONE_DEVICE or any(a.host for a in operator.arguments):
        return False
    mine = [each for each in operation.operands if each.device == device and each.rank0 is False]
    return bool(mine) and any(is_given(each.device) and each.device in others for each in operation.operands)
