"""Checking a shard of the files on each of several machines, and combining the shards."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.cli.exit import ExitCode
from devlint.cli.output import OutputError, output, require_place, say
from devlint.cli.progress import watched
from devlint.cli.scope import read_baseline
from devlint.cli.verdict import fails, show_errors
from devlint.pipeline.execution.run import STDIN, Result, Run, together
from devlint.pipeline.execution.shard import ShardError, Shards, Terms
from devlint.pipeline.selection.scope import ReportScope
from devlint.pipeline.session.task import Task
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.settings import Options, Settings
from devlint.report import FORMATS, renderer

if TYPE_CHECKING:
    from devlint.project.cache import Cache

_OTHERS = {
    "--fix": "fix",
    "--add-ignore": "add_ignore",
    "--diff": "diff",
    "--statistics": "statistics",
    "--show-silenced": "show_silenced",
    "--write-baseline": "write_baseline",
    "--with-trace": "with_trace",
    "--diff-base": "diff_base",
}
"""Options that need all findings, or change files."""
_OF_RULES = ("select", "extend_select", "ignore", "per_file_ignores")


def refuse_others(arguments: Namespace) -> None:
    """Reject options that a shard cannot serve.

    Raises:
        ConfigurationError: if there is such an option.
    """
    for option, name in _OTHERS.items():
        if getattr(arguments, name):
            raise ConfigurationError(f"--shard and {option} cannot be combined")
    if arguments.paths == [STDIN]:
        raise ConfigurationError("--shard and standard input cannot be combined")
    if arguments.output_format:
        raise ConfigurationError(
            "--shard writes a file for `devlint report`; pass --output-format to `devlint report`"
        )


def write(
    arguments: Namespace, configurations: Configurations, settings: Settings, cache: Cache | None
) -> int:
    """Analyze one shard, and write its results.

    Raises: ConfigurationError: if a configuration file is invalid. OutputError: if the file cannot be
        written.
    """
    if settings.fix:
        raise ConfigurationError(
            "--shard cannot be combined with `fix = true` in the configuration; add --no-fix"
        )
    number, count = arguments.shard
    work = Run(arguments.paths, configurations, Task(), cache, arguments.jobs, scheduler=arguments.scheduler)
    work.divide(number, count)
    outcomes = work.outcomes()
    text, result = work.shard(
        outcomes if arguments.quiet else watched(outcomes, work.total),
        number,
        count,
        Terms(arguments.fail_on, arguments.exit_zero, settings.unsafe_fixes, _relative(settings.baseline)),
    )
    with output(arguments.output_file, sys.stdout) as out:
        out.write(text)
    show_errors(result, verbose=arguments.verbose, quiet=arguments.quiet)
    return ExitCode.CLEAN if result.report.complete else ExitCode.BAD_USE


def report(files: Sequence[str], arguments: Namespace) -> int:
    """Combine all shards of a check, and report as an undivided check would."""
    try:
        _refuse_rules(arguments)
        require_place(arguments.output_file)
        here = Path.cwd()
        file = Path(arguments.config) if arguments.config else None
        chosen = Options(output_format=arguments.output_format)
        settings = Configurations(chosen, here, FORMATS, file, arguments.isolated).at(here)
        shards = Shards([Path(name) for name in files])
        baseline = shards.terms.baseline
        scope = ReportScope(read_baseline(here / baseline) if baseline else None)
        result = together(shards, here, scope)
        shown = result.report._replace(closing=not arguments.quiet)
        with output(arguments.output_file, sys.stdout) as out:
            renderer(settings.output_format)(shown, out)
    except (ConfigurationError, OutputError, ShardError) as error:
        say(f"error: {error}")
        return ExitCode.BAD_USE
    show_errors(result, verbose=False, quiet=arguments.quiet)
    return _exit_code(result, shards.terms)


def _refuse_rules(arguments: Namespace) -> None:
    for name in _OF_RULES:
        if getattr(arguments, name):
            raise ConfigurationError(
                f"--{name.replace('_', '-')}: the rules of a shard are set when it is written; pass the "
                "option to `devlint check --shard`"
            )


def _exit_code(result: Result, when: Terms) -> ExitCode:
    if not result.report.complete:
        return ExitCode.BAD_USE
    found = any(fails(finding, when.least) for finding in result.report.findings)
    return ExitCode.FINDINGS if found and not when.never else ExitCode.CLEAN


def _relative(baseline: Path | None) -> str:
    return "" if baseline is None else Path(os.path.relpath(baseline)).as_posix()
