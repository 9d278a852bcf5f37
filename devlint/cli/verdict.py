"""What a check says of itself besides its findings, and which of these make it fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devlint.cli.output import say
from devlint.pipeline.execution.run import Result

if TYPE_CHECKING:
    from devlint.model import Finding


def show_errors(result: Result, *, verbose: bool, quiet: bool) -> None:
    """What could not be checked, or not in full, on standard error."""
    if not quiet:
        for name in result.cut_short:
            say(f"warning: {name}: analysis stopped at the step limit; what further calls do is not reported")
    for name in result.missing:
        say(f"error: {name}: no such file or directory")
    for outcome in result.failures:
        say(f"error: {outcome.failure}")
        if verbose and outcome.trace:
            for line in outcome.trace.splitlines():
                say(line)


def fails(finding: Finding, least: str) -> bool:
    """Whether a finding is as severe as `--fail-on` says."""
    return least in ("warning", finding.severity.value)
