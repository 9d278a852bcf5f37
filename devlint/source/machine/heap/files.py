"""The files of a program as the machine knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devlint.source import ir
from devlint.source.walk import walk

if TYPE_CHECKING:
    from devlint.source.machine.heap.objects import Cells, Class, Function, Scope
    from devlint.source.machine.reporting.event_log import EventLog

SITES_PER_FILE = 1 << 32
"""A file's nodes are numbered from a multiple of this, so that a number names file and node."""


_TORCH = frozenset(
    {"torch", "lightning", "pytorch_lightning", "transformers", "diffusers", "accelerate", "ignite"}
)


def _brings_torch(node: ir.Import) -> bool:
    """Whether an import brings torch, or all names of another file, torch perhaps among them."""
    return node.name in ("*", "torch") or node.module.split(".")[0] in _TORCH


class File:
    """One file: its meaning, its global names, and from where its sites are numbered."""

    __slots__ = (
        "base", "body", "classes", "functions", "knows_torch", "log", "module", "name", "path", "process",
        "scope", "size", "stars", "started",
    )  # fmt: skip

    def __init__(self, path: str, base: int, body: ir.Block, module: str, log: EventLog) -> None:
        self.path = path
        self.module = module
        """Its name as a module, as far as that is known."""
        self.name = module or "__main__"
        """What `__name__` holds: `__main__` for the file at which a program starts."""
        self.base = base
        self.body = body
        self.size = 0
        """The number of its statements and expressions."""
        self.knows_torch = False
        """Whether it imports torch, or a package that hands out what torch makes."""
        for node in walk(body, into_scopes=True):
            self.size += 1
            if isinstance(node, ir.Import):
                self.knows_torch = self.knows_torch or _brings_torch(node)
            elif isinstance(node, ir.Constant) and node.value == "torch":
                self.knows_torch = True  # `pytest.importorskip("torch")`
        self.log = log
        """What was seen when its body was run for others."""
        self.scope: Scope
        self.started = False
        """Whether its body was run, or is being run."""
        self.process: Cells = {}
        """What importing it leaves in the process."""
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        """What it defines, in the order of the definitions."""
        self.stars: list[str] = []
        """The modules outside the project all of whose names it imports."""
