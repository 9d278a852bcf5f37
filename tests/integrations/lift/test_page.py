"""What docs/lift.md says is so."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from devlint.integrations.under_pytest import begin  # noqa: F401 - so that no inner run imports torch anew

pytest_plugins = "pytester"

PAGE = (Path(__file__).parents[3] / "docs" / "lift.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return [
        token.content
        for token in MarkdownIt().parse(PAGE)
        if token.type == "fence" and token.info == language
    ]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no columns")
def test_the_example_ends_as_it_says(pytester: pytest.Pytester) -> None:
    for text in blocks("python"):
        name = text.splitlines()[0].removeprefix("# ").removesuffix(".py")
        pytester.makepyfile(**{name: text})
    pytester.syspathinsert()
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
    command = re.search(r"With `pytest ([^`]+)` it fails", PAGE)
    assert command is not None
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *command[1].split())
    result.assert_outcomes(failed=1)
    lines = result.stdout.str().splitlines()
    for line in blocks("text")[0].splitlines():
        assert line in lines


def test_the_workflow_has_ten_lines() -> None:
    (text,) = blocks("yaml")
    assert len(text.splitlines()) == 10
    steps = yaml.safe_load(text)["jobs"]["lifted"]["steps"]
    assert steps[-1]["run"].startswith("pytest --devlint-lift=cuda")
