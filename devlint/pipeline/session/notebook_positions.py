"""Conversion of places in notebooks to places within cells, for reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from devlint.model import Finding, Site, Withheld
from devlint.pipeline.session.documents import document_for
from devlint.project.discover import NOTEBOOK_SUFFIX

if TYPE_CHECKING:
    from devlint.pipeline.session.session import CheckSession
    from devlint.pipeline.session.task import FileOutcome
    from devlint.report import SourceText


def count_in_cells(outcomes: Sequence[FileOutcome], session: CheckSession) -> None:
    """Convert the places of findings in notebooks."""
    sources = dict(_sources(outcomes, session))
    if not sources:
        return
    for outcome in outcomes:
        outcome.findings = [within_cells(finding, sources) for finding in outcome.findings]
        outcome.withheld = [
            Withheld(within_cells(each.finding, sources), each.silence) for each in outcome.withheld
        ]


def _sources(outcomes: Sequence[FileOutcome], session: CheckSession) -> Iterator[tuple[str, SourceText]]:
    """The texts of the notebooks with findings."""
    named = {site.path for outcome in outcomes for site in _sites(outcome)}
    for outcome in outcomes:
        if outcome.path not in named or outcome.file is None or outcome.file.path.suffix != NOTEBOOK_SUFFIX:
            continue
        if outcome.source is None:
            document = document_for(outcome, session)
            outcome.source = None if document is None else document.source()
        if outcome.source is not None:
            yield outcome.path, outcome.source


def _sites(outcome: FileOutcome) -> Iterator[Site]:
    for finding in (*outcome.findings, *(each.finding for each in outcome.withheld)):
        yield finding.site
        yield from (related.site for related in finding.related)


def within_cells(finding: Finding, sources: Mapping[str, SourceText]) -> Finding:
    """A finding with its places in notebooks converted."""

    def placed(site: Site) -> Site:
        source = sources.get(site.path)
        return site if source is None else source.in_cell(site)

    related = tuple(replace(each, site=placed(each.site)) for each in finding.related)
    return replace(finding, site=placed(finding.site), related=related)
