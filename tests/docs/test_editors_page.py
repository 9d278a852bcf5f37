"""docs/editors.md: what it tells editors is well-formed and leads to the server, and the extension agrees."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module

import pytest

from devlint.cli import COMMANDS
from tests.docs.test_pages import ROOT, blocks

PAGE = ROOT / "docs" / "editors.md"
EXTENSION = ROOT / "tools" / "vscode"


def test_the_command_exists() -> None:
    assert "server" in COMMANDS


@pytest.mark.parametrize("language", ["lua", "elisp"])
def test_programs_start_the_server_and_close_what_they_open(language: str) -> None:
    found = [block.text for block in blocks(PAGE, language)]
    assert found
    for text in found:
        assert re.search(r'"devlint",? "server"', text)
        for opening, closing in ("()", "{}"):
            assert text.count(opening) == text.count(closing)


def test_helix_is_told_in_toml() -> None:
    (block,) = blocks(PAGE, "TOML")
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    told = toml.loads(block.text)
    server = told["language-server"]["devlint"]
    assert [server["command"], *server["args"]] == ["devlint", "server"]
    assert "devlint" in told["language"][0]["language-servers"]


def test_settings_are_those_of_the_extension() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    declared = manifest["contributes"]["configuration"]["properties"]
    assert declared["devlint.command"]["default"] == ["devlint", "server"]
    vscode, pycharm = (json.loads(block.text) for block in blocks(PAGE, "json"))
    assert {key for key in vscode if key.startswith("devlint.")} <= set(declared)
    assert set(pycharm) == {key.removeprefix("devlint.") for key in declared} - {"command"}
    assert (EXTENSION / manifest["main"]).is_file()


def test_the_page_names_every_editor() -> None:
    titles = re.findall(r"^## (.+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert titles[:5] == ["VS Code", "Neovim", "Emacs", "PyCharm", "Helix"]
