"""Flags: values that are constant during a run, such as options of the command line and facts about the
machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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

_KEEPING = (ir.Assign, ir.Evaluate, ir.Return)
"""Statements that keep what their expression gives, or change it in place."""
_READS = frozenset({"item", "numpy", "tolist"})
"""Methods by which the host reads the numbers of a tensor."""


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
        reading = _reading(found)
        if any(_chooses(each) for each in found if id(each) not in reading):
            self.choosing.add(flag)
            self.deciding.add(flag)
        elif flag not in self.deciding and not flag.startswith("given ") and any(map(_uses, found)):
            self.deciding.add(flag)


def _reading(found: Sequence[Node]) -> set[int]:
    """The identities of nodes that name the host only to read a value there: `log(loss.cpu())`. What a
    statement moves and keeps is where the program goes on with it: `model = model.to("cpu")`."""
    kept = {id(node) for each in found if isinstance(each, _KEEPING) for node in _moved(each.value)}
    return {
        id(node)
        for each in found
        if isinstance(each, ir.CallExpression) and id(each) not in kept and _is_download(each)
        for node in walk((each.function, *each.arguments))
        if node is each.function or isinstance(node, ir.Constant)
    }


def _moved(expression: ir.Expression | None) -> Iterator[Node]:
    """The calls whose results are what an expression gives, unless the host reads the numbers of it."""
    while isinstance(expression, ir.CallExpression) and isinstance(expression.function, ir.Attribute):
        if expression.function.name in _READS:
            return
        yield expression
        expression = expression.function.value


def _is_download(call: ir.CallExpression) -> bool:
    """Whether a call is `value.cpu()` or `value.to("cpu")`."""
    if not isinstance(call.function, ir.Attribute):
        return False
    to_host = any(
        isinstance(each.value, ir.Constant) and each.value.value == "cpu" for each in call.arguments
    )
    return call.function.name == "cpu" or (call.function.name == "to" and to_host)


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
