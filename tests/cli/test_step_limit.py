"""A program whose calls double with each level: what is said of it, and that it ends soon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devlint.cli import main

LEVELS = 20
WARNING = "warning: deep.py: analysis stopped at the step limit; further calls were not analyzed\n"


def doubling(levels: int) -> str:
    """Each function calls the one below twice, with different texts: as many contexts as leaves of a tree."""
    lines = ["import torch", "def f0(s):", "    return torch.ones(3)"]
    for level in range(1, levels):
        lines += [f"def f{level}(s):", f"    f{level - 1}(s + 'a')", f"    return f{level - 1}(s + 'b')"]
    return "\n".join([*lines, f"f{levels - 1}('') + torch.ones(3)", ""])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "devlint.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_file_is_named_also_where_the_cache_answers(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "deep.py").write_text(doubling(LEVELS))
    (project / "flat.py").write_text(doubling(3))
    for _ in ("examined", "remembered"):
        assert main(["check", "--output-format", "json"]) == 0
        out, err = capsys.readouterr()
        assert (json.loads(out), err) == ([], WARNING)
    assert main(["check", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_what_puts_shards_together_says_so(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "deep.py").write_text(doubling(LEVELS))
    assert main(["check", "--shard", "1/1", "-o", "shard.json"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["report", "shard.json"]) == 0
    assert capsys.readouterr().err == WARNING
