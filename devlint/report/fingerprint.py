"""Fingerprints of findings: hashes of the text of their lines, and of the lines that lead there."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from devlint.model import Finding, Site
from devlint.model.fingerprint import Fingerprint
from devlint.report.report import Report
from devlint.report.sources import SourceText

_NO_TEXT = SourceText("")
_DIGEST_SIZE = 16


def fingerprint(finding: Finding, source: SourceText) -> Fingerprint:
    """The fingerprint of a finding in a file with this text."""
    flow = [
        _text(related.site, source) if related.site.path == finding.site.path else related.message
        for related in finding.related
    ]
    return Fingerprint(finding.code, _text(finding.site, source), _digest(*flow) if flow else "")


def digests(report: Report) -> Iterator[str]:
    """A text for each finding of a report: unique, and unchanged when other lines change.

    Findings that are alike are numbered, in the order of the report.
    """
    seen: Counter[str] = Counter()
    for finding in report.findings:
        path = finding.site.path
        known = fingerprint(finding, report.sources.get(path, _NO_TEXT))
        digest = _digest(path, known.code, known.text)
        seen[digest] += 1
        yield f"{digest}:{seen[digest]}"


def _text(site: Site, source: SourceText) -> str:
    lines = (source.line(number, site.cell) for number in range(site.line, site.end_line + 1))
    return " ".join(" ".join(lines).split())


def _digest(*texts: str) -> str:
    data = "\0".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=_DIGEST_SIZE).hexdigest()
