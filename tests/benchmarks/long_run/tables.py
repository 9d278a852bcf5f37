"""Counts the objects that devlint's modules hold in this process, by the path to their container."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import Any

_CACHE = type(lru_cache(len))
_CONTAINERS = (dict, list, set, frozenset, tuple, deque)


def entries() -> dict[str, int]:
    """The number of entries of each container and cache of devlint's, by the path that leads to it."""
    found: dict[str, int] = {}
    waiting: deque[tuple[str, Any]] = deque(
        (name, module) for name, module in sorted(sys.modules.items()) if name.partition(".")[0] == "devlint"
    )
    seen: set[int] = set()
    while waiting:
        path, value = waiting.popleft()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if issubclass(type(value), _CONTAINERS):
            found[path] = len(value)
        elif type(value) is _CACHE:
            found[path] = value.cache_info().currsize
        waiting.extend(_inside(path, value))
    return found


def _inside(path: str, value: Any) -> Iterator[tuple[str, object]]:
    """The content of a value, if it belongs to devlint."""
    if issubclass(type(value), dict):
        for key, item in list(value.items()):
            yield f"{path}[{_shown(key)}]", item
    elif issubclass(type(value), _CONTAINERS):
        for item in list(value):
            yield f"{path}[]", item
    elif not _is_own(value):
        return
    elif type(value) is ModuleType:
        yield from ((f"{path}.{name}", item) for name, item in list(vars(value).items()) if name[:2] != "__")
    else:
        yield from ((f"{path}.{name}", item) for name, item in _attributes(value))


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    yield from list(getattr(value, "__dict__", {}).items())
    for cls in type(value).__mro__:
        for name in getattr(cls, "__slots__", ()):
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name, getattr(value, name)


def _is_own(value: Any) -> bool:
    kind = type(value)
    if kind is ModuleType:
        name = value.__name__
    else:
        name = vars(value if kind is type else kind).get("__module__", "")
    return isinstance(name, str) and name.partition(".")[0] == "devlint"


def _shown(key: object) -> str:
    return key if isinstance(key, str) else type(key).__name__
