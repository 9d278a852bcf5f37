"""What docs/pytest.md says of the plugin is so."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from devlint.integrations.under_pytest import begin  # noqa: F401 - so that no inner run imports torch anew
from devlint.integrations.under_pytest.options import OPTIONS

pytest_plugins = "pytester"

PAGE = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text("utf-8")


def block(language: str) -> str:
    """The first fenced block of a language."""
    return next(
        token.content
        for token in MarkdownIt().parse(PAGE)
        if token.type == "fence" and token.info == language
    )


def command_said() -> list[str]:
    match = re.search(r"With `pytest ([^`]+)`, all three", PAGE)
    assert match is not None
    return match[1].split()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no columns")
def test_the_example_ends_as_it_says(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    # Pytest shortens its summary to the width of the terminal, but not where it believes itself in a CI.
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    pytester.makepyfile(test_model=block("python"))
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *command_said())
    result.assert_outcomes(failed=3)
    lines = result.stdout.str().splitlines()
    for line in block("text").splitlines():
        assert line in lines


def test_the_configuration_is_understood(pytester: pytest.Pytester) -> None:
    pytester.makeini(block("ini"))
    pytester.makepyfile("import torch\ndef test_devices(): assert torch.cuda.device_count() == 2")
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_each_option_is_in_the_table() -> None:
    assert re.findall(r"^\| `(--[a-z-]+)", PAGE, re.MULTILINE) == [option.flag for option in OPTIONS]
