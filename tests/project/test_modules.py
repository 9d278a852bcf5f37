"""Imported names lead to the files that Python would run for them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from devlint.project.modules import Modules


def lay_out(root: Path, files: Iterable[str]) -> None:
    for name in files:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    lay_out(
        tmp_path,
        (
            "pyproject.toml",
            "pack/__init__.py",
            "pack/plain.py",
            "pack/inner/__init__.py",
            "pack/inner/deep.py",
            "pack/loose/part.py",
            "src/other/__init__.py",
            "scripts/tool.py",
            "scripts/helper.py",
            "tests/test_tool.py",
            "scripts/data.py",
            "scripts/src/parts.py",
            "scripts/data/notes.txt",
            "pack/model.py",
            "pack/model/__init__.py",
        ),
    )
    return tmp_path


@pytest.mark.parametrize(
    ("importer", "name", "path", "rest"),
    [
        ("pack/plain.py", "pack.inner.deep.f", "pack/inner/deep.py", "f"),
        ("pack/plain.py", "pack.inner.deep.C.m", "pack/inner/deep.py", "C.m"),
        ("pack/plain.py", "pack.inner.g", "pack/inner/__init__.py", "g"),
        ("pack/plain.py", "pack.inner", "pack/inner/__init__.py", ""),
        ("pack/inner/deep.py", "pack.loose.part.f", "pack/loose/part.py", "f"),
        ("scripts/tool.py", "helper.f", "scripts/helper.py", "f"),
        ("scripts/tool.py", "pack.plain.f", "pack/plain.py", "f"),
        ("scripts/tool.py", "data.f", "scripts/data.py", "f"),
        ("scripts/tool.py", "parts.f", "scripts/src/parts.py", "f"),
        ("pack/plain.py", "pack.model.f", "pack/model/__init__.py", "f"),
        ("tests/test_tool.py", "other.f", "src/other/__init__.py", "f"),
        ("scripts/tool.py", "json.dumps", "", "json.dumps"),
        ("scripts/tool.py", "nowhere.f", "", "nowhere.f"),
        ("pack/plain.py", "helper.f", "", "helper.f"),
        ("pack/plain.py", "..above.f", "", "..above.f"),
        ("scripts/tool.py", ".helper.f", "scripts/helper.py", "f"),
        ("scripts/tool.py", "..pack.inner.deep.f", "pack/inner/deep.py", "f"),
        ("pack/loose/part.py", "..plain.f", "pack/plain.py", "f"),
        ("scripts/tool.py", "...pack.plain.f", "", "...pack.plain.f"),
    ],
)
def test_names_lead_to_files(project: Path, importer: str, name: str, path: str, rest: str) -> None:
    found, left, _ = Modules().find(name, str(project / importer))
    assert (found, left) == (str(project / path) if path else "", rest)


@pytest.mark.parametrize(
    ("script", "name", "path", "rest"),
    [
        ("pack/plain.py", "pack", "pack/pack.py", ""),
        ("pack/plain.py", "pack.inner", "pack/inner/__init__.py", ""),
        ("pack/pack.py", "pack", "pack/__init__.py", ""),
        ("pack/plain.py", "inner.deep", "pack/inner/deep.py", ""),
        ("scripts/tool.py", "pack.plain.f", "pack/plain.py", "f"),
        ("pack/plain.py", "json.dumps", "", "json.dumps"),
    ],
)
def test_a_script_finds_its_neighbors_first(
    project: Path, script: str, name: str, path: str, rest: str
) -> None:
    lay_out(project, ["pack/pack.py"])
    found, left, _ = Modules().started(name, str(project / script))
    assert (found, left) == (str(project / path) if path else "", rest)


@pytest.mark.parametrize(
    ("importer", "name", "absolute"),
    [
        ("pack/inner/deep.py", ".f", "pack.inner.f"),
        ("pack/inner/deep.py", "..plain.f", "pack.plain.f"),
        ("pack/inner/__init__.py", ".deep.f", "pack.inner.deep.f"),
        ("pack/inner/deep.py", "...f", "...f"),
        ("scripts/tool.py", ".helper", ".helper"),
    ],
)
def test_relative_names_are_counted_from_the_file(
    project: Path, importer: str, name: str, absolute: str
) -> None:
    assert Modules().absolute(name, str(project / importer)) == absolute


def test_where_it_was_looked_in_vain_is_said(project: Path) -> None:
    _, _, missing = Modules().find("nowhere.f", str(project / "scripts" / "tool.py"))
    for root in (project / "scripts", project, project / "src"):
        assert {str(root / "nowhere"), str(root / "nowhere.py")} <= set(missing)


def test_a_state_tells_contents_apart(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    states = [Modules().state(str(file))]
    for text in ("x = 1\n", "x = 2\n"):
        file.write_text(text)
        states.append(Modules().state(str(file)))
    states.append(Modules().state(str(tmp_path)))
    assert len(set(states)) == len(states)
