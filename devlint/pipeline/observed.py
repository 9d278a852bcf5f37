"""From what a run has shown to its report: judge, place, choose, suppress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from devlint.model import Event, Finding, Site, Synchronization, Transfer
from devlint.pipeline.naming import shown_path
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.suppression import find, skips_file
from devlint.report import Report, SourceText
from devlint.report.totals import Place, RunTotals, Seen
from devlint.rules.engine import Locator
from devlint.rules.transfer import is_download, is_upload
from devlint.runtime.findings import findings, without_finding
from devlint.runtime.recorder import Tally, total
from devlint.source.decode import decode
from devlint.source.unreadable import UnreadableSource


def observed(
    tallies: Sequence[Tally],
    locator: Locator,
    configurations: Configurations,
    remarks: Iterable[str] = (),
    doubt: str = "",
) -> Report:
    """The report of a run, worst first. For `remarks` and `doubt`, see `RunTotals`.

    In each file the configuration and the comments hold that `devlint check` would obey there. What cannot be
    read, because it was generated or is gone, has no comments, and is reported without its source text.
    """
    directory = configurations.working_directory
    remarks = list(remarks)
    found = [_placed(finding, directory) for finding in findings(tallies, locator)]
    kept: set[Finding] = set()
    sources: dict[str, SourceText] = {}
    for path in dict.fromkeys(finding.site.path for finding in found):
        text = _text(directory / path)
        on = _rules_for(directory / path, configurations, remarks)
        speaking = [finding for finding in found if finding.site.path == path and finding.code in on]
        kept.update(_unsuppressed(speaking, text))
        sources[path] = SourceText(text)
    return Report(
        findings=[finding for finding in found if finding in kept],
        sources=sources,
        run=replace(
            _totals(tallies),
            unspoken=_unspoken(without_finding(tallies), locator, directory),
            remarks=remarks,
            doubt=doubt,
        ),
    )


def _unspoken(waits: Sequence[Tally], locator: Locator, directory: Path) -> list[Place]:
    """The waits of which no rule speaks, by place and operator, in their order."""
    located = locator.locate({wait.event.site for wait in waits}, ())
    found: dict[tuple[Site, str], Seen] = {}
    for wait in waits:
        assert isinstance(wait.event, Synchronization)
        key = (_named(located.site(wait.event.site), directory), wait.event.operator)
        known = found.get(key, Seen())
        found[key] = Seen(known.count + wait.count, total(known.seconds, wait.seconds))
    return [Place(site, operator, seen) for (site, operator), seen in found.items()]


def _placed(finding: Finding, directory: Path) -> Finding:
    """The finding with paths as reports name them."""
    related = tuple(replace(each, site=_named(each.site, directory)) for each in finding.related)
    return replace(finding, site=_named(finding.site, directory), related=related)


def _named(site: Site, directory: Path) -> Site:
    generated = site.path.startswith("<")
    return site if generated else replace(site, path=shown_path(directory / site.path, directory))


def _rules_for(path: Path, configurations: Configurations, remarks: list[str]) -> frozenset[str]:
    """The codes that are on for a file. The run is over, so a configuration that makes no sense is remarked
    upon, and that of the working directory, which has been read before, holds."""
    try:
        return configurations.at(path.parent).rules_for(path)
    except ConfigurationError as error:
        remarks.append(str(error))
        return configurations.at(configurations.working_directory).rules


def _text(path: Path) -> str:
    try:
        return decode(path.read_bytes(), str(path)).text
    except (OSError, UnreadableSource):
        return ""


def _unsuppressed(found: list[Finding], text: str) -> list[Finding]:
    if skips_file(text):
        return []
    suppressions = find(text, has_findings=bool(found))
    return found if suppressions is None else suppressions.filter(found)


def _totals(tallies: Iterable[Tally]) -> RunTotals:
    """All waits and copies, also those that no rule speaks of."""
    tallies = list(tallies)
    return RunTotals(
        waits=_seen(tallies, lambda event: isinstance(event, Synchronization)),
        uploads=_seen(tallies, lambda event: isinstance(event, Transfer) and is_upload(event)),
        downloads=_seen(tallies, lambda event: isinstance(event, Transfer) and is_download(event)),
    )


def _seen(tallies: Iterable[Tally], counts: Callable[[Event], bool]) -> Seen:
    seen = Seen()
    for tally in tallies:
        if counts(tally.event):
            # What a copy made the host wait is counted among the waits.
            waited = tally.seconds if isinstance(tally.event, Synchronization) else None
            seen = Seen(seen.count + tally.count, total(seen.seconds, waited), total(seen.bytes, tally.bytes))
    return seen
