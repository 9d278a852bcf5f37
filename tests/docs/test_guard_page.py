"""The examples of docs/guard.md, run one after the other on simulated devices, print what they say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import devlint

PAGE = Path(__file__).parents[2] / "docs" / "guard.md"
PRINTS = re.compile(r"# prints: (.*)$", re.MULTILINE)


def examples() -> list[str]:
    tokens = MarkdownIt().parse(PAGE.read_text("utf-8"))
    return [token.content for token in tokens if token.type == "fence" and token.info == "python"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no operands' texts")
def test_examples_print_what_they_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    expected = [text for example in examples() for text in PRINTS.findall(example)]
    with devlint.simulate("cuda"):
        for number, example in enumerate(examples()):
            program = tmp_path / f"example_{number}.py"
            program.write_text(example, encoding="utf-8")
            exec(compile(example, str(program), "exec"), names)
    assert len(expected) >= 4
    assert capsys.readouterr().out.splitlines() == expected
