"""Flags: what holds one value throughout a run, an option of the command line or the machine's equipment."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import parse_device
from devlint.source import ir
from devlint.source.walk import Node, walk

_CHOICES = frozenset(
    {"cuda", "cpu", "is_available", "DataParallel", "DistributedDataParallel", "set_device", "device_count",
     "set_default_device", "set_default_tensor_type"}
)  # fmt: skip
"""Attributes of torch by which programs choose devices."""
_USES = frozenset({"to", "device"})
"""Attributes by which they put things where a device says that was chosen before."""


class Flags:
    """The flags of one run, and which of them are worth a run with the other value."""

    def __init__(self, world: dict[str, bool] | None = None) -> None:
        self.world: dict[str, bool] = {} if world is None else world
        """What is decided about flags in this run."""
        self.asked: dict[str, bool] = {}
        """The flags that were asked, and how that was decided."""
        self.deciding: set[str] = set()
        """Those of them that decide about devices."""
        self.choosing: set[str] = set()
        """Those of these that decide which devices there are."""

    def decided(self, flag: str, *, default: bool) -> bool:
        """What a flag holds in this run: what is decided of it, else its default."""
        if flag.startswith("not "):
            return not self.decided(flag[4:], default=not default)
        decided = self.world.get(flag, default)
        self.asked[flag] = decided
        return decided

    def ask(self, flag: str) -> None:
        """Note that a flag, off in this run, decides about devices."""
        self.asked.setdefault(flag, self.world.get(flag, False))
        self.deciding.add(flag)
        self.choosing.add(flag)

    def decides(self, flag: str, nodes: Sequence[Node]) -> None:
        """Note that a flag decides whether something is done; of interest if that is about devices."""
        flag = flag.removeprefix("not ")
        if flag in self.choosing:
            return
        found = list(walk(nodes))
        if any(map(_chooses, found)):
            self.choosing.add(flag)
            self.deciding.add(flag)
        elif flag not in self.deciding and any(map(_uses, found)):
            self.deciding.add(flag)


def _chooses(node: Node) -> bool:
    """Whether a node chooses a device."""
    match node:
        case ir.Attribute(name=name):
            return name in _CHOICES
        case ir.Constant(value=str(held)):
            return parse_device(held) is not None
        case _:
            return False


def _uses(node: Node) -> bool:
    """Whether a node makes something on a device, or moves it there."""
    match node:
        case ir.Attribute(name=name):
            return name in _USES
        case ir.Argument(keyword=name):
            return name == "device"
        case _:
            return False
