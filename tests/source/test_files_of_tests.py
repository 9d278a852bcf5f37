"""Tests that the name and folder of a file do not matter, and that files without torch are ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.pipeline.analysis.text import find_all
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import Task

PROGRAM = """\
import torch

def expected(x: torch.Tensor):
    return x * torch.arange(4)
"""


def codes(text: str, path: Path, *rules: str) -> list[str]:
    """The findings in a file of a project."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return [
        finding.code
        for finding in find_all(text, str(path), rules or ("DL102",), CheckSession(Task()).place_of(path))
    ]


@pytest.mark.parametrize(
    "name",
    [
        "mask.py",
        "test_mask.py",
        "mask_test.py",
        "tests/mask.py",
        "test/unit/mask.py",
        "tests/of/many/masks.py",
        "cpu/mask.py",
        "mask_cpu.py",
        "cpus/mask.py",
        "openvino/mask.py",
        "testing/mask.py",
        "export/mask.py",
        "export_of_ours/mask.py",
        "mask_onnx/mask.py",
        "onnx2mask/mask.py",
        "onnx.py",
    ],
)
def test_a_name_changes_nothing(tmp_path: Path, name: str) -> None:
    assert codes(PROGRAM, tmp_path / name) == ["DL102"]


def test_what_it_puts_on_a_device_itself_is_followed(tmp_path: Path) -> None:
    program = "import torch\nx = torch.ones(4, device='cuda')\ny = x * torch.arange(4)\n"
    assert codes(program, tmp_path / "test_mask.py") == ["DL102"]


def test_a_folder_of_tests_is_no_exception(tmp_path: Path) -> None:
    program = (
        "import torch\n\nclass Net(torch.nn.Module):\n    def forward(self, x: torch.Tensor):\n"
        "        print(x)\n        return x\n"
    )
    assert codes(program, tmp_path / "net.py", "DL203") == ["DL203"]
    assert codes(program, tmp_path / "tests" / "net.py", "DL203") == ["DL203"]


@pytest.mark.parametrize(
    ("imported", "found"),
    [
        ("import torch", ["DL105", "DL112"]),
        ("import os, torch", ["DL105", "DL112"]),
        ("from .compat import np, torch", ["DL105", "DL112"]),
        ("torch = pytest.importorskip('torch')", ["DL105", "DL112"]),
        ("from transformers import Trainer", ["DL105", "DL112"]),
        ("from helpers import *", ["DL105", "DL112"]),
        ("import mytorch as torch", []),
        ("import mytorch.torch", []),
        ("from .tensor import Tensor", []),
    ],
)
def test_what_is_of_no_torch_is_left_alone(tmp_path: Path, imported: str, found: list[str]) -> None:
    program = (
        f"{imported}\n\ndef run(x):\n    y = x.unsqueeze(0).detach()\n"
        "    y.to('cuda')\n    return y.device == 'cuda'\n"
    )
    assert codes(program, tmp_path / "run.py", "DL105", "DL112") == found
