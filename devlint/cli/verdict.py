"""What a check reports besides its findings, and which findings make it fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devlint.cli.output import say
from devlint.pipeline.execution.run import Result

if TYPE_CHECKING:
    from devlint.model import Finding


MOST_NAMED = 3
"""How many files past the step limit are named."""


def show_errors(result: Result, *, verbose: bool, quiet: bool) -> None:
    """Print what could not be checked, or not completely, on standard error."""
    if result.cut_short and not quiet:
        named = result.cut_short if verbose else result.cut_short[:MOST_NAMED]
        more = len(result.cut_short) - len(named)
        files = ", ".join(named) + (f" and {more} more (`--verbose` names all)" if more else "")
        say(f"warning: {files}: analysis stopped at the step limit; further calls were not analyzed")
    for name in result.missing:
        say(f"error: {name}: no such file or directory")
    for outcome in result.failures:
        say(f"error: {outcome.failure}")
        if verbose and outcome.trace:
            for line in outcome.trace.splitlines():
                say(line)


def fails(finding: Finding, least: str) -> bool:
    """Whether a finding is at least as severe as `--fail-on` demands."""
    return least in ("warning", finding.severity.value)
