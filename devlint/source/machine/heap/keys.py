"""Keys of dicts: the cell of each, and whether two may be equal."""

from __future__ import annotations

from devlint.model import CPU, UNKNOWN, Concrete, Device, Symbol, is_accelerator, parse_device
from devlint.source.machine.domain.dict_keys import KeyOf
from devlint.source.machine.domain.entries import entry_of
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import (
    STRING,
    DeviceValue,
    External,
    Known,
    Reference,
    Scalar,
    Value,
)
from devlint.source.machine.heap.objects import ELEMENT, Container


def key_of(held: Value) -> object:
    """The cell of a dict for a key; `ELEMENT` if the key is not known.

    The key of a device does not depend on how the program got the device. An input equals only itself. Texts
    of which only the devices that they name are known have one cell for equal devices.
    """
    match held:
        case Known(value=value):
            return value
        case DeviceValue(device=device, is_string=False) if device != UNKNOWN:
            return DeviceValue(device, numbered=has_ordinal(held) and _lacks_ordinal(device))
        case DeviceValue(device=Concrete() as place, is_string=True, names_dtype=False):
            is_spelled = place.index is not None or place == CPU or not has_ordinal(held)
            return str(place) if is_spelled else Scalar("str", names=(place,))
        case Scalar(names=(_, *_) as names):
            return Scalar("str", names=names)
        case Input() | External():
            return held
        case Reference(target=Container(kind="tuple", exact=True) as several) if several.length:
            parts = tuple(_part_of_key(each) for each in several.items)
            return ELEMENT if ELEMENT in parts else parts
        case _:
            return ELEMENT


def _part_of_key(held: Value) -> object:
    """The part of a cell's name for one item of a tuple that is a key."""
    return ELEMENT if isinstance(held, Input) else key_of(held)


def is_one_key(cell: object) -> bool:
    """Whether a cell is for one key of a dict, and not for several of which little is known."""
    if isinstance(cell, tuple):
        return all(isinstance(each, External) or is_one_key(each) for each in cell)
    return cell != ELEMENT and not isinstance(cell, (Scalar, External))


def names_device(key: object) -> bool:
    """Whether a cell's key is a device, or a tuple of a device and something else, such as a dtype."""
    if isinstance(key, tuple):
        return any(map(names_device, key))
    return isinstance(key, (DeviceValue, Scalar)) or (isinstance(key, str) and parse_device(key) is not None)


def value_of_key(key: object) -> Value:
    """The key of a cell of a dict."""
    if isinstance(key, (DeviceValue, External, Input, Scalar)):
        return key
    if isinstance(key, tuple):
        return Reference(Container("tuple", [value_of_key(part) for part in key]))
    return Known(key) if isinstance(key, (str, int, float)) and key != ELEMENT else STRING


def texts_of(held: Container) -> list[str]:
    """The known keys of a dict, or the elements of another container, that are texts."""
    values = (
        held.keys if held.kind == "dict" else [each.value for each in held.items if isinstance(each, Known)]
    )
    return [each for each in values if isinstance(each, str)]


def any_key(held: Container) -> Value:
    """A key of a dict whose keys are not all known, as iteration yields it."""
    return KeyOf("str", of=frozenset({held}))


def under_key(held: Container, key: Value) -> Value | None:
    """The value that a dict may have for a key; None if it has none."""
    cell = key_of(key)
    if is_one_key(cell) and cell in held.cells:
        return held.cells[cell]
    found = [
        entry_of(each, cell) if other == ELEMENT and isinstance(cell, str) else each
        for other, each in held.cells.items()
        if same_key(cell, other) is not False
    ]
    return join_all(found) if found else None


def same_key(one: object, other: object) -> bool | None:
    """Whether two cells are for one key; None if that is not known."""
    if ELEMENT in (one, other):
        return None
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        answers = {same_key(*pair) for pair in zip(one, other, strict=True)}
        return False if False in answers else None if None in answers else True
    if isinstance(one, DeviceValue) and isinstance(other, DeviceValue):
        return _same_device(one, other)
    if isinstance(one, Input) or isinstance(other, Input):
        return True if one is other else None
    if isinstance(one, External) or isinstance(other, External):
        return True if one == other else None
    if isinstance(one, Scalar) or isinstance(other, Scalar):
        return None if _may_be_equal(one, other) else False
    return one == other


def _may_be_equal(one: object, other: object) -> bool:
    """Whether two keys, one of which is a text of which only the devices are known that it names, may be
    equal."""
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        pairs = zip(one.names, other.names, strict=False)
        return len(one.names) != len(other.names) or all(same_place(*pair) is not False for pair in pairs)
    text, named = (one, other) if isinstance(other, Scalar) else (other, one)
    assert isinstance(named, Scalar)
    return isinstance(text, str) and all(each.type in text for each in named.names)


def _same_device(one: DeviceValue, other: DeviceValue) -> bool | None:
    """Whether two devices are equal; None if that is not known."""
    if has_ordinal(one) is not has_ordinal(other):
        plain, full = (one, other) if has_ordinal(other) else (other, one)
        if never_equal(plain, full):
            return False
    return same_place(one.device, other.device)


def has_ordinal(device: DeviceValue) -> bool:
    """Whether it is known to have an ordinal on an accelerator, be the ordinal known or not."""
    return device.of_tensor or device.numbered or device.any_ordinal


def never_equal(plain: DeviceValue, full: DeviceValue) -> bool:
    """Whether the first is an accelerator without an ordinal, which no tensor has, and the second is the
    device of a tensor that may be on that accelerator."""
    device, other = plain.device, full.device
    if not isinstance(device, Concrete) or not _lacks_ordinal(device):
        return False
    return not isinstance(other, Concrete) or other.type == device.type


def _lacks_ordinal(device: Device) -> bool:
    return isinstance(device, Concrete) and device.index is None and is_accelerator(device)


def same_place(one: Device, another: Device) -> bool | None:
    """Whether two concrete devices are equal; None if that is not known."""
    if isinstance(one, Concrete) and isinstance(another, Concrete):
        if one.type == another.type and (one.index is None) is not (another.index is None):
            return None
        return one == another
    # A device that was passed in from outside is assumed to be an accelerator.
    known = one == another != UNKNOWN or CPU in (one, another)
    if known and (isinstance(one, Symbol) or isinstance(another, Symbol)):
        return one == another
    return None
