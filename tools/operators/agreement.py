"""Measures how far the tables agree with the record, after each stage of their generation.

The last stage includes the record, so it disagrees only where a row cannot express it.

python -m tools.operators.agreement [--list]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from devlint.operators import Operator, OperatorArgument
from tools.operators import build, measured, measured_kernels

Seen: TypeAlias = tuple[Operator, OperatorArgument, measured.Operand | measured_kernels.Operand]
"""A row, one of its arguments, and the record of that argument."""


def main() -> None:
    """Prints, for each stage, how many operands the rows judge as the oracle did; `--list` names the rest."""
    parser = argparse.ArgumentParser(prog="python -m tools.operators.agreement", description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the operands that disagree")
    listed = parser.parse_args().list
    for stage, functions in build.stages().items():
        _print(f"functions, {stage}", list(_functions(functions)), listed=listed)
    for stage, kernels in build.kernel_stages().items():
        _print(f"kernels, {stage}", list(_kernels(kernels)), listed=listed)


def _print(stage: str, seen: list[Seen], *, listed: bool) -> None:
    for what, verdicts in (("0-dim host operand", _zero_dim_host(seen)), ("host operand", _host(seen))):
        wrong = [name for name, right in verdicts if not right]
        sys.stdout.write(f"{stage}: {what}: {len(verdicts) - len(wrong)} of {len(verdicts)}\n")
        for name in wrong if listed else ():
            sys.stdout.write(f"    {name}\n")


def _zero_dim_host(seen: Iterable[Seen]) -> list[tuple[str, bool]]:
    """For every operand tried as a 0-dim host tensor: its name, and whether the row says the same."""
    return [
        (f"{operator.name} {argument.name}", operator.takes_zero_dim_host(argument) == operand.zero_dim_host)
        for operator, argument, operand in seen
        if operand.zero_dim_host is not None
    ]


def _host(seen: Iterable[Seen]) -> list[tuple[str, bool]]:
    """The same for operands with dimensions."""
    return [
        (f"{operator.name} {argument.name}", operator.must_match(argument) != operand.host)
        for operator, argument, operand in seen
        if operand.host is not None
    ]


def _functions(table: dict[str, Operator]) -> Iterator[Seen]:
    for name, record in measured.records().items():
        if name in table and table[name].rule in measured.BY_ARGUMENT:
            for argument, operand in measured.by_argument(table[name], record):
                yield table[name], argument, operand


def _kernels(table: dict[str, Operator]) -> Iterator[Seen]:
    for name, record in measured_kernels.records().items():
        if name in table and table[name].rule in measured.BY_ARGUMENT:
            for argument in table[name].arguments:
                if argument.name in record.operands and not argument.index:
                    yield table[name], argument, record.operands[argument.name]


if __name__ == "__main__":
    main()
