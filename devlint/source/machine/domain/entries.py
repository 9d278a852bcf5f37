"""What a mapping with unknown keys has under one key: `kwargs.get("cuda", True)`, `f(**kwargs)`."""

from __future__ import annotations

from devlint.model.value import value
from devlint.source.machine.domain.inputs import Input, of_input, same_again
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import Known, Top, Value


@value
class EntryOf(Top):
    """What an unknown mapping has under a key: any value, but the same one wherever it is read."""

    of: int = 0
    """The serial number of the mapping."""
    key: object = None
    """The key; None for all the entries of the mapping."""


@value
class Given(Top):
    """An argument that `**mapping` may give: the entry of its name, or else its default."""

    entry: Value = Top()
    default: Known = Known(None)


def entry_of(rest: Value, key: object) -> Value:
    """The entry of a key among those of which little is known."""
    match rest:
        case EntryOf(of=of, key=None):
            return EntryOf(of=of, key=key)
        case Input():
            if key not in rest.entries:
                rest.entries[key] = of_input(rest, rest.born)
            return rest.entries[key]
        case _:
            return rest


def without_one(rest: Value) -> Value:
    """The entries of which little is known, after one of them was removed."""
    match rest:
        case EntryOf(key=None):
            return EntryOf(of=new_serial())
        case Input():
            return same_again(rest)
        case _:
            return rest
