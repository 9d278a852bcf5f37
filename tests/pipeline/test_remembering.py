"""Findings are the same with the cache cold, warm and damaged, and with one process and two."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devlint.model import Finding
from devlint.pipeline.analysis import analyze
from devlint.pipeline.analysis.analysis import Analysis, Rules
from devlint.pipeline.execution import processes
from devlint.pipeline.execution.run import Result, Run
from devlint.pipeline.session.task import FileChange, Task
from devlint.project import cache as cache_module
from devlint.project.cache import Cache
from devlint.project.configuration import Configurations
from devlint.project.modules import Modules
from devlint.project.settings import CONFIDENCES, Options
from devlint.report import FORMATS
from devlint.source.module_graph import ModuleFile
from tests.source.programs import programs

BUG = "import torch\nx = torch.ones(2, device='cuda') + torch.ones(2)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Programs with findings, and what else a project has."""
    home = tmp_path / "project"
    home.mkdir()
    for number, text in enumerate(programs()[:12]):
        (home / f"program_{number}.py").write_text(text, encoding="utf-8")
    (home / "plain.py").write_text("x = 1\n")
    (home / "unsure.py").write_text("import torch\n\ndef f(x: torch.Tensor):\n    return x + torch.eye(3)\n")
    (home / "broken.py").write_text("import torch\nx = (\n")
    (home / "bytes.py").write_bytes(b"'\xff'\n")
    (home / "idle.py").write_text("x = 1  # devlint: ignore[DL101]\n")
    (home / "cells.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "source": ["import torch\\n", '
        '"x = torch.ones(2, device=\'cuda\') + torch.ones(2)"]}], "nbformat": 4}'
    )
    return home


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def check(
    project: Path,
    cache: Cache | None = None,
    jobs: int | None = 1,
    task: Task = Task(),  # noqa: B008
    options: Options = Options(select=("ALL",)),  # noqa: B008
) -> Result:
    configurations = Configurations(options, project, FORMATS, isolated=True)
    run = Run(["."], configurations, task, cache, jobs)
    return run.result(run.outcomes())


def shown(result: Result) -> list[tuple[Finding, str]]:
    """All findings with the lines that reports show of them."""
    report = result.report
    return [
        (finding, report.sources[finding.site.path].line(finding.site.line, finding.site.cell))
        if finding.site.path in report.sources
        else (finding, "")
        for finding in report.findings
    ]


def entries(cache: Cache) -> list[Path]:
    return [path for path in cache.directory.glob("*/*") if path.is_file()]


@pytest.fixture
def analyzed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are analyzed meanwhile."""
    paths: list[str] = []
    actual = analyze.analyze

    def noting(
        text: str,
        path: str,
        on: Rules,
        place: Callable[[], ModuleFile] | None = None,
        **options: Any,
    ) -> Analysis:
        paths.append(path)
        return actual(text, path, on, place, **options)

    monkeypatch.setattr(analyze, "analyze", noting)
    return paths


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes start however little there is to do."""
    monkeypatch.setattr(processes, "WORTH_IT", 0)
    monkeypatch.setattr(processes, "BATCH", 4096)


def test_cold_and_warm(project: Path, cache: Cache, analyzed: list[str]) -> None:
    without = check(project)
    assert len(without.report.findings) > 10
    cold = check(project, cache)
    assert shown(cold) == shown(without)
    analyzed.clear()
    warm = check(project, cache)
    assert shown(warm) == shown(without)
    assert analyzed == []
    assert warm.report.checked == cold.report.checked


def test_one_changed_file_is_analyzed_anew_and_no_other(
    project: Path, cache: Cache, analyzed: list[str]
) -> None:
    before = check(project, cache)
    (project / "plain.py").write_text(BUG)
    analyzed.clear()
    after = check(project, cache)
    assert analyzed == ["plain.py"]
    assert shown(after) == shown(check(project))
    assert len(after.report.findings) > len(before.report.findings)


def test_a_file_that_was_moved_is_known(project: Path, cache: Cache, analyzed: list[str]) -> None:
    (project / "plain.py").write_text(BUG)
    check(project, cache)
    (project / "plain.py").rename(project / "moved.py")
    analyzed.clear()
    moved = check(project, cache)
    assert analyzed == []
    assert shown(moved) == shown(check(project))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A script that uses a module, which uses another, and one that uses none."""
    home = tmp_path / "package"
    home.mkdir()
    (home / "script.py").write_text(
        "import torch\nfrom middle import make\nx = torch.ones(2, device='cuda') + make()\n"
    )
    (home / "middle.py").write_text(
        "import torch\nfrom deep import build\n\ndef make():\n    return build()\n"
    )
    (home / "deep.py").write_text("import torch\n\ndef build():\n    return torch.ones(2, device='cuda')\n")
    (home / "alone.py").write_text("import torch\nx = torch.ones(2)\n")
    return home


def mismatches(result: Result) -> list[str]:
    """The files in which operands are found to be on different devices."""
    return [finding.site.path for finding in result.report.findings if finding.code == "DL101"]


def test_a_file_is_analyzed_anew_when_one_that_it_uses_changes(
    package: Path, cache: Cache, analyzed: list[str]
) -> None:
    assert mismatches(check(package, cache)) == []
    (package / "deep.py").write_text("import torch\n\ndef build():\n    return torch.ones(2)\n")
    analyzed.clear()
    after = check(package, cache)
    assert sorted(analyzed) == ["deep.py", "middle.py", "script.py"]
    assert mismatches(after) == ["script.py"]
    analyzed.clear()
    assert shown(check(package, cache)) == shown(after)
    assert analyzed == []


def test_a_file_is_analyzed_anew_when_one_that_it_names_appears(
    package: Path, cache: Cache, analyzed: list[str]
) -> None:
    deep = (package / "deep.py").read_text()
    (package / "deep.py").unlink()
    check(package, cache)
    (package / "deep.py").write_text(deep.replace(", device='cuda'", ""))
    analyzed.clear()
    after = check(package, cache)
    assert sorted(analyzed) == ["deep.py", "middle.py", "script.py"]
    assert mismatches(after) == ["script.py"]


def test_the_same_text_elsewhere_is_another_matter(package: Path, cache: Cache) -> None:
    other = package / "other"
    other.mkdir()
    for name in ("script.py", "middle.py"):
        (other / name).write_bytes((package / name).read_bytes())
    (other / "deep.py").write_text("import torch\n\ndef build():\n    return torch.ones(2)\n")
    for _ in range(2):
        assert mismatches(check(package, cache)) == [os.path.join("other", "script.py")]  # noqa: PTH118


def test_fixes_see_what_was_fixed_before(package: Path) -> None:
    """What is found in a file after another one was fixed is what is found in the files as they are now."""
    (package / "deep.py").write_text(
        "import torch\n\ndef build():\n    x = torch.ones(2, device='cuda')\n    x.cpu()\n    return x\n"
    )
    possible = Options(select=("ALL",), confidence="possible")
    fixed = check(package, task=Task(FileChange.FIX), options=possible)
    assert "    x = x.cpu()\n" in (package / "deep.py").read_text()
    assert mismatches(fixed) == ["script.py"]
    assert shown(fixed) == shown(check(package, options=possible))


def _flipped(entry: bytes) -> bytes:
    return entry[:-1] + bytes([entry[-1] ^ 1])


@pytest.mark.parametrize(
    "damage",
    [
        _flipped,
        lambda _: b"",
        lambda entry: entry[: len(entry) // 2],
        lambda entry: entry + b"x",
    ],
    ids=["flipped", "empty", "half", "longer"],
)
def test_a_damaged_entry_is_none(project: Path, cache: Cache, damage: Callable[[bytes], bytes]) -> None:
    check(project, cache)
    for path in entries(cache):
        path.write_bytes(damage(path.read_bytes()))
    assert shown(check(project, cache)) == shown(check(project))
    assert shown(check(project, cache)) == shown(check(project))


@pytest.mark.skipif(os.name == "nt", reason="directories cannot be made read-only")
def test_a_cache_that_cannot_be_written_is_none(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert shown(check(project, Cache(tmp_path / "file"))) == shown(check(project))
    assert shown(check(project, Cache(tmp_path / "file" / "below"))) == shown(check(project))


def test_other_rules_and_another_devlint_have_other_entries(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = cache.key(b"x", {"DL101"}, notebook=False)
    assert key == Cache(cache.directory).key(b"x", {"DL101"}, notebook=False)
    assert key != cache.key(b"y", {"DL101"}, notebook=False)
    assert key != cache.key(b"x", {"DL102"}, notebook=False)
    assert key != cache.key(b"x", {"DL101"}, notebook=True)
    for what in ("__version__", "_package_state", "_parser_state"):
        with monkeypatch.context() as patched:
            patched.setattr(cache_module, what, "other" if what == "__version__" else lambda: "other")
            assert key != Cache(cache.directory).key(b"x", {"DL101"}, notebook=False)


def test_what_fewer_rules_found_is_no_answer_for_more(project: Path, cache: Cache) -> None:
    by_default = check(project, cache, options=Options())
    assert len(by_default.report.findings) < len(check(project, cache).report.findings)
    assert shown(check(project, cache)) == shown(check(project))
    assert shown(check(project, cache, options=Options())) == shown(by_default)


@pytest.mark.parametrize("spared", ["user.py", "maker.py"])
def test_files_that_use_each_other_have_rules_of_their_own(tmp_path: Path, cache: Cache, spared: str) -> None:
    function = "import torch\n\ndef mask(x: torch.Tensor):\n    return torch.ones(len(x))\n"
    (tmp_path / "maker.py").write_text(function)
    (tmp_path / "user.py").write_text(f"import maker\n{function}\nmaker.mask(torch.ones(3))\n")
    options = Options(select=("DL410",), per_file_ignores={spared: ("DL410",)})
    for _ in ("cold", "warm"):
        found = check(tmp_path, cache, options=options).report.findings
        assert {finding.site.path for finding in found} == {"maker.py", "user.py"} - {spared}


def test_fixing_asks_and_tells_no_cache(project: Path, cache: Cache) -> None:
    check(project, cache, task=Task(FileChange.FIX, write=False))
    assert entries(cache) == []


def test_the_oldest_entries_go_first(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "LIMIT", cache_module._SHARDS * 4 * 4096)
    keys = [f"aa{number:062x}" for number in range(6)]
    for age, key in enumerate(keys):
        cache.keep(key, [], "a.py", [])
        os.utime(cache.directory / "aa" / key[2:], (age, age))
    cache.trim()
    assert [key for key in keys if cache.find(key, "a.py", Modules().state) is not None] == keys[3:]


def test_a_cache_can_be_written_by_many_at_once(project: Path, cache: Cache) -> None:
    expected = shown(check(project))
    results: list[Result] = []
    threads = [
        threading.Thread(target=lambda: results.append(check(project, Cache(cache.directory))))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [failure.trace for result in results for failure in result.failures] == []
    assert [shown(result) for result in results] == [expected] * 3
    assert all("." not in path.name for path in entries(cache))


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("jobs", [2, None])
def test_several_processes_find_the_same(project: Path, cache: Cache, jobs: int | None) -> None:
    expected = shown(check(project))
    assert shown(check(project, jobs=jobs)) == expected
    assert shown(check(project, cache, jobs)) == expected
    assert shown(check(project, cache, jobs)) == expected
    assert shown(check(project, cache)) == expected


@pytest.mark.usefixtures("eager")
def test_several_processes_fix_the_same(project: Path) -> None:
    task = Task(FileChange.FIX, unsafe=True, write=False)
    one, two = check(project, task=task), check(project, jobs=2, task=task)
    assert list(one.patches) == list(two.patches) != []
    assert one.changed == two.changed


@pytest.mark.usefixtures("eager")
def test_what_nobody_waits_for_any_more_is_not_fixed(tmp_path: Path) -> None:
    long = f"{BUG}# {'so that it is a batch of its own':{processes.BATCH}}\n"
    for number in range(60):
        (tmp_path / f"bug_{number}.py").write_text(long)
    configurations = Configurations(Options(select=("ALL",)), tmp_path, FORMATS, isolated=True)
    outcomes = Run(["."], configurations, Task(FileChange.FIX, unsafe=True), None, 2).outcomes()
    with pytest.raises(KeyboardInterrupt):
        for _ in outcomes:
            outcomes.throw(KeyboardInterrupt())  # type: ignore[attr-defined]
    assert sum(file.read_text() == long for file in tmp_path.glob("*.py")) > 30


@pytest.mark.usefixtures("eager")
@pytest.mark.skipif(not processes._FORKS, reason="what is patched here, other processes do not have")
def test_a_process_that_is_killed_takes_no_file_with_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = shown(check(project))
    parent = os.getpid()
    actual = analyze.analyze

    def dying(text: str, path: str, on: Rules, *_: object, **__: object) -> Analysis:
        if path == "plain.py" and os.getpid() != parent:
            os._exit(9)
        return actual(text, path, on)

    monkeypatch.setattr(analyze, "analyze", dying)
    assert shown(check(project, jobs=2)) == expected


def test_one_entry_serves_every_threshold(project: Path, cache: Cache, analyzed: list[str]) -> None:
    found = {
        threshold: shown(check(project, options=Options(select=("ALL",), confidence=threshold)))
        for threshold in CONFIDENCES
    }
    assert len(found["certain"]) < len(found["possible"])
    check(project, cache)
    analyzed.clear()
    for threshold in reversed(CONFIDENCES):
        options = Options(select=("ALL",), confidence=threshold)
        assert shown(check(project, cache, options=options)) == found[threshold]
        assert shown(check(project, cache, 2, options=options)) == found[threshold]
    assert analyzed == []


def test_what_was_withheld_is_found_anew(project: Path, cache: Cache, analyzed: list[str]) -> None:
    expected = shown(check(project, cache))
    analyzed.clear()
    assert shown(check(project, cache, task=Task(silenced=True))) == expected
    assert analyzed


def test_few_files_start_no_process(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "ProcessPoolExecutor", None)
    for path in sorted(project.glob("program_*.py"))[3:]:
        path.unlink()
    assert check(project, jobs=2).report.checked == 9
