"""`devlint run` on notebooks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.programs import devlint, observed

needs_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only")


def write(path: Path, *cells: str) -> None:
    code: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    text = {"cell_type": "markdown", "metadata": {}, "source": "# A title"}
    document = {
        "cells": [text, *({**code, "source": cell} for cell in cells)],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(document, indent=1))


@needs_columns
def test_cells_run_in_one_namespace_and_places_count_within_them(tmp_path: Path) -> None:
    write(
        tmp_path / "train.ipynb",
        "%matplotlib inline\nimport torch\nx = torch.ones(3, device='cuda')",
        "for _ in range(20):\n    y = x.sum().item()\ny",
        "x.sum().item()  # devlint: ignore[DL201]\nx + torch.ones(3)",
        "print('never')",
    )
    done = observed(
        tmp_path, *("--simulate", "cuda", "--trace", "t", "--output-format", "concise"), "train.ipynb"
    )
    assert (done.code, done.out) == (1, "3.0\n")
    lines = done.err.splitlines()
    assert "    x + torch.ones(3)" in lines
    (mismatch,) = [line for line in lines if line.startswith("train.ipynb") and "DL102" in line]
    assert mismatch.startswith("train.ipynb:cell 3:2:5: DL102 ")
    (read,) = [line for line in lines if line.startswith("train.ipynb") and "DL201" in line]
    assert read.startswith("train.ipynb:cell 2:2:9: DL201 ")
    assert "  train.ipynb:cell 3:1:1 `torch.Tensor.item`, once" in lines
    reported = devlint(tmp_path, "report", "--output-format", "concise", "t")
    assert reported.out.splitlines() == lines[lines.index(mismatch) :]


def test_the_last_expression_of_a_cell_is_shown(tmp_path: Path) -> None:
    write(tmp_path / "shows.ipynb", "import sys\nsys.argv", "None", "1 + 1;\n'text'", "def f():\n    1\n", "")
    done = observed(tmp_path, "-q", "shows.ipynb", "--epochs", "3")
    assert (done.code, done.out) == (0, "['shows.ipynb', '--epochs', '3']\n'text'\n")


@pytest.mark.parametrize(
    ("text", "words"), [("{", "it is not JSON, as a notebook must be"), ("{}", "it has no list of cells")]
)
def test_what_is_no_notebook(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "none.ipynb").write_text(text)
    done = observed(tmp_path, "none.ipynb")
    assert done.code == 2
    assert done.err.startswith(f"error: none.ipynb: {words}")
