"""JUnit's format, as an independent reader has it."""

from __future__ import annotations

from dataclasses import replace

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from devlint.report import Report
from tests.report.reports import broken, mismatch, rendered, report, waiting
from tests.report.test_services import hostile


def read(what: Report) -> JUnitXml:
    return JUnitXml.fromstring(rendered("junit", what).encode("ascii"))


def cases(xml: JUnitXml) -> list[TestCase]:
    return [case for suite in xml for case in suite]


def test_each_file_is_a_suite_and_each_finding_a_failure() -> None:
    xml = read(report(mismatch(), waiting(), broken()))
    assert (xml.tests, xml.failures, xml.errors) == (3, 3, 0)
    suites: list[TestSuite] = list(xml)
    assert [(suite.name, suite.tests, suite.failures) for suite in suites] == [
        ("bad, file.py", 1, 1),
        ("train.py", 2, 2),
    ]
    _, found, _ = cases(xml)
    assert (found.name, found.classname) == (
        "DL101 operands of `torch.add` are on different devices",
        "train",
    )
    assert (found._elem.get("file"), found._elem.get("line")) == ("train.py", "11")
    (failure,) = found.result
    assert isinstance(failure, Failure)
    assert (failure.type, failure.message) == ("error", "operands of `torch.add` are on different devices")
    assert failure.text == (
        "train.py:11:16: operands of `torch.add` are on different devices\n"
        "help: register it, so that .to() moves it"
    )


def test_no_finding_is_a_test_that_has_passed() -> None:
    xml = read(report())
    assert (xml.tests, xml.failures) == (1, 0)
    (case,) = cases(xml)
    assert case.is_passed


def test_what_was_not_checked_has_not_passed() -> None:
    assert not cases(read(report(complete=False)))


def test_tests_keep_their_names_as_lines_move_and_are_told_apart() -> None:
    moved = replace(waiting(), site=replace(waiting().site, line=99, end_line=99))
    names = [case.name for case in cases(read(report(waiting(), moved)))]
    assert names == ["DL203 printing waits for the device", "DL203 printing waits for the device (2)"]


def test_what_xml_cannot_hold_is_spelled_out() -> None:
    (case,) = cases(read(report(hostile())))
    (failure,) = case.result
    assert not isinstance(failure, Error)
    assert "\\x1b[31m\\ud800\\ufffe" in failure.message
    assert "\n" not in failure.message
