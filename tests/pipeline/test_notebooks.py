"""Notebooks: places counted in cells, fixes in the cell, all else as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devlint.pipeline.execution.run import check_file
from devlint.pipeline.session.task import FileChange, FileOutcome, Task
from devlint.project.configuration import Configurations
from devlint.project.discover import SourceFile
from devlint.project.notebook import Notebook
from devlint.project.settings import Options
from devlint.report import FORMATS

pytestmark = pytest.mark.usefixtures("stand_in")


def cell(*lines: str, kind: str = "code") -> dict[str, Any]:
    return {
        "cell_type": kind,
        "metadata": {"tags": []},
        "source": list(lines),
        "outputs": [{"text": ["é BUG"]}],
    }


def notebook(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def write(path: Path, document: dict[str, Any], **layout: Any) -> bytes:
    data = (json.dumps(document, **{"indent": 1, "ensure_ascii": False, **layout}) + "\n").encode()
    path.write_bytes(data)
    return data


def check(path: Path, change: FileChange = FileChange.NOTHING) -> FileOutcome:
    settings = Configurations(Options(), path.parent, FORMATS, isolated=True).at(path.parent)
    return check_file(SourceFile(path, settings), path.name, Task(change))


MIXED = notebook(
    cell("# BUG in prose", kind="markdown"),
    cell("import torch\n", "%matplotlib inline\n", "x = BUG"),
    cell("%%bash\n", "echo BUG"),
    cell("!pip install torch \\\n", "   BUG\n", "y = !ls\n", "help?\n", "z = BUG\n", "!ls"),
)


def test_places_are_counted_in_cells(tmp_path: Path) -> None:
    write(tmp_path / "a.ipynb", MIXED)
    outcome = check(tmp_path / "a.ipynb")
    assert outcome.failure == ""
    places = [(f.code, f.site.cell, f.site.line, f.site.column) for f in outcome.findings]
    assert places == [("DL101", 1, 3, 5), ("DL101", 3, 5, 5)]


@pytest.mark.parametrize(
    "layout",
    [{}, {"indent": 2}, {"indent": None}, {"indent": "\t"}, {"ensure_ascii": True}],
)
def test_fixes_change_the_code_and_nothing_else(tmp_path: Path, layout: dict[str, Any]) -> None:
    path = tmp_path / "a.ipynb"
    before = write(path, MIXED, **layout)
    outcome = check(path, FileChange.FIX)
    assert outcome.failure == ""
    assert outcome.changed == {"DL101": 2}
    assert path.read_bytes() == before.replace(b"x = BUG", b"x = OK").replace(b"z = BUG", b"z = OK")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_are_kept(tmp_path: Path, end: str) -> None:
    path = tmp_path / "a.ipynb"
    before = write(path, MIXED).replace(b"\n", end.encode())
    path.write_bytes(before)
    assert check(path, FileChange.FIX).changed == {"DL101": 2}
    assert path.read_bytes() == before.replace(b"x = BUG", b"x = OK").replace(b"z = BUG", b"z = OK")


def test_what_is_not_code_keeps_its_spelling(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    before = (
        b'\n{ "metadata": {"a": 1E5, "b": 1.0000000000000000000001, "c": -0, "c": "\\/\\u00E9\xc3\xa9"},\n'
        b'\t"cells" : [ {"cell_type": "code", "outputs": [1e2, "source"], "source" : "x = BUG"} ,\n'
        b'  {"s\\u006furce": ["# \\u00e9\\n", "y = 1"], "cell_type": "code"}]}'
    )
    path.write_bytes(before)
    assert check(path, FileChange.FIX).changed == {"DL101": 1}
    assert path.read_bytes() == before.replace(b"BUG", b"OK")


@pytest.mark.parametrize(
    "layout", [{}, {"indent": 2}, {"indent": None}, {"indent": "\t"}, {"separators": (",", ":")}]
)
@pytest.mark.parametrize("lines", [[], ["y = 1"], ["y = 1\n", "z = 2"]])
def test_lines_that_come_are_laid_out_as_the_others(layout: dict[str, Any], lines: list[str]) -> None:
    def data(*lines: str) -> bytes:
        return json.dumps(notebook(cell(*lines), cell("z = 3")), **{"indent": 1, **layout}).encode()

    read = Notebook.read(data(*lines))
    added = "import torch\n"
    assert read.encode(added + read.text, [0, read.starts[1] + len(added)]) == data(added, *lines)
    nothing = read.text[read.starts[1] - 1 :]
    assert read.encode(nothing, [0, 1]) == data()


def test_a_fix_stays_in_its_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    write(
        path,
        notebook(cell("x = NESTED"), cell(), cell("BUG"), cell("y = 1  # devlint: ignore[DL101]\n", "BUG")),
    )
    check(path, FileChange.FIX)
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_bytes())["cells"]]
    assert sources == ["x = OK", "", "OK", "y = 1\nOK"]


def test_ignores_are_added_in_the_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    write(path, notebook(cell("BUG"), cell("x = 1\n", "BUG\n")))
    assert check(path, FileChange.IGNORE).findings == []
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_bytes())["cells"]]
    assert sources == ["BUG  # devlint: ignore[DL101]", "x = 1\nBUG  # devlint: ignore[DL101]\n"]


def test_a_source_that_is_one_string_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    before = write(path, notebook({"cell_type": "code", "source": "x = 1\nBUG"}))
    check(path, FileChange.FIX)
    assert path.read_bytes() == before.replace(b"BUG", b"OK")


@pytest.mark.parametrize(
    ("metadata", "count"),
    [
        ({"kernelspec": {"language": "python"}}, 1),
        ({"kernelspec": {"language": "julia"}}, 0),
        ({"language_info": {"name": "R"}}, 0),
        ({}, 1),
    ],
)
def test_notebooks_of_other_languages_are_not_python(
    tmp_path: Path, metadata: dict[str, Any], count: int
) -> None:
    write(tmp_path / "a.ipynb", notebook(cell("BUG"), **metadata))
    assert len(check(tmp_path / "a.ipynb").findings) == count


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[]", "no list of cells"),
        (b"{}", "no list of cells"),
        (b'{"cells": 3}', "no list of cells"),
        (b'{"worksheets": [{"cells": []}], "nbformat": 3}', "no list of cells"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"cells": [{"cell_type": "code", "source": 3}]}', "`cells[0]` is neither text nor a list"),
        (b'{"cells": [{"cell_type": "code", "source": [3]}]}', "`cells[0]` is neither text nor a list"),
        (b'{"cells": [{"cell_type": "code"}]}', "`cells[0]` is neither text nor a list"),
        (b'{"cells": [{"source": "x = 1"}]}', "`cells[0]` has no `cell_type`"),
        (b'{"cells": [{"cell_type": 3, "source": "x = 1"}]}', "`cells[0]` has no `cell_type`"),
        (b'{"cells": [], "metadata": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"cells": [], "nbformat": ' + b"4" * 5000 + b"}", "more digits"),
    ],
)
def test_what_is_no_notebook_is_a_finding(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "a.ipynb").write_bytes(data)
    (finding,) = check(tmp_path / "a.ipynb").findings
    assert finding.code == "DL900"
    assert why in finding.message
    assert "\n" not in finding.message


def test_code_that_does_not_parse_is_a_finding_in_its_cell(tmp_path: Path) -> None:
    write(tmp_path / "a.ipynb", notebook(cell("x = 1"), cell("y = 1\n", "def f(:")))
    (finding,) = check(tmp_path / "a.ipynb").findings
    assert (finding.code, finding.site.cell, finding.site.line) == ("DL900", 2, 2)


@pytest.mark.parametrize(
    "line",
    [
        "%time",
        "%time f(x)",
        "!ls",
        "?f",
        "f?",
        "f.g??",
        "x = %time f()",
        "x = !ls",
        "    !ls",
        "%",
        "!",
        "%%html",
    ],
)
def test_magics_become_code_of_the_same_shape(line: str) -> None:
    indented = line.startswith(" ")
    source = f"if x:\n{line}\ny = 1" if indented else f"{line}\ny = 1"
    read = Notebook.read(json.dumps(notebook(cell(source))).encode())
    assert len(read.text) == len(source) + 1
    compile(read.text, "cell", "exec")
    assert json.loads(read.encode(read.text, read.starts))["cells"][0]["source"] == [source]


def test_python_that_looks_like_a_magic_stays() -> None:
    source = "x = (7\n% 3)\ny = '''\n!ls\n'''"
    read = Notebook.read(json.dumps(notebook(cell(source))).encode())
    assert read.text == source + "\n"
