"""Decorators for value classes, like `dataclasses.dataclass(frozen=True, slots=True)`.

`dataclass` generates six functions for each class. For all classes of devlint, that takes longer than
checking most files, as does importing `dataclasses`; and creating frozen instances takes twice as long. Here,
only type checkers enforce immutability. `dataclasses.fields`, `replace` and `asdict` work with such values,
too.
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


class _Fields:
    """The attribute that `dataclasses` looks up in a class, created on first use."""

    def __get__(self, instance: object, owner: type[Value]) -> dict[str, Any]:
        from dataclasses import dataclass  # noqa: PLC0415

        twin: Any = dataclass(type(owner.__name__, (), {"__annotations__": owner._types, **owner._defaults}))
        owner.__dataclass_fields__ = twin.__dataclass_fields__
        return dict(twin.__dataclass_fields__)


class Value:
    """The base of values, which are equal if they have the same type and content."""

    __slots__: tuple[str, ...] = ()
    __match_args__: tuple[str, ...] = ()
    __dataclass_fields__: object = _Fields()
    _types: dict[str, object] = {}  # noqa: RUF012
    """The fields and their types, inherited ones first."""
    _defaults: dict[str, object] = {}  # noqa: RUF012

    def _content(self) -> Any:
        return ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            # Both are values, so the reflected comparison is not needed.
            return False if isinstance(other, Value) else NotImplemented
        content = type(self)._content
        return bool(content(self) == content(other))

    def __hash__(self) -> int:
        return hash(type(self)._content(self))

    def __repr__(self) -> str:
        content = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({content})"


class Ordered(Value):
    """Values of one type that are ordered by content."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        content = type(self)._content
        return content(self) < content(other) if type(self) is type(other) else NotImplemented

    def __le__(self, other: object) -> bool:
        content = type(self)._content
        return content(self) <= content(other) if type(self) is type(other) else NotImplemented

    def __gt__(self, other: object) -> bool:
        content = type(self)._content
        return content(self) > content(other) if type(self) is type(other) else NotImplemented

    def __ge__(self, other: object) -> bool:
        content = type(self)._content
        return content(self) >= content(other) if type(self) is type(other) else NotImplemented


@dataclass_transform(frozen_default=True)
def value(kind: Kind) -> Kind:
    """A class with the declared fields as slots, which is constructed from them in order."""
    return _made(kind, Value)


@dataclass_transform(frozen_default=True, order_default=True)
def ordered(kind: Kind) -> Kind:
    """A class of values that can be sorted."""
    return _made(kind, Ordered)


def _made(kind: Kind, base: type[Value]) -> Kind:
    inherited: type[Value] = next((known for known in kind.__bases__ if issubclass(known, Value)), base)
    declared = vars(kind)
    own = declared.get("__annotations__", {})
    types = {**inherited._types, **own}
    names = tuple(types)
    defaults = {**inherited._defaults, **{name: declared[name] for name in own if name in declared}}
    left_out = {*own, "__dict__", "__weakref__"}
    namespace = {name: member for name, member in declared.items() if name not in left_out}
    namespace |= {
        "__slots__": tuple(own),
        "__match_args__": names,
        "__init__": _initializer(names, defaults),
        "__dataclass_fields__": _Fields(),
        "_types": types,
        "_defaults": defaults,
    }
    if names:
        namespace["_content"] = attrgetter(*names)
    return type(kind.__name__, (inherited,), namespace)  # type: ignore[return-value]


def _initializer(names: tuple[str, ...], defaults: dict[str, object]) -> object:
    parameters = ", ".join(f"{name}=defaults[{name!r}]" if name in defaults else name for name in names)
    body = "\n    ".join(f"self.{name} = {name}" for name in names) or "pass"
    scope: dict[str, object] = {"defaults": defaults}
    exec(f"def __init__({', '.join(filter(None, ('self', parameters)))}):\n    {body}\n", scope)
    return scope["__init__"]
