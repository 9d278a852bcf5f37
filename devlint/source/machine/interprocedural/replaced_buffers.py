"""Buffers that a method of a module replaces by tensors on the host, after the module was moved."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import CPU, UNKNOWN, Confidence, Presumed
from devlint.source.machine.domain.values import Cells, Reference, Tensor, changed
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.operators.evidence import makes


def forward_after(
    machine: AbstractMachine, method: Function, module: Instance, before: Cells
) -> Iterator[Function]:
    """The `forward` of a module on an accelerator one of whose buffers a method has replaced by a tensor on
    the host, while it lies there. `before` is what the module held before the call.

    It is likely that the method is called after the module was moved, if it creates the tensor itself, and
    builds no other parts of the module.
    """
    replaced = {key: held for key, held in module.cells.items() if _is_replaced(before.get(key), held)}
    forward, _ = class_lookup(module.of, "forward")
    if not replaced or not isinstance(forward, Reference) or not isinstance(forward.target, Function):
        return
    builds = any(key not in before for key in module.cells)
    machine.store.begin()
    _forget_others(machine, module, replaced)
    for key, held in replaced.items():
        one = before[key]
        assert isinstance(one, Tensor)
        assert isinstance(held, Tensor)
        made = held.origin.made()
        is_made_here = made is not None and made.implicit and makes(method, made)
        confidence = Confidence.LIKELY if is_made_here and not builds else Confidence.POSSIBLE
        is_vague = held.rank0 is None and one.rank0 is False
        rank0 = Presumed.DIMENSIONS if is_vague else held.rank0  # it takes the place of one with dimensions
        machine.store.write(module, key, changed(held, confidence=confidence, rank0=rank0))
    yield forward.target
    machine.store.end()


def _forget_others(machine: AbstractMachine, module: Instance, replaced: Cells) -> None:
    """Forget the devices of the buffers that methods called before have replaced."""
    for key, held in list(module.cells.items()):
        if not isinstance(held, Tensor) or held.role != "buffer" or key in replaced:
            continue
        if held.confidence is Confidence.POSSIBLE:
            machine.store.write(module, key, changed(held, device=UNKNOWN))


def _is_replaced(before: object, after: object) -> bool:
    """Whether a buffer that was on an accelerator is now on the host, where no move has put it."""
    return (
        isinstance(before, Tensor)
        and isinstance(after, Tensor)
        and before.role == after.role == "buffer"
        and before.device != CPU
        and after.device == CPU
        and not after.origin.was_moved
    )
