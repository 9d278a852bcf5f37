"""From tallies to the report of a run: what is chosen, suppressed, placed, added up."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from devlint.model import (
    CPU,
    Cause,
    Concrete,
    Confidence,
    EditRequest,
    Event,
    HotPath,
    Move,
    Observed,
    Operand,
    Operation,
    Origin,
    OriginStep,
    Site,
    SiteId,
    Step,
    Synchronization,
    Transfer,
)
from devlint.pipeline.observed.findings import observed
from devlint.project.configuration import Configurations
from devlint.project.settings import Options
from devlint.report import FORMATS, Report
from devlint.report.totals import Seen
from devlint.rules import registry
from devlint.runtime.places.sites import LocatedSites
from devlint.runtime.recording.recorder import Tally

CUDA = Concrete("cuda", 0)
PROGRAM = """\
import torch
mask = torch.ones(3)
x = mask.to("cuda")
while True:
    x.sum().item()
    x + mask
"""


class Places:
    """Sites whose numbers are lines of one file, all of the line."""

    def __init__(self, path: Path, text: str = PROGRAM) -> None:
        path.write_text(text)
        self._path = path
        self._lines = text.splitlines()

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest]) -> LocatedSites:  # noqa: ARG002
        return LocatedSites({site: self.site(site) for site in sites})

    def site(self, number: SiteId) -> Site:
        text = self._lines[number - 1]
        return Site(str(self._path), number, len(text) - len(text.lstrip()) + 1, number, len(text) + 1)


MADE = OriginStep(Step.MADE, SiteId(2), CPU, "torch.ones")
MASK = Operand("mask", SiteId(6), CPU, origin=Origin((MADE,)), rank0=False, parameter="other")
X = Operand("x", SiteId(6), CUDA, rank0=False, parameter="input")


def mismatch(line: int = 6) -> Event:
    return Operation(SiteId(line), None, Confidence.SEEN, "torch.add", (X, MASK))


def wait(line: int = 5) -> Event:
    return Synchronization(
        SiteId(line), HotPath.RECURRING, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, X
    )


def copy(line: int = 3) -> Event:
    return Transfer(SiteId(line), None, Confidence.SEEN, "torch.Tensor.to", MASK, CPU, CUDA, bytes=12)


TALLIES = [
    Tally(wait(), 50, seconds=0.5),
    Tally(wait(6), 7, seconds=2.0),
    Tally(mismatch(), 1),
    Tally(copy(), 2, seconds=9.0, bytes=24),
]


def report(
    here: Path, tallies: list[Tally] | None = None, text: str = PROGRAM, options: Options | None = None
) -> Report:
    configurations = Configurations(options or Options(), here, FORMATS, default=frozenset(registry.codes()))
    return observed(
        TALLIES if tallies is None else tallies, Places(here / "train.py", text), configurations, ["half"]
    )


def told(found: Report) -> list[tuple[str, int]]:
    return [(finding.code, finding.site.line) for finding in found.findings]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "devlint.toml").write_text("")
    return tmp_path


def test_the_worst_comes_first_with_its_measures(here: Path) -> None:
    found = report(here)
    assert told(found) == [("DL101", 6), ("DL201", 6), ("DL201", 5)]
    assert [finding.observed for finding in found.findings] == [
        Observed(1),
        Observed(7, 2.0),
        Observed(50, 0.5),
    ]


def test_places_are_named_as_in_a_check(here: Path) -> None:
    found = report(here)
    assert {finding.site.path for finding in found.findings} == {"train.py"}
    assert {related.site.path for finding in found.findings for related in finding.related} == {"train.py"}
    assert found.sources["train.py"].text == PROGRAM


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("item()", "item()  # devlint: ignore[DL201] it is wanted", [6, 6]),
        ("item()", "item()  # noqa: DL201", [6, 6]),
        ("    x + mask", "    x + mask  # devlint: ignore", [5]),
        ("import torch\n", "# devlint: skip-file\n", []),
        ("item()", "item()  # devlint: ignore[DL101]", [5, 6, 6]),
    ],
)
def test_comments_hold(here: Path, old: str, new: str, lines: list[int]) -> None:
    assert sorted(line for _, line in told(report(here, text=PROGRAM.replace(old, new)))) == lines


@pytest.mark.parametrize(
    ("configuration", "options", "codes"),
    [
        ("", Options(select=("DL2",)), {"DL201"}),
        ("", Options(ignore=("DL1",)), {"DL201"}),
        ('ignore = ["DL2"]', Options(select=("DL201",)), {"DL201"}),
        ('select = ["DL3"]', Options(), set()),
        ('[per-file-ignores]\n"train.py" = ["DL1"]', Options(), {"DL201"}),
    ],
)
def test_configuration_holds(here: Path, configuration: str, options: Options, codes: set[str]) -> None:
    (here / "devlint.toml").write_text(configuration)
    assert {code for code, _ in told(report(here, options=options))} == codes


def test_a_configuration_that_makes_no_sense_costs_no_report(here: Path) -> None:
    other = here / "other"
    other.mkdir()
    (other / "devlint.toml").write_text("slect = []")
    configurations = Configurations(Options(ignore=("DL2",)), here, FORMATS)
    places = Places(other / "train.py")
    found = observed([Tally(wait(), 3)], places, configurations)
    assert found.run is not None
    assert "`slect` is not a setting" in found.run.remarks[0]
    assert told(found) == []  # what holds is what the command line says


def test_what_has_no_text_is_reported_all_the_same(here: Path) -> None:
    places = Places(here / "train.py")
    (here / "train.py").unlink()
    configurations = Configurations(Options(select=("DL2",)), here, FORMATS)
    assert told(observed([Tally(wait(), 3)], places, configurations)) == [("DL201", 5)]


def test_totals_count_what_no_rule_speaks_of(here: Path) -> None:
    found = report(here, options=Options(select=("DL4",)))
    assert found.findings == []
    assert found.run is not None
    assert found.run.waits == Seen(57, 2.5)
    assert found.run.uploads == Seen(2, None, 24)
    assert found.run.downloads == found.run.between == Seen()
    assert found.run.remarks == ["half"]


def test_a_move_is_shown_with_what_its_copies_took(here: Path) -> None:
    dropped = Move(SiteId(3), None, Confidence.SEEN, "torch.Tensor.to", MASK, CPU, CUDA, kept=False)
    found = report(here, [Tally(dropped, 2), Tally(copy(), 2, seconds=0.5, bytes=24)])
    assert [(finding.code, finding.observed) for finding in found.findings] == [
        ("DL105", Observed(2, 0.5, 24))
    ]


def test_waits_of_which_no_rule_speaks_are_told_by_place(here: Path) -> None:
    def rare(line: int) -> Event:
        return Synchronization(SiteId(line), None, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, X)

    tallies = [Tally(wait(), 50), Tally(rare(6), 1), Tally(rare(5), 1), Tally(rare(3), 2), Tally(rare(3), 1)]
    found = report(here, tallies)
    assert told(found) == [("DL201", 5)]
    assert found.run is not None
    assert [(each.site.line, each.operator, each.seen.count) for each in found.run.unspoken] == [
        (3, "torch.Tensor.item", 3),
        (6, "torch.Tensor.item", 1),
    ]
    assert {each.site.path for each in found.run.unspoken} == {"train.py"}


@pytest.mark.parametrize(("pinned", "usual"), [(False, True), (True, False)])
def test_a_batch_that_no_loader_pins_is_usual(here: Path, pinned: bool, usual: bool) -> None:
    batch = replace(X, device=CPU)
    upload = Transfer(
        *(SiteId(5), HotPath.LOADER_LOOP, Confidence.SEEN, "torch.Tensor.to", batch, CPU, CUDA),
        pinned=pinned,
        bytes=10**6,
    )
    found = report(here, [Tally(upload, 9)])
    assert [finding.code for finding in found.findings] == ["DL304"]
    assert [finding.code for finding in found.shown] == ([] if usual else ["DL304"])
