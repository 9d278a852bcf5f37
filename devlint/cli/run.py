"""Run a PyTorch program as `python` does, and report what it does between host and devices.

The report is written to standard error when the program has ended. The exit code is the program's own.
"""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from devlint.cli.exit import ExitCode, ProgramInterrupted
from devlint.cli.output import OutputError, require_place, say
from devlint.cli.run_options import add_arguments, program_of, settings_of
from devlint.cli.run_report import codes_of, configurations_of, show
from devlint.cli.run_reports import require_reports
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.discover import NOTEBOOK_SUFFIX, reason
from devlint.report import Report
from devlint.runtime.launch import (
    LaunchedProgram,
    Module,
    NotebookProgram,
    ProgramError,
    find_program,
    run_to_the_end,
)
from devlint.runtime.launch.launch import Launch
from devlint.runtime.launch.watch import ProgramWatch, has_torch, torch_version
from devlint.runtime.places.executed import IS_CHEAP, ExecutedLines
from devlint.runtime.policy.settings import HIDDEN_WAITS
from devlint.runtime.recording.timeline import Timeline
from devlint.runtime.trace import TraceWriter
from devlint.runtime.trace.ranks import Rank, rank_of, trace_path

__all__ = ["add_arguments", "run"]


def run(arguments: Namespace) -> int:
    """Run the program, report, and exit as the program exits.

    Returns only if there is nothing to run.

    Raises:
        SystemExit: with the program's exit code.
    """
    # The program may replace it, and a process may have none.
    errors = sys.stderr or io.StringIO()
    here = _ProcessState()
    try:
        configurations = configurations_of(arguments)
        format_ = configurations.at(here.directory).output_format
        failing = codes_of(arguments.fail_on)
        settings = settings_of(arguments, configurations.at(here.directory).own)
        require_place(arguments.output_file)
        require_reports(arguments.report)
        program = _program(arguments)
        program.prepare()
        _require_torch()
        rank = rank_of(os.environ)
        timeline = Timeline() if arguments.report else None
        watch = ProgramWatch(settings, _trace(arguments, rank), _executed(arguments), rank, timeline)
        launch = _launch(arguments, configurations, rank, errors)
    except (ConfigurationError, ProgramError) as error:
        _say(f"error: {error}", errors)
        return ExitCode.BAD_USE
    if arguments.launch_blocking:
        os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
    if arguments.hidden_waits:
        os.environ[HIDDEN_WAITS] = arguments.hidden_waits
    ready = program.load()
    watch.begin()
    ending = run_to_the_end(ready, watch.explain)
    verdict = ExitCode.BAD_USE if failing else ExitCode.CLEAN
    try:
        watch.end()
        if watch.in_this_process:
            here.restore()
            if launch is not None:
                launch.leave()
            spoke: frozenset[str] | None = frozenset()
            if launch is None or failing:
                spoke = _report(watch, configurations, arguments, format_, errors, is_shown=launch is None)
            verdict = _verdict(failing, spoke, failed=watch.failed)
        else:
            verdict = ExitCode.CLEAN
    except Exception as error:  # the exit code is the program's
        _say(f"error: devlint failed ({type(error).__name__}: {error})", errors)
    if ending.interrupted:
        raise ProgramInterrupted
    raise SystemExit(int(verdict) if verdict and ending.code in (0, None) else ending.code)


def _verdict(failing: frozenset[str], spoke: frozenset[str] | None, *, failed: bool) -> ExitCode:
    """The exit code of a program that succeeded, by `--fail-on`. If devlint failed, it is never 0."""
    if spoke is not None and not failing.isdisjoint(spoke):
        return ExitCode.FINDINGS
    return ExitCode.BAD_USE if failing and (failed or spoke is None) else ExitCode.CLEAN


class _ProcessState:
    """The working directory and import path of the start, which a program may change."""

    def __init__(self) -> None:
        self.directory = Path.cwd()
        self._path = list(sys.path)

    def restore(self) -> None:
        """Restore both."""
        sys.path[:] = self._path
        with suppress(OSError):
            os.chdir(self.directory)


def _program(arguments: Namespace) -> LaunchedProgram:
    is_module, (name, *rest) = program_of(arguments)
    if is_module:
        return Module(name, tuple(rest))
    if name.endswith(NOTEBOOK_SUFFIX) and Path(name).is_file():
        return _notebook(name, tuple(rest))
    return find_program(name, tuple(rest))


def _notebook(path: str, arguments: tuple[str, ...]) -> NotebookProgram:
    from devlint.project.notebook import Notebook, NotebookError  # noqa: PLC0415  # few programs are one

    try:
        notebook = Notebook.read(Path(path).read_bytes())
    except NotebookError as error:
        raise ProgramError(f"{path}: {error}") from None
    except OSError as error:
        raise ProgramError(f"{path}: {reason(error)}") from None
    return NotebookProgram(path, arguments, notebook.text, notebook.starts)


def _require_torch() -> None:
    if not has_torch():
        raise ConfigurationError(
            f"`devlint run` needs torch, which {sys.executable} does not have: `pip install torch`"
        )


def _trace(arguments: Namespace, rank: Rank | None) -> TraceWriter | None:
    if not arguments.trace:
        return None
    require_place(arguments.trace, "--trace")
    try:
        return TraceWriter(trace_path(Path(arguments.trace), rank), torch_version(), rank)
    except OSError as error:
        raise ConfigurationError(f"--trace: {arguments.trace}: {reason(error)}") from None


def _executed(arguments: Namespace) -> ExecutedLines | None:
    """The recorder of executed lines, if recording them is cheap or requested."""
    if arguments.trace_lines and not arguments.trace:
        raise ConfigurationError("--trace-lines needs --trace")
    wanted = arguments.trace or arguments.report
    return ExecutedLines() if wanted and (IS_CHEAP or arguments.trace_lines) else None


def _launch(
    arguments: Namespace, configurations: Configurations, rank: Rank | None, stream: TextIO
) -> Launch | None:
    """The report of all ranks after they have ended; None if each process reports by itself."""
    if rank is None or not arguments.trace:
        return None

    def report(traces: Sequence[Path]) -> None:
        try:
            from devlint.cli.report import show_traces  # noqa: PLC0415  # as in `_report`
            from devlint.pipeline.observed.findings import Shown  # noqa: PLC0415

            shown = Shown(third_party=arguments.third_party)
            show_traces([str(trace) for trace in traces], arguments, configurations, shown, stream)
        except Exception as error:  # no caller handles it
            _say(f"error: the ranks could not be reported together: {error}", stream)

    launch = Launch(Path(arguments.trace), rank)
    return launch if launch.join(report) else None


def _report(
    watch: ProgramWatch,
    configurations: Configurations,
    arguments: Namespace,
    format_: str,
    stream: TextIO,
    *,
    is_shown: bool,
) -> frozenset[str] | None:
    """Show the report, unless another process does. Return the codes of the rules with findings; None if
    unknown.

    Raises nothing, because the exit code is the program's.
    """
    try:
        # Not before the program has run, so that few modules are loaded when it starts.
        from devlint.pipeline.observed.findings import Shown, observed  # noqa: PLC0415

        shows = Shown(third_party=arguments.third_party)
        report = observed(watch.tallies, watch, configurations, watch.remarks, watch.doubt, shows)
        if watch.title and report.run is not None:
            report = report._replace(run=replace(report.run, title=watch.title))
        spoke = frozenset(finding.code for finding in report.findings)
        if is_shown:
            show(report, arguments, format_, stream)
            if watch.timeline is not None:
                _draw(watch, watch.timeline, report, arguments)
    except OutputError as error:
        _say(f"error: {error}", stream)
    except Exception as error:
        _say(f"error: devlint failed to report ({type(error).__name__}: {error})", stream)
        return None
    return spoke


def _draw(watch: ProgramWatch, timeline: Timeline, report: Report, arguments: Namespace) -> None:
    """Write the files of `--report`; each rank has its own.

    Raises:
        OutputError: if a file cannot be written.
    """
    from devlint.cli.run_reports import write_reports  # noqa: PLC0415  # as in `_report`
    from devlint.pipeline.observed.profile import Recording, profile  # noqa: PLC0415

    ran = {} if watch.executed is None else watch.executed.ran
    recording = Recording(watch.tallies, timeline, watch, began=watch.began, ran=ran)
    _, (name, *_) = program_of(arguments)
    title = f"{name}, {watch.title}" if watch.title else name
    drawn = profile(report, [recording], Path.cwd(), title, torch_version())
    write_reports(drawn, [trace_path(Path(file), watch.rank) for file in arguments.report])


def _say(line: str, stream: TextIO) -> None:
    with suppress(Exception):
        say(line, stream)
