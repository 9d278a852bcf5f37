"""Show the report of a trace or of the shards of a check, or compare two runs."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from devlint.cli.check_options import add_configuration, add_rules
from devlint.cli.exit import ExitCode
from devlint.cli.output import OutputError, output, require_place, say
from devlint.cli.run_options import add_report
from devlint.cli.run_report import configurations_of, show
from devlint.cli.run_reports import require_reports, write_comparison, write_reports
from devlint.cli.traces import TraceContent, read
from devlint.pipeline.execution.shard import is_shard
from devlint.pipeline.observed.comparison import compare
from devlint.pipeline.observed.findings import Shown
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.report import Report
from devlint.report.comparison import render, render_json
from devlint.runtime.trace import TraceError

_COMPARED_AS = ("full", "concise", "json")
"""The formats of comparisons; `full` and `concise` are the same."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    parser.add_argument(
        "traces",
        nargs="+",
        metavar="FILE",
        help="a trace of `devlint run --trace`, the traces of all ranks, or their directory; or all shards "
        "of `devlint check --shard`",
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="compare two runs: pass a trace, or a directory of traces, for each",
    )
    add_rules(parser)
    add_report(parser)
    add_configuration(parser)


def run(arguments: Namespace) -> int:
    """Report on standard output. Of a trace that was cut off, report what it contains."""
    if any(is_shard(Path(file)) for file in arguments.traces):
        from devlint.cli.shard import report as report_shards  # noqa: PLC0415

        return report_shards(arguments.traces, arguments)
    try:
        require_place(arguments.output_file)
        require_reports(arguments.report, compares=arguments.compare)
        configurations = configurations_of(arguments)
        return (_compare if arguments.compare else _report)(arguments, configurations)
    except (ConfigurationError, OutputError, TraceError) as error:
        say(f"error: {error}")
        return ExitCode.BAD_USE


def _report(arguments: Namespace, configurations: Configurations) -> ExitCode:
    shown = Shown(arguments.third_party, foreign_lines=False)
    report = show_traces(arguments.traces, arguments, configurations, shown, sys.stdout)
    return ExitCode.FINDINGS if report.findings else ExitCode.CLEAN


def show_traces(
    paths: Sequence[str], arguments: Namespace, configurations: Configurations, shown: Shown, stream: TextIO
) -> Report:
    """Show the report of the traces of one run, and write the files of `--report`.

    Raises: OutputError: if a file cannot be written. TraceError: if a file is not a trace, or the traces are
        not of one run.
    """
    told = read(paths, times=bool(arguments.report))
    report = told.report(configurations, shown)
    show(report, arguments, configurations.at(configurations.working_directory).output_format, stream)
    if arguments.report:
        write_reports(told.profile(report), [Path(file) for file in arguments.report])
    return report


def _compare(arguments: Namespace, configurations: Configurations) -> ExitCode:
    if len(arguments.traces) != 2:
        raise ConfigurationError("--compare needs two traces, or two directories of traces: before and after")
    if arguments.output_format not in (None, *_COMPARED_AS):
        raise ConfigurationError(f"--compare: the formats are {', '.join(_COMPARED_AS)}")

    def told(path: str) -> TraceContent:
        return read([path], times=False)

    both = [told(path) for path in arguments.traces]
    shown = Shown(arguments.third_party, foreign_lines=False)
    before, after = ((each.profile(each.report(configurations, shown)), each.steps) for each in both)
    comparison = compare(before, after)
    with output(arguments.output_file, sys.stdout) as out:
        (render_json if arguments.output_format == "json" else render)(comparison, out)
    write_comparison(comparison, [Path(file) for file in arguments.report or ()])
    return ExitCode.FINDINGS if comparison.is_worse else ExitCode.CLEAN
