"""Findings with the names of files in reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os.path import isabs
from typing import TYPE_CHECKING

from devlint.model import Finding, Site

if TYPE_CHECKING:
    from devlint.pipeline.session.session import CheckSession


def named(finding: Finding, names: Mapping[str, str], session: CheckSession) -> Finding:
    """The finding with the names of its files; `names` has those of checked files, by path."""

    def renamed(site: Site) -> Site:
        path = site.path
        name = names.get(path) or (session.name(path) if isabs(path) else path)  # noqa: PTH117  # paths are strings here
        return site if name == path else replace(site, path=name)

    related = tuple(replace(each, site=renamed(each.site)) for each in finding.related)
    return replace(finding, site=renamed(finding.site), related=related)
