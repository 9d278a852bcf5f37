"""From the observations of a run to its report: judge, locate, select, suppress."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from devlint.model import Event, Finding, Related, Severity, Site, Synchronization, Transfer
from devlint.pipeline.files.document import read_document
from devlint.pipeline.files.shown_path import shown_path
from devlint.pipeline.observed.third_party import by_package, foreign_package, package_at
from devlint.pipeline.session.notebook_positions import within_cells
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.content import read_regular
from devlint.project.discover import NOTEBOOK_SUFFIX
from devlint.project.root import leads_out, root_of
from devlint.project.suppression import find, skips_file
from devlint.report import Report, SourceText
from devlint.report.totals import OperatorTotal, RunTotals, Seen
from devlint.rules.engine import MAX_NOTES
from devlint.rules.transfer import is_between, is_download, is_upload
from devlint.runtime.recording.findings import SiteLookup, findings, without_finding
from devlint.runtime.recording.recorder import Tally, total
from devlint.source.unreadable import UnreadableSource


class Shown(NamedTuple):
    """Which findings the report of a run shows one by one."""

    third_party: bool = False
    """Those in installed packages; otherwise their number is shown."""
    usual: bool = False
    """Those of nearly every program; otherwise one line of advice is shown."""
    foreign_lines: bool = True
    """The source lines of files outside of the project. (The trace of another person may name any file.)"""


def observed(
    tallies: Sequence[Tally],
    locator: SiteLookup,
    configurations: Configurations,
    remarks: Iterable[str] = (),
    doubt: str = "",
    shows: Shown = Shown(),  # noqa: B008 - it is immutable
) -> Report:
    """The report of a run, worst first. For `remarks` and `doubt`, see `RunTotals`.

    In each file, the configuration and the comments apply that `devlint check` would use. A file that cannot
    be read, because it was generated or removed, has no comments, and is reported without its source text.
    """
    directory = configurations.working_directory
    remarks = list(remarks)
    own = configurations.at(directory).own
    found = [_attributed(_placed(each, directory), own, shows) for each in findings(tallies, locator)]
    unspoken = _unspoken(without_finding(tallies), locator, directory, own, shows)
    root = None if shows.foreign_lines else root_of(directory)
    sources = {path: source_of(path, directory, root) for path in dict.fromkeys(_paths(found, unspoken))}
    kept: set[Finding] = set()
    for path, source in sources.items():
        on = _rules_for(directory / path, configurations, remarks)
        speaking = [finding for finding in found if finding.site.path == path and finding.code in on]
        kept.update(_unsuppressed(speaking, source.text))
    chosen = [finding for finding in found if finding in kept]
    folded = [] if shows.third_party else [each for each in chosen if foreign_package(each, own)]
    return Report(
        findings=[within_cells(finding, sources) for finding in chosen if finding not in folded],
        sources=sources,
        run=replace(
            _totals(tallies),
            unspoken=[replace(each, site=sources[each.site.path].in_cell(each.site)) for each in unspoken],
            folded=by_package(folded, own),
            remarks=remarks,
            doubt=doubt,
        ),
    )


def _attributed(finding: Finding, own: Collection[str], shows: Shown) -> Finding:
    """The finding at its reported place: for errors in installed packages, the program's lines that led
    there."""
    measured = finding.observed
    if measured is None:
        return finding
    if shows.usual:
        finding = replace(finding, observed=replace(measured, usual=False))
    package = foreign_package(finding, own)
    if not package or not measured.callers:
        return finding
    if finding.severity is Severity.ERROR and not shows.third_party:
        inside = Related(finding.site, f"it happens here, in {package}")
        return replace(finding, site=measured.callers[0], related=(inside, *finding.related), fix=None)
    calls = tuple(Related(caller, "called from here") for caller in measured.callers[:MAX_NOTES])
    return replace(finding, related=(*finding.related, *calls))


def _unspoken(
    waits: Sequence[Tally], locator: SiteLookup, directory: Path, own: Collection[str], shows: Shown
) -> list[OperatorTotal]:
    """The waits that no rule reports, by place and operator, in order."""
    located = locator.locate({wait.event.site for wait in waits}, ())
    found: dict[tuple[Site, str, str], Seen] = {}
    for wait in waits:
        assert isinstance(wait.event, Synchronization)
        site, package = located.site(wait.event.site), ""
        callers = located.callers.get(wait.event.site, ())
        if callers and not shows.third_party:
            package = package_at(site.path, own, is_called=True)
            site = callers[0] if package else site
        key = (named_site(site, directory), wait.event.operator, package)
        known = found.get(key, Seen())
        found[key] = Seen(
            known.count + wait.count,
            total(known.seconds, wait.seconds),
            estimated=known.estimated or wait.estimated,
        )
    return [OperatorTotal(site, operator, seen, package) for (site, operator, package), seen in found.items()]


def _placed(finding: Finding, directory: Path) -> Finding:
    """The finding with the paths of reports."""
    related = tuple(replace(each, site=named_site(each.site, directory)) for each in finding.related)
    measured = finding.observed
    if measured is not None and measured.callers:
        callers = tuple(named_site(caller, directory) for caller in measured.callers)
        measured = replace(measured, callers=callers)
    return replace(finding, site=named_site(finding.site, directory), related=related, observed=measured)


def named_site(site: Site, directory: Path) -> Site:
    """A place with the path of reports."""
    generated = site.path.startswith("<")
    return site if generated else replace(site, path=shown_path(directory / site.path, directory))


def _rules_for(path: Path, configurations: Configurations, remarks: list[str]) -> frozenset[str]:
    """The codes that are on for a file. If its configuration is invalid, a remark says so, and that of the
    working directory, which was read before the run, applies."""
    try:
        return configurations.at(path.parent).rules_for(path)
    except ConfigurationError as error:
        remarks.append(str(error))
        return configurations.at(configurations.working_directory).rules


def _paths(findings: Iterable[Finding], places: Iterable[OperatorTotal]) -> Iterator[str]:
    """The files of findings and waits."""
    for finding in findings:
        yield finding.site.path
        yield from (related.site.path for related in finding.related if _is_notebook(related.site.path))
    yield from (each.site.path for each in places)


def source_of(path: str, directory: Path, root: Path | None = None) -> SourceText:
    """The text of a file, which must be below `root` if that is given; for code without a file, as in a
    shell, the text that the program has."""
    file = directory / path
    if root is not None and leads_out(file, root):
        return SourceText("")
    try:
        return read_document(read_regular(file), str(file), notebook=_is_notebook(path)).source()
    except (OSError, UnreadableSource):
        return SourceText("".join(linecache.getlines(path)))


def _is_notebook(path: str) -> bool:
    return path.endswith(NOTEBOOK_SUFFIX)


def _unsuppressed(found: list[Finding], text: str) -> list[Finding]:
    if skips_file(text):
        return []
    suppressions = find(text, has_findings=bool(found))
    return found if suppressions is None else suppressions.filter(found)


def _totals(tallies: Iterable[Tally]) -> RunTotals:
    """All waits and copies, including those that no rule reports."""
    tallies = list(tallies)
    return RunTotals(
        waits=_seen(tallies, lambda event: isinstance(event, Synchronization)),
        uploads=_seen(tallies, lambda event: isinstance(event, Transfer) and is_upload(event)),
        downloads=_seen(tallies, lambda event: isinstance(event, Transfer) and is_download(event)),
        between=_seen(tallies, lambda event: isinstance(event, Transfer) and is_between(event)),
    )


def _seen(tallies: Iterable[Tally], counts: Callable[[Event], bool]) -> Seen:
    seen = Seen()
    for tally in tallies:
        if counts(tally.event):
            # The waiting time of copies is part of that of waits.
            waited = tally.seconds if isinstance(tally.event, Synchronization) else None
            seen = Seen(
                seen.count + tally.count,
                total(seen.seconds, waited),
                total(seen.bytes, tally.bytes),
                seen.estimated or tally.estimated,
            )
    return seen
