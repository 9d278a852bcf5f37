"""The example of docs/port.md becomes what the page shows, and runs on any device."""

from __future__ import annotations

import difflib
from pathlib import Path
from types import CodeType
from typing import Any

from markdown_it import MarkdownIt

import devlint
from devlint.port import port
from devlint.project.modules import Modules

PAGE = Path(__file__).parents[2] / "docs" / "port.md"


def block(language: str) -> str:
    tokens = MarkdownIt().parse(PAGE.read_text("utf-8"))
    (content,) = [token.content for token in tokens if token.type == "fence" and token.info == language]
    return content


def ported(text: str) -> str:
    return port({"/nowhere/train.py": text}, Modules()).texts["/nowhere/train.py"]


def test_the_example_becomes_what_is_shown() -> None:
    before = block("python")
    after = ported(before)
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=100, lineterm=""))
    assert [line.rstrip() for line in lines[3:]] == block("diff").splitlines()


def test_it_runs_on_any_device() -> None:
    program = compile(ported(block("python")), "train.py", "exec")
    assert device_of_network(program) == "cpu"
    with devlint.simulate("cuda"):
        assert device_of_network(program) == "cuda"


def device_of_network(program: CodeType) -> str:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(program, names)
    return str(next(names["net"].parameters()).device.type)
