"""Choices of a device by an unknown condition: `"cuda" if config["gpu"] else "cpu"`.

The accelerator is chosen: if the host were, all values of the program would be on the host, and nothing would
be copied. So it is if the other outcome leaves the device to a setting that is not known, as in `if name ==
"auto": name = "cuda" if torch.cuda.is_available() else "cpu"`. A choice holds for the whole run: an equal
test has the same outcome. A choice in a loop does if it reads nothing that the loop may change.
"""

from __future__ import annotations

from devlint.model import CPU, Confidence, is_accelerator
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import (
    AcceleratorName,
    DeviceValue,
    Known,
    Method,
    Top,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.store import Changes
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.paths import outcomes, reads_only_arguments


def chosen_value(
    machine: Interpreter, test: ir.Expression, then: Value, orelse: Value, frame: Frame
) -> Value | None:
    """The accelerator, if one outcome of a test yields it and the other one the host; else None."""
    if machine.execution.loop is not None:
        return None
    for one, other, taken in ((then, orelse, True), (orelse, then, False)):
        chosen = _accelerator_against_host(one, other) or _accelerator_for_unknown(other, one)
        if chosen is not None:
            _note(machine, test, frame, taken=taken)
            return chosen
    return None


def chosen_path(
    machine: Interpreter, test: ir.Expression, then: Changes, orelse: Changes, frame: Frame
) -> Changes | None:
    """The path on which a cell holds an accelerator while it holds the host on the other path, or that moves
    what a library has made, such as a model, to an accelerator; else None."""
    if machine.execution.loop is not None and not reads_only_arguments(machine, test, frame):
        return None
    for one, other, taken in ((then, orelse, True), (orelse, then, False)):
        chosen = {
            place: (target, key, before, device)
            for place, (target, key, before, after) in one.items()
            if (device := _accelerator_instead(place, before, after, other)) is not None
        }
        moved = any(_is_moved(*each[2:]) for place, each in one.items() if place not in other)
        if chosen or moved:
            _note(machine, test, frame, taken=taken)
            one.update(chosen)
            return one
    return None


def _accelerator_instead(
    place: tuple[int, object], before: Value | None, after: Value | None, other: Changes
) -> DeviceValue | None:
    """The device that a cell names on one path, where it names the host, or nothing known, on the other."""
    if place in other:
        return _accelerator_against_host(after, other[place][3])
    return _accelerator_for_unknown(before, after)


def _accelerator_for_unknown(before: Value | None, after: Value | None) -> DeviceValue | None:
    """The accelerator that a program selects because there is one, in place of an unknown setting."""
    if not isinstance(after, AcceleratorName) or not isinstance(before, (Top, Method)):
        return None
    named = device_named(after)
    return None if named is None else changed(named, confidence=Confidence.LIKELY, is_string=True)


def _accelerator_against_host(one: Value | None, other: Value | None) -> DeviceValue | None:
    """The device that the first value names, if it is an accelerator and the second value names the host."""
    named, host = (None if each is None else device_named(each) for each in (one, other))
    if named is None or host is None or host.device != CPU or not is_accelerator(named.device):
        return None
    sure = least_sure(named.confidence, Confidence.LIKELY)
    is_string = named.is_string or (isinstance(one, Known) and isinstance(one.value, str))
    return changed(named, confidence=sure, is_string=is_string)


def _is_moved(before: Value | None, after: Value | None) -> bool:
    """Whether an unknown value is moved to an accelerator that the program names."""
    if before is None or after is None:
        return False
    known = alternatives(before)
    is_unknown = any(
        isinstance(each, Top) or (isinstance(each, Input) and not each.evident) for each in known
    )
    return is_unknown and any(
        isinstance(each, Input) and is_accelerator(each.device) and each not in known
        for each in alternatives(after)
    )


def _note(machine: Interpreter, test: ir.Expression, frame: Frame, *, taken: bool) -> None:
    """Record that a test has this outcome from here on."""
    machine.chosen.update(outcomes(machine, test, frame)[0 if taken else 1])
