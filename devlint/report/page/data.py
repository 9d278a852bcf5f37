"""The data of a page's scripts, as JSON: texts, and numbers that refer to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from devlint.model import Finding, Site
from devlint.model.visible import visible
from devlint.report.place import place
from devlint.report.profile import Act, ActKind, Lane, Moment, Profile
from devlint.report.sources import SourceText

_MICRO = 1e6
_ROWS = (ActKind.WAIT, ActKind.UPLOAD, ActKind.BETWEEN, ActKind.DOWNLOAD)
"""The order of the rows of a device."""


def data(profile: Profile) -> dict[str, Any]:
    """Times are whole microseconds; lines count over the whole file, also in a notebook."""
    named = _Named(profile)
    acts = [_act(act, named) for act in profile.acts]
    findings = [_finding(finding, profile.acts, named) for finding in profile.report.findings]
    for finding in findings:
        for act in finding["at"]:
            acts[act]["codes"].append(finding["code"])
    return {
        "timed": profile.is_timed,
        "lanes": [str(lane) for lane in named.lanes],
        "kinds": [kind.value for kind in _ROWS],
        "acts": acts,
        "findings": findings,
        "moments": _columns(profile.moments),
        "places": named.places,
        "files": [_file(path, profile) for path in named.paths],
    }


class _Named:
    """Numbers for lanes, places and files."""

    def __init__(self, profile: Profile) -> None:
        self._sources = profile.report.sources
        self.lanes = sorted({act.lane for act in profile.acts}, key=_lane_key)
        self.paths: dict[str, int] = {}
        self.places: list[dict[str, Any]] = []
        self._numbers: dict[Site, int] = {}
        for finding, origins in zip(profile.report.findings, profile.origins, strict=True):
            self.place(finding.site)  # files with findings come first
            led = (stage.site for origin in origins for stage in origin.stages)
            for site in (*(related.site for related in finding.related), *led):
                if site is not None:
                    self.place(site)

    def place(self, site: Site) -> int:
        """The number of a place."""
        if site not in self._numbers:
            self._numbers[site] = len(self.places)
            self.places.append(self._described(site))
        return self._numbers[site]

    def _described(self, site: Site) -> dict[str, Any]:
        source = self._sources.get(site.path, SourceText(""))
        text = source.line(site.line, site.cell)
        end = site.end_column - 1 if site.end_line == site.line else len(text)
        before = source.cells[site.cell - 1] - 1 if site.cell is not None and source.cells else 0
        return {
            "label": place(site),
            "file": self.paths.setdefault(site.path, len(self.paths)),
            "line": site.line + before,
            "text": visible(text[site.column - 1 : end] or text.strip()),
        }


def _lane_key(lane: Lane) -> tuple[int, str, int]:
    kind, _, index = lane.device.partition(":")
    return (-1 if lane.rank is None else lane.rank, kind, int(index) if index.isdecimal() else -1)


def _act(act: Act, named: _Named) -> dict[str, Any]:
    return {
        "kind": _ROWS.index(act.kind),
        "lane": named.lanes.index(act.lane),
        "place": named.place(act.site),
        "callers": [named.place(caller) for caller in act.callers],
        "operator": visible(act.operator.strip("`")),
        "operand": visible(act.operand),
        "detail": visible(act.detail),
        "count": act.seen.count,
        "seconds": act.seen.seconds,
        "bytes": act.seen.bytes,
        "estimated": act.seen.estimated,
        "codes": [],
    }


def _finding(finding: Finding, acts: Sequence[Act], named: _Named) -> dict[str, Any]:
    """`at` are the waits and copies of the finding, `near` those on the lines that led there."""
    near = {related.site for related in finding.related}
    return {
        "code": finding.code,
        "place": named.place(finding.site),
        "at": [number for number, act in enumerate(acts) if act.site == finding.site],
        "near": [number for number, act in enumerate(acts) if act.site in near],
    }


def _columns(moments: Sequence[Moment]) -> dict[str, Any]:
    """One list for each field; None if the field is empty everywhere."""
    return {
        "act": [moment.act for moment in moments],
        "start": [round(moment.start * _MICRO) for moment in moments],
        "span": _unless(0, [round((moment.end - moment.start) * _MICRO) for moment in moments]),
        "step": _unless(0, [moment.step for moment in moments]),
        "waited": _unless(
            None,
            [None if moment.seconds is None else round(moment.seconds * _MICRO) for moment in moments],
        ),
        "bytes": _unless(None, [moment.bytes for moment in moments]),
        "count": _unless(1, [moment.count for moment in moments]),
    }


def _unless(usual: int | None, column: list[Any]) -> list[Any] | None:
    return None if all(value == usual for value in column) else column


def _file(path: str, profile: Profile) -> dict[str, Any]:
    source = profile.report.sources[path]
    lines = source.lines
    return {
        "path": visible(path),
        "lines": [visible(lines.text(number)) for number in range(1, len(lines) + 1)],
        "cells": source.cells,
        "unrun": sorted(profile.unrun.get(path, ())),
    }
