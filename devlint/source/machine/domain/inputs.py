"""Inputs of hypotheses, and what is derived from them: elements, and inputs after tests of their type."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from devlint.model.confidence import Confidence
from devlint.model.device import Device
from devlint.model.origin import NOWHERE, Origin
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.serials import new_serial


class Input:
    """A value that a hypothesis provides. If it is a tensor, or contains tensors, they are on `device`.

    It has identity, because any use of it may show whether it is a tensor.
    """

    __slots__ = (
        "argument", "asked", "attributes", "basis", "boolean", "born", "computed_with", "confidence",
        "device", "entries", "evident", "given_to", "has_device", "has_dimensions", "holds_tensors",
        "loaded", "may_be_none", "met_tensor", "moved", "moved_in_place", "name", "number", "of_forward",
        "origin", "part", "pinned", "presumed", "refuted", "sized", "whole",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        device: Device,
        confidence: Confidence,
        origin: Origin = NOWHERE,
        *,
        evident: bool = False,
        pinned: bool | None = None,
        born: Loop | None = None,
        presumed: bool = False,
        boolean: bool | None = None,
    ) -> None:
        self.name, self.number = name, new_serial()
        """The order of creation, shared with objects and tensors."""
        self.device, self.confidence, self.origin = device, confidence, origin
        self.evident = evident
        """Whether some use shows that it is a tensor."""
        self.refuted = False
        """Whether some use shows that it is no tensor."""
        self.sized = False
        """Whether a test shows that it is a list, a tuple or another container."""
        self.pinned, self.born = pinned, born
        self.presumed = presumed
        """Whether an unknown callable returned it: sufficient evidence for a wait, not for a mismatch."""
        self.boolean = boolean
        """Whether a comparison returned it: a tensor of truth values, or one truth value."""
        self.holds_tensors = False
        """Whether its annotation says that all its elements are tensors."""
        self.part = False
        """Whether it is a named part of an input: it may be a tensor and is no module."""
        self.moved = False
        """Whether the program moves it, or a value computed from it, to a device that it names: it need not
        have been there before."""
        self.whole: Input | None = None
        """The input of which it is an element, if it is one."""
        self.moved_in_place: Device | None = None
        """Its device if it is no tensor: a statement moves it and discards the result that a tensor's move
        returns."""
        self.has_device = False
        """Whether the program asks for its device, which models and other objects have too."""
        self.given_to: object = None
        """The identity of the function that a hypothesis gives it to."""
        self.may_be_none: bool | None = None
        """Whether the program tests whether it is None before it uses it; False if it is used before that."""
        self.basis: Input | None = None
        """The input of which it was made, and which is a tensor exactly if this one is."""
        self.argument: Input | None = None
        """The input of which this one is what a test has left: the same object."""
        self.asked = False
        """Whether a test distinguishes it from values that are no tensors."""
        self.of_forward = False
        """Whether it is an argument of a module's forward or step, which is seldom a number."""
        self.computed_with = False
        """Whether it was an operand of arithmetic, which numbers and arrays can be too."""
        self.has_dimensions = False
        """Whether the program reads its shape, or indexes several of its dimensions: it is no number."""
        self.loaded = False
        """Whether the program has read it from a file, where a number is hardly kept by itself, or read what
        holds it."""
        self.entries: dict[object, Input] = {}
        """If it stands for what a mapping holds: the entries that were read by their keys."""
        self.attributes: dict[str, Input] = {}
        """The attributes that were read: `args.gpu` is the same wherever it is read."""
        self.met_tensor = False
        """Whether it was an operand of arithmetic with a tensor, which arrays seldom are."""

    def show_tensor(self) -> None:
        """Count it as a tensor if the program asks for its device and computes with it, or computes with it
        and another tensor, and it is no number."""
        shown = (self.has_device and self.computed_with) or (self.has_dimensions and self.met_tensor)
        if shown and not self.refuted:
            self.evident = True

    def show_number(self) -> None:
        """Count it as a number or several, unless the program uses it as a tensor."""
        for each in bases(self):
            used = each.evident or each.has_device or each.has_dimensions or each.asked or each.presumed
            if used or each.holds_tensors:
                return
            each.refuted = True

    def __repr__(self) -> str:
        return f"Input({self.name!r}, {self.device!r})"


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
    made.has_dimensions, made.loaded = held.has_dimensions, held.loaded
    made.basis = held
    made.argument = held.argument or held
    return made


def computed(held: Input) -> Input:
    """The result of a computation on an input: if the input is a tensor, another tensor on its device."""
    made = twin(held)
    made.argument = None
    made.pinned, made.boolean, made.holds_tensors = None, None, False
    made.computed_with = True
    return made


def placed(held: Input, device: Device, confidence: Confidence, born: Loop | None) -> Input:
    """The input after a move to a device, within a loop."""
    made = twin(held)
    made.argument = None
    made.device, made.confidence, made.pinned, made.born = device, confidence, None, born
    made.has_device = held.has_device
    return made


def device_of_parts(held: Input) -> Device:
    """The device of what an input holds or returns, if the input is no tensor: a module is moved in place."""
    return held.device if held.moved_in_place is None else held.moved_in_place


def of_input(held: Input, born: Loop | None) -> Input:
    """An element of an input, drawn in a loop."""
    element = twin(held)
    element.argument = element.basis = None
    element.has_dimensions = False
    element.device = device_of_parts(held)
    element.evident = held.evident or held.holds_tensors
    element.has_device = held.has_device and held.presumed  # the parts of a moved module are modules
    element.born, element.may_be_none, element.whole = born, None, held
    return element


def one_of_many(held: Input, born: Loop | None) -> Input:
    """An element of an input that a loop draws, or that has a key which the program computes: one of many
    alike. What files hold of these is hardly numbers."""
    element = of_input(held, born)
    element.has_dimensions = held.loaded
    return element


def same_again(held: Input) -> Input:
    """Another input of which the same is known so far."""
    made = copy(held)
    made.argument = made.basis = None
    made.entries, made.attributes = {}, {}
    made.number = new_serial()
    return made


def born_in(held: Input, loop: Loop | None) -> Input:
    """The same input, used in another loop."""
    made = of_input(held, loop)
    made.argument = held.argument or held
    made.whole, made.has_dimensions = held.whole, held.has_dimensions
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
