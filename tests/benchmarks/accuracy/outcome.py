"""Decides whether devlint finds a planted bug."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path

from devlint.model import Finding, Site
from devlint.pipeline.analysis.text import find_all
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import Task
from devlint.rules import registry
from tests.benchmarks.accuracy.planting import Planting

ON = frozenset(rule.code for rule in registry.all_rules() if rule.enabled)
ALL = frozenset(rule.code for rule in registry.all_rules())


def found_by(text: str, path: Path, planting: Planting, codes: Collection[str] = ON) -> list[Finding]:
    """The findings of the planted bug: new ones, with a place in the function that contains it.

    No change moves a line, so that every other finding stays on its own. The attribute that is no buffer any
    more may be met in any method. The other files of the project are followed, as they are.
    """
    before = {_key(finding) for finding in _findings(text, path, frozenset(codes))}
    after = find_all(planting.plant(text), str(path), codes, _session().place_of(path))
    return [f for f in after if _key(f) not in before and _comes_from(f, planting)]


def _comes_from(finding: Finding, planting: Planting) -> bool:
    if planting.attribute:
        return f"self.{planting.attribute}`" in finding.message
    first, last = planting.scope
    return any(first <= site.line <= last for site in _sites(finding))


def _sites(finding: Finding) -> list[Site]:
    return [finding.site, *(related.site for related in finding.related)]


def _key(finding: Finding) -> tuple[str, int, str]:
    return finding.code, finding.site.line, finding.message


@lru_cache(maxsize=64)
def _findings(text: str, path: Path, codes: frozenset[str]) -> tuple[Finding, ...]:
    return tuple(find_all(text, str(path), codes, _session().place_of(path)))


@cache
def _session() -> CheckSession:
    return CheckSession(Task())
