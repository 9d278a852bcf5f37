"""Source frames: marks stand under what they are about, whatever the line."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from devlint.model import Finding, Related, Severity, Site
from devlint.report import Report, SourceText, renderer
from devlint.report.frame import frame
from devlint.report.full import STYLES
from devlint.rules import registry
from tests.report.reports import mismatch, report, waiting


def place(source: SourceText, start: int, end: int, cell: int | None = None) -> Site:
    line, column = source.lines.position(start)
    end_line, end_column = source.lines.position(end)
    return Site("a.py", line, column, end_line, end_column, start, end, cell=cell)


def lines(source: SourceText, site: Site, related: Iterable[Related] = ()) -> list[str]:
    finding = Finding("DL101", "bug", "a bug", site, Severity.ERROR, tuple(related))
    shown = frame(finding, source, fixable=False)
    return ["".join(span.text for span in line).rstrip() for line in shown][1:]


def under(shown: list[str]) -> str:
    """What the marks of the first source line stand under, counted in cells of a terminal."""
    text, marks = shown[1], shown[2]
    start = marks.index("^")
    end = len(marks.rstrip())
    cells: list[str] = []
    for character in text:
        cells += [character] + [""] * (cell_len(character) - 1)
    return "".join(cells[start:end])


def test_wide_characters() -> None:
    source = SourceText('名前 = "日本"; x + y\n')
    start = source.text.index("x + y")
    assert under(lines(source, place(source, start, start + 5))) == "x + y"


def test_tabs() -> None:
    source = SourceText("\tif a:\tx + y\n")
    start = source.text.index("x + y")
    shown = lines(source, place(source, start, start + 5))
    assert "\t" not in shown[1]
    assert under(shown) == "x + y"


def test_long_lines_are_shown_in_part() -> None:
    source = SourceText("a = " + "b + " * 500 + "BUG" + " + c" * 500)
    start = source.text.index("BUG")
    shown = lines(source, place(source, start, start + 3))
    assert len(shown[1]) < 130
    assert under(shown) == "BUG"


def test_control_characters_are_spelled_out() -> None:
    source = SourceText('s = "\x1b[31m\u202e"; BUG\n')
    start = source.text.index("BUG")
    shown = lines(source, place(source, start, start + 3))
    assert "\x1b" not in shown[1]
    assert "\u202e" not in shown[1]
    assert under(shown) == "BUG"


def test_spans_of_several_lines_are_marked_to_the_end_of_the_first() -> None:
    source = SourceText("x = f(\n    a,\n)\n")
    assert lines(source, place(source, 4, 15)) == ["  |", "1 | x = f(", "  |     ^^"]


def test_labels_on_other_lines_bring_these_lines() -> None:
    source = SourceText("f(\n    a,\n\n    b,\n)\n")
    a, b = source.text.index("a"), source.text.index("b")
    related = [Related(place(source, a, a + 1), "cpu", True), Related(place(source, b, b + 1), "cuda", True)]
    assert lines(source, place(source, 0, 16), related) == [
        "  |",
        "1 | f(",
        "  | ^^",
        "2 |     a,",
        "  |     ^ cpu",
        "...",
        "4 |     b,",
        "  |     ^ cuda",
    ]


def test_labels_with_room_share_a_row() -> None:
    source = SourceText("a" + " " * 20 + "+ b\n")
    related = [Related(place(source, 0, 1), "cpu", True), Related(place(source, 23, 24), "cuda:0", True)]
    assert lines(source, place(source, 0, 24), related)[2] == "  | ^ cpu                  ^ cuda:0"


def test_related_sites_elsewhere_are_named() -> None:
    source = SourceText("x + y\n")
    other = Site("b.py", 7, 3, 7, 4)
    assert lines(source, place(source, 0, 5), [Related(other, "y was made here")])[-1] == (
        "  | b.py:7:3   y was made here"
    )


def test_findings_without_text_have_no_frame() -> None:
    assert lines(SourceText(""), Site("a.py", 1, 1, 1, 1)) == []


def test_cells_of_notebooks() -> None:
    source = SourceText("a = 1\nb = 2\nc = BUG\n", cells=[1, 2])
    finding = Finding("DL101", "bug", "a bug", source.in_cell(place(source, 16, 19)), Severity.ERROR)
    out = io.StringIO()
    renderer("full")(Report([finding], {"a.py": source}, checked=1, closing=False), out)
    assert out.getvalue() == "a.py:cell 2:2:5: DL101 a bug\n  |\n2 | c = BUG\n  |     ^^^\n\n"


@given(
    text=st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=200),
    places=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), min_size=1, max_size=4),
)
def test_no_place_is_too_wild(text: str, places: list[tuple[int, int]]) -> None:
    source = SourceText(text)
    sites = [place(source, *sorted((min(a, len(text)), min(b, len(text))))) for a, b in places]
    for line in lines(
        source, sites[0], [Related(site, "a note", i % 2 == 0) for i, site in enumerate(sites)]
    ):
        assert "\n" not in line
        assert "\x1b" not in line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "terminal", "coloured"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colours_are_for_those_who_can_see_them(
    environment: dict[str, str], terminal: bool, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    out = Terminal() if terminal else io.StringIO()
    renderer("full")(report(mismatch(), waiting()), out)
    assert ("\x1b[" in out.getvalue()) is coloured


def test_every_style_is_used() -> None:
    source = SourceText("x")
    found = (mismatch(), waiting())
    spans = [span for each in found for line in frame(each, source, fixable=True) for span in line]
    assert {span.style for span in spans} - {""} == set(STYLES)


def test_a_terminal_shows_the_severity_and_links_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "HOME", "https://example.org/devlint")
    out = io.StringIO()
    renderer("full")(report(mismatch(), waiting())._replace(colour=True), out)
    text = out.getvalue()
    linked = "https://example.org/devlint/blob/main/docs/rules/DL101.md\x1b\\\x1b[1;31mDL101"
    assert linked in text
    assert "\x1b[1;33m" in text
