"""docs/comparison.md: its examples print what they say, and torch says of itself what it says of torch."""

from __future__ import annotations

import re

import pytest
import torch

from tests.docs.test_pages import ROOT, blocks

PAGE = ROOT / "docs" / "comparison.md"
PRINTS = re.compile(r"# prints: (.*)$", re.MULTILINE)


@pytest.mark.parametrize("example", [block.text for block in blocks(PAGE, "python")])
def test_examples_print_what_they_say(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example, str(PAGE), "exec"), {"__name__": "__main__"})
    expected = PRINTS.findall(example)
    assert expected
    assert capsys.readouterr().out.splitlines() == expected


def test_torch_says_so_of_its_debug_mode() -> None:
    said = " ".join((torch.cuda.set_sync_debug_mode.__doc__ or "").split())
    assert "experimental feature" in said
    assert "not all synchronizing operations will trigger" in said
    assert "torch.distributed and torch.sparse namespaces are not covered" in said
