"""From the observations of a run to its profile: waits and copies, with place, time and device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from devlint.model import Move, Site, SiteId, Synchronization, Transfer, is_accelerator
from devlint.pipeline.files.shown_path import shown_path
from devlint.pipeline.observed.origins import Origins
from devlint.pipeline.observed.places import Placing
from devlint.pipeline.observed.unexecuted import unrun
from devlint.report import Report, SourceText
from devlint.report.amounts import count
from devlint.report.profile import Act, ActKind, Lane, Moment, Profile
from devlint.report.totals import RunTotals, Seen
from devlint.rules import wording
from devlint.rules.transfer import is_download, is_upload
from devlint.runtime.recording.findings import SiteLookup
from devlint.runtime.recording.recorder import Tally, total
from devlint.runtime.recording.timeline import TimedEvent, Timeline, action_of
from devlint.runtime.trace.writer import digest_of


@dataclass(frozen=True, slots=True)
class Recording:
    """The observations of one process."""

    tallies: Sequence[Tally]
    timeline: Timeline
    locator: SiteLookup
    rank: int | None = None
    began: float | None = None
    """In seconds of the Unix clock."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The digests of files at the time of the run, by absolute path; empty for a run that has just ended."""
    ran: Mapping[str, Collection[int]] = field(default_factory=dict)
    """The executed lines of each file, by absolute path; empty if unknown."""


def profile(
    report: Report,
    recordings: Sequence[Recording],
    directory: Path,
    title: str,
    torch: str | None,
    root: Path | None = None,
) -> Profile:
    """The profile of the run with this report.

    `directory` is the base of paths in the report. Only files below `root` are shown, if it is given.
    """
    began = min((each.began for each in recordings if each.began is not None), default=None)
    acts: list[Act] = []
    moments: list[Moment] = []
    placing = Placing(directory, report.sources, root)
    for recording in recordings:
        later = 0.0 if began is None or recording.began is None else recording.began - began
        found = _Found(recording, placing)
        moments.extend(found.moments(len(acts), later))
        acts.extend(found.acts)
    origins = Origins([(each.tallies, each.locator) for each in recordings], placing)
    told = [origins.of(finding) for finding in report.findings]
    return Profile(
        report=_with_remarks(report, _changed(recordings, directory))._replace(sources=placing.sources),
        title=title,
        torch=torch or "",
        acts=acts,
        moments=sorted(moments, key=lambda moment: moment.end),
        origins=told,
        unrun=_unrun(recordings, placing.sources, directory),
        resolution=max((each.timeline.resolution for each in recordings), default=0.0),
        began=began,
    )


def _unrun(
    recordings: Iterable[Recording], sources: Mapping[str, SourceText], directory: Path
) -> dict[str, frozenset[int]]:
    """The lines that no process executed, of the files for which that is known."""
    ran: defaultdict[str, set[int]] = defaultdict(set)
    for recording in recordings:
        for path, lines in recording.ran.items():
            ran[shown_path(Path(path), directory)].update(lines)
    return {path: unrun(sources[path].text, lines) for path, lines in ran.items() if path in sources}


def _with_remarks(report: Report, remarks: Iterable[str]) -> Report:
    totals = report.run or RunTotals()
    return report._replace(run=replace(totals, remarks=[*totals.remarks, *remarks]))


def _changed(recordings: Iterable[Recording], directory: Path) -> Iterator[str]:
    """Which files changed since the run: one sentence for different files, one for removed ones."""
    digests = {path: digest for each in recordings for path, digest in each.files.items() if digest}
    now = {path: digest_of(path) for path in digests}
    differ = [path for path, digest in digests.items() if now[path] not in ("", digest)]
    gone = [path for path in digests if not now[path]]
    if differ:
        yield f"{_named(differ, directory)} changed since the run: the lines that are shown may be wrong"
    if gone:
        yield f"{_named(gone, directory)} been removed since the run: the lines are not shown"


def _named(paths: Sequence[str], directory: Path) -> str:
    """`train.py has`, `train.py and 2 more files have`."""
    first = shown_path(Path(paths[0]), directory)
    return f"{first} and {count(len(paths) - 1, 'more file')} have" if len(paths) > 1 else f"{first} has"


class _Found:
    """The acts of one process."""

    def __init__(self, recording: Recording, placing: Placing) -> None:
        self._timeline = recording.timeline
        tallies: dict[TimedEvent, list[Tally]] = defaultdict(list)
        for tally in recording.tallies:
            action = action_of(tally.event)
            if action is not None:
                tallies[action].append(tally)
        devices = _Devices(recording.tallies)
        located = recording.locator.locate({action.site for action in tallies}, ())
        self._numbers = {action: number for number, action in enumerate(tallies)}
        self.acts = [
            self._act(
                each,
                placing(located.site(action.site)),
                Lane(devices.of(action), recording.rank),
                tuple(map(placing, located.callers.get(action.site, ()))),
            )
            for action, each in tallies.items()
        ]

    def moments(self, offset: int, later: float) -> Iterator[Moment]:
        """The moments of all acts. The numbers of acts start at `offset`, the times at `later` seconds."""
        numbers = [self._numbers.get(action) for action in self._timeline.actions]
        for each in self._timeline.moments:
            number = numbers[each.action]
            if number is not None:
                start, end = each.start + later, each.end + later
                yield Moment(offset + number, start, end, each.step, each.seconds, each.bytes, each.count)

    def _act(self, tallies: Sequence[Tally], site: Site, lane: Lane, callers: tuple[Site, ...]) -> Act:
        event = tallies[0].event
        assert isinstance(event, Transfer | Synchronization)
        detail = f"{event.source} → {event.target}" if isinstance(event, Transfer) else event.cause.value
        operand = event.operand.path if event.operand is not None else ""
        operator = wording.operator(event.operator)
        return Act(_kind(event), site, operator, operand, detail, lane, _seen(tallies), callers)


class _Devices:
    """The device of each action. A wait for an upload only names the operand on the host; its device is the
    target. `cuda` without an ordinal is the current device, as shown by the move at the place, else the only
    device with an ordinal."""

    def __init__(self, tallies: Iterable[Tally]) -> None:
        self._named: defaultdict[SiteId, set[str]] = defaultdict(set)
        for tally in tallies:
            action = action_of(tally.event)
            if action is not None:
                self._named[tally.event.site].update(_accelerators(action))
            elif isinstance(tally.event, Move) and is_accelerator(tally.event.target):
                self._named[tally.event.site].add(str(tally.event.target))
        self._all = set().union(*self._named.values())

    def of(self, action: TimedEvent) -> str:
        """The device; empty if unknown."""
        here = self._named[action.site]
        own = _accelerators(action)[:1] or sorted(here)
        found = {self._numbered(device, here) for device in own}
        if len(found) == 1:
            return found.pop()
        every = {self._numbered(device, ()) for device in self._all}
        return "" if own or len(every) != 1 or _number(*every) else every.pop()

    def _numbered(self, device: str, here: Collection[str]) -> str:
        for known in (here, self._all):
            alike = {each for each in known if each.startswith(f"{device}:")}
            if len(alike) == 1:
                return alike.pop()
        return device


def _number(device: str) -> int:
    """The ordinal of a device; 0 for the current one."""
    return int(device.partition(":")[2] or 0)


def _accelerators(action: TimedEvent) -> list[str]:
    """The devices that an action names, the target first."""
    named = (action.target, action.source)
    return [str(device) for device in named if device is not None and is_accelerator(device)]


def _kind(event: Transfer | Synchronization) -> ActKind:
    if isinstance(event, Synchronization):
        return ActKind.WAIT
    if is_upload(event):
        return ActKind.UPLOAD
    return ActKind.DOWNLOAD if is_download(event) else ActKind.BETWEEN


def _seen(tallies: Iterable[Tally]) -> Seen:
    seen = Seen()
    for tally in tallies:
        seen = Seen(
            seen.count + tally.count,
            total(seen.seconds, tally.seconds),
            total(seen.bytes, tally.bytes),
            seen.estimated or tally.estimated,
        )
    return seen
