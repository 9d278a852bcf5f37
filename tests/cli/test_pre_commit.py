"""The hooks that the project offers to pre-commit; `tests/docs/test_pre_commit.py` commits with them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from devlint.cli import main

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


def test_hooks_run_existing_commands(capsys: pytest.CaptureFixture[str]) -> None:
    hooks = yaml.safe_load(HOOKS.read_text())
    assert [hook["id"] for hook in hooks] == ["devlint", "devlint-fix"]
    for hook in hooks:
        program, *arguments = hook["entry"].split()
        assert program == "devlint"
        assert main([*arguments, "--isolated", "--quiet", str(Path(__file__))]) == 0
    assert capsys.readouterr().out == ""
