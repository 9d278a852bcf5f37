"""That a file of tests decides itself where its tensors are."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.pipeline.check import find_all
from devlint.pipeline.session import Session
from devlint.pipeline.task import Task

PROGRAM = """\
import torch

def expected(x: torch.Tensor):
    return x * torch.arange(4)
"""


def codes(text: str, path: Path) -> list[str]:
    """What is found in a file of a project."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return [
        finding.code
        for finding in find_all(text, str(path), ["DL413", "DL102"], Session(Task()).place_of(path))
    ]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("mask.py", ["DL413"]),
        ("test_mask.py", []),
        ("mask_test.py", []),
        ("tests/mask.py", []),
        ("test/unit/mask.py", []),
        ("tests/of/many/masks.py", ["DL413"]),
    ],
)
def test_what_its_functions_are_given_is_left_to_it(tmp_path: Path, name: str, found: list[str]) -> None:
    assert codes(PROGRAM, tmp_path / name) == found


def test_what_it_puts_on_a_device_itself_is_not(tmp_path: Path) -> None:
    program = "import torch\nx = torch.ones(4, device='cuda')\ny = x * torch.arange(4)\n"
    assert codes(program, tmp_path / "test_mask.py") == ["DL102"]
