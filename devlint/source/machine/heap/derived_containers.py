"""Objects of classes of the project that derive from `dict` or `list`. Their cells are both entries and
attributes: many classes that derive from `dict` make no difference between the two."""

from __future__ import annotations

from devlint.source.machine.domain.values import Object
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance

_DICTS = frozenset({"builtins.dict", "collections.OrderedDict", "collections.UserDict", "typing.Dict"})
_LISTS = frozenset({"builtins.list", "collections.UserList", "typing.List"})


def is_dict(held: Object) -> bool:
    """Whether an object is of a class that derives from `dict`."""
    return isinstance(held, Instance) and not _DICTS.isdisjoint(_classes(held))


def is_list(held: Object) -> bool:
    """Whether an object is of a class that derives from `list`."""
    return isinstance(held, Instance) and not _LISTS.isdisjoint(_classes(held))


def _classes(held: Instance) -> tuple[str, ...]:
    """The classes outside the project that an object is of."""
    return (held.of,) if isinstance(held.of, str) else tuple(held.of.externals)


def as_dict(held: Object) -> Container:
    """The cells of an object as a dict, a change of which changes the object."""
    return _view(held, "dict")


def as_list(held: Instance) -> Container:
    """The elements of an object as a list, a change of which changes the object if it has no attributes."""
    made = _view(held, "list")
    elements = {key: each for key, each in held.cells.items() if key == ELEMENT or not isinstance(key, str)}
    if len(elements) < len(held.cells):
        made.cells = elements
    return made


def _view(held: Object, kind: str) -> Container:
    made = Container(kind)
    made.cells = held.cells
    made.holders = {held}  # data derived from the object are stale after a change of the container
    return made
