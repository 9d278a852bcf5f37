"""What `kernel_oracle.py` recorded, and how it changes the rows of ATen's kernels: it outranks them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from devlint.operators import Argument, DeviceRule, Operator
from tools.operators.measured import BY_ARGUMENT, SOURCE

_RECORD = Path(__file__).parent / "measured_kernels.tsv"
_RESULTS = "*="
_REFUSED = frozenset("EIO")
_RULES = {"E": DeviceRule.SAME, "I": DeviceRule.SAME_OR_0_DIM_HOST}
"""The check that raises each text: torchgen's, and `TensorIterator`'s."""


@dataclass(frozen=True, slots=True)
class Operand:
    """The letters of `refusals.py` seen for one argument of a kernel."""

    host: frozenset[str]
    zero_dim_host: frozenset[str]
    device: frozenset[str]
    """Where torch itself gives it on the host: on the device."""

    @property
    def may_be_host(self) -> bool | None:
        """Whether it may be on the host while others are on a device; None if unasked, or samples differ."""
        return _taken(self.host)

    @property
    def may_be_zero_dim_host(self) -> bool | None:
        """The same as a 0-dim tensor."""
        return _taken(self.zero_dim_host)

    @property
    def must_be_host(self) -> bool:
        """Whether it was refused on the device."""
        return _taken(self.device) is False


@cache
def records() -> dict[str, dict[str, Operand]]:
    """What was seen of each overload's arguments."""
    found = {}
    for line in _RECORD.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, _, cells, _ = line.split("\t")
            found[name] = dict(_operand(cell) for cell in cells.split() if not cell.startswith(_RESULTS))
    return found


def applied(kernel: Operator) -> Operator:
    """The kernel with what was seen of its operands.

    The rule is the one whose check raised; an argument is marked where it departs from it.
    """
    seen = records().get(kernel.name, {})
    if not seen or kernel.rule not in BY_ARGUMENT:
        return kernel
    ruled = replace(kernel, rule=_rule(kernel, seen.values()))
    arguments = tuple(
        _marked(ruled, argument, seen[argument.name]) if argument.name in seen else argument
        for argument in kernel.arguments
    )
    if ruled.rule is kernel.rule and arguments == kernel.arguments:
        return replace(kernel, source=f"{kernel.source}; {SOURCE}")
    return replace(ruled, arguments=arguments, source=f"{kernel.source}, outranked by {SOURCE}")


def _rule(kernel: Operator, seen: Iterable[Operand]) -> DeviceRule:
    letters = [letter for operand in seen for letter in sorted(operand.host | operand.zero_dim_host)]
    known = [letter for letter in letters if letter in _RULES]
    return _RULES[max(_RULES, key=known.count)] if known else kernel.rule


def _marked(kernel: Operator, argument: Argument, seen: Operand) -> Argument:
    if seen.must_be_host:
        return replace(argument, host=True)
    if argument.index or argument.host:
        return argument
    if seen.may_be_host is not None:
        argument = replace(argument, anywhere=seen.may_be_host)
    if seen.may_be_zero_dim_host is None:
        return argument
    plain = replace(argument, zero_dim_host=None)
    if kernel.takes_zero_dim_host(plain) == seen.may_be_zero_dim_host:
        return plain
    return replace(argument, zero_dim_host=seen.may_be_zero_dim_host)


def _operand(cell: str) -> tuple[str, Operand]:
    """`other=I/d/-`."""
    name, _, letters = cell.partition("=")
    return name, Operand(*(frozenset(each) - {"-"} for each in letters.split("/")))


def _taken(letters: frozenset[str]) -> bool | None:
    if not letters or (letters & _REFUSED and letters - _REFUSED):
        return None
    return not letters & _REFUSED
