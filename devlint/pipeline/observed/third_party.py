"""Findings of a run in installed packages, which the program's author does not change."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import PurePath

from devlint.model import Finding, Site
from devlint.report.totals import Folded
from devlint.runtime.places.installed import package_of


def package_at(path: str, own: Collection[str], *, is_called: bool) -> str:
    """The installed package of a file; empty for own code, and for packages that count as own code.

    `is_called` means that the run recorded lines of the program that led there, as it only does for installed
    packages. This identifies packages of other machines, too, whose directories this one does not know.
    """
    package = package_of(os.path.abspath(path))  # noqa: PTH100  # resolve() would follow links
    if not package and is_called:
        package = _behind_folder_of_packages(path)
    return "" if package in own else package


def foreign_package(finding: Finding, own: Collection[str]) -> str:
    """The installed package of a finding; empty for own code."""
    callers = () if finding.observed is None else finding.observed.callers
    return package_at(finding.site.path, own, is_called=bool(callers) and finding.site not in callers)


def by_package(findings: Sequence[Finding], own: Collection[str]) -> list[Folded]:
    """The number of findings of each package, with the program's lines that lead there; the most first."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(foreign_package(finding, own), []).append(finding)
    folded = [Folded(package, len(each), _callers(each)) for package, each in found.items()]
    return sorted(folded, key=lambda each: (-each.findings, each.package))


def _callers(findings: Sequence[Finding]) -> tuple[Site, ...]:
    callers = (caller for each in findings if each.observed is not None for caller in each.observed.callers)
    return tuple(dict.fromkeys(callers))


_FOLDERS = ("site-packages", "dist-packages")
"""The directories into which Python and Debian's Python install packages."""


def _behind_folder_of_packages(path: str) -> str:
    """The package in a path of another machine; the file's directory, if packages are elsewhere there."""
    parts = PurePath(path.replace("\\", "/")).parts
    inside = [place for place, part in enumerate(parts[:-1]) if part in _FOLDERS]
    return parts[inside[-1] + 1].removesuffix(".py") if inside else PurePath(path).parent.name
