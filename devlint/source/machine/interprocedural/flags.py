"""Flags: values that are constant during a run, such as options of the command line and facts about the
machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlint.model import parse_device
from devlint.source import ir
from devlint.source.walk import Node, walk

_CHOICES = frozenset(
    {"cuda", "cpu", "is_available", "DataParallel", "DistributedDataParallel", "set_device", "device_count",
     "set_default_device", "set_default_tensor_type"}
)  # fmt: skip
"""Attributes of torch by which programs choose devices."""
_DISTRIBUTES = frozenset({"DataParallel", "DistributedDataParallel", "init_process_group", "spawn"})
"""Attributes of torch by which programs work on several devices."""
_USES = frozenset({"to", "device"})
"""Attributes by which programs move values to a device that was chosen before."""


class Flags:
    """The flags of one run, and those of them that are worth a run with the opposite value."""

    def __init__(self, world: dict[str, bool] | None = None, inverted: Iterable[str] = ()) -> None:
        self.world: dict[str, bool] = {} if world is None else world
        """The assumed values of flags in this run."""
        self.inverted = frozenset(inverted)
        """The flags among them that do not affect devices, and have another value than without options."""
        self.asked: dict[str, bool] = {}
        """The flags that the program read, with their values."""
        self.deciding: set[str] = set()
        """The flags among them that affect devices."""
        self.choosing: set[str] = set()
        """The flags among those that affect which devices exist."""
        self.distributing: set[str] = set()
        """The flags that guard code which works on several devices."""

    def decided(self, flag: str, *, default: bool) -> bool:
        """The value of a flag in this run: the assumed one, else its default."""
        if flag.startswith("not "):
            return not self.decided(flag[4:], default=not default)
        decided = self.world.get(flag, default)
        self.asked[flag] = decided
        return decided

    def ask(self, flag: str) -> None:
        """Record that a flag, off in this run, affects devices."""
        self.asked.setdefault(flag, self.world.get(flag, False))
        self.deciding.add(flag)
        self.choosing.add(flag)

    def decides(self, flag: str, nodes: Sequence[Node]) -> None:
        """Record that a flag guards some code; it matters if that code concerns devices. Whether a text is
        given matters if that code chooses one."""
        flag = flag.removeprefix("not ")
        if flag in self.choosing and flag in self.distributing:
            return
        found = list(walk(nodes))
        if any(isinstance(each, ir.Attribute) and each.name in _DISTRIBUTES for each in found):
            self.distributing.add(flag)
        if flag in self.choosing:
            return
        if any(map(_chooses, found)):
            self.choosing.add(flag)
            self.deciding.add(flag)
        elif flag not in self.deciding and not flag.startswith("given ") and any(map(_uses, found)):
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
    """Whether a node creates a value on a device, or moves one there."""
    match node:
        case ir.Attribute(name=name):
            return name in _USES
        case ir.Argument(keyword=name):
            return name == "device"
        case _:
            return False
