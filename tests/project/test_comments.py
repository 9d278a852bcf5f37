"""Comments and logical lines, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.model.lines import Lines
from devlint.project.comments import lay_out

CODE = '''x = 1  # one
y = """
# not a comment
"""  # two
z = f(
    a,  # three
    b,
)
if x and \\
        y:  # four
    # five
    pass
'''


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_comments_and_logical_lines(newline: str) -> None:
    text = CODE.replace("\n", newline)
    layout = lay_out(Lines(text))
    assert [comment.text for comment in layout.comments] == ["# one", "# two", "# three", "# four", "# five"]
    assert [comment.alone for comment in layout.comments] == [False, False, False, False, True]
    for comment in layout.comments:
        assert text[comment.start :].startswith(comment.text)
    logical = [layout.logical_line(line) for line in range(1, 13)]
    assert logical == [(1, 1)] + 3 * [(2, 4)] + 4 * [(5, 8)] + 2 * [(9, 10)] + [(11, 11), (12, 12)]
    assert layout.open == {2, 3, 9}


def test_formatted_strings_are_no_place_for_comments() -> None:
    layout = lay_out(Lines('x = f"""\n{y}\n"""\nz = f"{x}"\n'))
    assert layout.open == {1, 2}


@pytest.mark.parametrize(
    "text", ["", "(", "'''", "  x\n y\n", "\x00", "x = 'a\n# c\n", "#", "#c", "\ufeff# c\n", "\\"]
)
def test_broken_text_is_laid_out_as_far_as_it_goes(text: str) -> None:
    comments = [comment.text for comment in lay_out(Lines(text)).comments]
    assert comments == [line.strip() for line in text.lstrip("\ufeff").splitlines() if line.startswith("#")]


@given(st.text(alphabet="#x='\"()\\ \t\f\n\r{}f:\u2028é", max_size=40))
def test_no_text_is_too_wild(text: str) -> None:
    for comment in lay_out(Lines(text)).comments:
        assert text[comment.start :].startswith(comment.text)


@given(st.text(alphabet="ab\n\r\u2028\f", max_size=30))
def test_lines_and_offsets_agree(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        line, column = lines.position(offset)
        assert lines.offset(line, column) == offset
    numbers = range(1, len(lines) + 1)
    assert [lines.text(n) for n in numbers] == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for n in numbers:
        assert text[lines.start(n) : lines.end(n)] == lines.text(n)
