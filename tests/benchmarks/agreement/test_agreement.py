"""Tests that runs and the check are compared line by line, and that the list of programs is consistent."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest

from tests import forks
from tests.benchmarks.agreement import truth
from tests.benchmarks.agreement.__main__ import main
from tests.benchmarks.agreement.brief import brief_lines
from tests.benchmarks.agreement.observe import STANDINS, places, turns
from tests.benchmarks.agreement.options import CATALOGUE, PARTS
from tests.benchmarks.agreement.periodic import periodic_lines
from tests.benchmarks.agreement.recipes import RECIPES
from tests.benchmarks.agreement.score import agreement
from tests.benchmarks.agreement.store import Store
from tests.benchmarks.agreement.truth import Found, Place, Seen, Truth
from tests.benchmarks.planted.__main__ import main as plant
from tests.benchmarks.planted.edits import edits
from tests.benchmarks.planted.plant import where
from tests.benchmarks.programs import catalogue
from tests.benchmarks.programs.catalogue import Program
from tests.benchmarks.sampled import Comparison, lines
from tests.benchmarks.sampled import main as sampled

PROGRAM = """
import torch
from torch import nn

model = nn.Linear(4, 1).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for step in range(200):
    inputs = torch.ones(2, 4)
    loss = model(inputs.to("cuda")).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
    if step % 2 == 0:
        print(loss.item())
print(total)
""".lstrip()
LIST = """
[repositories]
"someone/something" = "HEAD"

[packages]

[[program]]
name = "small"
source = "someone/something"
command = "train.py"
settings = { PROGRAM_SECONDS = "600" }
exercises = "everything"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the list of one program is, its repository, and what is kept of its runs."""
    return tmp_path_factory.mktemp("agreement")


@pytest.fixture(scope="module")
def project(folder: Path) -> Iterator[list[str]]:
    """The arguments of the commands for the list, with the program in a repository of its own."""
    repository = folder / "mirror" / "someone+something" / "repo"
    repository.mkdir(parents=True)
    (repository / "train.py").write_text(PROGRAM)
    git = ["git", "-C", str(repository), "-c", "user.name=x", "-c", "user.email=x"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "x"]):
        subprocess.run([*git, *command], check=True)
    (folder / "list.toml").write_text(LIST)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Store, "python", Path(sys.executable))
        yield [
            str(folder / "kept"),
            f"--catalogue={folder / 'list.toml'}",
            f"--mirror={folder / 'mirror'}",
        ]


@pytest.fixture(scope="module")
def compared(project: list[str]) -> str:
    """What the benchmark prints when it has run the program once."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main([*project, "--options=--select DL1,DL2,DL3", "--missed", "--unconfirmed"]) == 0
    return printed.getvalue()


@pytest.mark.parametrize("listed", catalogue.read(CATALOGUE).programs, ids=lambda listed: listed.name)
def test_every_program_can_be_prepared(listed: Program) -> None:
    assert listed.source in catalogue.read(CATALOGUE).repositories
    assert {recipe.partition("/")[0] for recipe in listed.data.values()} <= RECIPES.keys()
    drawn = int(hashlib.sha256(listed.source.encode()).hexdigest(), 16) % 3 == 0
    assert listed.part in PARTS[2:] or listed.part == ("unread" if drawn else "tuned")


def test_names_and_pins_are_exact() -> None:
    pins = catalogue.read(CATALOGUE)
    assert len({listed.name for listed in pins.programs}) == len(pins.programs)
    assert all(re.fullmatch(r"[0-9a-f]{40}", commit) for commit in pins.repositories.values())
    assert {listed.source for listed in pins.programs} == pins.repositories.keys()


def test_a_program_is_run_once_and_held_against_the_check(
    compared: str, project: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = truth.read(folder / "kept" / "truth" / "small.json")
    assert (shown.ended, shown.steps) == ("", 39)
    assert shown.lines["train.py"][9] == 40
    assert {(found.code, found.place.first) for found in shown.found} >= {("DL201", 13)}
    assert "1 programs" in compared
    assert re.search(r"^ +DL201 +1 of +1  1\.00$", compared, re.MULTILINE)
    assert main([*project, "--cached"]) == 0
    assert "small:" not in capsys.readouterr().out


def test_a_program_is_run_with_some_steps_watched_and_with_all(
    project: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert sampled([*project, "--steps", "150"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^small +[1-9]\d* +0 +0 +0$", printed, re.MULTILINE)
    assert "1 of 1 programs: the same findings, counts within 10%" in printed


def test_what_is_missed_added_and_off_is_told() -> None:
    read, copied, moved = (("DL201", Place("train.py", line, line)) for line in (1, 2, 3))
    one = Comparison("small", {read: 100, copied: 5}, {read: 111, moved: 4})
    assert not one.agrees
    assert list(lines(one))[1:] == [
        "    missed: train.py:2 DL201, 5 and 0 times",
        "    added: train.py:3 DL201, 0 and 4 times",
        "    off: train.py:1 DL201, 100 and 111 times",
    ]
    assert Comparison("small", {read: 100}, {read: 110}).agrees


BOUNDED = """
import time
from stand_in.bounds import stop_after

class Slow:
    def __del__(self, clock=time.process_time):
        end = clock() + 0.6
        while clock() < end:
            pass

slow = Slow()
stop_after(9, 0.4)
"""


@pytest.mark.parametrize(
    ("does", "printed"),
    [
        ("time.sleep(0.6)\nprint('slept')", "slept\n"),
        ("print('begun', flush=True)\nwhile True: pass", "begun\n"),
    ],
)
def test_a_program_is_stopped_by_the_seconds_it_works_and_has_then_ended_well(
    does: str, printed: str, tmp_path: Path
) -> None:
    (tmp_path / "bounded.py").write_text(BOUNDED + does)
    environment = {**os.environ, "PYTHONPATH": str(STANDINS)}
    done = forks.run(("bounded.py",), tmp_path, environment, finalized=True)
    assert (done.code, done.out) == (0, printed)


@pytest.mark.usefixtures("compared")
def test_what_is_taken_away_is_run_and_asked_for(
    project: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plant([*project, "--missed"]) == 0
    printed = capsys.readouterr().out
    assert "small: 2 of 2 raise" in printed
    assert re.search(r"^  move +\d of +2", printed, re.MULTILINE)
    assert (folder / "kept" / "planted" / "small.json").exists()


def test_periodic_lines_are_those_below_a_remainder() -> None:
    text = (
        "for step in range(9):\n"
        "    a()\n"
        "    if step % 3 == 0:\n"
        "        b()\n"
        "    else:\n"
        "        c()\n"
        "    if '%d' % step:\n"
        "        d()\n"
        "    if step % 3:\n"
        "        continue\n"
        "    e()\n"
    )
    assert periodic_lines(text) == {4, 10, 11}


def test_brief_lines_are_those_of_loops_with_few_turns() -> None:
    text = (
        "for epoch in range(8):\n"
        "    for x in batches():\n"
        "        a()\n"
        "    for x in few():\n"
        "        b()\n"
        "    c()\n"
        "while d():\n"
        "    e()\n"
    )
    executed = {1: 9, 2: 48, 3: 40, 4: 24, 5: 16, 6: 8, 7: 2, 8: 1}
    assert brief_lines(text, executed) == {5, 8}
    assert brief_lines(text, {}) == frozenset()


def test_a_claim_about_a_loop_of_few_turns_is_marked(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("for x in few():\n    a()\nb()\n")
    run = replace(shown(), lines={"train.py": {1: 4, 2: 2, 3: 1}})
    claims = agreement(run, [found("DL201", 2), found("DL201", 3), found("DL101", 2)], tmp_path).claims
    assert [claim.brief for claim in claims] == [True, False, False]


def shown(*found: Found, seen: tuple[Seen, ...] = ()) -> Truth:
    """The results of a run that executed five lines of a file."""
    return Truth("", 1.0, 9, 0, found, seen, {"train.py": dict.fromkeys(range(1, 6), 1)})


def found(code: str, line: int) -> Found:
    """A finding at a line."""
    return Found(code, Place("train.py", line, line), "")


def seen(line: int, *, gap: float = 1.0, count: int = 9, already: int = 0) -> Seen:
    """A wait at a line."""
    return Seen("Synchronization", Place("train.py", line, line), count, already, gap, forward=False)


def test_only_what_recurs_at_executed_lines_is_compared(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\n" * 9)
    run = shown(
        found("DL201", 1), found("DL201", 2), found("DL204", 3), seen=(seen(1), seen(2, gap=8.0), seen(3))
    )
    result = agreement(run, [found("DL205", 1), found("DL201", 2), found("DL201", 9)], tmp_path)
    assert [(line.found.code, line.reported) for line in result.shown] == [("DL201", "DL205")]
    assert sum(result.left_out.values()) == 2
    assert [claim.doubt for claim in result.claims] == ["", "waits, but not at every third batch"]


@pytest.mark.parametrize(
    ("claim", "run", "doubt"),
    [
        (found("DL102", 1), shown(), "nothing raised"),
        (found("DL201", 1), shown(), "no wait"),
        (found("DL201", 1), shown(seen=(seen(1, already=9),)), "waits, right after another wait"),
        (found("DL201", 1), shown(seen=(seen(1),)), ""),
        (found("DL301", 1), shown(), "nothing copied"),
        (found("DL301", 1), shown(seen=(replace(seen(1), kind="Transfer"),)), "copied, and rightly so"),
        (found("DL301", 1), shown(found("DL307", 1)), ""),
    ],
)
def test_a_claim_is_confirmed_by_the_run(claim: Found, run: Truth, doubt: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\n" * 9)
    assert [judged.doubt for judged in agreement(run, [claim], tmp_path).claims] == [doubt]


@pytest.mark.parametrize(
    ("stepped", "times"), [([], 0), ([0, 0, 0], 3), ([0, 1, 2, 3] * 2, 2), ([0, 0, 0, 0, 0, 1], 5)]
)
def test_a_turn_of_a_loop_may_step_several_optimizers(stepped: list[int], times: int) -> None:
    assert turns(stepped) == times


def test_what_is_in_a_package_is_at_the_only_line_that_calls_it(tmp_path: Path) -> None:
    def site(number: int, path: str, line: int) -> dict[str, object]:
        return {"site": number, "path": path, "line": line, "end_line": None}

    own = str(tmp_path / "train.py")
    rows = (
        *(site(1, own, 3), site(2, own, 4), site(3, "/lib/io.py", 9), site(4, "/lib/io.py", 12)),
        *({"called": 3, "from": 1}, {"called": 4, "from": 1}, {"called": 4, "from": 2}),
    )
    (tmp_path / "trace.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    third, fourth = Place("train.py", 3, 3), Place("train.py", 4, 4)
    assert places(tmp_path / "trace.jsonl", tmp_path) == {1: third, 2: fourth, 3: third}


def test_edits_take_one_thing_away() -> None:
    source = (
        b"x = (a + b).to(device)\n"
        b"y = torch.zeros(2, device=device, dtype=float)\n"
        b"self.register_buffer('scale', torch.ones(1))\n"
        b"z = y.float().cpu().numpy()\n"
        b"model.cuda()\n"
        b"w = x.to(torch.float16)\n"
    )
    changed = {
        (edit.kind, edit.line): edit.apply(source).splitlines()[edit.line - 1].decode()
        for edit in edits(source)
    }
    assert changed == {
        ("move", 1): "x = (a + b)",
        ("device=", 2): "y = torch.zeros(2, dtype=float)",
        ("register_buffer", 3): "self.scale = torch.ones(1)",
        (".cpu()", 4): "z = y.float().numpy()",
        ("move", 5): "model",
    }


def test_a_device_error_is_at_the_innermost_line_of_the_program(tmp_path: Path) -> None:
    printed = (
        "Traceback (most recent call last):\n"
        f'  File "{tmp_path}/train.py", line 7, in <module>\n'
        f'  File "{tmp_path}/model.py", line 3, in forward\n'
        '  File "/usr/lib/torch/nn/functional.py", line 9, in linear\n'
        "RuntimeError: Expected all tensors to be on the same device, but found two\n"
    )
    assert where(printed, tmp_path)[0] == "model.py:3"
    assert where(printed.replace("Expected all tensors to be on the same device", "oh"), tmp_path)[0] == ""
