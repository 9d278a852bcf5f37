"""A report in the format of JUnit, which Jenkins and most other servers read as test results.

There is no standard. This is the format of Jenkins' plugin, with file and line as pytest writes them.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import PurePath
from typing import TextIO
from xml.etree import ElementTree as ET

from devlint.model import Finding
from devlint.model.visible import visible
from devlint.report.message import details
from devlint.report.message import message as worded
from devlint.report.place import place, relative
from devlint.report.report import Report


def render(report: Report, out: TextIO) -> None:
    """A test suite for each file with findings, and a failed test for each finding.

    Without findings there is one passed test, because servers reject an empty report. A test is named after
    the message of its finding, so that its name stays the same when lines move.
    """
    root = ET.Element("testsuites", name="devlint")
    ordered = sorted(report.findings, key=lambda finding: finding.site.path)
    for path, found in groupby(ordered, key=lambda finding: finding.site.path):
        _add_file(root, path, list(found))
    if not report.findings and report.complete:
        suite = ET.SubElement(root, "testsuite", name="devlint", tests="1", failures="0", errors="0")
        ET.SubElement(suite, "testcase", name="no findings", classname="devlint", time="0")
    root.attrib |= {
        "tests": str(len(root.findall(".//testcase"))),
        "failures": str(len(ordered)),
        "errors": "0",
    }
    ET.indent(root)
    out.write(ET.tostring(root, encoding="us-ascii", xml_declaration=True).decode("ascii"))
    out.write("\n")


def _add_file(root: ET.Element, path: str, found: list[Finding]) -> None:
    count = str(len(found))
    suite = ET.SubElement(root, "testsuite", name=relative(path), tests=count, failures=count, errors="0")
    known: Counter[str] = Counter()
    for finding in found:
        name = visible(f"{finding.code} {finding.message}")
        known[name] += 1
        if known[name] > 1:
            name += f" ({known[name]})"
        case = ET.SubElement(suite, "testcase", name=name, classname=_class(path), time="0")
        case.attrib |= {"file": relative(path), "line": str(finding.site.line)}
        said = visible(worded(finding))
        failure = ET.SubElement(case, "failure", message=said, type=finding.severity.value)
        failure.text = "\n".join((f"{place(finding.site)}: {said}", *map(visible, details(finding))))


def _class(path: str) -> str:
    """A name that servers can split at its dots."""
    pure = PurePath(path)
    return visible(".".join(pure.relative_to(pure.anchor).with_suffix("").parts)) if pure.name else path
