"""Show the report of a trace, as `devlint run` does at the end of a run."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from devlint.cli.check_options import add_configuration, add_rules
from devlint.cli.exit import ExitCode
from devlint.cli.output import OutputError, require_place
from devlint.cli.run_options import add_report
from devlint.cli.run_report import configurations_of, show
from devlint.pipeline.observed import Shown, observed
from devlint.project.configuration import ConfigurationError
from devlint.runtime.trace import TraceError, merge, read_trace


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    parser.add_argument(
        "traces",
        nargs="+",
        metavar="FILE",
        help="a trace that `devlint run --trace FILE` wrote, or those of all ranks of a program",
    )
    add_rules(parser)
    add_report(parser)
    add_configuration(parser)


def run(arguments: Namespace) -> int:
    """Report on standard output; a trace that was cut off is reported as far as it goes."""
    try:
        require_place(arguments.output_file)
        configurations = configurations_of(arguments)
        format_ = configurations.at(configurations.working_directory).output_format
        traces = [read_trace(Path(file)) for file in arguments.traces]
        trace = traces[0] if len(traces) == 1 else merge(traces)
        report = observed(
            trace.tallies, trace, configurations, trace.remarks, trace.doubt, Shown(arguments.third_party)
        )
        show(report, arguments, format_, sys.stdout)
    except (ConfigurationError, OutputError, TraceError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return ExitCode.BAD_USE
    return ExitCode.FINDINGS if report.findings else ExitCode.CLEAN
