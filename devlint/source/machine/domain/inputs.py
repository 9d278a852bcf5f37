"""Values derived from an input of a hypothesis: its elements, and the input after tests of its type."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from devlint.model.confidence import Confidence
from devlint.model.device import Device
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import Input, new_serial


def twin(held: Input) -> Input:
    """The input after a test that it is a tensor. Its uses there are no evidence that it is one."""
    made = Input(
        held.name,
        held.device,
        held.confidence,
        held.origin,
        evident=held.evident,
        pinned=held.pinned,
        born=held.born,
        presumed=held.presumed,
        boolean=held.boolean,
    )
    made.holds_tensors, made.asked, made.of_forward = held.holds_tensors, held.asked, held.of_forward
    made.may_be_none, made.whole = False, held.whole
    made.has_dimensions = held.has_dimensions
    made.basis = held
    return made


def computed(held: Input) -> Input:
    """The result of a computation on an input: if the input is a tensor, another tensor on its device."""
    made = twin(held)
    made.pinned, made.boolean, made.holds_tensors = None, None, False
    made.computed_with = True
    return made


def placed(held: Input, device: Device, confidence: Confidence, born: Loop | None) -> Input:
    """The input after a move to a device, within a loop."""
    made = twin(held)
    made.device, made.confidence, made.pinned, made.born = device, confidence, None, born
    made.has_device = held.has_device
    return made


def device_of_parts(held: Input) -> Device:
    """The device of what an input holds or returns, if the input is no tensor: a module is moved in place."""
    return held.device if held.moved_in_place is None else held.moved_in_place


def of_input(held: Input, born: Loop | None) -> Input:
    """An element of an input, drawn in a loop."""
    element = twin(held)
    element.basis, element.has_dimensions = None, False
    element.device = device_of_parts(held)
    element.evident = held.evident or held.holds_tensors
    element.has_device = held.has_device and held.presumed  # the parts of a moved module are modules
    element.born, element.may_be_none, element.whole = born, None, held
    return element


def same_again(held: Input) -> Input:
    """Another input of which the same is known so far."""
    made = copy(held)
    made.basis = None
    made.number = new_serial()
    return made


def born_in(held: Input, loop: Loop | None) -> Input:
    """The same input, used in another loop."""
    made = of_input(held, loop)
    made.whole = held.whole
    made.device, made.moved_in_place = held.device, held.moved_in_place
    made.part, made.refuted, made.moved = held.part, held.refuted, held.moved
    made.may_be_none = held.may_be_none
    return made


def container(held: Input) -> Input:
    """The input after a test that it is a container."""
    made = twin(held)
    made.evident, made.refuted, made.sized = False, True, True
    made.moved_in_place = held.moved_in_place
    return made


def bases(held: Input) -> Iterator[Input]:
    """An input, and those that are tensors exactly if it is one."""
    each: Input | None = held
    while each is not None:
        yield each
        each = each.basis


def whole(held: Input) -> Input:
    """The input after a test that it is no tensor: it may contain some."""
    if held.refuted:
        return held
    made = twin(held)
    made.evident, made.refuted, made.moved_in_place = False, True, held.moved_in_place
    made.may_be_none = held.may_be_none
    return made


def note_moved(held: Input) -> None:
    """Record that the program moves an input, and so an element of others, to a device that it names."""
    held.moved = True
    if held.whole is not None:
        note_moved(held.whole)


def need_not_be_there(held: Input) -> bool:
    """Whether the program moves an input, or another element of what it is an element of: both were in one
    place."""
    return held.moved or (held.whole is not None and need_not_be_there(held.whole))
