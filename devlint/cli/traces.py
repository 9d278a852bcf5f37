"""The traces that a command gets: files or folders, of one process or of all ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from devlint.pipeline.observed.findings import Shown, observed
from devlint.pipeline.observed.profile import Recording, profile
from devlint.project.configuration import Configurations
from devlint.project.root import root_of
from devlint.report import Report
from devlint.report.amounts import count
from devlint.report.profile import Profile
from devlint.runtime.recording.timeline import Timeline
from devlint.runtime.trace import Trace, TraceError, merge, read_trace


class TraceContent(NamedTuple):
    """The content of the traces of one run."""

    name: str
    each: Sequence[tuple[Trace, Timeline]]
    """The trace and the timeline of each process."""
    trace: Trace
    """Of all processes together."""

    @property
    def steps(self) -> int:
        """The number of optimizer steps."""
        return max(trace.steps for trace, _ in self.each)

    def report(self, configurations: Configurations, shown: Shown) -> Report:
        """The report of the run."""
        trace = self.trace
        return observed(trace.tallies, trace, configurations, trace.remarks, trace.doubt, shown)

    def profile(self, report: Report) -> Profile:
        """The profile of the run with this report."""
        recordings = [_recording(*each) for each in self.each]
        directory = Path.cwd()
        return profile(report, recordings, directory, self.name, self.trace.torch, root_of(directory))


def read(paths: Sequence[str], *, times: bool) -> TraceContent:
    """Read the traces of a run; with `times`, also their timelines.

    Raises: TraceError: if a file is not a trace, a folder has none, or the traces are not of one run.
    """
    files = [file for path in paths for file in _files(Path(path))]
    each = []
    for file in files:
        timeline = Timeline()
        each.append((read_trace(file, timeline if times else None), timeline))
    traces = [trace for trace, _ in each]
    is_alone = len(traces) == 1 and traces[0].rank is None
    return TraceContent(_name(paths), each, traces[0] if is_alone else merge(traces))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.jsonl"))
    if not files:
        raise TraceError(f"{path}: contains no trace")
    return files


def _recording(trace: Trace, timeline: Timeline) -> Recording:
    rank = None if trace.rank is None else trace.rank.number
    ran = {path: each.lines for path, each in trace.ran.items()}
    return Recording(trace.tallies, timeline, trace, rank, trace.began, trace.files, ran)


def _name(paths: Sequence[str]) -> str:
    """The name of what is reported: a file, or the first of several."""
    more = f" and {count(len(paths) - 1, 'more trace')}" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"
