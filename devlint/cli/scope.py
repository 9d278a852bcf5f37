"""Which findings `devlint check` reports: baselines, changed lines, traces."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.cli.output import OutputError, require_place
from devlint.pipeline.execution.run import STDIN
from devlint.pipeline.files.shown_path import shown_path
from devlint.pipeline.selection.scope import ReportScope
from devlint.project.configuration import ConfigurationError
from devlint.project.discover import reason
from devlint.project.settings import Settings
from devlint.report.amounts import count

if TYPE_CHECKING:
    from devlint.pipeline.selection.baseline import Baseline
    from devlint.pipeline.selection.changed_lines import Touched
    from devlint.pipeline.selection.evidence import Evidence

_WRITE = "--write-baseline"
_SINCE = "--diff-base"


def refuse_contradictions(arguments: Namespace) -> None:
    """Reject a baseline of only some findings, and a comparison with a commit of what is not in its files.

    Raises:
        ConfigurationError: if options contradict each other.
    """
    others = {
        "--diff": arguments.diff,
        "--add-ignore": arguments.add_ignore,
        "standard input": arguments.paths == [STDIN],
    }
    if arguments.write_baseline is not None:
        _refuse(_WRITE, {"--baseline": arguments.baseline, _SINCE: arguments.diff_base, **others})
        require_place(arguments.write_baseline, _WRITE)
    if arguments.diff_base is not None:
        _refuse(_SINCE, {"--fix": arguments.fix, **others})


def _refuse(option: str, others: Mapping[str, object]) -> None:
    for other, present in others.items():
        if present:
            raise ConfigurationError(f"{option} and {other} cannot be combined")


def scope_of(arguments: Namespace, settings: Settings) -> ReportScope:
    """The scope of the report.

    Raises:
        ConfigurationError: if the baseline or the trace cannot be read, or git cannot say what has changed.
    """
    evidence = None if arguments.with_trace is None else _evidence(arguments.with_trace)
    if arguments.write_baseline is not None:
        file = Path(os.path.normpath(Path.cwd() / arguments.write_baseline))
        return ReportScope(read_baseline(file, must_exist=False), renews=True, evidence=evidence)
    baseline = None if settings.baseline is None else read_baseline(settings.baseline)
    if arguments.diff_base is None:
        return ReportScope(baseline, evidence=evidence)
    if settings.fix:
        raise ConfigurationError(
            f"{_SINCE} cannot be combined with `fix = true` in the configuration; add --no-fix"
        )
    return ReportScope(baseline, _touched(arguments.diff_base), evidence=evidence)


def write_baseline(scope: ReportScope, *, complete: bool) -> str:
    """Write the updated baseline. Returns the line to print.

    Raises: OutputError: if it cannot be written; the file is then unchanged.
    """
    from devlint.pipeline.files.write import write_file  # noqa: PLC0415  # few runs write
    from devlint.project.baseline import text_of  # noqa: PLC0415

    baseline = scope.baseline
    assert baseline is not None
    name = shown_path(baseline.file, Path.cwd())
    if not complete:
        return f"error: {name} was not written, because not everything was checked"
    try:
        write_file(baseline.file, text_of(baseline.entries).encode())
    except OSError as error:
        raise OutputError(f"{_WRITE}: {name}: {reason(error)}") from None
    return f"Wrote {count(baseline.total, 'finding')} to {name}."


def _evidence(name: str) -> Evidence:
    from devlint.pipeline.selection.evidence import Evidence  # noqa: PLC0415  # few checks have a run beside them
    from devlint.runtime.trace import TraceError, read_trace  # noqa: PLC0415

    try:
        trace = read_trace(Path(name))
    except TraceError as error:
        raise ConfigurationError(f"--with-trace: {error}") from None
    return Evidence(name, trace)


def _touched(rev: str) -> Touched:
    from devlint.pipeline.selection.changed_lines import Touched  # noqa: PLC0415  # most runs compare nothing
    from devlint.project.git import GitError, difference  # noqa: PLC0415

    try:
        return Touched(rev, difference(rev, Path.cwd()))
    except GitError as error:
        raise ConfigurationError(f"{_SINCE}: {error}") from None


def read_baseline(file: Path, *, must_exist: bool = True) -> Baseline:
    """A baseline.

    Raises:
        ConfigurationError: if it cannot be read.
    """
    from devlint.pipeline.selection.baseline import Baseline  # noqa: PLC0415  # most runs have none
    from devlint.project.baseline import BaselineError, read  # noqa: PLC0415

    try:
        return Baseline(file, read(file) if must_exist or file.exists() else {})
    except BaselineError as error:
        raise ConfigurationError(f"{shown_path(file, Path.cwd())}: {error}") from None
