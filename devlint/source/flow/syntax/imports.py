"""What imported names lead to: functions, classes and devices of the project's other files."""

from __future__ import annotations

from typing import Protocol

from devlint.source.flow.functions.elsewhere import import_of
from devlint.source.flow.modules.layers import is_module_class
from devlint.source.flow.state.values import External, Value

_KNOWN = frozenset({"torch", "numpy", "builtins"})
"""Packages that the operators table, or the interpreter itself, knows better than their files would tell."""


class Exporter(Protocol):
    """Another file, with its body interpreted as far as that has come."""

    in_body: bool
    """Whether its body is still being interpreted: then it has not bound all its names yet."""

    def exported(self, name: str) -> Value | None:
        """What it binds to a name."""
        ...


class Files(Protocol):
    """The way to other files."""

    def absolute(self, name: str) -> str:
        """A name that begins with dots, counted from the file that uses it, as the whole project knows it."""
        ...

    def find(self, name: str) -> tuple[str, str] | None:
        """The path of the file of the longest part of a name that leads to one, and the rest; None if none
        does."""
        ...

    def open(self, path: str) -> Exporter | None:
        """A file that was found; None if it cannot be read, or cannot matter."""
        ...


class Imports:
    """The imports of one file, which lead nowhere if it is looked at alone."""

    def __init__(self, files: Files | None) -> None:
        self._files = files
        self._known: dict[str, Value] = {}
        self._stars: list[str] = []
        """The modules of which everything is imported."""

    def add_star(self, module: str) -> None:
        """Everything that a module makes public is imported."""
        self._stars.append(self.absolute(module))

    def from_stars(self, name: str) -> Value | None:
        """What a name stands for that may have come with everything else of a module; the last one counts."""
        if self._files is None or name.startswith("_"):
            return None
        for module in reversed(self._stars):
            external = External(f"{module}.{name}")
            value = self.value(external)
            if value != external:
                return value
        return None

    def if_named_for_device(self, external: External) -> Value:
        """What an imported name stands for if it is named for a device: `DEVICE`, `config.device`."""
        return self.value(external) if external.name[-6:].lower() == "device" else external

    def absolute(self, name: str) -> str:
        """The name by which the whole project knows what is imported."""
        return self._files.absolute(name) if name[:1] == "." and self._files is not None else name

    def value(self, external: External) -> Value:
        """What an imported name stands for: the name itself, unless a file of the project tells more.

        That file is read for it. So it is asked where something is called, inherited from, or named for a
        device, and not wherever a name stands.
        """
        name = external.name
        if self._files is None or name.partition(".")[0] in _KNOWN:
            return external
        known = self._known.get(name)
        return self._find(self._files, external) if known is None else known

    def _find(self, files: Files, external: External) -> Value:
        name = external.name
        self._known[name] = external  # a name that leads back to itself stands for itself
        found = None if is_module_class(name) else _bound_by(files, name)
        file = None if found is None else files.open(found[0])
        if found is None or file is None:
            return external
        bound = found[1]
        value = import_of(file.exported(bound)) or external
        if file.in_body:
            # Asked again when that body has come to its end, it may know more.
            del self._known[name]
        else:
            self._known[name] = value
        return value


def _bound_by(files: Files, name: str) -> tuple[str, str] | None:
    """The path of the file whose body binds a name, and the last part of the name.

    A package may bind a name that one of its modules has, too: `from .build import build`.
    """
    found = files.find(name)
    if found is not None and not found[1]:
        package, _, bound = name.rpartition(".")
        found = files.find(package) if package else None
        return None if found is None or found[1] else (found[0], bound)
    return None if found is None or "." in found[1] else found
