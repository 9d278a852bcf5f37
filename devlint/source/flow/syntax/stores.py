"""What it does to assign to an attribute, to an index, or to the data of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from devlint.model import UNKNOWN
from devlint.operators import find
from devlint.source import ir
from devlint.source.flow.calls import calls, settings
from devlint.source.flow.modules import moved_modules
from devlint.source.flow.modules.new_modules import lies_nowhere
from devlint.source.flow.operators import operations
from devlint.source.flow.operators.binding import as_indices
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import (
    PARAMETER_MAKERS,
    TOP,
    Alternatives,
    Array,
    Batch,
    Container,
    External,
    Method,
    Module,
    Tensor,
    Top,
    Value,
)
from devlint.source.flow.syntax import attributes
from devlint.source.flow.syntax.elements import with_item
from devlint.source.walk import path


def replace_data(frame: Frame, target: ir.Attribute, owner: Tensor, value: Tensor) -> None:
    """`x.data = value`: `x` is where the value is, and is a parameter if it was one."""
    last, origin = owner.origin.last, value.origin
    if last is not None and last.operator in PARAMETER_MAKERS:
        origin = origin.then(replace(last, device=value.device))
    replaced = replace(owner, device=value.device, origin=origin, untouched=False)
    frame.bind(path(target.value), replaced)


def change_part(frame: Frame, target: ir.Attribute, value: Value) -> None:
    """`net.head = value`, `cell.weight.data = value`: a module around that has a part elsewhere now has no
    one device."""
    owner = target.value
    while path(owner):
        held = frame.look_up(path(owner))
        part = (
            attributes.attribute(frame, target, held)
            if owner is target.value and isinstance(held, Module)
            else TOP
        )
        if may_lie_apart(
            held, value, replaces_state=target.name == "data" or isinstance(part, Tensor | Module)
        ):
            moved_modules.take_apart(frame, owner, held)
        if not isinstance(owner, ir.Attribute):
            return
        owner = owner.value


def may_lie_apart(whole: Value, part: Value, *, replaces_state: bool) -> bool:
    """Whether a part that is put into a module may be on another device. What is not known to be a tensor or
    a module counts where it takes the place of one."""
    device = whole.device if isinstance(whole, Module) else UNKNOWN
    match part:
        case Tensor(evident=True) | Module():
            return part.device != device and not (isinstance(part, Module) and lies_nowhere(part))
        case Top() | Tensor() | Alternatives() | Method():
            return replaces_state or (isinstance(whole, Module) and whole.info is None)
        case _:
            return False


def store(
    frame: Frame, target: ir.Subscript, holder: Value, indices: Sequence[Passed], stored: Passed
) -> None:
    """`holder[index] = value`."""
    if isinstance(holder, External) and holder.name == settings.ENVIRONMENT and indices:
        settings.note_environment(frame, target.id, indices[0].value, stored.value)
    elif isinstance(holder, Tensor | Alternatives):
        operator = find("torch.Tensor.__setitem__")
        if operator is not None:
            written = Passed(stored.value, target, "value")
            operations.apply(
                frame,
                target.id,
                operator,
                [Passed(holder, target.value), *as_indices(list(indices)), written],
            )
    elif isinstance(holder, Container):
        name = path(target.value)
        key = indices[0].value if len(indices) == 1 else TOP
        if name:
            frame.rebind(name, with_item(holder, key, stored.value))
    elif isinstance(holder, Array):
        if isinstance(stored.value, Tensor) and stored.value.rank0 is False:
            calls.note_host_consumer(frame, target.id, f"{holder.type}.__setitem__", [stored])
    elif isinstance(holder, Batch) and path(target.value):
        # What else it holds is not known, so neither is what is still where the loader put it.
        frame.bind(path(target.value), TOP)
