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


@pytest.mark.parametrize("mark", ["setup.py", ""])
def test_a_project_may_have_a_package_at_its_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    root = tmp_path / "project"
    files = ["__init__.py", "common/__init__.py", "common/memory.py", "agent/__init__.py", "agent/run.py"]
    lay_out(root, [*files, mark] if mark else files)
    monkeypatch.chdir(tmp_path if mark else root)
    modules, script = Modules(), str(root / "agent/run.py")
    found = [modules.find(name, script)[0] for name in ("common.memory.f", "project.common.memory.f")]
    assert found == [str(root / "common/memory.py")] * 2


@pytest.mark.parametrize(
    "text",
    [
        "sys.path.append('lib')",
        "sys.path.insert(0, './lib/')",
        "sys.path.append(os.path.join(os.path.dirname(__file__), 'lib'))",
        "here = osp.dirname(osp.abspath(__file__))\nsys.path.append(here + '/lib')",
        "sys.path.append(os.path.join(os.getcwd(), 'lib'))",
        "sys.path.insert(1, os.path.join(sys.path[0], '..', 'tools', 'lib'))",
        "sys.path.append(str(Path(__file__).resolve().parent / 'lib'))",
        "LIB = Path(__file__).parents[1] / 'tools/lib'\nif True:\n    sys.path.append(str(LIB))",
        "def add(path):\n    if path not in sys.path:\n        sys.path.insert(0, path)\n\nadd('lib')",
    ],
)
def test_a_script_finds_what_it_adds_to_the_path(tmp_path: Path, text: str) -> None:
    lay_out(tmp_path, ("setup.py", "tools/train.py", "tools/lib/inner/net.py"))
    script = tmp_path / "tools" / "train.py"
    script.write_text(text)
    found, rest, _ = Modules().started("inner.net.Net", str(script))
    assert (found, rest) == (str(tmp_path / "tools/lib/inner/net.py"), "Net")


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.path.append('/lib')",
        "import sys\nsys.path.append(input())",
        "import sys\nsys.path.append('../..')",
        "import sys\nsys.path.append(",
        "import sys\nsys.paths.append('lib')",
    ],
)
def test_other_places_are_not_searched(tmp_path: Path, text: str) -> None:
    lay_out(tmp_path, ("inner/net.py", "project/setup.py", "project/train.py", "project/lib/inner/net.py"))
    script = tmp_path / "project" / "train.py"
    script.write_text(text)
    assert Modules().started("inner.net", str(script))[0] == ""


def test_a_module_beside_a_script_may_add_to_the_path(tmp_path: Path) -> None:
    lay_out(tmp_path, ("setup.py", "train.py", "lib/net.py"))
    script, helper = tmp_path / "train.py", tmp_path / "add_paths.py"
    script.write_text("import add_paths\nfrom net import Net")
    modules = Modules()
    assert modules.started("net.Net", str(script))[0] == ""
    helper.write_text("import sys\nsys.path.insert(0, 'lib')")
    modules = Modules()
    found, _, asked = modules.started("net.Net", str(script))
    assert found == str(tmp_path / "lib/net.py")
    assert str(helper) in asked


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
