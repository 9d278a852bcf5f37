"""How far the table agrees with what was measured, after each thing that makes it.

The last stage takes what was measured over, so it disagrees only where a row cannot say it.

python -m tools.operators.agreement [--list]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from devlint.operators import Operator
from tools.operators import build, measured


def main() -> None:
    """Prints, for each stage, how many operands the rows judge as the oracle did; `--list` names the rest."""
    parser = argparse.ArgumentParser(prog="python -m tools.operators.agreement", description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the operands that disagree")
    listed = parser.parse_args().list
    for stage, table in build.stages().items():
        zero_dim_host, host = list(_zero_dim_host(table)), list(_host(table))
        for what, verdicts in (("0-dim host operand", zero_dim_host), ("host operand", host)):
            agree = sum(right for _, right in verdicts)
            sys.stdout.write(f"{stage}: {what}: {agree} of {len(verdicts)}\n")
            for name in [name for name, right in verdicts if not right and listed]:
                sys.stdout.write(f"    {name}\n")


def _zero_dim_host(table: dict[str, Operator]) -> Iterator[tuple[str, bool]]:
    """For every operand tried as a 0-dim host tensor: its name, and whether the row says the same."""
    for operator, record in _measured(table):
        for argument, operand in measured.by_argument(operator, record):
            if operand.zero_dim_host is not None:
                right = operator.takes_zero_dim_host(argument) == operand.zero_dim_host
                yield f"{operator.name} {argument.name}", right


def _host(table: dict[str, Operator]) -> Iterator[tuple[str, bool]]:
    """The same for operands with dimensions."""
    for operator, record in _measured(table):
        for argument, operand in measured.by_argument(operator, record):
            if operand.host is not None:
                yield f"{operator.name} {argument.name}", operator.must_match(argument) != operand.host


def _measured(table: dict[str, Operator]) -> Iterator[tuple[Operator, measured.Record]]:
    for name, record in measured.records().items():
        if name in table and table[name].rule in measured.BY_ARGUMENT:
            yield table[name], record


if __name__ == "__main__":
    main()
