"""The site is built as CI builds it, by MkDocs with --strict: what links nowhere fails it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.rules import registry
from tests.docs.conftest import ROOT

SOURCES = ("mkdocs.yml", "docs", "tools", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE")
LINKED = ("tests", ".ci")
"""Folders to which pages link where the repository lies."""


def build(where: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site))
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What the site is made of, to be changed."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in SOURCES:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    return folder


def test_the_site_is_built_strictly(tmp_path: Path) -> None:
    done = build(ROOT, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    for page in ("index.html", "tutorial/index.html", "configuration/index.html", "changelog/index.html"):
        assert (tmp_path / "site" / page).is_file(), page
    for code in registry.codes():
        text = (tmp_path / "site" / "rules" / code / "index.html").read_text("utf-8")
        for part in ("What it does", "Why it matters", "Use instead"):
            assert part in text, (code, part)
    home = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert 'href="rules/DL101/"' in home
    assert 'href="configuration/"' in home
    assert 'href="ci/#exit-codes-and-thresholds"' in home
    assert "fonts.googleapis.com" not in home
    architecture = (tmp_path / "site" / "architecture" / "index.html").read_text("utf-8")
    assert "tests/source/machine/README.md" not in architecture  # a file of the repository, which has no URL


def test_each_link_that_leads_nowhere_fails(clone: Path, tmp_path: Path) -> None:
    links = {
        "README.md": "docs/none.md",
        "docs/run.md": "guard.md#none",
        "docs/port.md": "none.md",
        "docs/guard.md": "../tests/none.py",
        "docs/rules/README.md": "DL999.md",
    }
    for page, link in links.items():
        path = clone / page
        path.write_text(f"{path.read_text('utf-8')}\n\n[x]({link})\n", "utf-8")
    done = build(clone, tmp_path / "site")
    assert done.returncode == 1
    warnings = [line for line in done.stderr.splitlines() if line.startswith("WARNING")]
    assert len(warnings) == len(links), warnings
    for page, link in links.items():
        named = page.removeprefix("docs/").replace("README.md", "")
        assert any(named in line and Path(link).name in line for line in warnings), (page, warnings)
