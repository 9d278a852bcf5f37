"""The example of docs/simulation.md prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

PAGE = Path(__file__).parents[2] / "docs" / "simulation.md"
PRINTS = re.compile(r"# prints: (.*)$", re.MULTILINE)


def test_the_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = (
        token.content
        for token in MarkdownIt().parse(PAGE.read_text("utf-8"))
        if token.type == "fence" and token.info == "python"
    )
    exec(compile(example, str(PAGE), "exec"), {})
    assert capsys.readouterr().out.splitlines() == PRINTS.findall(example)
