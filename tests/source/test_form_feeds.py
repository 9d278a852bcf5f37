"""Form feeds where lines begin: what Python reads, LibCST is made to read, and places stay right."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path

import pytest

from devlint.pipeline.analysis.text import find_all
from devlint.source.form_feeds import without_form_feeds
from devlint.source.parse import UnreadableSource, parse

PROGRAM = (
    "import torch\ndef f(x):\n    if x:\n        y = 1\n        # c\n    else:\n        y = (1,\n  2)\n"
    "    return y\nclass A:\n    def g(self):\n        return 1\n\nz = '''a\n\x0c  b'''\n"
)
FEEDS = (
    "\f",
    " \f",
    "\t\f",
    "\f\f",
    "\f ",
    "\n\f\n",
    "  \f\n",
    "    \f    ",
    "\f#c\n",
    "\f    #c\n",
    "        \f",
)
ENDS = ("\n", "\r\n", "\r")


def is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def is_read(text: str) -> bool:
    try:
        parse(text, "a.py")
    except UnreadableSource:
        return False
    return True


def test_libcst_reads_what_python_reads() -> None:
    lines = PROGRAM.splitlines(keepends=True)
    texts = {
        "".join((*lines[:at], feed, line.lstrip() if bare else line, *lines[at + 1 :])).replace("\n", end)
        for (at, line), feed, bare, end in product(enumerate(lines), FEEDS, (False, True), ENDS)
    }
    assert len(texts) > 900
    assert [text for text in texts if is_python(text) and not is_read(text)] == []


def test_strings_stay_as_they_are() -> None:
    assert without_form_feeds("x = '''a\n  \f  b'''\n  \f\ny = 1\n") == "x = '''a\n  \f  b'''\n\ny = 1\n"
    assert without_form_feeds("if x:\n\f    y\n") == "if x:\n    y\n"


@pytest.mark.parametrize("end", ENDS)
def test_findings_are_at_their_places(tmp_path: Path, end: str) -> None:
    text = (
        "import torch\ndef f():\n    x = torch.ones(2, device='cuda')\n    if x is not None:\n"
        "\f        return x + torch.ones(2)\nf()\n"
    ).replace("\n", end)
    (finding,) = find_all(text, str(tmp_path / "a.py"), {"DL102"})
    assert text[finding.site.start : finding.site.end] == "torch.ones(2)"
    assert (finding.site.line, finding.site.column) == (5, 21)
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    fixed = text[: edit.start] + edit.content + text[edit.end :]
    assert "\f        return x + torch.ones(2, device='cuda')" in fixed
