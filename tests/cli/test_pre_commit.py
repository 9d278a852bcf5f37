"""The project as a source of pre-commit hooks: a planted bug stops a commit, its repair lets it through."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
PACKAGED = ("devlint", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
"""What the hooks' environment is built from."""

BUG = """\
import torch

a = torch.rand(3, 3, device="cuda:0")
b = torch.rand(3, 3, device="cuda:1")
print((a + b).shape)
"""
REPAIRED = BUG.replace("cuda:1", "cuda:0")

OFFLINE = ("Temporary failure in name resolution", "NewConnectionError", "No matching distribution found")
"""What pip says where there is no package index."""


def git(where: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=where, check=True, capture_output=True)


def repository(where: Path) -> Path:
    where.mkdir(exist_ok=True)
    git(where, "init", "--quiet")
    return where


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The project as it is now, committed."""
    made = repository(tmp_path / "source")
    for name in PACKAGED:
        origin = ROOT / name
        if origin.is_dir():
            shutil.copytree(origin, made / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(origin, made / name)
    git(made, "add", "--all")
    git(made, "commit", "--quiet", "--message", "now")
    return made


@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_planted_bug_stops_a_commit_and_its_repair_does_not(tmp_path: Path, source: Path) -> None:
    work = repository(tmp_path / "work")

    def commit(hook: str, text: str) -> subprocess.CompletedProcess[str]:
        (work / "train.py").write_text(text)
        git(work, "add", "train.py")
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(source), hook, "--color", "never"]
        environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home")}
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
        if any(sign in done.stdout for sign in OFFLINE):
            pytest.skip("the hook's environment cannot be installed: no package index can be reached")
        return done

    stopped = commit("devlint", BUG)
    assert stopped.returncode == 1, stopped.stdout
    assert "train.py:5:8: DL101" in stopped.stdout
    passed = commit("devlint", REPAIRED)
    assert passed.returncode == 0, passed.stdout
    assert "Passed" in passed.stdout


def test_hooks_run_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    import yaml  # noqa: PLC0415

    from devlint.cli import main  # noqa: PLC0415

    hooks = yaml.safe_load(HOOKS.read_text())
    assert [hook["id"] for hook in hooks] == ["devlint", "devlint-fix"]
    for hook in hooks:
        program, *arguments = hook["entry"].split()
        assert program == "devlint"
        assert main([*arguments, "--isolated", "--quiet", str(Path(__file__))]) == 0
    assert capsys.readouterr().out == ""
