"""Suppressions: what they cover, which are of no use, and what their removal leaves."""

from __future__ import annotations

import re
from collections.abc import Collection

import pytest

from devlint.model import Finding, Severity, Site
from devlint.model.lines import Lines
from devlint.project import suppression
from devlint.rules import registry

ON = frozenset(registry.codes())
BUG = re.compile(r"BUG(\d{3})?")


def findings(text: str) -> list[Finding]:
    """A finding wherever the text says BUG: DL101, or the code whose number follows."""
    lines = Lines(text)
    found = []
    for match in BUG.finditer(text):
        (line, column), (end_line, end_column) = lines.position(match.start()), lines.position(match.end())
        site = Site("a.py", line, column, end_line, end_column, match.start(), match.end())
        found.append(Finding(f"DL{match[1] or '101'}", "bug", "a bug", site, Severity.ERROR))
    return found


def check(text: str, on: Collection[str] = ON) -> tuple[list[str], list[Finding]]:
    """The codes that remain, with their lines, and the findings about suppressions."""
    found = findings(text)
    suppressions = suppression.find(text, has_findings=bool(found))
    if suppressions is None:
        return [f"{finding.site.line}:{finding.code}" for finding in found], []
    kept = suppressions.filter(found)
    unused = list(suppressions.unused("a.py", on))
    return [f"{finding.site.line}:{finding.code}" for finding in kept], unused


@pytest.mark.parametrize(
    "text",
    [
        "BUG  # devlint: ignore[DL101]\n",
        "BUG  # devlint: ignore\n",
        "BUG  # devlint: ignore[DL101]: it is meant\n",
        "BUG  # devlint: ignore [ DL101 , ]\n",
        "BUG  #devlint:ignore[DL101]\n",
        "BUG + BUG201  # devlint: ignore[DL201, DL101]\n",
        "BUG  # type: ignore  # devlint: ignore[DL101]\n",
        "BUG  # devlint: ignore[DL101]  # pragma: no cover\n",
        "BUG  # noqa\n",
        "BUG  # NOQA: DL101\n",
        "BUG  # noqa:DL101,E501\n",
        "BUG  # noqa : E501 DL101 it is meant\n",
        "BUG  # type: ignore # noqa: DL101\n",
        "BUG  # devlint: ignore[DL101]",
        "BUG  # devlint: ignore[DL101]\r\nx\r\n",
        # On the first, the own or the last line of a statement.
        "f(  # devlint: ignore[DL101]\n    BUG,\n)\n",
        "f(\n    BUG,  # devlint: ignore[DL101]\n)\n",
        "f(\n    BUG,\n)  # devlint: ignore[DL101]\n",
        "f('''\n''', BUG, '''\n''')  # noqa: DL101\n",
        "if a and \\\n    BUG:  # noqa: DL101\n    pass\n",
        # Alone on the line before.
        "# devlint: ignore[DL101]\nBUG\n",
        "# devlint: ignore[DL101]\nf(\n    a,\n    BUG,\n)\n",
        "f(\n    # devlint: ignore[DL101]\n    BUG,\n)\n",
        "def f():\n    # devlint: ignore[DL101]\n    # devlint: ignore[DL201]\n    BUG + BUG201\n",
    ],
)
def test_covered(text: str) -> None:
    assert check(text) == ([], [])


@pytest.mark.parametrize(
    "text",
    [
        "BUG\n",
        "BUG  # noqa: E501\n",
        "BUG  # noqa: because\n",
        "BUG  # noqa:\n",
        "BUG  # nodlint\n",
        "BUG  # ignore[DL101]\n",
        "BUG  # noqaX\n",
        "BUG  # flake8: noqa\n",
        "BUG; s = '# devlint: ignore[DL101]'\n",
        "BUG; s = '# noqa'\n",
        "s = '''\n# noqa\n'''; BUG\n",
        "# noqa\nBUG\n",
    ],
)
def test_not_covered(text: str) -> None:
    remaining, unused = check(text)
    assert [line.split(":")[1] for line in remaining] == ["DL101"]
    assert unused == []


@pytest.mark.parametrize(
    ("text", "message", "fixed"),
    [
        ("x = 1  # devlint: ignore[DL101]\n", "of DL101 suppresses nothing", "x = 1\n"),
        ("x = 1  # devlint: ignore\n", "suppresses nothing", "x = 1\n"),
        ("x = 1  # noqa: DL101\n", "of DL101 suppresses nothing", "x = 1\n"),
        ("x = 1\t# noqa: DL101, E501\n", "of DL101 suppresses nothing", "x = 1\t# noqa: E501\n"),
        ("BUG  # devlint: ignore[DL201, DL101]\n", "of DL201", "BUG  # devlint: ignore[DL101]\n"),
        ("x  # devlint: ignore[DL201,DL101]\n", "of DL201 and DL101", "x\n"),
        ("x  # devlint: ignore[DL101] because\n", "of DL101", "x\n"),
        ("x  # devlint: ignore[DL101] # pragma: no cover\n", "of DL101", "x  # pragma: no cover\n"),
        ("x  # pragma: no cover # devlint: ignore[DL101]\n", "of DL101", "x  # pragma: no cover\n"),
        ("# devlint: ignore[DL101]\nx\n", "of DL101", "x\n"),
        ("x\r\n# devlint: ignore[DL101]\r\n\r\nBUG201\r\n", "of DL101", "x\r\n\r\nBUG201\r\n"),
        ("x\n# devlint: ignore[DL101]", "of DL101", "x\n"),
        ("x  # devlint: ignore[DL101]", "of DL101", "x"),
        ("x\n\nBUG\n# devlint: ignore[DL101]\n", "of DL101", "x\n\nBUG\n"),
    ],
)
def test_what_suppresses_nothing_is_found_and_removed(text: str, message: str, fixed: str) -> None:
    _, (finding,) = check(text)
    assert finding.code == "DL901"
    assert message in finding.message
    assert text[finding.site.start : finding.site.end].startswith("#")
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert text[: edit.start] + edit.content + text[edit.end :] == fixed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x  # devlint: ignore[DL199]\n", "`DL199` is no code of devlint; did you mean DL1"),
        ("x  # devlint: ignore[unused, dl101]\n", "`unused` and `dl101` are no codes"),
        ("BUG  # noqa: DL010\n", "`DL010` is no code"),
        ("BUG  # devlint: ignored[DL101]\n", "`ignored` is not a suppression"),
        ("BUG  # devlint: disable=DL101\n", "`disable` is not a suppression"),
        ("BUG  # devlint: ignore DL101\n", "codes must be in brackets"),
        ("BUG  # devlint: ignore=DL101\n", "codes must be in brackets"),
        ("BUG  # devlint: ignore[DL101\n", "codes must be in brackets"),
        ("BUG  # devlint: ignore[]\n", "the brackets contain no code"),
        ("x  # devlint: skip-file\n", "must be alone"),
    ],
)
def test_mistakes_are_found_and_left_to_the_author(text: str, message: str) -> None:
    remaining, (finding,) = check(text)
    assert remaining == (["1:DL101"] if "BUG" in text else [])
    assert finding.code == "DL901"
    assert message in finding.message
    assert finding.fix is None


@pytest.mark.parametrize(
    "text",
    [
        "x  # noqa: E501\n",
        "x  # noqa\n",
        "x  # noqa: DL3008\n",
        "x = '# devlint: ignore[DL101]'\n",
        "'''\n# devlint: ignore[DL101]\n'''\n",
        "x  # devlint: ignore[DL101, DL901]\n",
    ],
)
def test_nothing_is_said_of_what_may_be_meant_otherwise(text: str) -> None:
    assert check(text) == ([], [])


def test_nothing_is_said_of_rules_that_were_not_looked_for() -> None:
    text = "x  # devlint: ignore[DL101]\ny  # devlint: ignore\n"
    assert check(text, on={"DL201", "DL901"}) == ([], [])


def test_findings_about_suppressions_are_not_suppressed_by_the_same_comment() -> None:
    _, unused = check("x  # devlint: ignore\n")
    assert [finding.code for finding in unused] == ["DL901"]


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        ("# devlint: skip-file\n", True),
        ("import torch\n\n  #devlint:skip-file because\n", True),
        ("'''\n# devlint: skip-file\n'''\n", False),
        ("x  # devlint: skip-file\n", False),
        ("# devlint: skip-files\n", False),
        ("# devlint: skip-file\nx = (\n", True),
    ],
)
def test_skip_file(text: str, skipped: bool) -> None:
    assert suppression.skips_file(text) is skipped


def test_text_without_suppressions_is_not_tokenized(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("tokenized")

    monkeypatch.setattr(suppression, "lay_out", refuse)
    assert suppression.find("x = BUG  # a comment\n", has_findings=True) is None
    assert suppression.find("x = 1  # noqa\ny = 2  # noqa: E501\n", has_findings=False) is None
