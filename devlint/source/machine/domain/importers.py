"""Files, as far as values know of them."""

from __future__ import annotations


class Importer:
    """A file that imports something: where it is, and from where the dots of its imports count."""

    __slots__ = ("module", "path")

    def __init__(self, path: str, module: str) -> None:
        self.path = path
        self.module = module
        """Its name as a module, as far as that is known."""
