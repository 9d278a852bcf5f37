"""Applies the records of `kernel_oracle.py`, which take precedence over torch's files, to the kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from devlint.operators import DeviceRule, Operator, OperatorArgument
from tools.operators.measured import BY_ARGUMENT, SOURCE

_RECORD = Path(__file__).parent / "measured_kernels.tsv"
_RESULTS = "*="
_REFUSED = frozenset("EIO")
_RULES = {"E": DeviceRule.SAME, "I": DeviceRule.SAME_OR_0_DIM_HOST}
"""The check that raises each text: torchgen's, and `TensorIterator`'s."""


@dataclass(frozen=True, slots=True)
class Operand:
    """The record of one argument of a kernel; letters are those of `refusals.py`."""

    letters: frozenset[str]
    """On the host, whether 0-dim or not."""
    host: bool | None
    """Whether it may be on the host while others are on a device; None if untested or if samples differ."""
    zero_dim_host: bool | None
    """The same as a 0-dim tensor."""
    other: bool | None
    """Whether it may be on another device than the others."""
    zero_dim_other: bool | None
    """The same as a 0-dim tensor."""
    device: bool | None
    """For an operand that torch itself passes on the host: whether it may be on the device."""


@dataclass(frozen=True, slots=True)
class Record:
    """The record of one overload."""

    calls: int
    waits: int
    operands: dict[str, Operand]
    """By argument."""


@cache
def records() -> dict[str, Record]:
    """All records by name."""
    found = {}
    for line in _RECORD.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, calls, waits, cells, _ = line.split("\t")
            operands = dict(_operand(cell) for cell in cells.split() if not cell.startswith(_RESULTS))
            found[name] = Record(int(calls), int(waits), operands)
    return found


def no_wait(name: str) -> str:
    """The source for "it never waits": how many calls did not; empty where some did, or none was made."""
    record = records().get(name)
    return f"{SOURCE}: none of {record.calls} calls waited" if record and not record.waits else ""


def applied(kernel: Operator) -> Operator:
    """The kernel with the records of its operands.

    The rule is the one whose check raised; an argument is marked where it departs from it.
    """
    record = records().get(kernel.name)
    seen = record.operands if record else {}
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
    raised = [letter for operand in seen for letter in operand.letters if letter in _RULES]
    return _RULES[max(_RULES, key=raised.count)] if raised else kernel.rule


def _marked(kernel: Operator, argument: OperatorArgument, seen: Operand) -> OperatorArgument:
    if seen.device is False:
        return replace(argument, host=True)
    if argument.host:
        return argument
    if seen.host is not None:
        index = seen.host and seen.other is False
        argument = replace(argument, anywhere=seen.host and not index, index=index)
    plain = replace(argument, zero_dim_host=None)
    if argument.index or argument.anywhere:
        return plain
    if seen.zero_dim_host is None:
        return argument
    if seen.zero_dim_host and seen.zero_dim_other:
        return replace(plain, zero_dim_anywhere=True)
    if kernel.takes_zero_dim_host(plain) == seen.zero_dim_host:
        return plain
    return replace(argument, zero_dim_host=seen.zero_dim_host)


def _operand(cell: str) -> tuple[str, Operand]:
    """`other=I/d/I/I/-`: on the host, 0-dim there, on another device, 0-dim there, moved to the device."""
    name, _, rest = cell.partition("=")
    seen = [frozenset(letters) - {"-"} for letters in rest.split("/")]
    return name, Operand(frozenset().union(*seen[:2]), *map(_taken, seen))


def _taken(letters: frozenset[str]) -> bool | None:
    if not letters or (letters & _REFUSED and letters - _REFUSED):
        return None
    return not letters & _REFUSED
