"""The comparison of two runs of a program, before and after a change: which places are the same, and how they
differ.

Lines move when a program is changed. Two places are the same if they do the same with the same operand in the
same function of the same file: on the same line if possible, else in the order of lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from devlint.model import Site
from devlint.report.comparison import ComparedRun, Comparison, RunDifference, Side, Verdict
from devlint.report.profile import Profile
from devlint.report.totals import RunTotals, Seen
from devlint.rules import wording
from devlint.runtime.recording.recorder import total


class _Thing(NamedTuple):
    """A finding, or the waits or copies of a place."""

    what: str
    code: str
    site: Site
    seen: Seen


def compare(before: tuple[Profile, int], after: tuple[Profile, int]) -> Comparison:
    """The comparison of two runs, each with its number of optimizer steps."""
    paths = _paths(before[0], after[0])
    return Comparison(
        _run(*before),
        _run(*after),
        _changes(_findings(before[0]), _findings(after[0]), paths),
        _changes(_acts(before[0]), _acts(after[0]), paths),
    )


def _run(profile: Profile, steps: int) -> ComparedRun:
    return ComparedRun(profile.title, steps, profile.report.run or RunTotals())


def _findings(profile: Profile) -> list[_Thing]:
    found = []
    for finding in profile.report.findings:
        observed = finding.observed
        seen = Seen(1) if observed is None else Seen(observed.count, observed.seconds, observed.bytes)
        found.append(_Thing(finding.message, finding.code, finding.site, seen))
    return found


def _acts(profile: Profile) -> list[_Thing]:
    """The waits and copies at each place, on all devices and ranks."""
    found: dict[tuple[str, Site], Seen] = {}
    for act in profile.acts:
        operand = f" of {wording.code(act.operand)}" if act.operand else ""
        key = (f"{act.kind.value}: {act.operator}{operand}", act.site)
        known = found.get(key, Seen())
        found[key] = Seen(
            known.count + act.seen.count,
            total(known.seconds, act.seen.seconds),
            total(known.bytes, act.seen.bytes),
        )
    return [_Thing(what, "", site, seen) for (what, site), seen in found.items()]


def _paths(before: Profile, after: Profile) -> Mapping[str, str]:
    """The path in the second run of each file of the first: the same, or a similar one if it was moved."""
    first, second = (
        {act.site.path for act in run.acts} | {finding.site.path for finding in run.report.findings}
        for run in (before, after)
    )
    named: defaultdict[str, list[str]] = defaultdict(list)
    for path in second - first:
        named[PurePath(path).name].append(path)
    gone = first - second
    alike = {path: named[PurePath(path).name] for path in gone}
    return {path: others[0] for path, others in alike.items() if len(others) == 1}


def _changes(
    before: Iterable[_Thing], after: Iterable[_Thing], paths: Mapping[str, str]
) -> Sequence[RunDifference]:
    def file(thing: _Thing) -> tuple[str, str, str, str, int | None]:
        path = paths.get(thing.site.path, thing.site.path)
        return (path, thing.site.function, thing.code, thing.what, thing.site.cell)

    pairs = _paired(list(before), list(after), (lambda thing: (*file(thing), thing.site.line), file))
    changes = [
        RunDifference((new or old).what, (new or old).code, _side(old), _side(new))  # type: ignore[union-attr]
        for old, new in pairs
    ]
    worst = list(Verdict)
    return sorted(changes, key=lambda each: (worst.index(each.verdict), *_size_of(each)))


def _size_of(change: RunDifference) -> tuple[float, int]:
    """A sort key: the most important first."""
    seconds, number = change.gain
    return -abs(seconds), -abs(number)


def _paired(
    before: list[_Thing], after: list[_Thing], keys: Sequence[Callable[[_Thing], Hashable]]
) -> Iterator[tuple[_Thing | None, _Thing | None]]:
    """The pairs with the same first key, then those of the rest with the same second key, then the remaining
    ones."""
    for key in keys:
        waiting: defaultdict[Hashable, list[_Thing]] = defaultdict(list)
        for thing in sorted(before, key=_position):
            waiting[key(thing)].append(thing)
        left = []
        for thing in sorted(after, key=_position):
            if waiting[key(thing)]:
                yield waiting[key(thing)].pop(0), thing
            else:
                left.append(thing)
        before, after = [thing for things in waiting.values() for thing in things], left
    yield from ((thing, None) for thing in before)
    yield from ((None, thing) for thing in after)


def _position(thing: _Thing) -> tuple[str, int, int]:
    return thing.site.path, thing.site.line, thing.site.column


def _side(thing: _Thing | None) -> Side | None:
    return None if thing is None else Side(thing.site, thing.seen)
