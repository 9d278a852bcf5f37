"""Show the report of a trace, as `devlint run` does at the end of a run."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from devlint.cli.check_options import add_configuration, add_rules
from devlint.cli.exit import ExitCode
from devlint.cli.output import OutputError, require_place
from devlint.cli.run_options import add_report
from devlint.cli.run_report import configurations_of, show
from devlint.cli.run_reports import require_reports, write_reports
from devlint.pipeline.observed import Shown, observed
from devlint.pipeline.profile import Recording, profile
from devlint.project.configuration import ConfigurationError
from devlint.report.amounts import count
from devlint.runtime.timeline import Timeline
from devlint.runtime.trace import Trace, TraceError, merge, read_trace


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
        require_reports(arguments.report)
        configurations = configurations_of(arguments)
        format_ = configurations.at(configurations.working_directory).output_format
        told = [_read(Path(file), is_drawn=bool(arguments.report)) for file in arguments.traces]
        traces = [trace for trace, _ in told]
        trace = traces[0] if len(traces) == 1 else merge(traces)
        report = observed(
            trace.tallies, trace, configurations, trace.remarks, trace.doubt, Shown(arguments.third_party)
        )
        show(report, arguments, format_, sys.stdout)
        if arguments.report:
            recordings = [_recording(*each) for each in told]
            drawn = profile(report, recordings, Path.cwd(), _title(arguments.traces), trace.torch)
            write_reports(drawn, [Path(file) for file in arguments.report])
    except (ConfigurationError, OutputError, TraceError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return ExitCode.BAD_USE
    return ExitCode.FINDINGS if report.findings else ExitCode.CLEAN


def _read(file: Path, *, is_drawn: bool) -> tuple[Trace, Timeline]:
    """A trace and, if it is to be drawn, when what stands in it was."""
    timeline = Timeline()
    return read_trace(file, timeline if is_drawn else None), timeline


def _recording(trace: Trace, timeline: Timeline) -> Recording:
    rank = None if trace.rank is None else trace.rank.number
    return Recording(trace.tallies, timeline, trace, rank, trace.began)


def _title(files: Sequence[str]) -> str:
    """What is reported on: a file, or the first of several."""
    more = f" and {count(len(files) - 1, 'more trace')}" if len(files) > 1 else ""
    return f"{files[0]}{more}"
