"""docs/ci.md: its commands do what it says, in a repository, as CI would run them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import JUnitXml

from devlint.cli.exit import ExitCode
from devlint.report import FORMATS
from tests.cli.programs import ENVIRONMENT, Done, shell
from tests.docs.test_pages import ROOT, blocks, require_understood, shell_commands

PAGE = ROOT / "docs" / "ci.md"
TEXT = PAGE.read_text("utf-8")

Run = Callable[[str], Done]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a line of shell in a repository with a program that has findings, on a branch that changed it."""
    programs, repository = tmp_path / "bin", tmp_path / "repository"
    for folder in (programs, repository):
        folder.mkdir()
    shutil.copy(ROOT / "docs" / "examples" / "logging_loop_bad.py", repository / "train.py")
    clean = {key: value for key, value in ENVIRONMENT.items() if not key.startswith("GIT_")}
    environment = {
        **clean,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "origin/main",
    }

    def call(line: str) -> Done:
        return shell(repository, line, programs, environment)

    commit = "git -c user.name=A -c user.email=a@example.org commit -qam"
    prepared = call(
        f"git init -q && git add . && {commit} base && git update-ref refs/remotes/origin/main HEAD"
    )
    assert prepared.code == 0, prepared.out
    return call


def scripts(document: Any) -> Iterator[str]:
    """What a workflow runs, wherever it says so."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in ("run", "script"):
                yield from [value] if isinstance(value, str) else value
            else:
                yield from scripts(value)
    elif isinstance(document, list):
        for each in document:
            yield from scripts(each)


def commands() -> list[str]:
    """All commands of devlint on the page that a CI would run, but for those that make one check together."""
    lines = [line for block in blocks(PAGE, "yaml") for line in scripts(yaml.safe_load(block.text))]
    lines += [line for block in blocks(PAGE, "groovy") for line in re.findall(r"sh '(.+)'", block.text)]
    lines += [line for block in blocks(PAGE, "sh") for line in block.text.splitlines()]
    return [line.partition(" | ")[0] for line in lines if line.startswith("devlint") and "shard" not in line]


@pytest.mark.parametrize("line", commands())
def test_commands_run_and_write_what_their_reader_takes(line: str, run: Run, tmp_path: Path) -> None:
    command = next(shell_commands(line))
    require_understood(command)
    done = run(line)
    comparing = "--diff-base" in command
    expected = ExitCode.CLEAN if "--exit-zero" in command or comparing else ExitCode.FINDINGS
    assert done.code == expected, done.out
    file = command[command.index("--output-file") + 1] if "--output-file" in command else ""
    text = (tmp_path / "repository" / file).read_text("utf-8") if file else done.out
    if comparing and not file:
        assert text.startswith("All checks passed!")
        assert (
            text.partition("\n")[2]
            == "3 findings not shown that the change since origin/main does not touch.\n"
        )
    else:
        assert read(command[command.index("--output-format") + 1], text) == (0 if comparing else 3)


def read(format_: str, text: str) -> int:
    """How many findings a report holds."""
    if format_ == "junit":
        return int(JUnitXml.fromstring(text.encode()).failures)
    if format_ in ("github", "azure"):
        return len(
            re.findall(r"^(?:::warning title=|##vso\[task\.logissue type=warning;)", text, re.MULTILINE)
        )
    document = json.loads(text)
    if format_ == "sarif":
        return len(document["runs"][0]["results"])
    return len(document["diagnostics"] if format_ == "rdjson" else document)


def test_shards_by_hand(run: Run) -> None:
    (block,) = [block for block in blocks(PAGE, "sh") if "--shard" in block.text]
    *parts, report = block.text.splitlines()
    assert [run(line).code for line in parts] == [ExitCode.CLEAN, ExitCode.CLEAN]
    done = run(report)
    assert (done.code, read("github", done.out)) == (ExitCode.FINDINGS, 3)


def test_shards_in_a_matrix(run: Run, tmp_path: Path) -> None:
    (text,) = [block.text for block in blocks(PAGE, "yaml") if "--shard" in block.text]
    jobs = yaml.safe_load(text)["jobs"]
    shards = jobs["check"]["strategy"]["matrix"]["shard"]
    (line,) = [line for line in scripts(jobs["check"]) if line.startswith("devlint")]
    uploaded = next(step["with"]["path"] for step in jobs["check"]["steps"] if "path" in step.get("with", {}))
    elsewhere = tmp_path / "report"
    elsewhere.mkdir()
    for number in map(str, shards):
        assert run(line.replace("${{ matrix.shard }}", number)).code == ExitCode.CLEAN
        file = uploaded.replace("${{ matrix.shard }}", number)
        shutil.move(tmp_path / "repository" / file, elsewhere)
    (line,) = [line for line in scripts(jobs["report"]) if line.startswith("devlint")]
    done = run(f"cd {shlex.quote(str(elsewhere))} && {line}")
    assert (done.code, read("github", done.out)) == (ExitCode.FINDINGS, 3)


def test_every_service_has_a_command() -> None:
    formats = {name for line in commands() for name in re.findall(r"--output-format (\S+)", line)}
    assert formats == {"github", "sarif", "gitlab", "azure", "junit", "rdjson"}


def test_files_that_are_written_are_those_that_are_read() -> None:
    texts = [block.text for language in ("yaml", "groovy") for block in blocks(PAGE, language)]
    written = [(text, file) for text in texts for file in re.findall(r"--output-file ([\w.-]+)", text)]
    assert len(written) == 5
    for text, file in written:
        assert text.count(file) >= 2, file


def test_every_format_is_in_the_table() -> None:
    table = TEXT[TEXT.index("## Formats") : TEXT.index("`--output-file FILE`")]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    named = [name for row in rows[1:] for name in re.findall(r"`([a-z-]+)`", row)]
    assert sorted(named) == sorted(FORMATS)


def test_the_session(run: Run) -> None:
    (session,) = blocks(PAGE, "shell-session")
    parts = re.split(r"^\$ (.+)\n", session.text, flags=re.MULTILINE)[1:]
    for line, expected in zip(parts[::2], parts[1::2], strict=True):
        assert run(line).out == expected, line


def test_exit_codes(run: Run) -> None:
    for line, code in (
        ("devlint check", 1),
        ("devlint check --exit-zero", 0),
        ("devlint check --fail-on error", 0),
        ("devlint check --diff --select DL1", 0),
        ("devlint check --select DL1", 0),
        ("devlint check --frob", 2),
        ("devlint check none.py", 2),
        ("devlint check --baseline none.json", 2),
        ("devlint check --diff-base none", 2),
        ("devlint check -o none/x.txt", 2),
        ("devlint report none.jsonl", 2),
        ("devlint rule DL101", 0),
        ("devlint rule DL999", 2),
        ("devlint clean", 0),
        ("devlint clean --cache-dir .git", 2),
    ):
        assert run(line).code == code, line
