"""A cache that somebody else has put there: its entries are damaged on purpose, or lead elsewhere.

None of it ends a check, or makes it wait. What is not as devlint writes it is found anew.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.cli import main
from devlint.project import cache as cache_module
from devlint.project.cache import DIRECTORY_NAME, TAG, Cache
from devlint.report import FORMATS, renderer
from tests.pipeline.test_remembering import BUG, check, entries, shown

PROGRAM = f"{BUG}from helper import g\ny = g(torch.ones(2, device='cuda'))  # devlint: ignore[DL203]\n"
HELPER = "import torch\n\ndef g(x):\n    return x + torch.ones(2)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    home = tmp_path / "project"
    home.mkdir()
    (home / "bug.py").write_text(PROGRAM)
    (home / "helper.py").write_text(HELPER)
    return home


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def key_of(entry: Path) -> str:
    return entry.parent.name + entry.name


def forge(entry: Path, content: bytes) -> None:
    """Write an entry as devlint would."""
    entry.write_bytes(cache_module._checksum(key_of(entry), content) + content)


def content_of(entry: Path) -> bytes:
    return entry.read_bytes()[cache_module._CHECKSUM :]


@pytest.mark.parametrize(
    "content",
    [
        b"{]",
        b'{"a":1}',
        b"[[1,2]]",
        b"7",
        b"\xff",
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"[" + b"9" * 10_000 + b"]",
        b"\0\0\0",
        b"/dev/zero\0x\0[]",
    ],
    ids=["no", "object", "short", "number", "bytes", "open", "deep", "objects", "long", "parts", "endless"],
)
def test_what_is_no_answer_is_found_anew(project: Path, cache: Cache, content: bytes) -> None:
    expected = shown(check(project))
    check(project, cache)
    for entry in entries(cache):
        forge(entry, content)
    assert shown(check(project, cache)) == expected


def paths_in(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each part of plain data."""
    inner = enumerate(data) if isinstance(data, list) else ()
    return [at, *(path for key, each in inner for path in paths_in(each, (*at, key)))]


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**70),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(["\0", "/dev/stdin", "../../x", "error", "safe", "DL101", "\ud800"]),
    st.lists(st.integers(0, 2), max_size=3),
    st.dictionaries(st.text(max_size=1), st.none(), max_size=1),
)


def changed(data: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Plain data with another part."""
    if not path:
        return new
    copy = list(data)
    copy[path[0]] = changed(copy[path[0]], path[1:], new)
    return copy


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(data=st.data())
def test_forged_answers_end_no_check(project: Path, cache: Cache, data: st.DataObject) -> None:
    check(project, cache)
    holding = sorted(entry for entry in entries(cache) if b"DL102" in content_of(entry))
    entry = data.draw(st.sampled_from(holding))
    *used, answer = content_of(entry).split(b"\0")
    known = json.loads(answer)
    for _ in range(data.draw(st.integers(1, 2))):
        known = changed(known, data.draw(st.sampled_from(paths_in(known))), data.draw(JUNK))
    forge(entry, b"\0".join((*used, json.dumps(known).encode())))
    try:
        result = check(project, cache)
        assert result.failures == []
        for format_ in FORMATS:
            renderer(format_)(result.report, io.StringIO())
    finally:
        entry.unlink()


def test_entries_that_were_swapped_are_noticed(project: Path, cache: Cache) -> None:
    expected = shown(check(project))
    check(project, cache)
    bug, clean = sorted(entries(cache), key=lambda each: len(each.read_bytes()))[-2:]
    bug_content = bug.read_bytes()
    bug.write_bytes(clean.read_bytes())
    clean.write_bytes(bug_content)
    assert shown(check(project, cache)) == expected


def _pipe(entry: Path) -> None:
    os.mkfifo(entry)


def _endless(entry: Path) -> None:
    entry.symlink_to("/dev/zero")


def _directory(entry: Path) -> None:
    entry.mkdir()


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes among the files")
@pytest.mark.parametrize("special", [_pipe, _endless, _directory])
def test_what_is_no_file_is_no_entry(project: Path, cache: Cache, special: Callable[[Path], None]) -> None:
    expected = shown(check(project))
    check(project, cache)
    for entry in entries(cache):
        entry.unlink()
        special(entry)
    assert shown(check(project, cache)) == expected


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_nothing_is_written_or_removed_through_a_link(
    project: Path, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "LIMIT", 0)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / ("0" * 62)).write_text("mine")
    cache.directory.mkdir()
    for shard in range(256):
        (cache.directory / f"{shard:02x}").symlink_to(precious)
    check(project, cache)
    assert [path.name for path in precious.iterdir()] == ["0" * 62]


def test_what_does_not_look_like_an_entry_is_not_removed(
    project: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "LIMIT", 0)
    cache.directory.mkdir()
    for shard in range(256):
        (cache.directory / f"{shard:02x}").mkdir()
        (cache.directory / f"{shard:02x}" / "thesis.txt").write_text("mine")
    check(project, cache)
    assert len(list(cache.directory.glob("*/thesis.txt"))) == 256


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_to_what_is_no_cache_is_not_used(project: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    (precious / "00").mkdir(parents=True)
    (project / DIRECTORY_NAME).symlink_to(precious)
    assert shown(check(project, Cache(project / DIRECTORY_NAME))) == shown(check(project))
    assert sorted(path.name for path in precious.rglob("*")) == ["00"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_cache_behind_a_link_is_emptied(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    real, precious = tmp_path / "real", tmp_path / "precious"
    real.mkdir()
    precious.mkdir()
    (precious / "thesis.txt").write_text("mine")
    link = project / DIRECTORY_NAME
    link.symlink_to(real)
    check(project, Cache(link))
    assert (real / TAG).exists()
    (real / "elsewhere").symlink_to(precious)
    assert main(["clean", "--cache-dir", str(link)]) == 0
    assert link.is_symlink()
    assert list(real.iterdir()) == []
    assert (precious / "thesis.txt").exists()
    assert check(project, Cache(link)).failures == []
    assert (real / TAG).exists()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_what_is_no_cache_is_not_emptied_behind_a_link(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("mine")
    link = project / DIRECTORY_NAME
    link.symlink_to(precious)
    assert main(["clean", "--cache-dir", str(link)]) == 2
    assert "is not a cache of devlint" in capsys.readouterr().err
    assert (precious / "thesis.txt").exists()


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes among the files")
def test_a_pipe_for_a_tag_is_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / TAG)
    assert main(["clean", "--cache-dir", str(tmp_path)]) == 2
