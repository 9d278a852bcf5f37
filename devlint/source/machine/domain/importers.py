"""The part of a file that values refer to."""

from __future__ import annotations


class Importer:
    """A file as the origin of imports: its path, and the package from which relative imports count."""

    __slots__ = ("module", "path")

    def __init__(self, path: str, module: str) -> None:
        self.path = path
        self.module = module
        """The name of the file as a module, as far as it is known."""
