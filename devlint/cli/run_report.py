"""Showing the report of a run."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TextIO

from devlint.cli.check_options import options
from devlint.cli.output import output, say
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.selection import SelectorError, check_selector, expand
from devlint.report import FOR_PROGRAMS, FORMATS, Report, renderer
from devlint.report.summary import summary
from devlint.rules import registry


def show(report: Report, arguments: Namespace, format_: str, stream: TextIO) -> None:
    """Write the report to the requested file or stream. If its format cannot say what was not observed,
    standard error does.

    Raises:
        OutputError: if the file cannot be written.
    """
    report = report._replace(closing=not arguments.quiet)
    with output(arguments.output_file, stream) as out:
        renderer(format_)(report, out)
    if arguments.output_file and format_ in FOR_PROGRAMS:
        for line in summary(report):
            say(line)


def configurations_of(arguments: Namespace) -> Configurations:
    """The configuration, with all rules on that are not turned off explicitly.

    Rules are off by default because they are not accurate enough on source code. What a run observes has
    happened.

    Raises: ConfigurationError: if options contradict each other.
    """
    if arguments.config and arguments.isolated:
        raise ConfigurationError("--config and --isolated cannot be combined")
    file = Path(arguments.config) if arguments.config else None
    every = frozenset(registry.codes())
    return Configurations(
        options(arguments), Path.cwd(), FORMATS, file, arguments.isolated, every, in_run=True
    )


def codes_of(selectors: list[str] | None) -> frozenset[str]:
    """The rule codes that `--fail-on` selects.

    Raises:
        ConfigurationError: if a text selects no rule.
    """
    known = registry.codes()
    try:
        for text in selectors or ():
            check_selector(text, known)
    except SelectorError as error:
        raise ConfigurationError(f"--fail-on: {error}") from None
    return frozenset().union(*(expand(text, known) for text in selectors or ()))
