"""Repositories that are hostile on purpose: a check runs nothing of them, and shows nothing from outside."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.cli import main
from devlint.model import Site, SiteId
from devlint.runtime.recording.progress import Progress
from devlint.runtime.trace import TraceWriter
from tests.cli.programs import ENVIRONMENT
from tests.cli.test_hostile_names import said
from tests.runtime.trace.test_encoding import EVENTS

BUG = "import torch\nx = torch.ones(2, device='cuda') + torch.ones(2)\n"
SHADOWS = (
    "argparse",
    "json",
    "libcst",
    "pathspec",
    "rich",
    "sitecustomize",
    "tomllib",
    "typing",
    "torch",
    "yaml",
)
"""Modules that devlint may import, and that Python would look for where it was started."""


def test_nothing_is_run(tmp_path: Path) -> None:
    repository, marks = tmp_path / "repository", tmp_path / "marks"
    repository.mkdir()
    marks.mkdir()
    for name in (*SHADOWS, "conftest", "setup", "__main__", "__init__"):
        text = f"open({str(marks / name)!r}, 'w')\n{BUG}"
        (repository / f"{name}.py").write_text(text)
    (repository / "pyproject.toml").write_text("[tool.devlint]\nextend-exclude = ['*[ab]*c/**']\n")
    command = (sys.executable, "-m", "devlint", "check", "--fix", "--unsafe-fixes", "--color", "always")
    done = subprocess.run(
        command,
        cwd=repository,
        env={**ENVIRONMENT, "TERM": "xterm"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "14 fixed" in done.stdout, done
    assert list(marks.iterdir()) == []


@pytest.mark.skipif(shutil.which("git") is None or os.name == "nt", reason="it is git that would run it")
def test_git_runs_nothing_that_a_repository_names(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(("git", *arguments), cwd=here, check=True, capture_output=True)

    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "A")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "a@example.org")
    (here / "a.py").write_text("OK\n")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "all")
    script, mark = here / "hook.sh", here.parent / "mark"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    (here / ".gitattributes").write_text("*.py diff=hostile\n")
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.hostile.textconv",
        "diff.hostile.command",
        "core.pager",
    ):
        git("config", key, str(script))
    (here / "a.py").write_text("BUG\n")
    assert main(["check", "--diff-base", "main", "-q"]) == 1
    assert "BUG was found" in capsys.readouterr().out
    assert not mark.exists()


def line_of(path: str, site: SiteId) -> Site:
    """A place in a file."""
    return Site(path, site + 2, 1, site + 2, 9)


@pytest.mark.parametrize("link", [False, True])
def test_a_trace_shows_no_lines_from_outside(
    here: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str], link: bool
) -> None:
    secret = tmp_path_factory.mktemp("outside") / "key.py"
    secret.write_text("SECRET = 1\n" * 9)
    named = here / "link.py" if link else secret
    if link:
        named.symlink_to(secret)
    own = here / "own.py"
    own.write_text("SHOWN = 1\n" * 9)
    for path in (named, own):
        writer = TraceWriter(here / "trace.jsonl", "2.13.0")
        writer.attach(partial(line_of, str(path)), Progress(), lambda: False)
        for event in EVENTS:
            writer.listen(event)
        writer.close([])
        for format_ in ("full", "json", "sarif"):
            main(["report", "trace.jsonl", "--third-party", "--output-format", format_])
            shown = capsys.readouterr().out
            assert "SECRET" not in shown
            assert path.name in shown
            assert ("SHOWN" in shown) is (path is own and format_ == "full")
        main(["report", "trace.jsonl", "--third-party", "--report", "run.html"])
        assert "SECRET" not in (here / "run.html").read_text("utf-8")


def test_remarks_of_a_trace_stay_on_their_lines(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writer = TraceWriter(here / "trace.jsonl", "2.13.0")
    writer.attach(partial(line_of, "a\n::error::owned"), Progress(), lambda: False)
    for event in EVENTS:
        writer.listen(event)
    writer.close(["a\n::error::owned", "\x1b[2J"])
    for format_ in ("concise", "full", "github"):
        assert "owned" in said(capsys, "report", "trace.jsonl", "--output-format", format_)[1]


@pytest.mark.parametrize(
    "entry",
    [
        {"count": 10**400},
        {"count": -1},
        {"count": True},
        {"text": 7},
        {"path": "\0"},
        {"path": "../../../../etc/passwd"},
        {"flow": "\ud800"},
    ],
    ids=lambda entry: next(iter(entry)),
)
def test_a_baseline(here: Path, capsys: pytest.CaptureFixture[str], entry: dict[str, object]) -> None:
    (here / "a.py").write_text("BUG\n")
    known = {"path": "a.py", "code": "DL101", "text": "x", "flow": "", "count": 1}
    document = {"version": 1, "findings": [{**known, **entry}]}
    (here / "known.json").write_text(json.dumps(document))
    for option, codes in (("--baseline", (1, 2)), ("--write-baseline", (0, 2))):
        code, text = said(capsys, "check", option, "known.json")
        assert code in codes
        assert "devlint failed" not in text


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 10**20)
    | st.text(max_size=4)
    | st.sampled_from(["code", "import torch\n", "%%bash\n", "\ud800", "\0", "!ls\n", "?x", "BUG\n"]),
    lambda part: (
        st.lists(part, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cells", "cell_type", "source", "metadata", "nbformat", "x"]), part, max_size=4
        )
    ),
    max_leaves=8,
)


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(cells=st.lists(JUNK, max_size=3), more=JUNK)
def test_notebooks(here: Path, capsys: pytest.CaptureFixture[str], cells: list[object], more: object) -> None:
    good = {"cell_type": "code", "source": ["BUG\n"]}
    (here / "a.ipynb").write_text(json.dumps({"cells": [*cells, good], "nbformat": 4, "metadata": more}))
    code, text = said(capsys, "check", "--fix", "--no-cache", "--output-format", "full")
    assert code in (0, 1), text
    (here / "a.ipynb").write_text(json.dumps(more))
    assert said(capsys, "check", "--fix", "--no-cache")[0] in (0, 1)
