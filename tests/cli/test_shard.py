"""A check in shards: put together, they say what the check says."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devlint.cli import main
from devlint.project.shards import divided
from tests.cli.projects import projects, write

ROOT = Path(__file__).parents[2]
BUG = "import torch\nx = torch.ones(3, device='cuda')\nx + torch.ones(3)\n"
CALLED = {
    "library.py": "import torch\n\n\ndef add(x):\n    return x + torch.ones(3)\n",
    "train.py": "import torch\nfrom library import add\n\nprint(add(torch.ones(3, device='cuda')))\n",
    "clean.py": "import torch\nfrom library import add\n\nprint(add(torch.ones(3)))\n",
}


@contextmanager
def at(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def said(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


def whole(*options: str, paths: Sequence[str] = (".",)) -> tuple[int, str, str]:
    return said("check", "--no-cache", "--jobs=1", *options, *paths)


def in_shards(
    count: int, *options: str, paths: Sequence[str] = (".",), report: Sequence[str] = ()
) -> tuple[int, str, str]:
    """What `devlint report` says of the shards, handed over in some order."""
    with TemporaryDirectory() as folder:
        files = [f"{folder}/shard-{number}.json" for number in range(1, count + 1)]
        for number, file in enumerate(files, start=1):
            shard = (f"--shard={number}/{count}", f"--output-file={file}")
            code, out, _ = said("check", "--no-cache", "--jobs=1", "--quiet", *shard, *options, *paths)
            assert (code, out) == (0, "")
        return said("report", *files[::-1], *report)


@settings(max_examples=15, deadline=None)
@given(projects(), st.integers(1, 5), st.sampled_from(["json", "full", "sarif", "concise"]))
def test_shards_together_say_what_the_check_says(files: dict[str, str], count: int, format_: str) -> None:
    with TemporaryDirectory() as folder, at(Path(folder)):
        write(files, Path(folder))
        format_ = f"--output-format={format_}"
        for confidence in ("likely", "possible"):
            expected = whole(format_, f"--confidence={confidence}")
            assert in_shards(count, f"--confidence={confidence}", report=[format_]) == expected


def test_on_programs_of_people() -> None:
    paths = ("docs/examples", *map(str, ROOT.glob("tests/cases/operand-not-moved-*")))
    with at(ROOT):
        code, out, _ = expected = whole("--output-format=json", "--isolated", paths=paths)
        assert code == 1
        assert len(json.loads(out)) > 20
        for count in (1, 8):
            assert in_shards(count, "--isolated", paths=paths, report=["--output-format=json"]) == expected


def test_what_other_shards_show_counts(tmp_path: Path) -> None:
    """Nothing in the shard of `library.py` calls its function; another shard says how it is called."""
    write(CALLED, tmp_path)
    with at(tmp_path):
        code, out, _ = expected = whole("--output-format=concise")
        assert (code, "library.py:5" in out) == (1, True)
        assert in_shards(3, report=["--output-format=concise"]) == expected


def test_shards_are_put_together_where_nothing_else_is(tmp_path: Path) -> None:
    one, other, empty = (tmp_path / name for name in ("one", "other", "empty"))
    for folder in (one, other):
        folder.mkdir()
        write({**CALLED, "notes.ipynb": notebook(BUG)}, folder)
    empty.mkdir()
    with at(one):
        expected = whole("--output-format=full")
        said("check", "--no-cache", "--shard=1/2", "-o", str(empty / "1.json"))
    with at(other):
        said("check", "--no-cache", "--shard=2/2", "-o", str(empty / "2.json"))
    shutil.rmtree(one)
    shutil.rmtree(other)
    with at(empty):
        assert said("report", "1.json", "2.json", "--output-format=full") == expected
    assert "library.py:5" in expected[1]
    assert "notes.ipynb" in expected[1]


def notebook(text: str) -> str:
    cell: dict[str, object] = {
        "cell_type": "code",
        "source": text,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_settings_of_each_file_hold(tmp_path: Path) -> None:
    (tmp_path / "strict").mkdir()
    (tmp_path / "lax").mkdir()
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "lax" / "devlint.toml").write_text("ignore = ['DL1']")
    (tmp_path / "strict" / "devlint.toml").write_text("extend-select = ['ALL']\nconfidence = 'possible'")
    for name in ("strict/a.py", "lax/b.py", "c.py"):
        (tmp_path / name).write_text(BUG)
    with at(tmp_path):
        expected = whole("--output-format=json")
        assert in_shards(3, report=["--output-format=json"]) == expected
        assert {Path(each["filename"]).name for each in json.loads(expected[1])} == {"a.py", "c.py"}


def test_exit_codes_are_those_of_the_check(tmp_path: Path) -> None:
    write({"a.py": BUG, "b.py": "x = 1\n"}, tmp_path)
    with at(tmp_path):
        for options in ((), ("--exit-zero",), ("--fail-on=error",), ("--ignore=DL1",)):
            assert in_shards(2, *options)[0] == whole(*options)[0]
        whole("--write-baseline=known.json")
        assert in_shards(2, "--baseline=known.json") == whole("--baseline=known.json")
        assert in_shards(2, "--baseline=known.json")[0] == 0


def test_a_shard_says_what_it_could_not_check(tmp_path: Path) -> None:
    write({"a.py": "x = 1\n"}, tmp_path)
    with at(tmp_path):
        code, _, err = said("check", "--no-cache", "--shard=1/2", "-o", "s.json", "none.py", "a.py")
        assert (code, err) == (2, "error: none.py: no such file or directory\n")


def shards(folder: Path, count: int, *options: str) -> list[str]:
    names = [f"{folder.name}-{number}-{count}.json" for number in range(1, count + 1)]
    for number, name in enumerate(names, start=1):
        said("check", "--no-cache", "-q", f"--shard={number}/{count}", "-o", name, *options)
    return names


def test_shards_that_do_not_make_a_whole_are_refused(tmp_path: Path) -> None:
    write({"a.py": BUG, "b.py": "x = 1\n"}, tmp_path)
    with at(tmp_path):
        first, second, third = shards(tmp_path, 3)
        assert said("report", first, second, third)[0] == 1
        for files, why in (
            ([first, third], "error: 2/3: missing among the shards"),
            ([first, second, first], f"error: {first}: is shard 1/3, as {first} is"),
            ([first, second, "a.py"], "error: a.py: is not a shard of devlint, or is damaged"),
            (
                [first, second, third, "--ignore=DL1"],
                "error: --ignore: the rules of a shard are set when it is written; "
                "pass the option to `devlint check --shard`",
            ),
            ([first, second, "none.json"], "error: none.json: cannot be read: no such file or directory"),
        ):
            assert said("report", *files) == (2, "", f"{why}\n")
        text = Path(first).read_text()
        Path("old.json").write_text(text.replace('"version":"', '"version":"0.'))
        assert "was written by devlint 0.0" in said("report", "old.json", second, third)[2]
        Path("cut.json").write_text(text[:-40])
        assert "is damaged" in said("report", "cut.json", second, third)[2]
        Path("a.py").write_text(BUG + "\n")
        _, other, _ = shards(tmp_path / "other", 3)
        assert f"{other}: does not belong to the same check" in said("report", first, other, third)[2]
        half, _ = shards(tmp_path / "half", 2)
        assert f"{half}: does not belong to the same check" in said("report", first, half, third)[2]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--shard=0/2"], "invalid number of a shard"),
        (["--shard=3/2"], "invalid number of a shard"),
        (["--shard=1"], "invalid number of a shard"),
        (["--shard=1/2", "--fix"], "--shard and --fix cannot be combined"),
        (["--shard=1/2", "--diff-base=main"], "--shard and --diff-base cannot be combined"),
        (["--shard=1/2", "-"], "--shard and standard input cannot be combined"),
        (["--shard=1/2", "--output-format=json"], "pass --output-format to `devlint report`"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], why: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(["check", *arguments])
        except SystemExit as ended:
            assert isinstance(ended.code, int)
            code = ended.code
    assert code == 2
    assert why in err.getvalue()


names = st.text("abcd/", min_size=1, max_size=5)


@given(st.dictionaries(names, st.integers(0, 1000), min_size=1, max_size=30), st.integers(1, 9), st.data())
def test_each_file_is_in_one_shard_on_every_machine(
    sizes: dict[str, int], count: int, data: st.DataObject
) -> None:
    some = st.lists(st.sampled_from(sorted(sizes)), max_size=3)
    links = {name: data.draw(some) for name in sizes}
    parts = divided(sizes, links, count)
    assert len(parts) == count
    assert sorted(name for part in parts for name in part) == sorted(sizes)
    shuffled = random.Random(0).sample(sorted(sizes.items()), len(sizes))
    assert divided(dict(shuffled), dict(reversed(links.items())), count) == parts


def test_what_belongs_together_stays_together() -> None:
    sizes = {f"{project}/{name}.py": 100 for project in "abcd" for name in "xyz"}
    links = {f"{project}/{name}.py": [f"{project}/z.py"] for project in "abcd" for name in "xy"}
    assert [{name[0] for name in part} for part in divided(sizes, links, 4)] == [{"a"}, {"b"}, {"c"}, {"d"}]
    assert [{name[0] for name in part} for part in divided(sizes, links, 2)] == [{"a", "b"}, {"c", "d"}]


def test_one_large_package_is_cut_evenly() -> None:
    sizes = {f"package/m{number:03}.py": 1000 + number for number in range(100)}
    links = {name: ["package/m000.py"] for name in sizes}
    assert [len(part) for part in divided(sizes, links, 4)] == pytest.approx([25] * 4, abs=2)
