"""SARIF 2.1.0, which code scanning and most editors read.

Sources: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; for what code scanning
shows of it, GitHub Docs, "SARIF support for code scanning".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, TextIO
from urllib.parse import quote

from devlint.model import Applicability, Finding, Fix, Site
from devlint.model.visible import visible
from devlint.report.fingerprint import digests
from devlint.report.json_text import json_text
from devlint.report.message import details
from devlint.report.message import message as worded
from devlint.report.place import cell_of
from devlint.report.report import Report
from devlint.report.sources import SourceText
from devlint.rules import registry
from devlint.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "devlint/v1"
"""The name of the fingerprint, with a version that changes when its definition does."""
_ROOT = "%SRCROOT%"
"""The base of relative paths, by the name that code scanning knows."""
_LOOKS_LIKE_LINK = re.compile(r"\[(?=[^\]]{0,200}\]\()")
_FIRST_SENTENCE = re.compile(r".*?\.(?= [A-Z`]|$)")
_OF_LINKS = re.compile(r"[\\\[\]]")


def render(report: Report, out: TextIO) -> None:
    """A log with one run."""
    out.write(json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}, indent=2) + "\n")


def _run(report: Report) -> dict[str, Any]:
    codes = sorted({finding.code for finding in report.findings})
    indices = {code: index for index, code in enumerate(codes)}
    return {
        "tool": {
            "driver": {
                "name": "devlint",
                "version": __version__,
                **_uri("informationUri", registry.HOME),
                "rules": [_rule(code) for code in codes],
            }
        },
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {_ROOT: {"uri": f"{Path.cwd().as_uri().rstrip('/')}/"}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, digest, indices, report)
            for finding, digest in zip(report.findings, digests(report), strict=True)
        ],
    }


def _uri(name: str, url: str | None) -> dict[str, str]:
    return {} if url is None else {name: url}


def _invocation(report: Report) -> dict[str, Any]:
    """Whether everything was checked, and what a run did not observe."""
    remarks = () if report.run is None else report.run.remarks
    notes = [{"level": "note", "message": {"text": visible(remark)}} for remark in remarks]
    return {"executionSuccessful": report.complete, "toolExecutionNotifications": notes}


def _rule(code: str) -> dict[str, Any]:
    rule = registry.rule(code)
    described: dict[str, Any] = {"id": code, **_uri("helpUri", registry.url(code))}
    if rule is None:
        return described
    what = " ".join(rule.sections()["What it does"].partition("\n\n")[0].split())
    first = _FIRST_SENTENCE.match(what)
    text = rule.documentation()
    return {
        **described,
        "name": type(rule).__name__,
        "shortDescription": {"text": what if first is None else first[0]},
        "fullDescription": {"text": what},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": rule.severity.value, "enabled": rule.enabled},
        "properties": {"tags": ["devlint", rule.name], "problem.severity": rule.severity.value},
    }


def _result(finding: Finding, digest: str, indices: Mapping[str, int], report: Report) -> dict[str, Any]:
    source = report.sources.get(finding.site.path)
    observed = finding.observed
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": indices[finding.code],
        "level": finding.severity.value,
        "message": {"text": _message(finding)},
        "locations": [_location(finding.site)],
        "relatedLocations": [
            {"id": number, **_location(related.site), "message": {"text": visible(related.message)}}
            for number, related in enumerate(finding.related, start=1)
        ],
        "fixes": list(_fixes(finding, source)),
        "partialFingerprints": {FINGERPRINT: digest},
        "properties": {"confidence": finding.confidence.value},
    }
    if observed is not None:
        result["occurrenceCount"] = observed.count
        result["properties"] |= {"seconds": observed.seconds, "bytes": observed.bytes}
    return result


def _message(finding: Finding) -> str:
    """The message, with links to the related places, because only linked places are shown."""
    lines = (cell_of(finding.site) + worded(finding), *details(finding))
    text = "\n".join(_LOOKS_LIKE_LINK.sub(r"\\[", visible(line)) for line in lines)
    links = (_link(number, related.message) for number, related in enumerate(finding.related, start=1))
    return "\n".join((text, *links))


def _link(number: int, text: str) -> str:
    escaped = _OF_LINKS.sub(lambda match: f"\\{match[0]}", visible(text))
    return f"[{escaped}]({number})"


def _location(site: Site) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": _artifact(site.path), "region": _region(site)}
    }
    if site.function:
        location["logicalLocations"] = [{"fullyQualifiedName": site.function, "kind": _kind(site.function)}]
    return location


def _kind(function: str) -> str:
    return "module" if function == "<module>" else "function"


def _region(site: Site) -> dict[str, Any]:
    """The place; for a notebook the beginning of the file, because SARIF has no cells."""
    if site.cell is not None:
        return {"startLine": 1, "properties": {"cell": site.cell, "line": site.line, "column": site.column}}
    return _span((site.line, site.column), (site.end_line, site.end_column))


def _span(start: Iterable[int], end: Iterable[int]) -> dict[str, Any]:
    names = ("startLine", "startColumn", "endLine", "endColumn")
    return dict(zip(names, (*start, *end), strict=True))


def _artifact(path: str) -> dict[str, str]:
    """A file below the working directory by its relative path, any other file by its URI."""
    try:
        return _address(PurePath(path))
    except UnicodeEncodeError:  # impossible for a file of this machine, but not for one in a trace
        return _address(PurePath(visible(path)))


def _address(path: PurePath) -> dict[str, str]:
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(os.fsencode(path.as_posix())), "uriBaseId": _ROOT}


def _fixes(finding: Finding, source: SourceText | None) -> Iterator[dict[str, Any]]:
    """The fix, if it may be applied and is not in a notebook."""
    fix = finding.fix
    if source is None or source.cells or fix is None or fix.applicability is Applicability.DISPLAY:
        return
    change = {
        "artifactLocation": _artifact(finding.site.path),
        "replacements": list(_replacements(fix, source)),
    }
    yield {
        "description": {"text": visible(fix.message)},
        "artifactChanges": [change],
        "properties": {"applicability": fix.applicability.value},
    }


def _replacements(fix: Fix, source: SourceText) -> Iterator[dict[str, Any]]:
    for edit in fix.edits:
        (_, *start), (_, *end) = source.ends(edit)
        replacement: dict[str, Any] = {"deletedRegion": _span(start, end)}
        if edit.content:
            replacement["insertedContent"] = {"text": edit.content}
        yield replacement
