"""What makes a class of the intermediate form a plain value.

It stands in for `dataclasses.dataclass(frozen=True, slots=True)`, for which type checkers take it. That one
writes six functions for each class, which for all classes takes longer than most files take to check, and its
frozen instances take twice as long to make. Here only type checkers see to it that nothing is changed.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda decorator: decorator


Kind = TypeVar("Kind", bound=type)


class Node:
    """What all nodes have: they are equal if they are of one type and have the same content."""

    __slots__: tuple[str, ...] = ()
    _content: attrgetter[Any]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        content = type(self)._content
        return bool(content(self) == content(other))

    def __hash__(self) -> int:
        return hash(type(self)._content(self))

    def __repr__(self) -> str:
        content = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({content})"


@dataclass_transform(frozen_default=True)
def node(kind: Kind) -> Kind:
    """A class with the declared fields in slots, which is made from them in their order."""
    names = tuple(kind.__annotations__)
    declared = vars(kind)
    defaults = {name: declared[name] for name in names if name in declared}
    left_out = {*names, "__dict__", "__weakref__"}
    namespace = {name: value for name, value in declared.items() if name not in left_out}
    namespace |= {
        "__annotations__": kind.__annotations__,
        "__slots__": names,
        "__match_args__": names,
        "__init__": _initializer(names, defaults),
        "_content": attrgetter(*names),
    }
    return type(kind.__name__, (Node,), namespace)  # type: ignore[return-value]


def _initializer(names: tuple[str, ...], defaults: dict[str, object]) -> object:
    parameters = ", ".join(f"{name}=defaults[{name!r}]" if name in defaults else name for name in names)
    body = "\n    ".join(f"self.{name} = {name}" for name in names)
    scope: dict[str, object] = {"defaults": defaults}
    exec(f"def __init__(self, {parameters}):\n    {body}\n", scope)
    return scope["__init__"]
