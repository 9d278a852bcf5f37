"""Attributes of unknown arguments, which may be any object: `args.gpu`, `batch.x`."""

from __future__ import annotations

from devlint.model import Confidence
from devlint.source.machine.domain.inputs import Input, device_of_parts
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.values import Value
from devlint.source.machine.transfer.interpreter import Interpreter

_OF_TENSORS = frozenset({"data", "grad", "names", "requires_grad"})
"""Attributes of tensors that a program can assign to."""


def attribute_when_passed(owner: Input, name: str, written: str) -> Input:
    """The value that an attribute has before the program assigns to it: one value wherever it is read."""
    if name not in owner.attributes:
        owner.attributes[name] = Input(
            written,
            device_of_parts(owner),
            least_sure(owner.confidence, Confidence.LIKELY) if owner.presumed else Confidence.POSSIBLE,
            owner.origin,
            pinned=owner.pinned,
            born=owner.born,
            presumed=owner.presumed,
        )
        owner.attributes[name].may_be_none = True  # a use of it may stand below a test
    return owner.attributes[name]


def assign(machine: Interpreter, owner: Input, name: str, held: Value) -> None:
    """`owner.name = held`, unless the owner is known to be a tensor."""
    if not owner.evident and name not in _OF_TENSORS:
        before = attribute_when_passed(owner, name, f"{owner.name}.{name}")
        machine.assigned.assign(owner, name, before, held)
