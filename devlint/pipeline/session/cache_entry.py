"""Conversion of an analysis to plain data for the cache, and back."""

from __future__ import annotations

from typing import Any

from devlint.pipeline.analysis.analysis import Analysis, Claim
from devlint.project.cached_findings import (
    from_finding,
    from_site,
    is_finding,
    is_site,
    to_finding,
    to_site,
)
from devlint.project.shape import of_type, optional, row, rows

_text = of_type(str)
_CLAIM = row(
    is_finding,
    _text,
    optional(is_site),
    rows(_text),
    optional(row(of_type(int), of_type(int))),
    of_type(bool),
)
_GIVEN = row(_text, _text, _text, of_type(bool))
_ANALYSIS = row(rows(_CLAIM), rows(row(_text, _text)), rows(_GIVEN), of_type(bool), of_type(bool))


def to_data(analysis: Analysis, name: str) -> list[Any]:
    """The analysis as JSON data, without the name of its own file."""
    claims = [
        [
            from_finding(claim.finding, name),
            claim.home,
            None if claim.anchor is None else from_site(claim.anchor, name),
            sorted(claim.hypotheses),
            claim.cause,
            claim.of_arguments,
        ]
        for claim in analysis.claims
    ]
    reached, given = sorted(analysis.reached), sorted(analysis.given)
    return [claims, reached, given, analysis.speaks, analysis.is_cut_short]


def from_data(data: list[Any], name: str) -> Analysis:
    """The analysis, for a file with this name.

    Raises: ValueError: if the data is not an analysis.
    """
    if not _ANALYSIS(data):
        raise ValueError("this is not an analysis")
    claims, reached, given, speaks, is_cut_short = data
    return Analysis(
        [_claim(*record, name=name) for record in claims],
        frozenset((path, function) for path, function in reached),
        frozenset((path, function, caller, on_host) for path, function, caller, on_host in given),
        speaks=speaks,
        is_cut_short=is_cut_short,
    )


def _claim(
    finding: Any,
    home: str,
    anchor: Any,
    hypotheses: list[str],
    cause: Any,
    of_arguments: bool,
    *,
    name: str,
) -> Claim:
    return Claim(
        to_finding(finding, name),
        home,
        None if anchor is None else to_site(anchor, name),
        frozenset(hypotheses),
        None if cause is None else (cause[0], cause[1]),
        of_arguments,
    )
