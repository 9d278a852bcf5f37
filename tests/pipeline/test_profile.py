"""From what processes have seen to the profile of a run: devices, places, times and histories."""

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
    Device,
    EditRequest,
    Event,
    HotPath,
    Move,
    Operand,
    Origin,
    OriginStep,
    Site,
    SiteId,
    Step,
    Synchronization,
    Transfer,
)
from devlint.pipeline.observed.findings import observed
from devlint.pipeline.observed.profile import Recording, profile
from devlint.project.configuration import Configurations
from devlint.project.settings import Options
from devlint.report import FORMATS
from devlint.report.profile import ActKind, Lane, Profile
from devlint.runtime.places.sites import LocatedSites
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.recording.timeline import Timeline
from devlint.runtime.trace.writer import digest_of

CUDA, FIRST, SECOND = Concrete("cuda"), Concrete("cuda", 0), Concrete("cuda", 1)
PROGRAM = "import torch\nx = torch.ones(3)\ny = x.to('cuda')\ny.sum().item()\nz.cpu()\n"


class Places:
    """Sites whose numbers are lines of one file, all of the line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest]) -> LocatedSites:  # noqa: ARG002
        lines = PROGRAM.splitlines()
        return LocatedSites(
            {site: Site(str(self._path), site, 1, site, len(lines[site - 1]) + 1) for site in sites}
        )


def wait(line: int, device: Device, cause: Cause = Cause.HOST_READ) -> Synchronization:
    operand = Operand("y", SiteId(line), device)
    return Synchronization(SiteId(line), None, Confidence.SEEN, "torch.Tensor.item", cause, operand)


def copy(line: int, source: Device, target: Device) -> Transfer:
    operand = Operand("x", SiteId(line), source)
    return Transfer(SiteId(line), None, Confidence.SEEN, "torch.Tensor.to", operand, source, target)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "devlint.toml").write_text("")
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def recording(work: Path, *events: Event, rank: int | None = None, began: float | None = None) -> Recording:
    """A process that has seen these, a second after each other."""
    timeline = Timeline()
    tallies: dict[Event, Tally] = {}
    for number, event in enumerate(events):
        tallies.setdefault(event, Tally(event)).count += 1
        timeline.add(event, float(number), 0, None, None)
    return Recording(list(tallies.values()), timeline, Places(work / "train.py"), rank, began)


def drawn(work: Path, *recordings: Recording) -> Profile:
    configurations = Configurations(Options(), work, FORMATS)
    tallies = [tally for each in recordings for tally in each.tallies]
    report = observed(tallies, recordings[0].locator, configurations)
    return profile(report, recordings, work, "train.py", "2.13.0")


def devices(run: Profile) -> list[str]:
    return [act.lane.device for act in run.acts]


def test_each_place_and_kind_is_an_act_with_its_text_and_device(work: Path) -> None:
    run = drawn(work, recording(work, copy(3, CPU, FIRST), wait(4, FIRST), wait(4, FIRST)))
    upload, read = run.acts
    assert (upload.kind, upload.detail, upload.operator) == (
        ActKind.UPLOAD,
        "cpu → cuda:0",
        "`torch.Tensor.to`",
    )
    assert (read.kind, read.detail, read.operand) == (ActKind.WAIT, "the host reads a value", "y")
    assert (read.site.path, read.site.line, read.seen.count) == ("train.py", 4, 2)
    assert [moment.act for moment in run.moments] == [0, 1, 1]
    assert run.report.sources["train.py"].line(4) == "y.sum().item()"


def test_a_wait_for_an_upload_is_for_the_device_that_it_goes_to(work: Path) -> None:
    up, other = (wait(line, CPU, Cause.UPLOAD) for line in (3, 5))
    run = drawn(work, recording(work, copy(3, CPU, FIRST), up, copy(5, CPU, SECOND), other))
    assert devices(run) == ["cuda:0", "cuda:0", "cuda:1", "cuda:1"]


def test_where_a_line_goes_to_several_devices_its_waits_are_for_none(work: Path) -> None:
    up = wait(3, CPU, Cause.UPLOAD)
    run = drawn(work, recording(work, copy(3, CPU, FIRST), copy(3, CPU, SECOND), up))
    assert devices(run) == ["cuda:0", "cuda:1", ""]
    assert str(run.acts[-1].lane) == "unnamed device"


def test_the_current_device_is_the_only_one_that_has_a_number(work: Path) -> None:
    assert devices(drawn(work, recording(work, copy(3, CPU, CUDA), wait(4, FIRST)))) == ["cuda:0", "cuda:0"]
    several = drawn(work, recording(work, copy(3, CPU, CUDA), wait(4, FIRST), wait(5, SECOND)))
    assert devices(several) == ["cuda", "cuda:0", "cuda:1"]
    assert devices(drawn(work, recording(work, copy(3, CPU, CUDA)))) == ["cuda"]


def test_the_current_device_is_that_of_the_move_at_the_place(work: Path) -> None:
    operand = Operand("x", SiteId(3), CPU)
    move = Move(SiteId(3), None, Confidence.SEEN, "torch.Tensor.to", operand, CPU, SECOND, kept=True)
    run = drawn(work, recording(work, copy(3, CPU, CUDA), move, wait(4, FIRST)))
    assert devices(run) == ["cuda:1", "cuda:0"]


@pytest.mark.parametrize(("seen", "device"), [(FIRST, "cuda:0"), (CUDA, "cuda"), (SECOND, "")])
def test_who_waits_for_no_operand_waits_for_the_first_device(work: Path, seen: Device, device: str) -> None:
    everything = replace(wait(5, FIRST, Cause.EXPLICIT), operand=None)
    assert devices(drawn(work, recording(work, wait(4, seen), everything)))[1] == device
    several = drawn(work, recording(work, wait(4, FIRST), wait(3, SECOND), everything))
    assert devices(several)[2] == ""


def test_copies_between_devices_are_told_apart(work: Path) -> None:
    run = drawn(work, recording(work, copy(3, FIRST, SECOND), copy(5, SECOND, CPU)))
    assert [(act.kind, act.lane.device) for act in run.acts] == [
        (ActKind.BETWEEN, "cuda:1"),
        (ActKind.DOWNLOAD, "cuda:1"),
    ]


def test_ranks_have_lanes_of_their_own_and_share_a_clock(work: Path) -> None:
    first = recording(work, wait(4, FIRST), wait(4, FIRST), rank=0, began=100.0)
    second = recording(work, wait(4, FIRST), rank=1, began=100.5)
    run = drawn(work, first, second)
    assert [act.lane for act in run.acts] == [Lane("cuda:0", 0), Lane("cuda:0", 1)]
    assert [(moment.act, moment.end) for moment in run.moments] == [(0, 0.0), (1, 0.5), (0, 1.0)]
    assert run.began == 100.0


def test_what_was_counted_without_being_seen_is_known(work: Path) -> None:
    seen = recording(work, wait(4, FIRST))
    seen.tallies[0].count = 50
    run = drawn(work, seen)
    assert run.untold == 49


def test_files_that_have_changed_since_the_run_are_named(work: Path) -> None:
    here = str(work / "train.py")
    seen = recording(work, wait(4, FIRST))
    as_it_was = replace(seen, files={here: digest_of(here)})
    assert drawn(work, as_it_was).report.run == drawn(work, seen).report.run

    def remarks(**files: str) -> list[str]:
        run = drawn(work, replace(seen, files={str(work / name): digest for name, digest in files.items()}))
        assert run.report.run is not None
        return list(run.report.run.remarks)

    assert remarks(**{"train.py": "another"}) == [
        "train.py has changed since the run: the lines that are shown may be wrong"
    ]
    assert remarks(**{"gone.py": "some", "lost.py": "other"}) == [
        "gone.py and 1 more file have been removed since the run: the lines are not shown"
    ]


def test_a_finding_has_the_history_of_its_operands(work: Path) -> None:
    made = OriginStep(Step.MADE, SiteId(2), CPU, "torch.ones", implicit=True)
    moved = OriginStep(Step.MOVED, SiteId(3), FIRST, "torch.Tensor.to")
    operand = Operand("y", SiteId(4), FIRST, origin=Origin((made, moved)))
    read = Synchronization(
        SiteId(4), HotPath.TRAINING_LOOP, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, operand
    )
    run = drawn(work, recording(work, read))
    codes = [finding.code for finding in run.report.findings]
    (origin,) = run.origins[codes.index("DL201")]
    assert origin.operand == "`y` is on cuda:0"
    assert [(stage.text, stage.device, stage.site and stage.site.line) for stage in origin.stages] == [
        ("created on cpu by `torch.ones`, no device given", "cpu", 2),
        ("moved to cuda:0 by `torch.Tensor.to`", "cuda:0", 3),
    ]
