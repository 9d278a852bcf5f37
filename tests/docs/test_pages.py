"""What the pages for readers say is so: commands parse, settings load, output is real, links work."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from markdown_it import MarkdownIt

from devlint.cli import COMMANDS, main
from devlint.cli.check_options import options
from devlint.cli.run_options import program_of, settings_of
from devlint.project.configuration import read
from devlint.project.settings import SETTINGS
from devlint.report import FORMATS
from devlint.rules import registry
from tests.cli.programs import devlint
from tools import rule_pages

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [
    page
    for page in (
        README,
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
    if page.parent != rule_pages.FOLDER or page.name == "README.md"
]

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    language: str
    text: str


def blocks(page: Path, language: str) -> Iterator[Block]:
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type == "fence" and token.info.split(" ")[0] == language:
            yield Block(page, language, token.content)


def shell_commands(text: str) -> Iterator[list[str]]:
    """The commands of a line of shell, as words, without redirections."""
    words = shlex.split(text, comments=True)
    command: list[str] = []
    for word in [*words, "&&"]:
        if word in ("&&", "|"):
            yield command[: command.index("<")] if "<" in command else command
            command = []
        else:
            command.append(word)


def commands_of(page: Path) -> list[list[str]]:
    lines = [line for block in blocks(page, "sh") for line in block.text.splitlines()]
    return [command for line in lines for command in shell_commands(line)]


def require_understood(command: list[str]) -> None:
    """Fail unless devlint, or a module of this repository, understands the command."""
    if command[0] == "devlint":
        assert command[1] in COMMANDS
        module = import_module(f"devlint.cli.{command[1]}")
        parser = ArgumentParser(allow_abbrev=False)
        module.add_arguments(parser)
        arguments = parser.parse_args(command[2:])
        if command[1] == "check":
            options(arguments)
        elif command[1] == "run":
            assert program_of(arguments)
            settings_of(arguments)
        elif command[1] == "rule" and arguments.code:
            assert registry.rule(arguments.code)
    elif command[:2] == ["python", "-m"]:
        assert importlib.util.find_spec(command[2])


@each_page
def test_commands_parse(page: Path) -> None:
    for command in commands_of(page):
        require_understood(command)


def test_pages_have_commands() -> None:
    assert sum(command[0] == "devlint" for page in PAGES for command in commands_of(page)) >= 10


@each_page
def test_pictures_of_output_are_what_devlint_prints(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for block in blocks(page, "console"):
        prompt, _, output = block.text.partition("\n")
        (command,) = shell_commands(prompt.removeprefix("$ "))
        assert command[0] == "devlint"
        if command[1] == "run":
            if sys.version_info < (3, 11):
                continue  # it knows lines only, so that frames look different
            shown = reported(command[1:])
        else:
            main(command[1:])
            shown = capsys.readouterr().out
        assert shown.rstrip("\n") == output.rstrip("\n")


def reported(arguments: list[str]) -> str:
    """What a run says on standard error, in a process of its own, with paths as a reader would have them."""
    return devlint(ROOT, *arguments).err.replace(f"{ROOT}{os.sep}", "")


def test_readme_has_a_picture() -> None:
    assert "Found 1 finding." in README.read_text("utf-8")


@each_page
def test_configuration_loads(page: Path, tmp_path: Path) -> None:
    for block in blocks(page, "toml"):
        file = tmp_path / ("pyproject.toml" if "[tool.devlint" in block.text else "devlint.toml")
        file.write_text(block.text, "utf-8")
        assert read(file, FORMATS) is not None


def test_readme_documents_the_settings_and_formats() -> None:
    text = README.read_text("utf-8")
    table = text[text.index("| key | default") : text.index("## Exit codes")]
    rows = [row.split(" | ") for row in table.splitlines()[2:] if row.startswith("|")]
    keys = {key for row in rows for key in re.findall(r"`([a-z-]+)`", row[0])}
    assert keys == {setting.key for setting in SETTINGS} - {"torch-version"}
    formats = next(row[2] for row in rows if "`output-format`" in row[0])
    assert set(re.findall(r"`([a-z-]+)`", formats)) == set(FORMATS)


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@each_page
def test_paths_exist(page: Path) -> None:
    for path in re.findall(r"`((?:devlint|tests|tools|docs)/[\w./-]+)`", page.read_text("utf-8")):
        assert (ROOT / path).exists(), path


def hooks(document: Any) -> set[str]:
    return {hook["id"] for repository in document["repos"] for hook in repository["hooks"]}


def test_readme_names_hooks_that_there_are() -> None:
    there = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    documents = [yaml.safe_load(block.text) for block in blocks(README, "yaml")]
    named = set().union(*(hooks(document) for document in documents if "repos" in document))
    assert named
    assert named <= there


def test_readme_has_a_workflow_whose_commands_parse() -> None:
    documents = [yaml.safe_load(block.text) for block in blocks(README, "yaml")]
    (workflow,) = [document for document in documents if "jobs" in document]
    lines = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    commands = [command for line in lines for command in shell_commands(line)]
    assert any(command[0] == "devlint" for command in commands)
    for command in commands:
        require_understood(command)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    lines = [line for block in blocks(README, "sh") for line in block.text.splitlines()]
    (line,) = [line for line in lines if "pytest" in line]
    for command in line.split(" && "):
        assert command in script


def test_the_pages_of_the_rules_are_what_the_rules_say() -> None:
    committed = {page.name: page.read_text("utf-8") for page in rule_pages.FOLDER.iterdir()}
    assert committed == rule_pages.pages(), "write them anew: python -m tools.rule_pages"


def test_the_list_of_rules_names_each_once() -> None:
    listed = re.findall(r"^\| \[(DL\d{3})\]", rule_pages.pages()["README.md"], re.MULTILINE)
    assert tuple(listed) == registry.codes()
