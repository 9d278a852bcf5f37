"""Tests the benchmark, and a small part of its measurement: files that need no download."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.benchmarks.accuracy import __main__ as bench
from tests.benchmarks.accuracy.kinds import KINDS, parses, plantings
from tests.benchmarks.accuracy.outcome import ALL, ON, found_by
from tests.benchmarks.accuracy.planting import Planting, Source
from tests.benchmarks.accuracy.sample import draw_all
from tests.benchmarks.accuracy.verdicts import Verdict, read_all

CASES = Path(__file__).parents[2] / "cases"
IN_TORCH = Path(__file__).with_name("in_torch.tsv")
"""Bugs planted into torch's own modules that are found: file, digest of its text, kind, line, column."""
TWINS = 80
"""How many of the bugs planted into the repaired programs of `tests/cases` are tried."""
FLOORS = {ON: 28, ALL: 34}
"""How many of these are found at least, by the rules that are on by default and by all."""

PLANTED = {
    "device=": (
        "y = torch.zeros(n, device=x.device, dtype=x.dtype)",
        "y = torch.zeros(n, dtype=x.dtype)",
    ),
    "register_buffer": (
        'self.register_buffer("mask", torch.ones(n), persistent=False)',
        "self.mask = (torch.ones(n))",
    ),
    ".to()": ("y = torch.cat(z).to(x.device)", "y = torch.cat(z)"),
    "x = x.to()": ("x = x.to(device)", "x.to(device)"),
    ".cpu()": ("a = x.detach().cpu().numpy()", "a = x.detach().numpy()"),
}
NOT_PLANTED = (
    "y = torch.zeros(n)",
    'y = torch.zeros(n, device="cpu")',
    "y = torch.zeros_like(x, device=x.device)",
    'self.register_buffer("mask", None)',
    "y = y.to(torch.float16)",
    "model.to(device)",
    "y = x.to(device)[0].numpy()",
    "a = x.numpy()",
)


def planted(text: str, kind: str) -> list[str]:
    """The text with each bug of a kind."""
    return [planting.plant(text) for planting in plantings(Source(text)) if planting.kind == kind]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_takes_away_what_it_is_named_for(kind: str) -> None:
    before, after = PLANTED[kind]
    assert planted(before, kind) == [after]


@pytest.mark.parametrize("text", NOT_PLANTED)
def test_what_keeps_no_device_right_is_left_alone(text: str) -> None:
    assert [planting for planting in plantings(Source(text)) if planting.kind != ".to()"] == []


def test_every_line_stays_where_it_is() -> None:
    text = "y = torch.zeros(\n    n,  # many\n    device=x.device,\n)\nself.z = nn.Buffer(\n    y\n)  # ä\n"
    changed = [planting.plant(text) for planting in plantings(Source(text))]
    assert len(changed) == 2
    assert all(parses(each) and each.count("\n") == text.count("\n") for each in changed)
    assert all(each.endswith("# ä\n") for each in changed)


def test_a_draw_is_the_same_again(tmp_path: Path) -> None:
    for number, package in enumerate(("one", "two")):
        (tmp_path / package).mkdir()
        lines = [f"y{i} = torch.zeros({i}, device=x{number}.device)" for i in range(9)]
        (tmp_path / package / "file.py").write_text("import torch\n" + "\n".join(lines) + "\n")
    first = draw_all(tmp_path, {"device=": 6})
    assert [each.path.split("/")[0] for each in first] == ["one", "two"] * 3
    assert first == draw_all(tmp_path, {"device=": 6})
    assert first != draw_all(tmp_path, {"device=": 6}, seed=9)


def test_verdicts_are_complete() -> None:
    verdicts = read_all()
    places = [(each.path, each.line, each.column, each.kind) for each in verdicts]
    assert len(places) == len(set(places))
    assert {each.kind for each in verdicts} == set(KINDS)
    assert sum(each.verdict is Verdict.BUG for each in verdicts) >= 400
    assert all(each.why.strip() for each in verdicts)


@pytest.mark.parametrize("codes", [ON, ALL], ids=["default", "all"])
def test_enough_is_found_in_the_repaired_programs(codes: frozenset[str]) -> None:
    """Deterministic: programs, seed and number are fixed."""
    found: Counter[str] = Counter()
    chosen = random.Random(4).sample(_twins(), TWINS)
    for path, text, planting in chosen:
        found[planting.kind] += bool(found_by(text, path, planting, codes))
    assert sum(found.values()) >= FLOORS[codes], (
        f"{sum(found.values())} of {TWINS} planted bugs are found: {found}"
    )


def _twins() -> list[tuple[Path, str, Planting]]:
    return [
        (path, text, planting)
        for path in sorted(CASES.glob("*/good.py"))
        for text in [path.read_text(encoding="utf-8")]
        for planting in plantings(Source(text))
        if parses(planting.plant(text))
    ]


def test_what_was_found_in_torch_is_found_still() -> None:
    """Only files that are as they were count: another torch may have changed them."""
    specification = importlib.util.find_spec("torch")
    assert specification is not None
    assert specification.origin is not None
    home = Path(specification.origin).parent
    with IN_TORCH.open(encoding="utf-8", newline="") as page:
        rows = list(csv.reader(page, dialect="excel-tab"))
    checked, lost = 0, []
    for name, digest, kind, line, column in rows:
        data = (home / name).read_bytes() if (home / name).exists() else b""
        if hashlib.sha256(data).hexdigest()[:16] != digest:
            continue
        text = data.decode()
        place = (kind, int(line), int(column))
        planting = next(p for p in plantings(Source(text)) if (p.kind, p.line, p.column) == place)
        checked += 1
        if not found_by(text, home / name, planting, ALL):
            lost.append(f"{name}:{line}: {kind}")
    if not checked:
        pytest.skip("this torch has none of the files that bugs were planted into")
    assert lost == []


def test_the_table_has_a_row_for_each_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "read_all", list)
    assert bench.main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{kind} " in printed for kind in KINDS)
    assert "bugs of the past" in printed
    assert "untouched code: 0 findings" in printed


def test_without_a_corpus_one_line_says_how_to_get_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([]) == 2
    assert "fetch_corpus" in capsys.readouterr().err
