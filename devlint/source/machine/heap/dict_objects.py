"""Objects of classes of the project that derive from `dict`. Their cells are both entries and attributes:
many of these classes make no difference between the two."""

from __future__ import annotations

from devlint.source.machine.domain.values import Object
from devlint.source.machine.heap.objects import Container, Instance

_DICTS = frozenset({"builtins.dict", "collections.OrderedDict", "collections.UserDict"})


def is_dict(held: Object) -> bool:
    """Whether an object is of a class that derives from `dict`."""
    if not isinstance(held, Instance):
        return False
    names = (held.of,) if isinstance(held.of, str) else held.of.externals
    return not _DICTS.isdisjoint(names)


def as_dict(held: Instance) -> Container:
    """The cells of an object as a dict, a change of which changes the object."""
    made = Container("dict")
    made.cells = held.cells
    made.holders = {held}  # data derived from the object are stale after a change of the dict
    return made
