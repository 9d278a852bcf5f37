"""Flags: what holds one value throughout a run, an option of the command line or the machine's equipment."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import parse_device
from devlint.source import ir
from devlint.source.walk import Node, walk

_DEVICE_WORDS = frozenset(
    {"cuda", "to", "cpu", "device", "is_available", "DataParallel", "DistributedDataParallel", "set_device",
     "device_count", "set_default_device", "set_default_tensor_type"}
)  # fmt: skip
"""Attributes of torch by which programs choose devices."""


class Flags:
    """The flags of one run, and which of them are worth a run with the other value."""

    def __init__(self, world: dict[str, bool] | None = None) -> None:
        self.world: dict[str, bool] = {} if world is None else world
        """What is decided about flags in this run."""
        self.asked: dict[str, bool] = {}
        """The flags that were asked, and how that was decided."""
        self.deciding: set[str] = set()
        """Those of them that decide about devices."""

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

    def decides(self, flag: str, nodes: Sequence[Node]) -> None:
        """Note that a flag decides whether something is done; of interest if that is about devices."""
        flag = flag.removeprefix("not ")
        if flag not in self.deciding and any(map(_is_about_devices, walk(nodes))):
            self.deciding.add(flag)


def _is_about_devices(node: Node) -> bool:
    """Whether a node chooses a device, or moves something to one."""
    match node:
        case ir.Attribute(name=name):
            return name in _DEVICE_WORDS
        case ir.Argument(keyword=name):
            return name == "device"
        case ir.Constant(value=str(held)):
            return parse_device(held) is not None
        case _:
            return False
