"""devlint as others install it: from a repository of its own, without this machine's configuration of git."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PUBLISHED = (
    "devlint",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
    "action.yml",
)
"""What an installation from a clone reads."""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def environment(cache: Path) -> dict[str, str]:
    """The environment of a user, with nothing of this machine's configuration of git."""
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))
    }
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "PRE_COMMIT"))}
    return {
        **clean,
        **identity,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PRE_COMMIT_HOME": str(cache),
        "PIP_NO_COMPILE": "no",  # pip reads negative options so; Python compiles what it imports
    }


def called(*command: str, cwd: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env=environment(cache), capture_output=True, text=True, check=False
    )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command in the user's repository."""

    def call(*command: str, cwd: Path = tmp_path / "user") -> subprocess.CompletedProcess[str]:
        return called(*command, cwd=cwd, cache=tmp_path / "pre-commit")

    return call


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """devlint as a repository of its own, and the commit to use."""
    folder = tmp_path_factory.mktemp("published")
    for name in PUBLISHED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "publish"), ("rev-parse", "HEAD")):
        done = called("git", *command, cwd=folder, cache=folder)
        assert done.returncode == 0, done.stderr
    return folder, done.stdout.strip()
